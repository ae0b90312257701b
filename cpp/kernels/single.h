// The RBF kernel of many rows against a few landmarks, in single precision.
//
//   exp(-gamma |x - l|^2) = 2^(-|x' - l'|^2),    x' = sqrt(gamma log2 e) (x - centre)
//
// x' and l' are computed in double precision and then rounded, so that neither an offset nor the
// units of the data cost digits; |l'| should be some tens at most. An entry depends on its row and
// its landmark alone.
#pragma once

#include "kernels/rbf.h"

namespace kpb {

// out (x.size by landmarks.size)
void single_block(Points x, Points landmarks, const double* centre, double gamma, float* out,
                  const Pause& pause);

// out[i, t] = intercept[t] + sum_j coef[t, j] exp(-gamma |x_i - l_j|^2) for t < machines.
void single_decision(Points x, Points landmarks, const double* centre, double gamma,
                     std::size_t machines, const double* coef, const double* intercept, double* out,
                     const Pause& pause);

}  // namespace kpb
