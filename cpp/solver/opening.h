// The opening: SMO on whole rows of the Gram matrix, by pairs or small sets, before large working
// sets pay.
//
// While nearly every step touches points it has not touched before, a working set would have to
// fetch the same rows and gains nothing. With narrow kernels, where most points stay free, whole
// rows remain the best way to the end. The opening ends when blocks promise to be cheaper.
#pragma once

#include "solver/dual_solver.h"
#include "solver/patience.h"

namespace kpb {

struct OpeningEnd {
  double moved;    // how far the steps went altogether, as far as rounding goes
  bool went_back;  // to an earlier beta with a smaller gap: its residual is still to be computed
};

// Moves v towards the optimum; returns when solved, out of patience or better left to blocks of
// at most `max_block` points that grow by `newcomers`.
OpeningEnd open_on_whole_rows(const DualProblem& problem, Variables& v, double tolerance,
                              std::size_t newcomers, std::size_t max_block, Patience& patience);

}  // namespace kpb
