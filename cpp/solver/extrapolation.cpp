#include "solver/extrapolation.h"

#include <algorithm>
#include <cmath>

#include "simd/hot.h"

namespace kpb {

namespace {

// A stride of three looks takes three sixteenths of n steps; longer ones leave gains behind. More
// than three strides gain little: the steps that came after the older ones have used them up.
constexpr std::size_t looks_per_stride = 3, most_strides = 3;

// Where no stride should have been longer by this much, steps are as fast on their own; the next
// stride is twice as long then.
constexpr double least_weight = 0.1;
constexpr std::size_t looks_while_idle = 6;

// Strides that are this parallel count as one. If Q is so flat in their span that one of them
// should have been so many times as long, that is rounding.
constexpr double ridge = 1e-10, largest_weight = 1e4;

// With more points beyond their bounds, the way back costs more than extrapolation gains.
constexpr double most_beyond = 0.05;

// What bounds keep back of a step, others take over: one for four points kept back, and not more
// than 64.
constexpr std::size_t points_per_taker = 4, most_takers = 64;

// Every beta is rounded once. Together these errors are as random as their signs: some times the
// Euclidean length of beta, in units of the last digit.
constexpr double of_last_digit = 4;

double length_of(const Numbers& values) {
  return std::sqrt(hot().dense.dot(values.size(), values.data(), values.data()));
}

}  // namespace

double Extrapolation::look(double moved) {
  if (base_.beta.empty()) {
    base_ = {v_.beta, v_.residual};
    return 0;
  }
  moved_ += moved;
  if (++looks_ < (promising_ ? looks_per_stride : looks_while_idle)) return 0;
  const double own = end_stride();
  base_.beta = v_.beta;
  base_.residual = v_.residual;
  moved_ = 0;
  looks_ = 0;
  return own;
}

double Extrapolation::end_stride() {
  Stride& stride = next_stride();
  measure(stride);
  stride.moved = moved_;
  const double own = follow(lowest_in_span());
  if (own == 0) return 0;
  measure(stride);
  stride.moved += own;
  return own;
}

Extrapolation::Stride& Extrapolation::next_stride() {
  if (strides_.size() < most_strides)
    strides_.push_back({Numbers(v_.size()), Numbers(v_.size()), 0});
  else
    std::rotate(strides_.begin(), strides_.begin() + 1, strides_.end());
  return strides_.back();
}

void Extrapolation::measure(Stride& stride) const {
  for (std::size_t t = 0; t < v_.size(); ++t) {
    stride.step[t] = v_.beta[t] - base_.beta[t];
    stride.field[t] = v_.residual[t] - base_.residual[t];
  }
}

// By how much each stride should have been longer. Its curvature step' Q step is -step' field; the
// residual is minus the gradient. Empty where Q is flat or worse in their span.
std::vector<double> Extrapolation::lowest_in_span() const {
  const DenseLoops& loops = hot().dense;
  const std::size_t n = v_.size(), m = strides_.size();
  std::vector<double> curvature(m * m), length(m), weights(m);
  for (std::size_t i = 0; i < m; ++i) {
    const double* step = strides_[i].step.data();
    double* row = curvature.data() + i * m;
    for (std::size_t j = 0; j <= i; ++j) row[j] = -loops.dot(n, step, strides_[j].field.data());
    if (!(row[i] > 0)) return {};
    length[i] = std::sqrt(row[i]);
    for (std::size_t j = 0; j <= i; ++j) row[j] /= length[i] * length[j];
    row[i] += ridge;
    weights[i] = loops.dot(n, step, v_.residual.data()) / length[i];
  }
  if (!loops.cholesky_panel(m, 0, 0, curvature.data(), m)) return {};
  loops.solve_lower(m, 0, curvature.data(), m, weights.data());
  loops.solve_upper(m, curvature.data(), m, weights.data());
  for (std::size_t i = 0; i < m; ++i) weights[i] /= length[i];
  return weights;
}

// What rounding did to a stride's field counts as often as the field.
double Extrapolation::follow(const std::vector<double>& weights) {
  double largest = 0, moved = 0;
  for (const double weight : weights) largest = std::max(largest, std::fabs(weight));
  promising_ = largest >= least_weight && largest <= largest_weight;
  if (!promising_) return 0;
  step_.assign(v_.size(), 0.0);
  field_.assign(v_.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    hot().dense.add_row(v_.size(), weights[i], strides_[i].step.data(), step_.data());
    hot().dense.add_row(v_.size(), weights[i], strides_[i].field.data(), field_.data());
    moved += std::fabs(weights[i]) * strides_[i].moved;
  }
  return try_step() ? moved + of_last_digit * length_of(v_.beta) : 0;
}

std::vector<std::size_t> Extrapolation::beyond_bounds() const {
  std::vector<std::size_t> points;
  for (std::size_t t = 0; t < v_.size(); ++t) {
    const double wanted = v_.beta[t] + step_[t];
    if (wanted > v_.upper[t] || wanted < v_.lower[t]) points.push_back(t);
  }
  return points;
}

// Returns whether that was possible and has lowered the objective; otherwise nothing has changed.
// Not even steps within all bounds sum to zero to the last digit; strides would carry that on.
bool Extrapolation::try_step() {
  const std::vector<std::size_t> beyond = beyond_bounds();
  const double share = static_cast<double>(beyond.size()) / static_cast<double>(v_.size());
  if (share > most_beyond) return false;
  const State before = {v_.beta, v_.residual};
  double excess = 0;
  for (std::size_t t = 0; t < v_.size(); ++t) {
    v_.residual[t] += field_[t];
    v_.set_beta(t, std::min(std::max(v_.beta[t] + step_[t], v_.lower[t]), v_.upper[t]));
    excess -= v_.beta[t] - before.beta[t];
  }
  Changes back;
  for (const std::size_t t : beyond) back.add(t, before.beta[t] + step_[t], v_.beta[t]);
  subtract(back);
  const std::size_t takers =
      std::clamp(beyond.size() / points_per_taker, std::size_t{1}, most_takers);
  const bool shared = share_out(excess, takers);
  if (shared && rise_of_objective(before) < 0 && !patience_.stopped()) return true;
  for (std::size_t t = 0; t < v_.size(); ++t) v_.set_beta(t, before.beta[t]);
  v_.residual = before.residual;
  return false;
}

// Points whose residuals ask for it most, in equal shares while there is room.
bool Extrapolation::share_out(double excess, std::size_t takers) {
  const double side = excess > 0 ? 1 : -1;
  std::vector<std::size_t> points;
  for (std::size_t t = 0; t < v_.size(); ++t)
    if (side > 0 ? v_.may_rise(t) : v_.may_fall(t)) points.push_back(t);
  const auto end = points.begin() + std::min(2 * takers, points.size());
  std::partial_sort(points.begin(), end, points.end(), [&](std::size_t a, std::size_t b) {
    return side * v_.residual[a] > side * v_.residual[b];
  });
  points.erase(end, points.end());
  Changes shares;
  double left = side * excess;
  for (std::size_t c = 0; c < points.size() && left > 0; ++c) {
    const std::size_t t = points[c];
    const double bound = side > 0 ? v_.upper[t] : v_.lower[t], room = side * (bound - v_.beta[t]);
    const double share = std::min(room, left / static_cast<double>(c < takers ? takers - c : 1));
    shares.add(t, 0.0, side * share);
    v_.set_beta(t, share == room ? bound : v_.beta[t] + side * share);
    left -= share;
  }
  subtract(shares);
  return left == 0;
}

void Extrapolation::subtract(const Changes& changes) {
  subtract_from_residual(problem_, changes, true, v_.residual.data(), patience_);
}

double Extrapolation::rise_of_objective(const State& before) const {
  double change = 0;
  for (std::size_t t = 0; t < v_.size(); ++t)
    change -= 0.5 * (v_.residual[t] + before.residual[t]) * (v_.beta[t] - before.beta[t]);
  return change;
}

}  // namespace kpb
