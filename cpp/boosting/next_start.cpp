#include "boosting/next_start.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kpb {

namespace {

// Beyond this exponent a coefficient is cut by its bound anyway; before it, exp is finite.
constexpr double largest_exponent = 600;

// A field is carried over while no factor is beyond exp(10), with at most four digits lost.
constexpr double largest_carried_exponent = 10;

// Below this the quotient of two scales has lost digits.
constexpr double smallest_scale = 1e-300;

// The point on the margin with the middle loss; with none there, size().
std::size_t typical_point(const LastRound& last, const std::vector<double>& loss) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < loss.size(); ++i)
    if (last.on_margin[i]) points.push_back(i);
  if (points.empty()) return loss.size();
  const auto middle = points.begin() + points.size() / 2;
  std::nth_element(points.begin(), middle, points.end(), [&](std::size_t a, std::size_t b) {
    return loss[a] < loss[b] || (loss[a] == loss[b] && a < b);
  });
  return *middle;
}

bool can_carry(const LastRound& last, const std::vector<double>& loss,
               const std::vector<double>& scale, double typical_loss) {
  if (typical_loss > largest_carried_exponent) return false;
  for (std::size_t i = 0; i < loss.size(); ++i)
    if (last.beta[i] != 0 &&
        (loss[i] + typical_loss > largest_carried_exponent || scale[i] < smallest_scale))
      return false;
  return true;
}

NextStart with_unknown_field(const LastRound& last, const std::vector<double>& loss) {
  NextStart start = {last.beta, {}, 0};
  for (std::size_t i = 0; i < loss.size(); ++i)
    start.beta[i] *= std::exp(std::min(2 * loss[i], largest_exponent));
  return start;
}

}  // namespace

NextStart next_start(const LastRound& last, const std::vector<double>& loss,
                     const std::vector<double>& scale) {
  const std::size_t n = loss.size(), typical = typical_point(last, loss);
  if (!can_carry(last, loss, scale, typical < n ? loss[typical] : 0.0))
    return with_unknown_field(last, loss);
  const double c = typical < n ? scale[typical] / last.scale[typical] : 1.0;
  NextStart start = {std::vector<double>(n, 0.0), std::vector<double>(n), 0};
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double D = last.scale[i] > 0 ? scale[i] / last.scale[i] : 0;
    if (last.beta[i] != 0) start.beta[i] = last.beta[i] / (D * c);
    start.field[i] = last.field[i] * (D / c);
    largest = std::max(largest, D / c);
  }
  start.rounding = largest * last.rounding;
  return start;
}

}  // namespace kpb
