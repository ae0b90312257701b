// Points and a kernel width: what rows of the Gram matrix exp(-gamma |x_i - x_j|^2) are made of.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/packed.h"

namespace kpb {

class RbfPoints {
 public:
  // Copies the points, twice: in rows for single entries, and packed for whole rows.
  RbfPoints(Points points, double gamma)
      : rows_(points.values, points.values + points.size * points.features),
        packed_(points),
        gamma_(gamma) {}

  std::size_t size() const { return packed_.size(); }
  std::size_t features() const { return packed_.features(); }
  double gamma() const { return gamma_; }
  // A row is computed in whole panels: so many doubles, of which the last ones may mean nothing.
  std::size_t row_length() const { return packed_.panels() * panel_width; }

  void compute_row(std::size_t i, double* row) const;
  // out[c] = K[i, columns[c]]
  void compute_entries(std::size_t i, const std::size_t* columns, std::size_t count,
                       double* out) const;
  // Panels [first, first + panels) of up to four rows whose points stand one after the other in
  // `own`; row r of them begins at values + r * panels * panel_width.
  void compute_piece(const double* own, std::size_t rows, std::size_t first, std::size_t panels,
                     double* values) const;
  // Those of some points, one after the other.
  std::vector<double> copies_of(const std::size_t* points, std::size_t count) const;

  // Where some points stand along the direction in which they are spread most, or nearly so. Empty
  // if they are all the same, or too far apart for their squares.
  std::vector<double> positions(const std::vector<std::size_t>& points) const;

  // Four rows are one tile of the distance loops. A piece of 512 columns of them takes 16 KB, half
  // of a first-level cache.
  static constexpr std::size_t tile_rows = 4, piece_panels = 512 / panel_width;

 private:
  const double* point(std::size_t i) const { return rows_.data() + i * features(); }
  std::vector<double> difference_to_farthest(const std::vector<std::size_t>& points) const;

  std::vector<double> rows_;
  PackedPoints packed_;
  double gamma_;
};

}  // namespace kpb
