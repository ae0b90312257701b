// Where the kernel is narrow: the whole problem, solved on the entries of the matrix that matter.
//
// An active-set method that guesses all bounds at once. With the residual e, the level b of free
// points and the diagonal d of Q, a point alone would go to beta + (e - b) / d: it is taken to be at
// its bound if that lies at or beyond it, and free otherwise. Conjugate gradients then bring the
// free points to one level, within the plane where all beta sum to zero. Where points hardly touch
// each other few guesses are wrong, the next ones correct them, and a product takes the time of the
// few entries.
#pragma once

#include "rows/near_entries.h"
#include "solver/dual_solver.h"
#include "solver/patience.h"

namespace kpb {

struct NearEnd {
  bool solved;     // otherwise v is as it was
  double moved;    // how far beta went altogether, as far as rounding goes
  double ignored;  // bound on what the entries left out would have done to a residual
};

// Moves v, whose residual belongs to its beta, to where its gap is usually below the tolerance, but
// for the entries left out.
NearEnd solve_on_near_entries(const DualProblem& problem, const NearEntries& near, Variables& v,
                              double tolerance, Patience& patience);

}  // namespace kpb
