#pragma once

#include "types/problem.h"

namespace bzscr {

// What the transform of features takes from the training samples. Each function makes one pass or
// two; all ranks call it and get the same values.

/// The mean and standard deviation of each column. A column is taken for constant if its standard
/// deviation is below 2^-20 of its root mean square: that is the rounding of float32.
/// \param X  without scale, centre and column scaling
ColumnScaling column_scaling(const Samples& X);

/// 1 / |x| of each sample after the column scaling; 0 for a sample of zeros.
/// \param X  without scale and centre
Vector inverse_lengths(const Samples& X);

/// The mean of the scaled samples.
/// \param X  without centre
Vector mean_sample(const Samples& X);

}  // namespace bzscr
