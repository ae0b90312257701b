#include "kernels/single.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "simd/hot.h"

namespace kpb {
namespace {

using Singles = std::vector<float, CacheLineAllocator<float>>;

constexpr double log2_of_e = 1.4426950408889634;
// Four rows of at most 512 values make 8 KB; a strip of packed landmarks stays in a second-level
// cache of 256 KB or more.
constexpr std::size_t widest_strip = 512;
constexpr std::size_t strip_bytes = std::size_t{1} << 17;
// Farther out every kernel value is 0, and squares still are finite numbers.
constexpr double farthest = 1e15;
// How often to pause: after so many rows of a strip.
constexpr std::size_t run_rows = 64;

std::size_t panels_of(std::size_t columns) { return (columns + single_panel - 1) / single_panel; }

std::size_t columns_of_strip(std::size_t features) {
  const std::size_t fitting = strip_bytes / (features * single_panel * sizeof(float));
  return std::clamp(fitting * single_panel, single_panel, widest_strip);
}

// Points moved to the centre and counted in units in which the kernel is a power of two.
class Scaling {
 public:
  Scaling(const double* centre, double gamma)
      : centre_(centre), unit_(std::sqrt(gamma * log2_of_e)) {}
  float operator()(const double* point, std::size_t f) const {
    return static_cast<float>(std::clamp(unit_ * (point[f] - centre_[f]), -farthest, farthest));
  }

 private:
  const double* centre_;
  double unit_;
};

// Some landmarks in panels; the places that are left over in the last one are filled with zeros.
Singles packed(Points landmarks, std::size_t first, std::size_t count, const Scaling& scaled) {
  Singles panels(panels_of(count) * single_panel * landmarks.features);
  for (std::size_t c = 0; c < count; ++c) {
    float* panel = panels.data() + c / single_panel * single_panel * landmarks.features;
    for (std::size_t f = 0; f < landmarks.features; ++f) {
      panel[f * single_panel + c % single_panel] = scaled(landmarks.row(first + c), f);
    }
  }
  return panels;
}

// Four rows, of which the last ones may be missing.
void take_rows(Points x, std::size_t first, std::size_t count, const Scaling& scaled, float* rows) {
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t f = 0; f < x.features; ++f) {
      rows[r * x.features + f] = scaled(x.row(first + r), f);
    }
  }
}

// Calls visit(first row, number of rows, first column, number of columns, values, stride) for pieces
// of four rows that cover the kernel; all four rows of `values` may be read.
template <class Visit>
void for_pieces(Points x, Points landmarks, const double* centre, double gamma, const Pause& pause,
                const Visit& visit) {
  const Scaling scaled(centre, gamma);
  const std::size_t step = columns_of_strip(x.features);
  Singles rows(single_rows * x.features), values(single_rows * step);
  for (std::size_t column = 0; column < landmarks.size; column += step) {
    const std::size_t columns = std::min(step, landmarks.size - column);
    const Singles panels = packed(landmarks, column, columns, scaled);
    const std::size_t stride = panels_of(columns) * single_panel;
    for (std::size_t first = 0; first < x.size; first += single_rows) {
      if (first % run_rows == 0) pause();
      const std::size_t count = std::min(single_rows, x.size - first);
      take_rows(x, first, count, scaled, rows.data());
      hot().single.halvings(x.features, rows.data(), panels_of(columns), panels.data(), stride,
                            values.data());
      visit(first, count, column, columns, values.data(), stride);
    }
  }
}

// coef (machines by size) in single precision, with rows padded by zeros to `stride`.
Singles padded(const double* coef, std::size_t machines, std::size_t size, std::size_t stride) {
  Singles out(machines * stride);
  for (std::size_t t = 0; t < machines; ++t) {
    for (std::size_t c = 0; c < size; ++c) {
      out[t * stride + c] = static_cast<float>(coef[t * size + c]);
    }
  }
  return out;
}

}  // namespace

void single_block(Points x, Points landmarks, const double* centre, double gamma, float* out,
                  const Pause& pause) {
  for_pieces(x, landmarks, centre, gamma, pause,
             [&](std::size_t first, std::size_t count, std::size_t column, std::size_t columns,
                 const float* values, std::size_t stride) {
               for (std::size_t r = 0; r < count; ++r) {
                 std::memcpy(out + (first + r) * landmarks.size + column, values + r * stride,
                             columns * sizeof(float));
               }
             });
}

void single_decision(Points x, Points landmarks, const double* centre, double gamma,
                     std::size_t machines, const double* coef, const double* intercept, double* out,
                     const Pause& pause) {
  const std::size_t coef_stride = panels_of(landmarks.size) * single_panel;
  const Singles weights = padded(coef, machines, landmarks.size, coef_stride);
  std::vector<double> sums(single_rows * machines);
  for (std::size_t i = 0; i < x.size; ++i) std::copy_n(intercept, machines, out + i * machines);
  for_pieces(x, landmarks, centre, gamma, pause,
             [&](std::size_t first, std::size_t count, std::size_t column, std::size_t,
                 const float* values, std::size_t stride) {
               std::fill(sums.begin(), sums.end(), 0.0);
               hot().single.add_products(stride, values, stride, machines, weights.data() + column,
                                         coef_stride, sums.data());
               double* own = out + first * machines;
               for (std::size_t k = 0; k < count * machines; ++k) own[k] += sums[k];
             });
}

}  // namespace kpb
