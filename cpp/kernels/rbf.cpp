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

// Whether the rows are so few that packing would not pay.
bool goes_direct(Points x) {
  return x.size <= most_direct_rows && x.features >= least_direct_features;
}

// Calls visit(rows, columns, panels, buffer) for strips that cover x.size by y.size: `panels` are
// the columns, packed once and used by all rows while they are in the second-level cache, or null
// where it goes direct; `buffer` has room for the values of a strip.
template <class Visit>
void for_strips(Points x, Points y, const Pause& pause, const Visit& visit) {
  const std::size_t step = strip_columns(y.features);
  const std::size_t widest = panels_for(std::min(step, y.size)) * panel_width;
  const AlignedDoubles panels = goes_direct(x) ? nullptr : aligned_doubles(widest * y.features);
  const AlignedDoubles buffer = aligned_doubles(strip_rows * widest);
  for_ranges(y.size, step, [&](Range columns) {
    if (panels) {
      pack(columns.count, y.features, [&](std::size_t c) { return y.row(columns.first + c); },
           panels.get());
    }
    for_ranges(x.size, run_rows, [&](Range run) {
      pause();
      for_ranges(run.count, strip_rows, [&](Range rows) {
        visit(Range{run.first + rows.first, rows.count}, columns, panels.get(), buffer.get());
      });
    });
  });
}

// The two loops of one distance.
struct Distances {
  decltype(RbfLoops::squared_distances) packed;
  decltype(RbfLoops::direct_squared_distances) direct;

  // Fills a strip of for_strips, with rows of whole panels.
  void operator()(Points x, Points y, Range rows, Range columns, const double* panels,
                  double* out) const {
    const std::size_t count = panels_for(columns.count), stride = count * panel_width;
    if (panels) {
      packed(x.features, rows.count, x.row(rows.first), count, panels, stride, out);
    } else {
      direct(x.features, rows.count, x.row(rows.first), columns.count, y.row(columns.first), stride,
             out);
    }
  }
};

Distances squared_distances() {
  return {hot().rbf.squared_distances, hot().rbf.direct_squared_distances};
}

Distances city_block_distances() {
  return {hot().rbf.city_block_distances, hot().rbf.direct_city_block_distances};
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

// Some columns of coef (machines by size), with rows padded by zeros to whole panels.
AlignedDoubles padded(const double* coef, std::size_t machines, std::size_t size, Range columns) {
  const std::size_t stride = panels_for(columns.count) * panel_width;
  AlignedDoubles out = aligned_doubles(machines * stride);
  for (std::size_t t = 0; t < machines; ++t) {
    double* line = out.get() + t * stride;
    std::copy_n(coef + t * size + columns.first, columns.count, line);
    std::fill(line + columns.count, line + stride, 0.0);
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

// Adds products with coefficients (machines by size) that stand where they are: for a few rows a
// copy of all would show. Only a strip that ends within a panel has one.
void add_in_place(Range columns, std::size_t rows, const double* values, std::size_t machines,
                  const double* coef, std::size_t size, double* sums) {
  const std::size_t width = panels_for(columns.count) * panel_width;
  if (width == columns.count) {
    hot().rbf.add_products(width, rows, values, width, machines, coef + columns.first, size, sums);
    return;
  }
  const AlignedDoubles copy = padded(coef, machines, size, columns);
  hot().rbf.add_products(width, rows, values, width, machines, copy.get(), width, sums);
}

// Sums of exp(-gamma distance) of several machines, strip by strip.
void decision(const Distances& distances, Points x, Points y, double gamma, std::size_t machines,
              const double* coef, const double* intercept, double* out, const Pause& pause) {
  const bool wide = machines >= many_machines, in_place = !wide && goes_direct(x);
  const std::size_t stride = panels_for(wide ? machines : y.size) * panel_width;
  const AlignedDoubles weights = wide       ? turned(coef, machines, y.size, stride)
                                 : in_place ? nullptr
                                            : padded(coef, machines, y.size, Range{0, y.size});
  for (std::size_t i = 0; i < x.size; ++i) std::copy_n(intercept, machines, out + i * machines);
  for_strips(x, y, pause, [&](Range rows, Range columns, const double* panels, double* values) {
    const std::size_t width = panels_for(columns.count) * panel_width;
    distances(x, y, rows, columns, panels, values);
    hot().rbf.decay(rows.count * width, gamma, values, values);
    double* sums = out + rows.first * machines;
    if (wide) {
      hot().rbf.add_wide_products(columns.count, rows.count, values, width, machines,
                                  weights.get() + columns.first * stride, stride, sums);
    } else if (in_place) {
      add_in_place(columns, rows.count, values, machines, coef, y.size, sums);
    } else {
      hot().rbf.add_products(width, rows.count, values, width, machines,
                             weights.get() + columns.first, stride, sums);
    }
  });
}

}  // namespace

void rbf_block(Points x, Points y, Gamma gamma, double* out, const Pause& pause) {
  const Distances distances = squared_distances();
  for_strips(x, y, pause, [&](Range rows, Range columns, const double* panels, double* squared) {
    const std::size_t stride = panels_for(columns.count) * panel_width;
    distances(x, y, rows, columns, panels, squared);
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
  decision(squared_distances(), x, y, gamma, machines, coef, intercept, out, pause);
}

void laplacian_decision(Points x, Points y, double gamma, std::size_t machines, const double* coef,
                        const double* intercept, double* out, const Pause& pause) {
  decision(city_block_distances(), x, y, gamma, machines, coef, intercept, out, pause);
}

}  // namespace kpb
