// Sums of some machines, added to their places among the sums of all.
#pragma once

#include <cstddef>

namespace kpb {

// out[i, places[m], t] += part[i, m, t] for i < rows, m < count and t < length; a row of `out` has
// `runs_in_all` runs of that length.
void add_runs(std::size_t rows, std::size_t count, std::size_t length, const double* part,
              const std::size_t* places, std::size_t runs_in_all, double* out);

}  // namespace kpb
