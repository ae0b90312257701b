// The rounds of KPBoost-SVM after the first: each solves the same dual under another diagonal
// scaling of the Gram matrix, which takes resolution from where the rounds before were right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "rows/gram_rows.h"
#include "solver/dual_solver.h"

namespace kpb {

struct BoostingPlan {
  const GramRows& gram;
  const double* target;  // y, each +1 or -1
  const double* bound;   // C
  double step;           // varsigma, by which k grows
  std::size_t rounds;    // T, the first one included
  Limits limits;         // of every solve

  // Makes of the mask of correctly classified points that of the points that lose resolution;
  // false to stop. Empty: they are the same.
  std::function<bool(bool* mask)> rule;
  // Called after every round; false to stop. May be empty.
  std::function<bool()> after_round;
};

struct BoostingRound {
  std::vector<double> dual_coef;
  std::vector<double> decision;      // f; exactly y at free support vectors
  std::vector<double> log_scale;     // log s
  std::vector<double> perturbation;  // k
  std::vector<double> as_new;        // f with s = 1 at the point itself; empty if f is too inexact
  double intercept, gap;
  double rounding;  // bound on the error of decision
  std::int64_t steps;
  Status status;
};

// The first round, which is the plain SVM with log s = k = 0, and those that follow it. Fewer than
// planned if somebody said stop.
std::vector<BoostingRound> boost(const BoostingPlan& plan, BoostingRound first);

}  // namespace kpb
