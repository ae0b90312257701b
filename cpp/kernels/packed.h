// Points packed in panels, as the distance loops read them (see rbf_loops.h).
#pragma once

#include <algorithm>
#include <cstddef>

#include "simd/aligned.h"
#include "kernels/rbf_loops.h"
#include "simd/hot.h"

namespace kpb {

// A view of points in rows, C-contiguous.
struct Points {
  const double* values;
  std::size_t size;
  std::size_t features;
  const double* row(std::size_t i) const { return values + i * features; }
};

inline std::size_t panels_for(std::size_t columns) {
  return (columns + panel_width - 1) / panel_width;
}

// Packs `count` points, given by their rows, into panels_for(count) panels; zeros fill the places
// that are left over in the last one.
template <class RowOf>
void pack(std::size_t count, std::size_t features, const RowOf& row_of, double* panels);

// A copy of points, packed.
class PackedPoints {
 public:
  explicit PackedPoints(Points points);
  std::size_t size() const { return size_; }
  std::size_t features() const { return features_; }
  std::size_t panels() const { return panels_for(size_); }
  const double* panel(std::size_t p) const { return values_.get() + p * panel_width * features_; }

 private:
  std::size_t size_;
  std::size_t features_;
  AlignedDoubles values_;
};

// ---- how --------------------------------------------------------------------------------------

// The last panel, with zeros in the places that are left over.
inline void pack_rest(const double* const* rows, std::size_t count, std::size_t features,
                      double* panel) {
  for (std::size_t f = 0; f < features; ++f) {
    double* line = panel + f * panel_width;
    for (std::size_t c = 0; c < count; ++c) line[c] = rows[c][f];
    for (std::size_t c = count; c < panel_width; ++c) line[c] = 0;
  }
}

template <class RowOf>
void pack(std::size_t count, std::size_t features, const RowOf& row_of, double* panels) {
  for (std::size_t first = 0; first < count; first += panel_width) {
    const std::size_t width = std::min(panel_width, count - first);
    const double* rows[panel_width];
    for (std::size_t c = 0; c < width; ++c) rows[c] = row_of(first + c);
    double* panel = panels + first * features;
    if (width == panel_width) {
      hot().rbf.pack_panel(features, rows, panel);
    } else {
      pack_rest(rows, width, features, panel);
    }
  }
}

inline PackedPoints::PackedPoints(Points points)
    : size_(points.size),
      features_(points.features),
      values_(aligned_doubles(panels_for(points.size) * panel_width * points.features)) {
  pack(size_, features_, [&](std::size_t i) { return points.row(i); }, values_.get());
}

}  // namespace kpb
