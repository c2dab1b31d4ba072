#pragma once

#include "base/json.h"
#include "support/model_file.h"

namespace bzscr::cli {

/// All that bzscr-inspect says of a model.
/// \param info  of the model as it was opened: its arena, form and storage
Json model_json(const ModelFile& file, const ModelDescription& model, const bzscr_rt_info& info);

}  // namespace bzscr::cli
