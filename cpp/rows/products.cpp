#include "rows/products.h"

#include <algorithm>
#include <vector>

#include "kernels/packed.h"
#include "simd/aligned.h"
#include "simd/hot.h"

namespace kpb {
namespace {

// Columns are copied in strips, which stay in a second-level cache for all vectors: of 512 KB, but
// not narrower than two panels.
constexpr std::size_t strip_doubles = std::size_t{1} << 16, narrowest = 2 * panel_width;

std::size_t strip_width(std::size_t count) {
  const std::size_t fitting = strip_doubles / std::max(count, std::size_t{1});
  return std::max(narrowest, fitting / panel_width * panel_width);
}

}  // namespace

void products(const GramRows& gram, std::size_t count, const std::size_t* points,
              std::size_t vectors, const double* coef, double* out,
              const std::function<void()>& pause) {
  const std::size_t n = gram.size();
  const std::size_t width = std::min(strip_width(count), panels_for(n) * panel_width);
  std::vector<Row> rows(count);
  for (std::size_t c = 0; c < count; ++c) {
    pause();
    rows[c] = gram.row(points[c]);
  }
  Numbers strip(count * width), sums(vectors * width);
  for (std::size_t first = 0; first < n; first += width) {
    pause();
    const std::size_t columns = std::min(width, n - first);
    for (std::size_t c = 0; c < count; ++c)
      std::copy_n(rows[c].values + first, columns, strip.data() + c * width);
    std::fill(sums.begin(), sums.end(), 0.0);
    hot().rbf.add_wide_products(count, vectors, coef, count, width, strip.data(), width,
                                sums.data());
    for (std::size_t t = 0; t < vectors; ++t)
      std::copy_n(sums.data() + t * width, columns, out + t * n + first);
  }
}

}  // namespace kpb
