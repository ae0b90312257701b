#include "solver/stretch.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "solver/working_set.h"

namespace kpb {

namespace {

// With a gap below this hardly any point still reaches or leaves its bound. It takes some ten
// stretches to come to that, or never does.
constexpr double settled = 0.1;
constexpr int most_until_settled = 40;

// From then on so many stretches should make the gap thirty times smaller: in many problems they
// made it some hundred times smaller, and ten times where the kernel was too wide for them.
constexpr std::size_t looked_back_at = 8;
constexpr double least_progress = 1.0 / 30;

// How far a point is from where it should be: the part of its residual that it may follow.
double violation(const Variables& v, std::size_t t, double level) {
  const double pull = v.residual[t] - level;
  return (pull > 0 ? v.may_rise(t) : v.may_fall(t)) ? pull : 0;
}

std::vector<std::size_t> free_or_close_to_it(const Variables& v, double level, double reach) {
  std::vector<std::size_t> points;
  for (std::size_t t = 0; t < v.size(); ++t)
    if ((v.may_rise(t) && v.residual[t] > level - reach) ||
        (v.may_fall(t) && v.residual[t] < level + reach))
      points.push_back(t);
  return points;
}

std::vector<std::size_t> sorted_by(const std::vector<double>& keys,
                                   const std::vector<std::size_t>& points) {
  std::vector<std::pair<double, std::size_t>> keyed;
  keyed.reserve(points.size());
  for (std::size_t c = 0; c < points.size(); ++c) keyed.emplace_back(keys[c], points[c]);
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> sorted;
  sorted.reserve(points.size());
  for (const auto& [key, point] : keyed) sorted.push_back(point);
  return sorted;
}

// Over all runs of `size` values.
std::vector<double> sums_of_runs(const std::vector<double>& values, std::size_t size) {
  std::vector<double> until(values.size() + 1, 0.0), sums(values.size() - size + 1);
  std::partial_sum(values.begin(), values.end(), until.begin() + 1);
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = until[c + size] - until[c];
  return sums;
}

// Where that run of `size` points begins that violates most, by the sum of squares. They weigh the
// more the nearer they are to its middle: what is at its ends is not settled by it.
std::size_t worst_run(const std::vector<std::size_t>& order, std::size_t size, const Variables& v,
                      double level) {
  std::vector<double> squares;
  squares.reserve(order.size());
  for (const std::size_t t : order) {
    const double by = violation(v, t, level);
    squares.push_back(by * by);
  }
  const std::size_t half = size / 2;
  const std::vector<double> sums = sums_of_runs(sums_of_runs(squares, half), half);
  const auto worst = std::max_element(sums.begin(), sums.end()) - sums.begin();
  // Both halves together may be shorter than a run.
  return std::min(static_cast<std::size_t>(worst), order.size() - size);
}

void add_if_missing(std::vector<std::size_t>& set, std::size_t point) {
  if (std::find(set.begin(), set.end(), point) == set.end()) set.push_back(point);
}

}  // namespace

std::vector<std::size_t> next_stretch(const Variables& v, const Extremes& extremes,
                                      const GramRows& gram, std::size_t size) {
  const double level = current_level(v, extremes);
  std::vector<std::size_t> set = free_or_close_to_it(v, level, extremes.gap());
  const std::size_t places = size - 2;  // the last two are for the most violating pair
  if (set.size() > places) {
    const std::vector<double> positions = gram.positions(set);
    if (positions.empty()) return {};
    const std::vector<std::size_t> line = sorted_by(positions, set);
    const auto first =
        line.begin() + static_cast<std::ptrdiff_t>(worst_run(line, places, v, level));
    set.assign(first, first + static_cast<std::ptrdiff_t>(places));
  }
  add_if_missing(set, static_cast<std::size_t>(extremes.highest.index));
  add_if_missing(set, static_cast<std::size_t>(extremes.lowest.index));
  std::sort(set.begin(), set.end());
  return set;
}

bool StretchRecord::pays(double gap) const { return gap < nearly_settled && !is_slow_; }

void StretchRecord::add(double gap) {
  if (!(gap < settled)) {
    is_slow_ = ++until_settled_ > most_until_settled;
    return;
  }
  gaps_.push_back(gap);
  const std::size_t count = gaps_.size();
  if (count > looked_back_at)
    is_slow_ = gap > least_progress * gaps_[count - 1 - looked_back_at];
}

}  // namespace kpb
