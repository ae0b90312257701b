#include "tree/nearest_example.h"

#include <algorithm>

namespace kpb::c45 {

std::size_t NearestExample::find(const double* query) {
  set_units(query);
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t k = 0; k < examples_.count; ++k) {
    const double distance = squared(query, examples_.values + k * examples_.attributes, least);
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  return best;
}

// The range of the training set, widened to hold the query: all scaled values are in [0, 1].
void NearestExample::set_units(const double* query) {
  for (std::size_t a = 0; a < examples_.attributes; ++a) {
    low_[a] = std::fmin(examples_.low[a], query[a]);  // fmin passes over NaN
    const double high = std::fmax(examples_.high[a], query[a]);
    half_range_[a] = high > low_[a] ? high / 2 - low_[a] / 2 : INFINITY;
  }
}

// Anything above the limit once it is above.
double NearestExample::squared(const double* query, const double* example, double limit) const {
  double sum = 0.0;
  for (std::size_t a = 0; a < examples_.attributes && sum < limit; ++a) {
    const double step = difference(a, query[a], example[a]);
    sum += step * step;
  }
  return sum;
}

// With a value missing, as large as it could be.
double NearestExample::difference(std::size_t attribute, double a, double b) const {
  const bool no_a = std::isnan(a), no_b = std::isnan(b);
  if (examples_.is_nominal[attribute]) return no_a || no_b || a != b ? 1.0 : 0.0;
  if (no_a && no_b) return 1.0;
  if (no_a || no_b) {
    const double scaled = scaled_step(attribute, low_[attribute], no_a ? b : a);
    return std::max(scaled, 1.0 - scaled);
  }
  return scaled_step(attribute, a, b);
}

// Halves, for the sum of two large numbers may be infinite.
double NearestExample::scaled_step(std::size_t attribute, double from, double to) const {
  return (to / 2 - from / 2) / half_range_[attribute];
}

}  // namespace kpb::c45
