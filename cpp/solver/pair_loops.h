// Passes over the residuals: two of them make one SMO step, three choose a small set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kpb {

// Added to the residual of a point that cannot move up (minus) or down (plus), so that the
// passes choose among all points without a branch. Far above any residual, far below overflow.
constexpr double closed = 1e30;

// Below this curvature a direction counts as flat: the step goes to the bound.
constexpr double flat_curvature = 1e-12;

struct Peak {
  double value;
  std::int64_t index;
};

// The most violating pair: the highest residual that may rise, the lowest that may fall.
struct Extremes {
  Peak highest;
  Peak lowest;
  double gap() const { return highest.value - lowest.value; }
};

struct Partner {
  std::int64_t index;  // -1: no point below the peak can move down
  double lowest;       // smallest residual among the points that can move down
};

// One row of Q = D K D, kept as a row of K and the number it is multiplied with. The other
// factor, scale[t], is common to all rows; a null scale means ones.
struct ScaledRow {
  const double* values;
  double factor;
};

struct PairLoops {
  // The highest of residual[t] + up[t].
  Peak (*highest)(std::size_t n, const double* residual, const double* up);

  // residual[t] -= scale[t] * (rise.factor * rise.values[t] - fall.factor * fall.values[t]),
  // then the highest of residual[t] + up[t], in one pass.
  Peak (*move_then_highest)(std::size_t n, ScaledRow rise, ScaledRow fall, const double* scale,
                            double* residual, const double* up);

  // The point that promises the largest decrease of the objective together with the peak:
  // (peak - residual[t])^2 / (peak_diagonal + diagonal[t] - 2 Q[peak, t]).
  Partner (*best_partner)(std::size_t n, Peak peak, ScaledRow peak_row, double peak_diagonal,
                          const double* scale, const double* diagonal, const double* residual,
                          const double* down);

  // The highest of residual[t] + up[t] and the lowest of residual[t] + down[t].
  Extremes (*extremes)(std::size_t n, const double* residual, const double* up,
                       const double* down);

  // The first `most` points, from `from` on to the end and then from 0, with residual[t] + up[t]
  // above, or residual[t] + down[t] below a limit. Return how many there are.
  std::size_t (*points_above)(std::size_t n, std::size_t from, const double* residual,
                              const double* up, double limit, std::size_t most,
                              std::size_t* points);
  std::size_t (*points_below)(std::size_t n, std::size_t from, const double* residual,
                              const double* down, double limit, std::size_t most,
                              std::size_t* points);
};

}  // namespace kpb
