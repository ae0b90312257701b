#include "solver/opening.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solver/small_sets.h"
#include "solver/smo.h"

namespace kpb {

namespace {

// The question whether to go on is asked sixteen times per n steps.
constexpr std::size_t looks_per_pass = 16;

// Steps touch two points each. Below half a new point per step the first pass is over.
constexpr double new_points_per_step = 0.5;

// In entries of an SMO step on whole rows: what an entry of a small set's step costs, and copying
// one of Q into a block.
constexpr double cost_in_sets = 0.4, cost_of_copying = 5;

// The rate of convergence is judged over the last four looks; slower than twenty passes to the
// end counts as twenty. Real data take about five: after twenty, Q is so flat that only the Newton
// paths of a block will end it.
constexpr std::size_t looks_for_rate = 4;
constexpr double slowest_passes = 20;

// Small sets that have not halved the gap in a pass leave the field to pairs, whose choice by gain is
// the better one where the diagonal of Q has entries of very different size.
constexpr double fall_in_pass = 0.5;

// With more free points than a block may have, only hopeless convergence ends the opening.
constexpr double hopeless_passes = 10;

struct Census {
  std::size_t free = 0, touched = 0;
};

Census take_census(const Variables& v) {
  Census census;
  for (std::size_t t = 0; t < v.size(); ++t) {
    census.free += v.is_free(t);
    census.touched += v.beta[t] != 0;
  }
  return census;
}

// Steps until the gap is down to the tolerance, if it goes on falling as it did lately.
double steps_to_go(const std::vector<double>& gaps, double steps_per_look, double tolerance,
                   double points) {
  const double most = slowest_passes * points;
  const std::size_t window = std::min(gaps.size() - 1, looks_for_rate);
  if (window == 0) return most;
  const double now = gaps.back(), before = gaps[gaps.size() - 1 - window];
  const double fall_per_step = std::log(before / now) / (window * steps_per_look);
  return fall_per_step > 0 ? std::min(most, std::log(now / tolerance) / fall_per_step) : most;
}

bool sets_are_slow(const std::vector<double>& gaps) {
  if (gaps.size() <= looks_per_pass) return false;
  return gaps.back() > fall_in_pass * gaps[gaps.size() - 1 - looks_per_pass];
}

// The beta with the smallest gap of those that were looked at.
class BestBeta {
 public:
  void offer(double gap, const Variables& v) {
    if (!(gap < gap_)) return;
    gap_ = gap;
    beta_ = v.beta;
  }

  // Takes v back to it; returns whether that is another one than v has.
  bool restore(double gap, Variables& v) const {
    if (!(gap_ < gap)) return false;
    for (std::size_t t = 0; t < v.size(); ++t) v.set_beta(t, beta_[t]);
    return true;
  }

 private:
  double gap_ = std::numeric_limits<double>::infinity();
  Numbers beta_;
};

bool blocks_are_cheaper(double steps, double points, double members, double cost_of_entry) {
  const double whole_rows = cost_of_entry * steps * points;
  const double in_block = steps * members + cost_of_copying * members * members + members * points;
  return in_block < whole_rows;
}

}  // namespace

OpeningEnd open_on_whole_rows(const DualProblem& problem, Variables& v, double tolerance,
                              std::size_t newcomers, std::size_t max_block, Patience& patience) {
  const std::size_t n = v.size(), steps_per_look = n / looks_per_pass + 1;
  const auto row_of = [&](std::int64_t t) { return problem.gram.row(t); };
  bool by_sets = suits_small_sets(problem.gram);
  SmallSets sets(problem, v);
  std::vector<double> gaps;
  BestBeta best;
  double moved = 0;
  std::size_t touched_before = 0;
  for (;;) {
    const SmoEnd end =
        by_sets ? sets.steps(tolerance, steps_per_look, patience)
                : smo(v, problem.scale, row_of, tolerance, steps_per_look, patience);
    moved += end.moved;
    if (!(end.gap >= tolerance) || end.steps == 0 || patience.at_end())
      return {moved, best.restore(end.gap, v)};
    gaps.push_back(end.gap);
    best.offer(end.gap, v);
    by_sets = by_sets && !sets_are_slow(gaps);
    const Census census = take_census(v);
    const bool first_pass =
        census.touched >= touched_before + new_points_per_step * steps_per_look;
    touched_before = census.touched;
    if (first_pass) continue;

    if (!problem.gram.rows_are_cheap()) return {moved, false};
    const double steps = steps_to_go(gaps, steps_per_look, tolerance, n);
    const std::size_t members = census.free + newcomers;
    const bool too_long = gaps.size() > slowest_passes * looks_per_pass;
    if (members <= max_block ? too_long || blocks_are_cheaper(steps, n, members, by_sets ? cost_in_sets : 1)
                             : steps > hopeless_passes * n)
      return {moved, false};
  }
}

}  // namespace kpb
