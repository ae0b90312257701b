// A point to start from that meets all constraints, near one that may meet none.
#pragma once

#include <cstddef>
#include <vector>

namespace kpb {

// Each coefficient is cut to its box, [0, C_i] or [-C_i, 0]. Then the side with the larger total
// is shrunk in proportion until the sum is zero: the points between their bounds alone if that is
// enough, since those at a bound tend to stay there, otherwise all of that side. A start that
// meets the constraints up to rounding is not touched.
std::vector<double> feasible_start(std::size_t n, const double* target, const double* bound,
                                   const double* wanted);

}  // namespace kpb
