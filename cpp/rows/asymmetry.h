// How far a matrix is from symmetric.
#pragma once

#include <cstddef>
#include <functional>

namespace kpb {

// How many rows are read at a time.
constexpr std::size_t rows_per_visit = 32;

// The largest |(A w)_i - (A' w)_i| for weights w between 1 and 2 that look random, or NaN if an
// entry is infinite or NaN. It is 0 up to rounding for a symmetric matrix, and for no other unless
// by a coincidence of the weights. One pass along the rows: several times as fast as asymmetry().
// `visit(first, count)` is called for all rows, rows_per_visit at a time and in order, just after they were
// read; it may be empty.
double weighted_asymmetry(const double* matrix, std::size_t size,
                          const std::function<void()>& pause,
                          const std::function<void(std::size_t, std::size_t)>& visit);

// The largest |a_ij - a_ji|, or NaN if an entry is infinite or NaN. Calls `pause` now and then.
double asymmetry(const double* matrix, std::size_t size, const std::function<void()>& pause);

}  // namespace kpb
