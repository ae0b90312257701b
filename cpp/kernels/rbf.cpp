#include "kernels/rbf.h"

#include <algorithm>
#include <cstring>

#include "simd/hot.h"

namespace kpb {
namespace {

// At most 4 rows (one tile of the distance loops) by 512 columns of values make 16 KB, half of a
// small first-level cache; the other half is for the panels passing by.
constexpr std::size_t strip_rows = 4;
constexpr std::size_t widest_strip = 512;
// The packed columns of a strip stay in a second-level cache of 256 KB or more; below 64 columns
// the work around a strip would begin to show.
constexpr std::size_t strip_bytes = std::size_t{1} << 18;
constexpr std::size_t narrowest_strip = 64;
// How often to pause: after 64 rows of a strip, well below a millisecond for common data.
constexpr std::size_t run_rows = 64;
// A Gram matrix is computed in squares of 160 by 160 values (200 KB, for the second-level cache),
// each written twice: larger ones write longer runs to memory, smaller ones leave less to compute
// twice on the diagonal.
constexpr std::size_t square = 160;
// Mirroring goes by patches of 8 by 8, which read and write whole cache lines.
constexpr std::size_t patch = 8;

// From this many machines on, they and not the support vectors stand in the lanes: with the few
// support vectors of one class the sums over lanes would take longer than the products.
constexpr std::size_t many_machines = 24;

struct Range {
  std::size_t first, count;
};

// Calls visit(range) for consecutive ranges of at most `step` that cover 0..size.
template <class Visit>
void for_ranges(std::size_t size, std::size_t step, const Visit& visit) {
  for (std::size_t first = 0; first < size; first += step) {
    visit(Range{first, std::min(step, size - first)});
  }
}

std::size_t strip_columns(std::size_t features) {
  const std::size_t fitting = strip_bytes / (features * panel_width * sizeof(double)) * panel_width;
  return std::clamp(fitting, narrowest_strip, widest_strip);
}

// Calls visit(rows, columns, panels, buffer) for strips that cover x.size by y.size: `panels` are
// the columns, packed once and used by all rows while they are in the second-level cache; `buffer`
// has room for the values of a strip.
template <class Visit>
void for_strips(Points x, Points y, const Pause& pause, const Visit& visit) {
  const std::size_t step = strip_columns(y.features);
  const std::size_t widest = panels_for(std::min(step, y.size)) * panel_width;
  const AlignedDoubles panels = aligned_doubles(widest * y.features);
  const AlignedDoubles buffer = aligned_doubles(strip_rows * widest);
  for_ranges(y.size, step, [&](Range columns) {
    pack(columns.count, y.features, [&](std::size_t c) { return y.row(columns.first + c); },
         panels.get());
    for_ranges(x.size, run_rows, [&](Range run) {
      pause();
      for_ranges(run.count, strip_rows, [&](Range rows) {
        visit(Range{run.first + rows.first, rows.count}, columns, panels.get(), buffer.get());
      });
    });
  });
}

void finish(std::size_t n, Gamma gamma, const double* squared, double* out) {
  if (gamma) {
    hot().rbf.decay(n, *gamma, squared, out);
  } else if (out != squared) {
    std::memcpy(out, squared, n * sizeof(double));
  }
}

inline void mirror_patch(const double* values, std::size_t stride, std::size_t rows,
                         std::size_t columns, double* out, std::size_t out_stride) {
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) out[c * out_stride + r] = values[r * stride + c];
  }
}

// out[c * out_stride + r] = values[r * stride + c]
void write_mirrored(const double* values, std::size_t stride, std::size_t rows, std::size_t columns,
                    double* out, std::size_t out_stride) {
  for_ranges(columns, patch, [&](Range c) {
    for_ranges(rows, patch, [&](Range r) {
      const double* from = values + r.first * stride + c.first;
      double* to = out + c.first * out_stride + r.first;
      if (c.count == patch && r.count == patch) {  // constants here, so that the loops unroll
        mirror_patch(from, stride, patch, patch, to, out_stride);
      } else {
        mirror_patch(from, stride, r.count, c.count, to, out_stride);
      }
    });
  });
}

// Writes values[r, c] to out[rows.first + r, columns.first + c] and to the mirrored place.
void write_twice(const double* values, std::size_t stride, Range rows, Range columns,
                 std::size_t size, double* out) {
  for (std::size_t r = 0; r < rows.count; ++r) {
    std::memcpy(out + (rows.first + r) * size + columns.first, values + r * stride,
                columns.count * sizeof(double));
  }
  if (rows.first == columns.first) return;
  write_mirrored(values, stride, rows.count, columns.count, out + columns.first * size + rows.first,
                 size);
}

// coef (machines by size) with rows padded by zeros to whole panels.
AlignedDoubles padded(const double* coef, std::size_t machines, std::size_t size,
                      std::size_t stride) {
  AlignedDoubles out = aligned_doubles(machines * stride);
  for (std::size_t t = 0; t < machines; ++t) {
    std::copy_n(coef + t * size, size, out.get() + t * stride);
    std::fill(out.get() + t * stride + size, out.get() + (t + 1) * stride, 0.0);
  }
  return out;
}

// coef (machines by size) turned, with rows padded by zeros to whole panels.
AlignedDoubles turned(const double* coef, std::size_t machines, std::size_t size,
                      std::size_t stride) {
  AlignedDoubles out = aligned_doubles(size * stride);
  std::fill(out.get(), out.get() + size * stride, 0.0);
  write_mirrored(coef, size, machines, size, out.get(), stride);
  return out;
}

// Sums of exp(-gamma distance) of several machines, strip by strip.
template <class Distances>
void decision(Distances distances, Points x, Points y, double gamma, std::size_t machines,
              const double* coef, const double* intercept, double* out, const Pause& pause) {
  const bool wide = machines >= many_machines;
  const std::size_t stride = panels_for(wide ? machines : y.size) * panel_width;
  const AlignedDoubles weights =
      wide ? turned(coef, machines, y.size, stride) : padded(coef, machines, y.size, stride);
  for (std::size_t i = 0; i < x.size; ++i) std::copy_n(intercept, machines, out + i * machines);
  for_strips(x, y, pause, [&](Range rows, Range columns, const double* panels, double* values) {
    const std::size_t width = panels_for(columns.count) * panel_width;
    distances(x.features, rows.count, x.row(rows.first), panels_for(columns.count), panels, width,
              values);
    hot().rbf.decay(rows.count * width, gamma, values, values);
    double* sums = out + rows.first * machines;
    if (wide) {
      hot().rbf.add_wide_products(columns.count, rows.count, values, width, machines,
                                  weights.get() + columns.first * stride, stride, sums);
    } else {
      hot().rbf.add_products(width, rows.count, values, width, machines,
                             weights.get() + columns.first, stride, sums);
    }
  });
}

}  // namespace

void rbf_block(Points x, Points y, Gamma gamma, double* out, const Pause& pause) {
  for_strips(x, y, pause, [&](Range rows, Range columns, const double* panels, double* squared) {
    const std::size_t stride = panels_for(columns.count) * panel_width;
    hot().rbf.squared_distances(x.features, rows.count, x.row(rows.first),
                                panels_for(columns.count), panels, stride, squared);
    for (std::size_t r = 0; r < rows.count; ++r) {
      finish(columns.count, gamma, squared + r * stride,
             out + (rows.first + r) * y.size + columns.first);
    }
  });
}

void rbf_gram(Points x, Gamma gamma, double* out, const Pause& pause) {
  const PackedPoints packed(x);
  const std::size_t side = std::min(square, packed.panels() * panel_width);
  const AlignedDoubles values = aligned_doubles(side * side);
  for_ranges(x.size, square, [&](Range rows) {
    for_ranges(x.size - rows.first, square, [&](Range ahead) {
      pause();
      const Range columns{rows.first + ahead.first, ahead.count};
      const std::size_t stride = panels_for(columns.count) * panel_width;
      for_ranges(rows.count, strip_rows, [&](Range strip) {
        double* part = values.get() + strip.first * stride;
        hot().rbf.squared_distances(x.features, strip.count, x.row(rows.first + strip.first),
                                    panels_for(columns.count),
                                    packed.panel(columns.first / panel_width), stride, part);
        finish(strip.count * stride, gamma, part, part);
      });
      write_twice(values.get(), stride, rows, columns, x.size, out);
    });
  });
}

void rbf_decision(Points x, Points y, double gamma, std::size_t machines, const double* coef,
                  const double* intercept, double* out, const Pause& pause) {
  decision(hot().rbf.squared_distances, x, y, gamma, machines, coef, intercept, out, pause);
}

void laplacian_decision(Points x, Points y, double gamma, std::size_t machines, const double* coef,
                        const double* intercept, double* out, const Pause& pause) {
  decision(hot().rbf.city_block_distances, x, y, gamma, machines, coef, intercept, out, pause);
}

}  // namespace kpb
