// What is known about a solution once it is found. kpboost.solvers.optimality says the same in
// Python, where any solution can be judged.
#pragma once

#include <cstddef>

namespace kpb {

struct Quality {
  double intercept;  // b
  double objective;  // 1/2 a'Qa - 1'a
  double gap;        // largest violation by a pair of points
};

// `residual` is y - Q beta.
Quality quality_of(std::size_t n, const double* target, const double* bound, const double* beta,
                   const double* residual);

}  // namespace kpb
