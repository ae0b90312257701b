#include "solver/opening.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solver/extrapolation.h"
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

// The rate of convergence of pairs is judged over the last four looks, that of small sets over a
// whole pass: they are slow at first, and a pass of theirs is cheap. Slower than twenty passes to
// the end counts as twenty. Real data take about five: after twenty, Q is so flat that only the
// Newton paths of a block will end it.
constexpr std::size_t looks_for_rate = 4;
constexpr double slowest_passes = 20;

// Small sets that leave more than this of the gap in a pass leave the field to pairs; so they do
// where blocks seem to pay. A few copies of unlike label, say, keep sets busy that pairs are soon
// done with.
constexpr double left_after_pass = 0.9;

// With more free points than a block may have, only hopeless convergence of pairs ends the opening;
// not even that in less than twenty passes where sets were tried before. Such kernels are narrow,
// and the points of one block depend on too many others.
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

// Steps until the gap is down to the tolerance, if it goes on falling as in the last `looks`.
double steps_to_go(const std::vector<double>& gaps, std::size_t looks, double steps_per_look,
                   double tolerance, double points) {
  const double most = slowest_passes * points;
  const std::size_t window = std::min(gaps.size() - 1, looks);
  if (window == 0) return most;
  const double now = gaps.back(), before = gaps[gaps.size() - 1 - window];
  const double fall_per_step = std::log(before / now) / (window * steps_per_look);
  return fall_per_step > 0 ? std::min(most, std::log(now / tolerance) / fall_per_step) : most;
}

bool sets_are_slow(const std::vector<double>& gaps) {
  if (gaps.size() <= looks_per_pass) return false;
  return gaps.back() > left_after_pass * gaps[gaps.size() - 1 - looks_per_pass];
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

class Opening {
 public:
  Opening(const DualProblem& problem, Variables& v, double tolerance, std::size_t newcomers,
          std::size_t max_block, Patience& patience)
      : problem_(problem), v_(v), tolerance_(tolerance), newcomers_(newcomers),
        max_block_(max_block), patience_(patience), steps_per_look_(v.size() / looks_per_pass + 1),
        is_narrow_(suits_small_sets(problem.gram)), by_sets_(is_narrow_), sets_(problem, v),
        extrapolation_(problem, v, patience) {
    if (by_sets_) problem.gram.expect_all();  // with a narrow kernel nearly all points are free
    if (by_sets_ && problem.gram.rows_are_cheap()) looks_to_judge_ = looks_in_rate() + 1;
  }

  OpeningEnd run() {
    for (;;) {
      const SmoEnd end = work();
      moved_ += end.moved;
      if (!(end.gap >= tolerance_) || end.steps == 0 || patience_.at_end())
        return {moved_, best_.restore(end.gap, v_)};
      gaps_.push_back(end.gap);
      best_.offer(end.gap, v_);
      moved_ += extrapolation_.look(end.moved);
      const Census census = take_census(v_);
      const bool first_pass = touches_new_points(census);
      if (by_sets_ && sets_are_slow(gaps_)) {
        leave_to_pairs();
      } else if (!first_pass && gaps_.size() >= looks_to_judge_ && blocks_pay(census)) {
        if (!by_sets_ || !problem_.gram.rows_are_cheap()) return {moved_, false};
        leave_to_pairs();
      }
    }
  }

 private:
  SmoEnd work() {
    if (by_sets_) return sets_.steps(tolerance_, steps_per_look_, patience_);
    const auto row_of = [this](std::int64_t t) { return problem_.gram.row(t); };
    return smo(v_, problem_.scale, row_of, tolerance_, steps_per_look_, patience_);
  }

  // Pairs begin anew, and are judged when their rate can be known.
  void leave_to_pairs() {
    by_sets_ = false;
    gaps_.clear();
    looks_to_judge_ = looks_in_rate() + 1;
  }

  std::size_t looks_in_rate() const { return by_sets_ ? looks_per_pass : looks_for_rate; }

  bool touches_new_points(const Census& census) {
    const double fewest = new_points_per_step * static_cast<double>(steps_per_look_);
    const bool does = static_cast<double>(census.touched) >= touched_ + fewest;
    touched_ = static_cast<double>(census.touched);
    return does;
  }

  bool blocks_pay(const Census& census) const {
    if (!problem_.gram.rows_are_cheap()) return true;
    const double n = static_cast<double>(v_.size());
    const double steps = steps_to_go(gaps_, looks_in_rate(), steps_per_look_, tolerance_, n);
    const std::size_t members = census.free + newcomers_;
    const bool tired = gaps_.size() > slowest_passes * looks_per_pass;
    if (members > max_block_)
      return !by_sets_ && (tired || !is_narrow_) && steps > hopeless_passes * n;
    return tired || blocks_are_cheaper(steps, n, members, by_sets_ ? cost_in_sets : 1);
  }

  const DualProblem& problem_;
  Variables& v_;
  double tolerance_;
  std::size_t newcomers_, max_block_;
  Patience& patience_;
  std::size_t steps_per_look_;
  bool is_narrow_, by_sets_;
  SmallSets sets_;
  Extrapolation extrapolation_;
  std::vector<double> gaps_;  // look by look
  std::size_t looks_to_judge_ = 1;
  double touched_ = 0, moved_ = 0;
  BestBeta best_;
};

}  // namespace

OpeningEnd open_on_whole_rows(const DualProblem& problem, Variables& v, double tolerance,
                              std::size_t newcomers, std::size_t max_block, Patience& patience) {
  return Opening(problem, v, tolerance, newcomers, max_block, patience).run();
}

}  // namespace kpb
