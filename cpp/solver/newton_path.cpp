#include "solver/newton_path.h"

#include <algorithm>
#include <cmath>

#include "rows/row_sums.h"
#include "simd/hot.h"

namespace kpb {
namespace {

// After this many bounds a fresh factor of the smaller matrix is cheaper than more corrections.
constexpr std::size_t max_bounds_met = 60;

// A variable that comes this close to its bound, relative to how far it came or how large the
// bound is, has reached it but for rounding.
constexpr double snap = 1e-12;
double hair(double old, double bound) { return snap * std::fmax(std::fabs(old), std::fabs(bound)); }

// The path in coordinates of the free variables. With A = Q_FF + ridge I restricted to the
// variables still in play, `to_residual` = A^-1 e and `to_ones` = A^-1 1; both stay correct as
// variables leave, through one column of A^-1 per leaver.
//
// The direction is the same for e and for e minus a constant, but not what rounding does to it:
// where Q_FF is singular, A^-1 1 is as large as 1 / ridge, and all digits of A^-1 (e - level 1)
// would be lost in a difference of two such vectors. So e is centred before it is solved for.
class Path {
 public:
  Path(const Variables& v, const std::vector<std::size_t>& slots, const FreeFactor& factor)
      : factor_(factor), size_(slots.size()), in_play_(size_, 1), left_in_play_(size_),
        to_residual_(size_), to_ones_(size_, 1.0), direction_(size_), moved_(size_, 0.0),
        room_up_(size_), room_down_(size_) {
    const double centre = mean_residual(v, slots);
    for (std::size_t c = 0; c < size_; ++c) {
      to_residual_[c] = v.residual[slots[c]] - centre;
      room_up_[c] = v.upper[slots[c]] - v.beta[slots[c]];
      room_down_[c] = v.lower[slots[c]] - v.beta[slots[c]];
    }
    factor_.solve(to_residual_.data());
    factor_.solve(to_ones_.data());
  }

  PathEnd walk() {
    while (left_in_play_ >= 2) {
      double level;
      if (!find_direction(&level)) return PathEnd::at_bounds;
      const std::size_t met = advance(level);
      if (met == size_) return PathEnd::optimum;
      if (!remove(met)) return PathEnd::at_bounds;
    }
    return PathEnd::at_bounds;
  }

  std::size_t bounds_met() const { return columns_.size(); }
  const std::vector<double>& moved() const { return moved_; }

 private:
  static double mean_residual(const Variables& v, const std::vector<std::size_t>& slots) {
    double sum = 0;
    for (std::size_t slot : slots) sum += v.residual[slot];
    return sum / static_cast<double>(slots.size());
  }

  // The Newton direction that keeps the sum: A^-1 (e - level 1).
  bool find_direction(double* level) {
    double residual_sum = 0, ones_sum = 0;
    for (std::size_t c = 0; c < size_; ++c)
      if (in_play_[c]) {
        residual_sum += to_residual_[c];
        ones_sum += to_ones_[c];
      }
    if (!(ones_sum > 0)) return false;
    *level = residual_sum / ones_sum;
    for (std::size_t c = 0; c < size_; ++c)
      direction_[c] = in_play_[c] ? to_residual_[c] - *level * to_ones_[c] : 0.0;
    return true;
  }

  // Goes along the direction to its end or to the first bound; returns who met it, or size_.
  std::size_t advance(double level) {
    double length = 1;
    std::size_t met = size_;
    for (std::size_t c = 0; c < size_; ++c) {
      const double room = (direction_[c] > 0 ? room_up_[c] : room_down_[c]) - moved_[c];
      if (std::fabs(direction_[c]) * length > std::fabs(room)) {
        length = room / direction_[c];
        met = c;
      }
    }
    if (length < 0) length = 0;
    for (std::size_t c = 0; c < size_; ++c) {
      moved_[c] += length * direction_[c];
      to_residual_[c] += length * (level * to_ones_[c] - to_residual_[c]);
    }
    if (met < size_) moved_[met] = direction_[met] > 0 ? room_up_[met] : room_down_[met];
    return met;
  }

  bool remove(std::size_t met) {
    in_play_[met] = 0;
    --left_in_play_;
    if (columns_.size() >= max_bounds_met) return false;
    std::vector<double> column(size_, 0.0);
    column[met] = 1;
    factor_.solve(column.data(), met);
    for (std::size_t r = 0; r < columns_.size(); ++r)
      subtract(columns_[r][met] / pivots_[r], columns_[r], column);
    const double pivot = column[met];
    if (!(pivot > 0)) return false;
    subtract(to_residual_[met] / pivot, column, to_residual_);
    subtract(to_ones_[met] / pivot, column, to_ones_);
    columns_.push_back(std::move(column));
    pivots_.push_back(pivot);
    return true;
  }

  static void subtract(double factor, const std::vector<double>& what, std::vector<double>& from) {
    hot().dense.add_row(what.size(), -factor, what.data(), from.data());
  }

  const FreeFactor& factor_;
  std::size_t size_;
  std::vector<char> in_play_;
  std::size_t left_in_play_;
  std::vector<double> to_residual_, to_ones_, direction_, moved_, room_up_, room_down_;
  std::vector<std::vector<double>> columns_;  // of A^-1, each as of its variable's leaving
  std::vector<double> pivots_;
};

// Puts the new values into the block, on the bound where within a hair of it; returns the sum of
// what changed, which rounding leaves a little off zero.
double take_over(Variables& v, const std::vector<std::size_t>& slots,
                 const std::vector<double>& moved, std::vector<double>& change) {
  double sum = 0;
  for (std::size_t c = 0; c < slots.size(); ++c) {
    const std::size_t s = slots[c];
    const double old = v.beta[s];
    double value = old + moved[c];
    if (value >= v.upper[s] - hair(old, v.upper[s])) value = v.upper[s];
    if (value <= v.lower[s] + hair(old, v.lower[s])) value = v.lower[s];
    v.set_beta(s, value);
    change[c] = value - old;
    sum += change[c];
  }
  return sum;
}

// Takes the excess from the variables that have the most room for it.
void restore_sum(Variables& v, const std::vector<std::size_t>& slots, double excess,
                 std::vector<double>& change) {
  while (std::isfinite(excess) && excess != 0) {
    std::size_t best = 0;
    double most = 0;
    for (std::size_t c = 0; c < slots.size(); ++c) {
      const std::size_t s = slots[c];
      const double room = excess > 0 ? v.beta[s] - v.lower[s] : v.upper[s] - v.beta[s];
      if (room > most) {
        most = room;
        best = c;
      }
    }
    if (most == 0) return;
    const double taken = std::copysign(std::fmin(most, std::fabs(excess)), excess);
    v.set_beta(slots[best], v.beta[slots[best]] - taken);
    change[best] -= taken;
    excess -= taken;
  }
}

}  // namespace

PathEnd newton_path(Block& block, double ridge, Patience& patience) {
  Variables& v = block.variables();
  FreeFactor& factor = block.factor();
  if (!factor.update(block, ridge, patience) || factor.size() < 2) return PathEnd::not_possible;
  std::vector<std::size_t> slots;
  for (std::size_t point : factor.points()) slots.push_back(block.slot(point));

  Path path(v, slots, factor);
  const PathEnd end = path.walk();
  patience.spend(1 + path.bounds_met());
  std::vector<double> change(slots.size());
  const double excess = take_over(v, slots, path.moved(), change);
  if (excess != 0) restore_sum(v, slots, excess, change);

  std::vector<const double*> rows;
  std::vector<double> factors;
  for (std::size_t c = 0; c < slots.size(); ++c)
    if (change[c] != 0) {
      rows.push_back(block.row(slots[c]));
      factors.push_back(-change[c]);
    }
  add_rows_in_pieces(v.size(), rows.size(), rows.data(), factors.data(), nullptr,
                       v.residual.data());
  return end;
}

}  // namespace kpb
