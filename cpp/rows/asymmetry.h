// How far a matrix is from symmetric.
#pragma once

#include <cstddef>
#include <functional>

namespace kpb {

// The largest |a_ij - a_ji|, or NaN if an entry is infinite or NaN. Calls `pause` now and then.
double asymmetry(const double* matrix, std::size_t size, const std::function<void()>& pause);

}  // namespace kpb
