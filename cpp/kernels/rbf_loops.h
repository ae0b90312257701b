// Distances, exponentials and fused prediction: what the RBF kernel needs in its inner loops.
#pragma once

#include <cstddef>

namespace kpb {

// Points that stand in the columns of a block are packed in panels of 16, two vectors of the widest
// instruction set. A panel holds feature 0 of its 16 points, then feature 1, and so on.
constexpr std::size_t panel_width = 16;

// For so few rows packing the columns takes longer than it saves, and the direct loops do without
// (with three, the sums leave too few registers). They load vectors of features, so that there must
// be as many as the widest instruction set takes.
constexpr std::size_t most_direct_rows = 2;
constexpr std::size_t least_direct_features = 8;

struct RbfLoops {
  // out[r * stride + c] = |x_r - y_c|^2 for all columns c of the panels; x_r is x + r * features.
  // Sums run over the features in order, so an entry does not depend on where it stands in a block.
  void (*squared_distances)(std::size_t features, std::size_t rows, const double* x,
                            std::size_t panels, const double* packed, std::size_t stride,
                            double* out);

  // The same with the city-block distance, the sum of |x_rf - y_cf| over the features.
  void (*city_block_distances)(std::size_t features, std::size_t rows, const double* x,
                               std::size_t panels, const double* packed, std::size_t stride,
                               double* out);

  // The same distances, bit for bit, between one or two rows and points that stand one after the
  // other in `y`. Rows of `out` are filled up to whole panels.
  void (*direct_squared_distances)(std::size_t features, std::size_t rows, const double* x,
                                   std::size_t columns, const double* y, std::size_t stride,
                                   double* out);
  void (*direct_city_block_distances)(std::size_t features, std::size_t rows, const double* x,
                                      std::size_t columns, const double* y, std::size_t stride,
                                      double* out);

  // out[t] = exp(-gamma * squared[t]) for squared[t] >= 0; `out` may be `squared`.
  // Within 1 unit in the last place of exp at the rounded product; 0 below exp(-708).
  void (*decay)(std::size_t n, double gamma, const double* squared, double* out);

  // out[r * machines + t] += sum of values[r * stride + c] * coef[t * coef_stride + c] over
  // c < columns, which is a multiple of panel_width.
  void (*add_products)(std::size_t columns, std::size_t rows, const double* values,
                       std::size_t stride, std::size_t machines, const double* coef,
                       std::size_t coef_stride, double* out);

  // out[r * machines + t] += sum of values[r * stride + c] * coef[c * coef_stride + t] over
  // c < columns: the same with coefficients by columns, for many machines and few columns. Rows of
  // `coef` are padded to whole panels.
  void (*add_wide_products)(std::size_t columns, std::size_t rows, const double* values,
                            std::size_t stride, std::size_t machines, const double* coef,
                            std::size_t coef_stride, double* out);

  // A panel of the points in these panel_width rows: panel[f * panel_width + c] = rows[c][f].
  void (*pack_panel)(std::size_t features, const double* const* rows, double* panel);

  // Whether none of the n values is infinite or NaN.
  bool (*all_finite)(std::size_t n, const double* values);
};

}  // namespace kpb
