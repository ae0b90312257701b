// The RBF kernel against a few hundred points in single precision: block and products.
#pragma once

#include <cstddef>

namespace kpb {

// Points that stand in the columns are packed in panels of 32, two vectors of the widest instruction
// set, feature by feature, as in rbf_loops.h; rows come in fours, one tile of the loops.
constexpr std::size_t single_panel = 32;
constexpr std::size_t single_rows = 4;

struct SingleLoops {
  // out[r * stride + c] = 2^(-|x_r - y_c|^2) for the four rows x_r = x + r * features and all columns
  // of the panels. Relative error 2^-23 at the rounded distance; 0 below 2^-126. Sums run over the
  // features in order, so an entry does not depend on where it stands in a block.
  void (*halvings)(std::size_t features, const float* x, std::size_t panels, const float* packed,
                   std::size_t stride, float* out);

  // sums[r * machines + t] += sum of values[r * stride + c] * coef[t * coef_stride + c] over the four
  // rows r and c < columns, a multiple of single_panel. Lanes are added in double precision.
  void (*add_products)(std::size_t columns, const float* values, std::size_t stride,
                       std::size_t machines, const float* coef, std::size_t coef_stride,
                       double* sums);
};

}  // namespace kpb
