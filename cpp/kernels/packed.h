// Points packed in panels of 8, as the distance loops read them (see rbf_loops.h).
#pragma once

#include <cstddef>

#include "kernels/aligned.h"
#include "kernels/rbf_loops.h"

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

// Packs up to 8 points, given by their rows, into one panel; zeros fill the places left over.
void pack_panel(const double* const* rows, std::size_t count, std::size_t features, double* panel);

}  // namespace kpb
