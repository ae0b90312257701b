// One candidate of a search: the rounds of all two-class problems of a fold, and what they say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "boosting/boost.h"
#include "boosting/regions.h"
#include "rows/dense_rows.h"

namespace kpb {

// What the candidates share of a two-class problem: all but the step.
struct TrialProblem {
  const DenseRows& gram;
  const double* target;
  const double* bound;
  const double* weight;         // of the points in rates
  const BoostingRound& first;   // the plain SVM
  const std::int64_t* rows;     // of the problem among the training points, ascending
  const Regions* regions;       // null where every correct point loses resolution
  const std::int64_t* nearest;  // of each test point, among the rows; null without regions
};

struct Trial {
  std::vector<TrialProblem> problems;
  const double* test_kernel;  // test points by training points
  std::size_t n_test, n_train;
  double step;
  std::size_t rounds;
  Limits limits;
  bool as_new;  // whether training points are asked as new ones
};

// Where the answers go; problems lie side by side.
struct TrialAnswers {
  double *tpr, *tnr;  // (problems, rounds): by the values that rounds are judged by
  double* sums;       // (n_test, problems, rounds): f without b, at full resolution
  double* inherited;  // (n_test, problems, rounds): k of the nearest training point; or null
  double* intercept;  // (problems, rounds): b
};

struct FailedSolve {
  Status status;
  std::int64_t steps;
  double gap;
};

struct TrialEnd {
  bool complete;  // false if somebody said stop
  std::vector<FailedSolve> failed;
};

TrialEnd try_step(const Trial& trial, const TrialAnswers& answers);

}  // namespace kpb
