#include "solver/near_solve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "simd/hot.h"
#include "solver/working_set.h"
#include "threads/team.h"

namespace kpb {
namespace {

// Guesses of the bounds; real data take three to eight. Products until the spread of the free
// residuals is down to a tenth: where points hardly touch each other three or four are enough.
constexpr int most_guesses = 30;
constexpr int most_products_for_a_tenth = 12;

// Between two guesses the spread of the free residuals falls by this much, unless nobody has
// changed sides: then conjugate gradients go on as if nothing had been asked.
constexpr double fall_between_guesses = 0.1;

// The spread to the level is half of the gap at most, and others come on top.
constexpr double precision = 0.3;

// Levels tried for one guess; how close to balance they come, in units of the residual; and where
// no level is looked for any more.
constexpr int most_levels = 60;
constexpr double in_balance = 1e-9, farthest_level = 1e12;

// Diagonal entries below this share of the largest count as such: those points go to their bounds.
constexpr double smallest_diagonal = 1e-12;

// Threads share a product by strips of rows, whose sums are added up in order.
constexpr std::size_t strips = 4;

enum class Side : std::int8_t { free, lower, upper };

class NearSolve {
 public:
  NearSolve(const DualProblem& problem, const NearEntries& near, const Variables& v)
      : problem_(problem), near_(near), v_(v), n_(v.size()), beta_(v.beta), residual_(v.residual),
        inverse_(n_), step_(n_, 0.0), field_(n_), strip_field_(strips * n_),
        side_(n_, Side::free) {
    double largest = 0;
    for (std::size_t t = 0; t < n_; ++t) largest = std::max(largest, v.diagonal[t]);
    for (std::size_t t = 0; t < n_; ++t) {
      inverse_[t] = 1 / std::max(v.diagonal[t], smallest_diagonal * largest);
      largest_scale_ = std::max(largest_scale_, std::fabs(scale(t)));
    }
    const Extremes extremes = find_extremes(v);
    level_ = 0.5 * (extremes.highest.value + extremes.lowest.value);
  }

  bool run(double tolerance, Patience& patience) {
    const double goal = precision * tolerance;
    bool begins = true;
    for (int guess = 0; guess < most_guesses; ++guess) {
      if (guess_sides() || begins) {
        if (!hold_bounds()) return false;
        begins = true;
      } else if (spread_ <= goal) {
        return make_feasible();
      }
      const double start = spread_;
      const int last_product = products_ + most_products_for_a_tenth;
      do {
        patience.poll();
        if (products_ >= last_product || patience.stopped() || !improve(begins)) return false;
        begins = false;
      } while (spread_ > std::max(goal, fall_between_guesses * start));
    }
    return false;
  }

  // Its solution, all constraints met.
  NearEnd hand_over(Variables& v) {
    double ignored = 0;
    for (std::size_t t = 0; t < n_; ++t) ignored += std::fabs(scale(t) * (beta_[t] - v.beta[t]));
    for (std::size_t t = 0; t < n_; ++t) v.set_beta(t, beta_[t]);
    v.residual = residual_;
    return {true, moved_, near_.largest_left_out * largest_scale_ * ignored};
  }

  std::int64_t products() const { return products_; }

 private:
  double scale(std::size_t t) const { return problem_.scale ? problem_.scale[t] : 1.0; }

  // Where a point would go alone, towards a level.
  double alone(std::size_t t, double level) const {
    return beta_[t] + (residual_[t] - level) * inverse_[t];
  }

  // What all points together would go beyond zero, each alone and within its bounds; and how fast
  // that falls with the level.
  std::pair<double, double> excess_at(double level) const {
    double excess = 0, room = 0;
    for (std::size_t t = 0; t < n_; ++t) {
      const double own = alone(t, level);
      excess += std::min(std::max(own, v_.lower[t]), v_.upper[t]);
      room += own > v_.lower[t] && own < v_.upper[t] ? inverse_[t] : 0.0;
    }
    return {excess, room};
  }

  // The level without an excess: Newton's method, kept between levels with one and without.
  void balance_level() {
    double low = level_, high = level_, reach = 1;
    while (excess_at(low).first < 0 && reach < farthest_level) low = level_ - (reach *= 2);
    reach = 1;
    while (excess_at(high).first > 0 && reach < farthest_level) high = level_ + (reach *= 2);
    for (int k = 0; k < most_levels && low < high; ++k) {
      const auto [excess, room] = excess_at(level_);
      if (std::fabs(excess) <= in_balance * room) return;
      (excess > 0 ? low : high) = level_;
      const double next = room > 0 ? level_ + excess / room : low;
      level_ = next > low && next < high ? next : 0.5 * (low + high);
    }
  }

  // Returns whether any point has changed sides.
  bool guess_sides() {
    bool changed = false;
    balance_level();
    for (std::size_t t = 0; t < n_; ++t) {
      const double own = alone(t, level_);
      const Side side = own >= v_.upper[t]   ? Side::upper
                        : own <= v_.lower[t] ? Side::lower
                                             : Side::free;
      changed |= side != side_[t];
      side_[t] = side;
    }
    return changed;
  }

  // Puts points on the bounds that they are taken to be at, and has the free ones make up for it.
  bool hold_bounds() {
    double sum = 0, room = 0;
    for (std::size_t t = 0; t < n_; ++t) {
      step_[t] = 0;
      if (side_[t] == Side::free) {
        room += inverse_[t];
      } else {
        const double bound = side_[t] == Side::upper ? v_.upper[t] : v_.lower[t];
        step_[t] = bound - beta_[t];
        beta_[t] = bound;
      }
      sum += beta_[t];
    }
    if (!(room > 0)) return false;
    for (std::size_t t = 0; t < n_; ++t)
      if (side_[t] == Side::free) {
        step_[t] = -sum / room * inverse_[t];
        beta_[t] += step_[t];
      }
    if (std::any_of(step_.begin(), step_.end(), [](double own) { return own != 0; })) {
      find_field();
      go(1, false);
    }
    find_level();
    return true;
  }

  // One step of conjugate gradients; false where Q is flat along it.
  bool improve(bool begins) {
    const double carried = begins ? 0 : steepness_ / last_steepness_;
    for (std::size_t t = 0; t < n_; ++t)
      step_[t] = side_[t] == Side::free
                     ? (residual_[t] - level_) * inverse_[t] + carried * step_[t]
                     : 0.0;
    find_field();
    const double curvature = hot().dense.dot(n_, step_.data(), field_.data());
    if (!(curvature > 0) || !std::isfinite(steepness_)) return steepness_ == 0;
    go(steepness_ / curvature, true);
    last_steepness_ = steepness_;
    find_level();
    return true;
  }

  // Q step, of near entries.
  void find_field() {
    const Grain grain = grain_of(lookup_cost * near_.values.size() / strips);
    in_pieces(strips, grain, [&](std::size_t first, std::size_t last) {
      for (std::size_t s = first; s < last; ++s) add_strip(s);
    });
    for (std::size_t t = 0; t < n_; ++t) {
      double sum = 0;
      for (std::size_t s = 0; s < strips; ++s) sum += strip_field_[s * n_ + t];
      field_[t] = scale(t) * sum;
    }
    ++products_;
  }

  // The part of a strip of rows, whoever does it.
  void add_strip(std::size_t s) {
    double* field = strip_field_.data() + s * n_;
    std::fill(field, field + n_, 0.0);
    for (std::size_t t = s * n_ / strips; t < (s + 1) * n_ / strips; ++t)
      if (const double own = scale(t) * step_[t]; own != 0) near_.add_row(t, own, field);
  }

  void go(double length, bool moves_beta) {
    for (std::size_t t = 0; t < n_; ++t) moved_ += std::fabs(length * step_[t]);
    if (moves_beta) hot().dense.add_row(n_, length, step_.data(), beta_.data());
    hot().dense.add_row(n_, -length, field_.data(), residual_.data());
  }

  // The level at which a step of the free points towards it, each on its own, sums to zero; how far
  // they are from it, and how steep the objective is along that step.
  void find_level() {
    double weight = 0, sum = 0;
    for (std::size_t t = 0; t < n_; ++t) {
      const double own = side_[t] == Side::free ? inverse_[t] : 0.0;
      weight += own;
      sum += own * residual_[t];
    }
    level_ = sum / weight;
    spread_ = steepness_ = 0;
    for (std::size_t t = 0; t < n_; ++t) {
      const double off = side_[t] == Side::free ? residual_[t] - level_ : 0.0;
      spread_ = std::max(spread_, std::fabs(off));
      steepness_ += off * off * inverse_[t];
    }
  }

  // Cuts what is beyond a bound, and gives what is left of the sum to the point with most room.
  bool make_feasible() {
    double sum = 0, most = 0;
    std::size_t taker = n_;
    for (std::size_t t = 0; t < n_; ++t) {
      move(t, std::min(std::max(beta_[t], v_.lower[t]), v_.upper[t]));
      sum += beta_[t];
      const double room = std::min(beta_[t] - v_.lower[t], v_.upper[t] - beta_[t]);
      if (room > most) {
        most = room;
        taker = t;
      }
    }
    if (!(std::fabs(sum) <= most)) return false;
    if (taker < n_) move(taker, beta_[taker] - sum);
    return true;
  }

  void move(std::size_t t, double to) {
    const double by = to - beta_[t];
    if (by == 0) return;
    for (std::size_t k = near_.begin[t]; k < near_.begin[t + 1]; ++k) {
      const std::size_t c = near_.columns[k];
      residual_[c] -= scale(c) * (near_.values[k] * (scale(t) * by));
    }
    moved_ += std::fabs(by);
    beta_[t] = to;
  }

  const DualProblem& problem_;
  const NearEntries& near_;
  const Variables& v_;
  std::size_t n_;
  Numbers beta_, residual_;
  Numbers inverse_;       // of Q's diagonal
  Numbers step_, field_;  // the last step, and Q step
  Numbers strip_field_;   // what strips of rows add to Q step
  std::vector<Side> side_;
  double level_, spread_ = 0, steepness_ = 0, last_steepness_ = 1;
  double moved_ = 0, largest_scale_ = 0;
  int products_ = 0;
};

}  // namespace

NearEnd solve_on_near_entries(const DualProblem& problem, const NearEntries& near, Variables& v,
                              double tolerance, Patience& patience) {
  NearSolve solve(problem, near, v);
  const bool solved = solve.run(tolerance, patience);
  patience.spend(solve.products() * static_cast<std::int64_t>(v.size() / 2 + 1));
  return solved ? solve.hand_over(v) : NearEnd{false, 0, 0};
}

}  // namespace kpb
