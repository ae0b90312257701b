// Distances, exponentials and fused prediction: what the RBF kernel needs in its inner loops.
#pragma once

#include <cstddef>

namespace kpb {

struct RbfLoops {
  // x[t] = exp(x[t]) for x[t] <= 0
  void (*exp_nonpositive)(std::size_t n, double* x);
};

}  // namespace kpb
