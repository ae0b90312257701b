// The loops that take nearly all the time, as one table of functions per instruction set.
#pragma once

#include "kernels/rbf_loops.h"
#include "kernels/single_loops.h"
#include "solver/dense_loops.h"
#include "solver/pair_loops.h"

namespace kpb {

struct HotLoops {
  const char* level;
  PairLoops pair;      // passes over residuals: steps of SMO, and choices of points
  DenseLoops dense;    // sums of rows and the Cholesky factor
  RbfLoops rbf;        // distances, exponentials and fused prediction
  SingleLoops single;  // the same in single precision
};

// The table for this machine, chosen once.
const HotLoops& hot();

}  // namespace kpb
