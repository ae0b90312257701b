// Points whose beta has changed, by how much, and what that does to the residual.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "solver/dual_solver.h"
#include "solver/patience.h"

namespace kpb {

struct Changes {
  std::vector<std::size_t> points;
  std::vector<double> by;

  void add(std::size_t point, double before, double now) {
    if (now == before) return;
    points.push_back(point);
    by.push_back(now - before);
  }
};

// residual -= Q change, or some of it if somebody said stop meanwhile. `keep`: the rows are likely
// to be asked for again.
inline void subtract_from_residual(const DualProblem& problem, const Changes& changes, bool keep,
                                   double* residual, Patience& patience) {
  constexpr std::size_t chunk = 32;  // rows between two looks at the clock
  double factors[chunk];
  for (std::size_t first = 0; first < changes.points.size(); first += chunk) {
    const std::size_t count = std::min(chunk, changes.points.size() - first);
    const std::size_t* points = changes.points.data() + first;
    for (std::size_t c = 0; c < count; ++c)
      factors[c] = -changes.by[first + c] * (problem.scale ? problem.scale[points[c]] : 1.0);
    problem.gram.add_rows(count, points, factors, problem.scale, keep, residual);
    patience.poll();
    if (patience.stopped()) return;
  }
}

}  // namespace kpb
