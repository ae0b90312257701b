#include "rows/rbf_points.h"

#include <algorithm>
#include <cmath>

#include "simd/hot.h"
#include "threads/team.h"

namespace kpb {
namespace {

// Single entries are packed 64 at a time: enough for the widest tile of the distance loops.
constexpr std::size_t entries_at_once = 64;

// Panels of a row that are worth handing over to another thread.
constexpr std::size_t least_panels = 2 * RbfPoints::piece_panels;

// Turns of the power method: a direction along which points are spread widely is good enough.
constexpr int turns = 10;

void subtract_mean(std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value -= sum / static_cast<double>(values.size());
}

}  // namespace

void RbfPoints::compute_row(std::size_t i, double* row) const {
  in_pieces(packed_.panels(), Grain{least_panels, 1}, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < end; first += piece_panels) {
      const std::size_t panels = std::min(piece_panels, end - first);
      compute_piece(point(i), 1, first, panels, row + first * panel_width);
    }
  });
}

void RbfPoints::compute_entries(std::size_t i, const std::size_t* columns, std::size_t count,
                                double* out) const {
  const AlignedDoubles panels = aligned_doubles(entries_at_once * features());
  for (std::size_t first = 0; first < count; first += entries_at_once) {
    const std::size_t width = std::min(entries_at_once, count - first);
    pack(width, features(), [&](std::size_t c) { return point(columns[first + c]); }, panels.get());
    double squared[entries_at_once];
    hot().rbf.squared_distances(features(), 1, point(i), panels_for(width), panels.get(), 0,
                                squared);
    hot().rbf.decay(width, gamma_, squared, out + first);
  }
}

void RbfPoints::compute_piece(const double* own, std::size_t rows, std::size_t first,
                              std::size_t panels, double* values) const {
  const std::size_t width = panels * panel_width;
  hot().rbf.squared_distances(features(), rows, own, panels, packed_.panel(first), width, values);
  hot().rbf.decay(rows * width, gamma_, values, values);
}

std::vector<double> RbfPoints::copies_of(const std::size_t* points, std::size_t count) const {
  std::vector<double> copies(count * features());
  for (std::size_t c = 0; c < count; ++c)
    std::copy_n(point(points[c]), features(), copies.data() + c * features());
  return copies;
}

// The power method, from a direction in which some points differ.
std::vector<double> RbfPoints::positions(const std::vector<std::size_t>& points) const {
  const std::size_t d = features();
  const DenseLoops& loops = hot().dense;
  std::vector<double> direction = difference_to_farthest(points), at(points.size());
  for (int turn = 0; turn < turns; ++turn) {
    const double length = std::sqrt(loops.dot(d, direction.data(), direction.data()));
    if (!(length > 0 && std::isfinite(length))) return {};
    for (double& value : direction) value /= length;
    for (std::size_t c = 0; c < at.size(); ++c)
      at[c] = loops.dot(d, direction.data(), point(points[c]));
    subtract_mean(at);
    std::fill(direction.begin(), direction.end(), 0.0);
    for (std::size_t c = 0; c < at.size(); ++c)
      loops.add_row(d, at[c], point(points[c]), direction.data());
  }
  return at;
}

// From the first of them.
std::vector<double> RbfPoints::difference_to_farthest(
    const std::vector<std::size_t>& points) const {
  const std::size_t d = features();
  std::vector<double> farthest(d, 0.0), difference(d);
  double largest = 0;
  for (const std::size_t i : points) {
    for (std::size_t k = 0; k < d; ++k) difference[k] = point(i)[k] - point(points[0])[k];
    const double squared = hot().dense.dot(d, difference.data(), difference.data());
    if (!(squared > largest)) continue;
    largest = squared;
    farthest = difference;
  }
  return farthest;
}

}  // namespace kpb
