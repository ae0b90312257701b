#include "solver/opening.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/smo.h"

namespace kpb {

namespace {

// The question whether to go on is asked sixteen times per n steps.
constexpr std::size_t looks_per_pass = 16;

// Steps touch two points each. Below half a new point per step the first pass is over.
constexpr double new_points_per_step = 0.5;

// Copying an entry of Q into a block costs about as much as five entries of an SMO step.
constexpr double cost_of_copying = 5;

// The rate of convergence is judged over the last four looks; slower than twenty passes to the
// end counts as twenty. Real data take about five: after twenty, Q is so flat that only the Newton
// paths of a block will end it.
constexpr std::size_t looks_for_rate = 4;
constexpr double slowest_passes = 20;

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

bool blocks_are_cheaper(double steps, double points, double members) {
  const double whole_rows = steps * points;
  const double in_block = steps * members + cost_of_copying * members * members + members * points;
  return in_block < whole_rows;
}

}  // namespace

double open_on_whole_rows(const DualProblem& problem, Variables& v, double tolerance,
                        std::size_t newcomers, std::size_t max_block, Patience& patience) {
  const std::size_t n = v.size(), steps_per_look = n / looks_per_pass + 1;
  const auto row_of = [&](std::int64_t t) { return problem.gram.row(t); };
  std::vector<double> gaps;
  double moved = 0;
  std::size_t touched_before = 0;
  for (;;) {
    const SmoEnd end = smo(v, problem.scale, row_of, tolerance, steps_per_look, patience);
    moved += end.moved;
    if (!(end.gap >= tolerance) || end.steps == 0 || patience.at_end()) return moved;
    gaps.push_back(end.gap);
    const Census census = take_census(v);
    const bool first_pass =
        census.touched >= touched_before + new_points_per_step * steps_per_look;
    touched_before = census.touched;
    if (first_pass) continue;

    if (!problem.gram.rows_are_cheap()) return moved;
    const double steps = steps_to_go(gaps, steps_per_look, tolerance, n);
    const std::size_t members = census.free + newcomers;
    const bool too_long = gaps.size() > slowest_passes * looks_per_pass;
    if (members <= max_block ? too_long || blocks_are_cheaper(steps, n, members)
                             : steps > hopeless_passes * n)
      return moved;
  }
}

}  // namespace kpb
