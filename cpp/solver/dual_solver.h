// Block SMO with an active-set Newton path: the whole solve. The problem is stated in variables.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "rows/gram_rows.h"
#include "solver/block.h"
#include "solver/variables.h"

namespace kpb {

// A beta whose Q beta is known up to rounding. It need not be feasible.
struct KnownField {
  const double* beta;
  const double* field;  // Q beta
  double rounding;      // bound on the error of field
};

struct DualProblem {
  const GramRows& gram;
  const double* target;  // y, each +1 or -1
  const double* bound;   // C, each >= 0
  const double* scale;   // null: ones
  const double* start;   // a feasible beta; null: zeros
  const KnownField* known;  // of a beta that start may share most coefficients with; or null
  Block* block;             // of an earlier solve with the same gram; null: a new one
  // The residual of start, where it depends on more than these points; null: that of zeros is the
  // target.
  const double* start_residual = nullptr;
  bool opens = false;  // on whole rows, though there is a start
};

struct Limits {
  double tolerance;        // on the violation gap
  std::int64_t max_steps;  // pair steps
  std::function<bool()> interrupted;
};

enum class Status {
  converged,        // the gap is below the tolerance
  iteration_limit,  // out of steps
  interrupted,      // somebody said stop
  stalled,          // nothing improves any more, as at the limits of rounding
};

struct DualOutcome {
  Variables variables;  // beta and residual are the answer: if not converged, the best looked at
  double rounding;      // bound on what rounding has done to the residual since it was computed
  std::int64_t steps;
  Status status;
};

// A block for solves that have the Gram matrix in common: what it has copied is not read again.
Block block_for(const GramRows& gram);

DualOutcome solve_dual(const DualProblem& problem, const Limits& limits);

}  // namespace kpb
