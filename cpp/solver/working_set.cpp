#include "solver/working_set.h"

#include <algorithm>
#include <cmath>

#include "simd/hot.h"

namespace kpb {

namespace {

// Keeps the `count` points with the largest key; ties by index, so that the choice is the same
// on every machine.
template <class Key>
void keep_largest(std::vector<std::size_t>& points, std::size_t count, Key key) {
  if (points.size() <= count) return;
  std::nth_element(points.begin(), points.begin() + count, points.end(),
                   [&](std::size_t a, std::size_t b) {
                     const double ka = key(a), kb = key(b);
                     return ka > kb || (ka == kb && a < b);
                   });
  points.resize(count);
}

// What residuals of free points tend to: the intercept, as far as it is known.
double current_level(const Variables& v, const Extremes& extremes) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t t = 0; t < v.size(); ++t)
    if (v.is_free(t)) {
      sum += v.residual[t];
      ++count;
    }
  if (!count) return 0.5 * (extremes.highest.value + extremes.lowest.value);
  return std::clamp(sum / count, extremes.lowest.value, extremes.highest.value);
}

void append(std::vector<std::size_t>& set, const std::vector<std::size_t>& more) {
  set.insert(set.end(), more.begin(), more.end());
}

void sort_unique(std::vector<std::size_t>& set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

}  // namespace

Extremes find_extremes(const Variables& v) {
  return hot().pair.extremes(v.size(), v.residual.data(), v.up.data(), v.down.data());
}

std::vector<std::size_t> next_working_set(const Variables& v, const Extremes& extremes,
                                          std::size_t newcomers, std::size_t max_free) {
  const double level = current_level(v, extremes);
  std::vector<std::size_t> set, risers, fallers;
  for (std::size_t t = 0; t < v.size(); ++t) {
    const bool rises = v.may_rise(t), falls = v.may_fall(t);
    if (rises && falls)
      set.push_back(t);
    else if (rises && v.residual[t] > level)
      risers.push_back(t);
    else if (falls && v.residual[t] < level)
      fallers.push_back(t);
  }
  keep_largest(set, max_free, [&](std::size_t t) { return std::fabs(v.residual[t] - level); });

  const std::size_t half = newcomers / 2;
  const std::size_t most_risers = std::max(half, newcomers - std::min(newcomers, fallers.size()));
  const std::size_t most_fallers = std::max(half, newcomers - std::min(newcomers, risers.size()));
  keep_largest(risers, most_risers, [&](std::size_t t) { return v.residual[t]; });
  keep_largest(fallers, most_fallers, [&](std::size_t t) { return -v.residual[t]; });
  append(set, risers);
  append(set, fallers);
  set.push_back(extremes.highest.index);
  set.push_back(extremes.lowest.index);
  sort_unique(set);
  return set;
}

}  // namespace kpb
