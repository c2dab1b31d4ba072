#pragma once

/// The work of logistic_row by Eigen's packets, compiled for the machine that builds it: what
/// logistic_row is compared with. Plain pointers, as Eigen's own types differ between instruction
/// sets.
/// \return the sum of ln(1 + e^rho_r) and of the sigmoids, which are left in F
double eigen_logistic_row(float* F, const float* Delta, float base, long n);
/// Floats to a packet here.
int eigen_packet_floats();
