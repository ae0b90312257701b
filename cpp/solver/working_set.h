// Which points to work on next.
#pragma once

#include <cstddef>
#include <vector>

#include "solver/variables.h"

namespace kpb {

Extremes find_extremes(const Variables& v);

// What residuals of free points tend to: the intercept, as far as it is known.
double current_level(const Variables& v, const Extremes& extremes);

// All free points, or the `max_free` that violate most; the `newcomers` worst violators among
// those at a bound, from both sides; and the most violating pair. Sorted.
std::vector<std::size_t> next_working_set(const Variables& v, const Extremes& extremes,
                                          std::size_t newcomers, std::size_t max_free);

// At most `size` points that may have to move before the others do: all free points, or as many as
// leave some room; from both sides those at a bound that violate most or are closest to it; and the
// most violating pair. Sorted.
std::vector<std::size_t> next_part(const Variables& v, const Extremes& extremes, std::size_t size);

// How many points of such a part may be free.
std::size_t most_free_in_part(std::size_t size);

}  // namespace kpb
