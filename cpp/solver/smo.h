// Sequential minimal optimisation: two variables at a time, chosen by second-order gain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "rows/gram_rows.h"
#include "simd/hot.h"
#include "solver/patience.h"
#include "solver/variables.h"

namespace kpb {

// The scaled Gram matrix as SMO sees it: rows on request. Row may own what it points to.
inline const double* values_of(const double* row) { return row; }
inline const double* values_of(const Row& row) { return row.values; }

// Moves beta[rise] up and beta[fall] down by the same amount, exactly onto a bound if it is
// reached. Returns the amount.
inline double move_pair(Variables& v, std::size_t rise, std::size_t fall, double wanted) {
  const double room_up = v.upper[rise] - v.beta[rise];
  const double room_down = v.beta[fall] - v.lower[fall];
  const double moved = std::min(wanted, std::min(room_up, room_down));
  v.set_beta(rise, moved == room_up ? v.upper[rise] : v.beta[rise] + moved);
  v.set_beta(fall, moved == room_down ? v.lower[fall] : v.beta[fall] - moved);
  return moved;
}

// The clock is looked at after about this many entries of work.
constexpr std::size_t entries_between_polls = 1 << 16;

struct SmoEnd {
  double gap;          // when it stopped
  double moved;        // how far the steps went altogether
  std::int64_t steps;  // how many there were
};

// Steps until the gap is below `tolerance`, `max_steps` are done or patience ends. `row_of(t)`
// gives row t of K, `scale` (null: ones) makes it Q's.
template <class RowOf>
SmoEnd smo(Variables& v, const double* scale, RowOf row_of, double tolerance,
           std::int64_t max_steps, Patience& patience) {
  const PairLoops& loops = hot().pair;
  const std::size_t n = v.size();
  const auto factor = [scale](std::int64_t t) { return scale ? scale[t] : 1.0; };
  Peak peak = loops.highest(n, v.residual.data(), v.up.data());
  SmoEnd end = {0, 0, 0};
  max_steps = std::min(max_steps, patience.steps_left());
  const auto steps_between_polls = static_cast<std::int64_t>(entries_between_polls / (n + 1) + 1);
  std::int64_t step = 0;
  for (;; ++step) {
    const std::int64_t i = peak.index;
    if (i >= static_cast<std::int64_t>(n)) break;  // no residual is a number
    auto peak_row = row_of(i);
    const ScaledRow scaled_peak = {values_of(peak_row), factor(i)};
    const Partner partner =
        loops.best_partner(n, peak, scaled_peak, v.diagonal[i], scale, v.diagonal.data(),
                           v.residual.data(), v.down.data());
    const std::int64_t j = partner.index;
    end.gap = peak.value - partner.lowest;
    if (!(end.gap >= tolerance) || j < 0 || step >= max_steps || patience.stopped()) break;

    const double cross = factor(i) * factor(j) * values_of(peak_row)[j];
    const double curvature = std::max(v.diagonal[i] + v.diagonal[j] - 2 * cross, flat_curvature);
    const double moved = move_pair(v, i, j, (peak.value - v.residual[j]) / curvature);
    end.moved += moved;
    auto partner_row = row_of(j);
    peak = loops.move_then_highest(n, {values_of(peak_row), moved * factor(i)},
                                   {values_of(partner_row), moved * factor(j)}, scale,
                                   v.residual.data(), v.up.data());
    if (step % steps_between_polls == 0) patience.poll();
  }
  patience.spend(step);
  end.steps = step;
  return end;
}

}  // namespace kpb
