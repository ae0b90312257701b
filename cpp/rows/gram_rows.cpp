#include "rows/gram_rows.h"

#include <algorithm>
#include <stdexcept>

#include "rows/row_sums.h"
#include "simd/hot.h"

namespace kpb {

void GramRows::add_rows(std::size_t count, const std::size_t* points, const double* factors,
                        const double* scale, bool, double* target) const {
  constexpr std::size_t chunk = 32;  // rows held at a time; a row may be a cache entry
  Row rows[chunk];
  const double* values[chunk];
  for (std::size_t first = 0; first < count; first += chunk) {
    const std::size_t width = std::min(chunk, count - first);
    for (std::size_t c = 0; c < width; ++c) {
      rows[c] = row(points[first + c]);
      values[c] = rows[c].values;
    }
    add_rows_in_pieces(size(), width, values, factors + first, scale, target);
  }
}

std::unique_ptr<GramRows> GramRows::part(const std::vector<std::size_t>&) const {
  throw std::logic_error("a matrix whose rows are all at hand has no parts");
}

}  // namespace kpb
