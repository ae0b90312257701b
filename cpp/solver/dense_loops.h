// Dense linear algebra of the solver: sums of rows, and the Cholesky factor of a small matrix.
//
// Written here rather than taken from BLAS because its results must not depend on how many BLAS
// threads happen to be set: solves running in threads agree with serial ones bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kpb {

// Narrow panels, so that nearly all of the work is dot products of long rows.
constexpr std::size_t cholesky_panel_width = 16;

struct DenseLoops {
  double (*dot)(std::size_t n, const double* a, const double* b);

  // target[t] += factor * row[t]
  void (*add_row)(std::size_t n, double factor, const double* row, double* target);

  // target[t] += scale[t] * sum_r factors[r] * rows[r][t]; a null scale means ones.
  void (*add_rows)(std::size_t n, std::size_t count, const double* const* rows,
                   const double* factors, const double* scale, double* target);

  // For four rows of a matrix: by_row[r] = <rows[r], weights>, and by_column[t] gains
  // sum_r row_weights[r] * rows[r][t], in one pass over the rows.
  void (*weigh_four_rows)(std::size_t n, const double* const* rows, const double* row_weights,
                          const double* weights, double* by_row, double* by_column);

  // The largest |a[t] - b[t]|; NaN if any of the differences is infinite or NaN.
  double (*largest_difference)(std::size_t n, const double* a, const double* b);

  // Writes down columns and values of all entries with |row[t]| > least, in order; returns how
  // many.
  std::size_t (*large_entries)(std::size_t n, const double* row, double least,
                               std::uint32_t* columns, double* values);

  // One panel of the Cholesky factor L with L L' = matrix, in the lower triangle of the row-major
  // matrix: columns [first, first + cholesky_panel_width) of the rows from `row` on, all earlier
  // panels of them being done. `row` is `first`, or the panel's own rows are complete. Returns
  // false if a pivot is not positive.
  bool (*cholesky_panel)(std::size_t n, std::size_t first, std::size_t row, double* matrix,
                         std::size_t stride);

  // x := L^-1 x, where the first `zeros` entries of x are zero.
  void (*solve_lower)(std::size_t n, std::size_t zeros, const double* lower, std::size_t stride,
                      double* x);

  // x := L^-T x
  void (*solve_upper)(std::size_t n, const double* lower, std::size_t stride, double* x);
};

}  // namespace kpb
