#include "kernels/packed.h"

#include <algorithm>

namespace kpb {

void pack_panel(const double* const* rows, std::size_t count, std::size_t features, double* panel) {
  for (std::size_t f = 0; f < features; ++f) {
    double* line = panel + f * panel_width;
    for (std::size_t c = 0; c < count; ++c) line[c] = rows[c][f];
    for (std::size_t c = count; c < panel_width; ++c) line[c] = 0;
  }
}

PackedPoints::PackedPoints(Points points)
    : size_(points.size),
      features_(points.features),
      values_(aligned_doubles(panels_for(points.size) * panel_width * points.features)) {
  for (std::size_t first = 0; first < size_; first += panel_width) {
    const std::size_t count = std::min(panel_width, size_ - first);
    const double* rows[panel_width];
    for (std::size_t c = 0; c < count; ++c) rows[c] = points.row(first + c);
    pack_panel(rows, count, features_, values_.get() + first * features_);
  }
}

}  // namespace kpb
