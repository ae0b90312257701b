// An active-set Newton path on the free variables of a block.
#pragma once

#include "solver/block.h"
#include "solver/patience.h"

namespace kpb {

enum class PathEnd {
  optimum,       // the equality-constrained optimum of the free variables was reached
  at_bounds,     // stopped early: as many variables as allowed have met a bound
  not_possible,  // fewer than two free variables, or the matrix is not positive definite
};

// Goes from beta towards the optimum over the free variables F subject to sum beta = const.
// Where a variable meets its bound the path fixes it there and goes on with the others. One
// Cholesky factor of Q_FF plus a ridge serves the whole path, and most of it the next ones.
PathEnd newton_path(Block& block, double ridge, Patience& patience);

}  // namespace kpb
