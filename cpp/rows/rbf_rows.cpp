#include "rows/rbf_rows.h"

#include <algorithm>

#include "simd/hot.h"

namespace kpb {
namespace {

constexpr std::size_t least_rows = 2;
// A row is finished in pieces of 512 values (4 KB), while they are in the first-level cache.
constexpr std::size_t piece_panels = 64;

std::size_t rows_that_fit(std::size_t size, std::size_t cache_bytes) {
  const std::size_t row_bytes = panels_for(size) * panel_width * sizeof(double);
  return std::max(least_rows, cache_bytes / row_bytes);
}

}  // namespace

RbfRows::RbfRows(Points points, double gamma, std::size_t cache_bytes)
    : points_(points.values, points.values + points.size * points.features),
      packed_(points),
      gamma_(gamma),
      capacity_(rows_that_fit(points.size, cache_bytes)) {}

RbfRows::Values RbfRows::compute(std::size_t i) const {
  AlignedDoubles values = aligned_doubles(packed_.panels() * panel_width);
  for (std::size_t first = 0; first < packed_.panels(); first += piece_panels) {
    const std::size_t panels = std::min(piece_panels, packed_.panels() - first);
    double* piece = values.get() + first * panel_width;
    hot().rbf.squared_distances(features(), 1, point(i), panels, packed_.panel(first), 0, piece);
    hot().rbf.decay(panels * panel_width, gamma_, piece, piece);
  }
  return values;
}

RbfRows::Values RbfRows::find(std::size_t i) const {
  const auto found = where_.find(i);
  return found == where_.end() ? nullptr : found->second->values;
}

void RbfRows::keep(std::size_t i, const Values& values) const {
  order_.push_front({i, values});
  where_[i] = order_.begin();
  if (order_.size() <= capacity_) return;
  where_.erase(order_.back().index);
  order_.pop_back();
}

Row RbfRows::row(std::size_t i) const {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (const Values values = find(i)) {
      ++hits_;
      order_.splice(order_.begin(), order_, where_[i]);
      return {values.get(), values};
    }
    ++misses_;
  }
  Values values = compute(i);
  const std::lock_guard<std::mutex> guard(lock_);
  if (const Values earlier = find(i)) {
    values = earlier;  // another thread was faster; one copy is enough
  } else {
    keep(i, values);
  }
  return {values.get(), values};
}

void RbfRows::entries(std::size_t i, const std::size_t* columns, std::size_t count,
                      double* out) const {
  Values known;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    known = find(i);
  }
  if (known) {
    for (std::size_t c = 0; c < count; ++c) out[c] = known[columns[c]];
    return;
  }
  const AlignedDoubles panel = aligned_doubles(panel_width * features());
  for (std::size_t first = 0; first < count; first += panel_width) {
    const std::size_t width = std::min(panel_width, count - first);
    const double* rows[panel_width];
    for (std::size_t c = 0; c < width; ++c) rows[c] = point(columns[first + c]);
    pack_panel(rows, width, features(), panel.get());
    double values[panel_width];
    hot().rbf.squared_distances(features(), 1, point(i), 1, panel.get(), 0, values);
    hot().rbf.decay(width, gamma_, values, out + first);
  }
}

std::size_t RbfRows::cached_rows() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return order_.size();
}

std::size_t RbfRows::hits() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return hits_;
}

std::size_t RbfRows::misses() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return misses_;
}

}  // namespace kpb
