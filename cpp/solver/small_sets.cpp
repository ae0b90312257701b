#include "solver/small_sets.h"

#include <algorithm>

#include "rows/row_sums.h"
#include "simd/hot.h"
#include "solver/working_set.h"

namespace kpb {

namespace {

// Half of them rise, half of them fall. Larger sets read their entries of Q from too many places.
constexpr std::size_t set_size = 16;

// A set takes points whose residual is within a fifth of the gap from its upper or lower end, and
// solves them to a fifth of the gap: their residuals change with every other set anyway.
constexpr double reach = 0.2, precision = 0.2;

// Sets take some two steps a point. More than this are for matrices so flat that they would go on
// for ever.
constexpr std::int64_t most_pair_steps = 8 * set_size;

// The kernel is judged by the mean square of so many rows' entries off the diagonal, in units of
// the diagonal's; scales are left to experience. At this limit pairs are as fast as sets.
constexpr std::size_t judged_rows = 8;
constexpr double narrow = 0.004;

}  // namespace

bool suits_small_sets(const GramRows& gram) {
  const std::size_t n = gram.size();
  double squares = 0, diagonal = 0;
  for (std::size_t r = 0; r < judged_rows; ++r) {
    const std::size_t i = (2 * r + 1) * n / (2 * judged_rows);
    const Row row = gram.row(i);
    const double own = gram.diagonal(i);
    squares += hot().dense.dot(n, row.values, row.values) - own * own;
    diagonal += own;
  }
  const double mean_diagonal = diagonal / judged_rows;
  return squares <= narrow * mean_diagonal * mean_diagonal * static_cast<double>(judged_rows * n);
}

SmallSets::SmallSets(const DualProblem& problem, Variables& v)
    : problem_(problem), v_(v), points_(set_size), rows_(set_size),
      matrix_(set_size * set_size, 0.0), moved_rows_(set_size), factors_(set_size) {
  own_.resize(set_size);
}

SmoEnd SmallSets::steps(double tolerance, std::int64_t max_steps, Patience& patience) {
  SmoEnd end = {0, 0, 0};
  max_steps = std::min(max_steps, patience.steps_left());
  const auto row_of = [this](std::int64_t slot) { return matrix_.data() + slot * set_size; };
  for (;;) {
    const Extremes extremes = find_extremes(v_);
    end.gap = extremes.gap();
    if (!(end.gap >= tolerance) || end.steps >= max_steps || patience.stopped()) break;
    const std::size_t count = choose(extremes, max_steps - end.steps);
    copy_state(count);
    Patience within_set(most_pair_steps, nullptr);
    end.moved += smo(own_, nullptr, row_of, precision * end.gap, most_pair_steps, within_set).moved;
    const std::size_t moved = take_over(count);
    if (moved == 0) break;
    add_rows_in_pieces(v_.size(), moved, moved_rows_.data(), factors_.data(), problem_.scale,
                         v_.residual.data());
    end.steps += static_cast<std::int64_t>(moved + 1) / 2;
    patience.poll();  // rows may have to be computed
  }
  patience.spend(end.steps);
  return end;
}

// Looks for points round and round, so that each of many equals has its turn. Nobody is among those
// who rise and those who fall: the two ends of the gap are further apart than twice the reach.
std::size_t SmallSets::choose(const Extremes& extremes, std::int64_t most_steps) {
  const std::size_t n = v_.size();
  const std::size_t half = std::min(set_size / 2, static_cast<std::size_t>(most_steps));
  const double near = reach * extremes.gap();
  const PairLoops& loops = hot().pair;
  const double* residual = v_.residual.data();
  const std::size_t rising =
      loops.points_above(n, from_, residual, v_.up.data(), extremes.highest.value - near, half,
                         points_.data());
  if (rising == 0) return 0;  // the gap is one of the last digit
  const std::size_t falling =
      loops.points_below(n, from_, residual, v_.down.data(), extremes.lowest.value + near, half,
                         points_.data() + rising);
  from_ = (points_[rising - 1] + 1) % n;
  return rising + falling;
}

void SmallSets::copy_state(std::size_t count) {
  for (std::size_t slot = 0; slot < set_size; ++slot) {
    if (slot >= count) {
      own_.vacate(slot);
      continue;
    }
    const std::size_t i = points_[slot];
    rows_[slot] = problem_.gram.row(i);
    own_.lower[slot] = v_.lower[i];
    own_.upper[slot] = v_.upper[i];
    own_.residual[slot] = v_.residual[i];
    own_.diagonal[slot] = matrix_[slot * set_size + slot] = v_.diagonal[i];
    own_.set_beta(slot, v_.beta[i]);
    for (std::size_t other = 0; other < slot; ++other) {
      const std::size_t j = points_[other];
      const double entry = scale(i) * scale(j) * rows_[slot].values[j];
      matrix_[slot * set_size + other] = matrix_[other * set_size + slot] = entry;
    }
  }
}

// Returns how many points have moved; their rows and factors come first.
std::size_t SmallSets::take_over(std::size_t count) {
  std::size_t moved = 0;
  for (std::size_t slot = 0; slot < count; ++slot) {
    const std::size_t i = points_[slot];
    const double change = own_.beta[slot] - v_.beta[i];
    if (change == 0) continue;
    v_.set_beta(i, own_.beta[slot]);
    moved_rows_[moved] = rows_[slot].values;
    factors_[moved] = -change * scale(i);
    ++moved;
  }
  return moved;
}

}  // namespace kpb
