#include "solver/dual_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "simd/flush_denormals.h"
#include "simd/hot.h"
#include "solver/block.h"
#include "solver/changes.h"
#include "solver/low_rank_start.h"
#include "solver/near_solve.h"
#include "solver/newton_path.h"
#include "solver/opening.h"
#include "solver/part.h"
#include "solver/parts.h"
#include "solver/patience.h"
#include "solver/smo.h"
#include "solver/units.h"
#include "solver/working_set.h"

namespace kpb {

namespace {

// Points at a bound that may enter the working set at a time: an eighth of the free points, which
// are in it anyway, and at least this many.
constexpr std::size_t min_newcomers = 64;

// A block of 4096 points takes 134 MB; larger ones no longer pay.
constexpr std::size_t max_block = 4096;

// That, the newcomers of such a block, and the most violating pair.
constexpr std::size_t largest_working_set = max_block + max_block / 8 + 2;

// Problems up to this size are one block from the start.
constexpr std::size_t whole_problem = 256;

// With a wide kernel and a large C, the opening may leave many points free that do not belong
// there, and a gap of more than this: to tell them apart would take the first block most of the
// whole time. Another start is better then, unless it tells little: with a rare class it may leave
// most of the others free, so many times those at their bound. The same holds after the first part.
// How much of the kernel's diagonal a few rows must explain was found by trial.
constexpr double far_from_solved = 3;
constexpr std::size_t many_free = 400;
constexpr std::size_t most_free_to_bound = 2;
constexpr double least_explained = 0.8, least_explained_for_parts = 0.6;

// Steps for so many passes over all points are more than solving on a few entries may spend.
constexpr std::size_t plenty_of_passes = 200;

// A block is solved to a tenth of the gap it is to reduce: more precision would be spent on a
// working set that is about to change. The last are solved to a third of the tolerance.
constexpr double block_precision = 0.1, last_precision = 0.3;

// SMO gets a quarter of the time that a Newton path would take, measured in multiplications of an
// SMO step, of which a step on m points has about 4 m: those of the factor run three times as fast;
// some k^2 are for the path of k free points, a constant is for starting it.
// In any case SMO may touch half of the points, two in a step.
constexpr double share_of_newton = 0.25, factor_cost = 1.0 / 3, path_cost = 6,
                 start_cost = 20000, step_cost = 4, share_of_points = 0.25;

// The ridge starts at the tolerance over C, where it moves no residual by more than the tolerance.
// Below 1e-13 of the diagonal rounding takes the factor over.
constexpr double ridge_decay = 0.1, ridge_growth = 100, smallest_ridge = 1e-13;

// Up to this many free points a Newton path takes some ten microseconds.
constexpr std::size_t polished_points = 64;

// A block that SMO and Newton paths have not solved after this many turns is left as it is: the
// next working set may be easier.
constexpr int max_turns = 200;

// Updates of the residual may lose up to this share of the tolerance to rounding before they are
// done afresh.
constexpr double tolerated_drift = 0.1;

// Nothing improves any more when ten blocks have brought neither a gap that is smaller by a tenth
// nor a lower objective. Within a block, ten turns without such a gap are enough once it is within
// a factor of a hundred of what rounding does: the block is left, and begun again.
constexpr int blocks_without_progress = 10, turns_at_rounding = 10;
constexpr double notable = 0.9, rounding_reach = 100;

// The state with the smallest gap of those that were looked at.
class Best {
 public:
  void offer(double gap, const Variables& v, double drift = 0) {
    ++age_;
    if (!(gap < gap_)) return;
    gap_ = gap;
    variables_ = v;
    drift_ = drift;
    if (!(gap < notable * last_notable_)) return;
    last_notable_ = gap;
    age_ = 0;
  }

  double gap() const { return gap_; }
  double drift() const { return drift_; }
  const Variables& variables() const { return variables_; }
  int age() const { return age_; }  // offers since the gap was notably smaller

 private:
  Variables variables_;
  double gap_ = std::numeric_limits<double>::infinity(), last_notable_ = gap_, drift_ = 0;
  int age_ = 0;
};

class Solver {
 public:
  Solver(const DualProblem& problem, const Limits& limits)
      : problem_(problem), tolerance_(limits.tolerance),
        patience_(limits.max_steps, limits.interrupted),
        own_block_(problem.block ? std::optional<Block>() : block_for(problem.gram)),
        block_(problem.block ? *problem.block : *own_block_) {
    block_.set_scale(problem.scale);
    set_up();
  }

  DualOutcome run() {
    if (problem_.start) compute_first_residual();
    Extremes extremes = find_extremes(v_);
    const double first_gap = extremes.gap();
    if (starts_on_whole_rows()) extremes = open(extremes);
    if (!parts_.come_first()) extremes = start_anew_if_far(extremes);
    bool first = true;
    while (!solved(extremes) && !patience_.at_end() && !stalled_) {
      if (parts_.pay(extremes, max_block)) {
        improve_part(extremes);
      } else {
        improve_block(extremes);
      }
      patience_.spend(1);
      patience_.poll();
      extremes = find_extremes(v_);
      if (first && parts_.come_first()) extremes = start_anew_if_far(extremes);
      first = false;
      if (!solved(extremes)) look_for_progress(extremes);
    }
    if (!(extremes.gap() < tolerance_)) extremes = return_to_best(first_gap);
    const Status status = status_of(extremes.gap());
    return {std::move(v_), drift_, patience_.spent(), status};
  }

 private:
  void set_up() {
    const std::size_t n = problem_.gram.size();
    v_.resize(n);
    for (std::size_t t = 0; t < n; ++t) {
      const double y = problem_.target[t], bound = problem_.bound[t];
      v_.lower[t] = y > 0 ? 0 : -bound;
      v_.upper[t] = y > 0 ? bound : 0;
      v_.diagonal[t] = scale(t) * scale(t) * problem_.gram.diagonal(t);
      v_.residual[t] = origin_residual()[t];
      v_.set_beta(t, problem_.start ? problem_.start[t] : 0.0);
      largest_bound_ = std::max(largest_bound_, bound);
      largest_diagonal_ = std::max(largest_diagonal_, v_.diagonal[t]);
    }
  }

  // Where residuals are counted from: zeros (null), or a start that comes with its residual.
  const double* origin() const { return problem_.start_residual ? problem_.start : nullptr; }
  const double* origin_residual() const {
    return problem_.start_residual ? problem_.start_residual : problem_.target;
  }

  bool is_one_block() const { return v_.size() <= whole_problem; }
  double scale(std::size_t t) const { return problem_.scale ? problem_.scale[t] : 1.0; }

  // From a given start, whole rows pay only if the working set would be most of the problem.
  bool starts_on_whole_rows() const {
    if (is_one_block() || parts_.come_first()) return false;
    return !problem_.start || problem_.opens || 2 * (v_.free_points() + min_newcomers) > v_.size();
  }

  // On the entries that matter where they are few, then on whole rows. Somebody who counts steps
  // gets small ones.
  Extremes open(Extremes extremes) {
    const auto plenty = static_cast<std::int64_t>(plenty_of_passes * v_.size());
    const auto stop = [this] {
      patience_.poll();
      return patience_.stopped();
    };
    if (extremes.gap() >= tolerance_ && patience_.steps_left() >= plenty)
      if (const NearEntries* near = problem_.gram.near_entries(stop)) {
        const NearEnd end = solve_on_near_entries(problem_, *near, v_, tolerance_, patience_);
        drift_ += 2 * rounding_of(end.moved) + end.ignored;
        if (end.solved) extremes = find_extremes(v_);
        if (solved(extremes)) return extremes;
      }
    return open_on_rows();
  }

  Extremes open_on_rows() {
    const OpeningEnd end =
        open_on_whole_rows(problem_, v_, tolerance_, min_newcomers, max_block, patience_);
    drift_ += 2 * rounding_of(end.moved);
    if (end.went_back) compute_residual();
    const Extremes extremes = find_extremes(v_);
    best_.offer(extremes.gap(), v_, drift_);
    return extremes;
  }

  bool is_far_from_solved(const Extremes& extremes) const {
    return !problem_.start && !is_one_block() && !patience_.at_end() &&
           extremes.gap() > far_from_solved && v_.free_points() >= many_free;
  }

  Extremes start_anew_if_far(const Extremes& extremes) {
    if (!is_far_from_solved(extremes)) return extremes;
    const double least = parts_.come_first() ? least_explained_for_parts : least_explained;
    const std::vector<double> start = low_rank_start(problem_, least, patience_);
    if (start.empty() || patience_.stopped() || is_vague(start)) return extremes;
    for (std::size_t t = 0; t < v_.size(); ++t) v_.set_beta(t, start[t]);
    compute_residual();
    return find_extremes(v_);
  }

  bool is_vague(const std::vector<double>& start) const {
    std::size_t free = 0, at_bound = 0;
    for (std::size_t t = 0; t < start.size(); ++t) {
      const double size = std::fabs(start[t]);
      free += size > 0 && size < problem_.bound[t];
      at_bound += size > 0 && size >= problem_.bound[t];
    }
    return free > most_free_to_bound * at_bound;
  }

  // The gap is below the tolerance, and would be with an exact residual.
  bool solved(Extremes& extremes) {
    if (extremes.gap() >= tolerance_) return false;
    if (drift_ > tolerated_drift * tolerance_) {
      compute_residual();
      extremes = find_extremes(v_);
    }
    return extremes.gap() < tolerance_;
  }

  // The solve has stalled when nothing improves for too long, or nothing moves at all: a block that
  // changes nothing would be chosen again for ever. Before it comes to that, the residual is
  // computed afresh, since rounding that has gathered in it may be all that is left of the gap.
  void look_for_progress(Extremes& extremes) {
    best_.offer(extremes.gap(), v_, drift_);
    const bool lower_objective = lowers_objective();
    without_progress_ = best_.age() == 0 || lower_objective ? 0 : without_progress_ + 1;
    stalled_ = (stuck_ && drift_ == 0) || without_progress_ > blocks_without_progress;
    if (drift_ == 0 || (without_progress_ == 0 && !stuck_)) return;
    compute_residual();
    extremes = find_extremes(v_);
  }

  // Lower than ever, by more than what an error of the residual can do to it.
  bool lowers_objective() {
    double objective = 0;
    for (std::size_t t = 0; t < v_.size(); ++t)
      objective -= 0.5 * (v_.residual[t] + origin_residual()[t]) *
                   (v_.beta[t] - (origin() ? origin()[t] : 0.0));
    const double doubt = total_of(v_) * (rounding() + drift_);
    if (!(objective < lowest_objective_ - doubt)) return false;
    lowest_objective_ = objective;
    return true;
  }

  // Of what was looked at; a stalled solve counts its start as well. One that ran out of steps does
  // not: each of many short solves takes over where the one before it has ended.
  Extremes return_to_best(double first_gap) {
    if (best_.gap() < find_extremes(v_).gap()) {
      v_ = best_.variables();
      drift_ = best_.drift();
    }
    if (drift_ > tolerated_drift * tolerance_) compute_residual();
    if (stalled_ && problem_.start && first_gap < find_extremes(v_).gap()) {
      for (std::size_t t = 0; t < v_.size(); ++t) v_.set_beta(t, problem_.start[t]);
      compute_residual();
    }
    return find_extremes(v_);
  }

  Status status_of(double gap) const {
    if (patience_.stopped()) return Status::interrupted;
    if (gap < tolerance_) return Status::converged;
    return stalled_ ? Status::stalled : Status::iteration_limit;
  }

  // What rounding can do to a residual when some beta changes.
  double rounding_of(double change) const {
    return std::numeric_limits<double>::epsilon() * std::fabs(change) * largest_diagonal_;
  }

  // What it does even to a residual computed afresh.
  double rounding() const { return rounding_of(total_of(v_)); }

  // The sum of all coefficients' sizes.
  static double total_of(const Variables& v) {
    double total = 0;
    for (std::size_t t = 0; t < v.size(); ++t) total += std::fabs(v.beta[t]);
    return total;
  }

  void compute_residual() {
    for (std::size_t t = 0; t < v_.size(); ++t) v_.residual[t] = origin_residual()[t];
    subtract_from_residual(changes_since(origin()), !parts_.come_first());
    drift_ = 0;
  }

  // From the known field, if the start shares more coefficients with its beta than it has zeros.
  void compute_first_residual() {
    if (!problem_.known) return compute_residual();
    const KnownField& known = *problem_.known;
    const Changes changes = changes_since(known.beta);
    if (changes.points.size() >= support_vectors()) return compute_residual();
    for (std::size_t t = 0; t < v_.size(); ++t)
      v_.residual[t] = problem_.target[t] - known.field[t];
    drift_ = known.rounding + rounding();
    subtract_from_residual(changes, true);
  }

  std::size_t support_vectors() const {
    return v_.size() - std::count(v_.beta.begin(), v_.beta.end(), 0.0);
  }

  // Where beta is not what it was; null: zeros.
  Changes changes_since(const double* before) const {
    Changes changes;
    for (std::size_t t = 0; t < v_.size(); ++t)
      changes.add(t, before ? before[t] : 0.0, v_.beta[t]);
    return changes;
  }

  void subtract_from_residual(const Changes& changes, bool keep) {
    for (const double by : changes.by) drift_ += rounding_of(by);
    kpb::subtract_from_residual(problem_, changes, keep, v_.residual.data(), patience_);
  }

  void improve_part(const Extremes& extremes) {
    const auto [members, precision] = parts_.next(extremes);
    const double tolerance = working_tolerance(precision * extremes.gap());
    const std::vector<double> solved = solve_part(problem_, v_, members, tolerance, patience_);
    Changes changes;
    for (std::size_t c = 0; c < members.size(); ++c) {
      changes.add(members[c], v_.beta[members[c]], solved[c]);
      v_.set_beta(members[c], solved[c]);
    }
    stuck_ = changes.points.empty();
    subtract_from_residual(changes, false);
  }

  void improve_block(const Extremes& extremes) {
    block_.select(working_set(extremes), v_, patience_);
    if (patience_.stopped()) return;
    solve_block(block_tolerance(extremes.gap()));
    take_over_block();
  }

  std::vector<std::size_t> working_set(const Extremes& extremes) const {
    if (is_one_block()) {
      std::vector<std::size_t> all(v_.size());
      for (std::size_t t = 0; t < all.size(); ++t) all[t] = t;
      return all;
    }
    const std::size_t newcomers = std::clamp(v_.free_points() / 8, min_newcomers, max_block / 8);
    return next_working_set(v_, extremes, newcomers, max_block);
  }

  double block_tolerance(double gap) const {
    return working_tolerance(is_one_block() ? 0 : block_precision * gap);
  }

  double working_tolerance(double wanted) const {
    return std::max(wanted, last_precision * tolerance_);
  }

  // SMO and Newton paths in turn: SMO frees and binds points, a path settles the free ones. The
  // ridge makes paths safe but lame along directions in which Q is flatter than itself, so it
  // shrinks from turn to turn, and grows again where the factor fails. A block that is not solved
  // is left where its gap was smallest.
  void solve_block(double tolerance) {
    Variables& v = block_.variables();
    const auto row_of = [this](std::int64_t slot) { return block_.row(slot); };
    const double least_ridge = smallest_ridge * largest_diagonal_;
    double ridge = std::max(tolerance_ / largest_bound_, least_ridge);
    Best best;
    for (int turn = 0; turn < max_turns && !at_rounding(best); ++turn) {
      const SmoEnd end = smo(v, nullptr, row_of, tolerance, steps_before_newton(ridge), patience_);
      if (!(end.gap >= tolerance)) return polish(tolerance);
      best.offer(end.gap, v);
      if (patience_.at_end()) break;
      if (best.age() > 1) step_of_worst_pair();
      const bool walked = newton_path(block_, ridge, patience_) != PathEnd::not_possible;
      if (walked) best.offer(find_extremes(v).gap(), v);
      ridge = std::max(ridge * (walked ? ridge_decay : ridge_growth), least_ridge);
    }
    v = best.variables();
  }

  // SMO chooses pairs by what they gain, and may prefer flat ones for ever: they go far for a tiny
  // violation. A step of the pair that violates most frees it for the next Newton path.
  void step_of_worst_pair() {
    Variables& v = block_.variables();
    const Extremes worst = find_extremes(v);
    const std::int64_t i = worst.highest.index, j = worst.lowest.index;
    const double curvature = v.diagonal[i] + v.diagonal[j] - 2 * block_.row(i)[j];
    const double moved = move_pair(v, i, j, worst.gap() / std::max(curvature, flat_curvature));
    hot().dense.add_row(v.size(), -moved, block_.row(i), v.residual.data());
    hot().dense.add_row(v.size(), moved, block_.row(j), v.residual.data());
    patience_.spend(1);
  }

  // Two offers make a turn.
  bool at_rounding(const Best& best) const {
    return best.age() > 2 * turns_at_rounding &&
           best.gap() < rounding_reach * rounding_of(total_of(best.variables()));
  }

  // With few free points a last Newton path costs little and takes them from the tolerance to the
  // limits of rounding, so that the answer does not show how it was reached. Where Q is so flat
  // that it does the opposite, it is taken back.
  void polish(double tolerance) {
    if (block_.free_slots().size() > polished_points) return;
    const Variables before = block_.variables();
    newton_path(block_, smallest_ridge * largest_diagonal_, patience_);
    if (find_extremes(block_.variables()).gap() >= tolerance) block_.variables() = before;
  }

  std::int64_t steps_before_newton(double ridge) const {
    const std::size_t free = block_.free_slots().size();
    const double k = static_cast<double>(free);
    const double m = static_cast<double>(block_.variables().size());
    const double factor = block_.factor().cost_of_update(block_, ridge, free);
    const double newton = factor_cost * factor + path_cost * k * k + start_cost;
    const double steps = share_of_newton * newton / (step_cost * m);
    return static_cast<std::int64_t>(std::max(steps, share_of_points * m));
  }

  void take_over_block() {
    Changes changes;
    const Variables& b = block_.variables();
    for (std::size_t slot = 0; slot < b.size(); ++slot) {
      const std::size_t i = block_.point(slot);
      if (i == Block::empty) continue;
      changes.add(i, v_.beta[i], b.beta[slot]);
      v_.set_beta(i, b.beta[slot]);
    }
    stuck_ = changes.points.empty();
    subtract_from_residual(changes, true);
  }

  const DualProblem& problem_;
  double tolerance_;
  Patience patience_;
  Variables v_;
  Parts parts_{problem_, v_};
  std::optional<Block> own_block_;
  Block& block_;
  double largest_bound_ = 0, largest_diagonal_ = 0;
  double drift_ = 0;  // bound on what rounding has done to the residual since it was computed
  Best best_;
  double lowest_objective_ = std::numeric_limits<double>::infinity();
  int without_progress_ = 0;
  bool stuck_ = false, stalled_ = false;
};

}  // namespace

Block block_for(const GramRows& gram) {
  return Block(gram, std::min(gram.size(), largest_working_set));
}

DualOutcome solve_dual(const DualProblem& problem, const Limits& limits) {
  const FlushDenormals guard;
  const double unit = unit_of(problem);
  if (unit == 1) return Solver(problem, limits).run();
  const InOtherUnits other(problem, unit);
  DualOutcome outcome = Solver(other.problem, limits).run();
  for (double& beta : outcome.variables.beta) beta /= unit;
  return outcome;
}

}  // namespace kpb
