// Blocks of squared distances |x - y|^2 and of the RBF kernel exp(-gamma |x - y|^2), and sums of
// kernel values that never form a block.
//
// Distances come from the differences themselves: points that agree have distance 0 and kernel
// value 1, exactly, at every scale and offset.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "kernels/packed.h"

namespace kpb {

// Called between pieces of work, many times a second; stops the work by throwing.
using Pause = std::function<void()>;

// exp(-gamma |x - y|^2) with a gamma, |x - y|^2 without one.
using Gamma = std::optional<double>;

// out (x.size by y.size)
void rbf_block(Points x, Points y, Gamma gamma, double* out, const Pause& pause);

// out (x.size by x.size): one triangle is computed and mirrored, so it is symmetric bit for bit.
void rbf_gram(Points x, Gamma gamma, double* out, const Pause& pause);

// out[i, t] = intercept[t] + sum_j coef[t, j] exp(-gamma |x_i - y_j|^2) for t < machines.
void rbf_decision(Points x, Points y, double gamma, std::size_t machines,
                  const double* coef, const double* intercept, double* out, const Pause& pause);

// The same for the Laplacian kernel, exp(-gamma times the city-block distance of x_i and y_j).
void laplacian_decision(Points x, Points y, double gamma, std::size_t machines, const double* coef,
                        const double* intercept, double* out, const Pause& pause);

}  // namespace kpb
