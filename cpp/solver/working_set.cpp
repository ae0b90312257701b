#include "solver/working_set.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "simd/hot.h"

namespace kpb {

namespace {

// A number without a pattern: points that follow each other in the data are often alike.
std::uint64_t scattered(std::size_t t) { return t * std::uint64_t{0x9E3779B97F4A7C15}; }

// Keeps the `count` points with the largest key. Of equals it takes some from all over the data,
// the same on every machine.
template <class Key>
void keep_largest(std::vector<std::size_t>& points, std::size_t count, Key key) {
  if (points.size() <= count) return;
  std::nth_element(points.begin(), points.begin() + count, points.end(),
                   [&](std::size_t a, std::size_t b) {
                     const double ka = key(a), kb = key(b);
                     return ka > kb || (ka == kb && scattered(a) < scattered(b));
                   });
  points.resize(count);
}

void append(std::vector<std::size_t>& set, const std::vector<std::size_t>& more) {
  set.insert(set.end(), more.begin(), more.end());
}

void sort_unique(std::vector<std::size_t>& set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

struct Candidates {
  std::vector<std::size_t> free, risers, fallers;  // the last two at a bound
};

// All points that may move; of those at a bound all, or only those on the wrong side of the level.
Candidates candidates(const Variables& v, double level, bool violators_only) {
  Candidates found;
  for (std::size_t t = 0; t < v.size(); ++t) {
    const bool rises = v.may_rise(t), falls = v.may_fall(t);
    if (rises && falls)
      found.free.push_back(t);
    else if (rises && (!violators_only || v.residual[t] > level))
      found.risers.push_back(t);
    else if (falls && (!violators_only || v.residual[t] < level))
      found.fallers.push_back(t);
  }
  return found;
}

// The worst of them: up to `max_free` free ones, `newcomers` at a bound from both sides, and the
// most violating pair.
std::vector<std::size_t> choose(Candidates from, const Variables& v, const Extremes& extremes,
                                double level, std::size_t newcomers, std::size_t max_free) {
  auto& [set, risers, fallers] = from;
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

// A part keeps this share of its places for points at a bound, however many are free.
constexpr double share_at_bounds = 0.125;

}  // namespace

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

Extremes find_extremes(const Variables& v) {
  return hot().pair.extremes(v.size(), v.residual.data(), v.up.data(), v.down.data());
}

std::vector<std::size_t> next_working_set(const Variables& v, const Extremes& extremes,
                                          std::size_t newcomers, std::size_t max_free) {
  const double level = current_level(v, extremes);
  return choose(candidates(v, level, true), v, extremes, level, newcomers, max_free);
}

std::size_t most_free_in_part(std::size_t size) {
  const std::size_t places = size - 2;  // the last two are for the most violating pair
  return places - static_cast<std::size_t>(share_at_bounds * static_cast<double>(places));
}

std::vector<std::size_t> next_part(const Variables& v, const Extremes& extremes,
                                   std::size_t size) {
  const double level = current_level(v, extremes);
  Candidates all = candidates(v, level, false);
  const std::size_t max_free = most_free_in_part(size);
  const std::size_t newcomers = size - 2 - std::min(all.free.size(), max_free);
  return choose(std::move(all), v, extremes, level, newcomers, max_free);
}

}  // namespace kpb
