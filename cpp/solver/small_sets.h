// Steps of a few points at a time on whole rows of the Gram matrix.
//
// Some of the worst violators are solved for by SMO on their own small matrix; one pass over their
// rows then brings all residuals up to date. SMO on whole rows goes through the residuals twice for
// every pair, and waits for one row after the other. A set goes through them once to choose all its
// points and reads four rows at a time, which makes a point two to three times cheaper. Its choice
// is cruder, by violation instead of gain: no matter where points hardly touch each other, as with
// a narrow kernel, and a detour where they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/dual_solver.h"
#include "solver/patience.h"
#include "solver/smo.h"

namespace kpb {

// Whether entries off the diagonal are so small, as a rule, that small sets pay.
bool suits_small_sets(const GramRows& gram);

class SmallSets {
 public:
  // Moves v, whose residual belongs to its beta.
  SmallSets(const DualProblem& problem, Variables& v);

  // As smo() does; two points make a step.
  SmoEnd steps(double tolerance, std::int64_t max_steps, Patience& patience);

 private:
  std::size_t choose(const Extremes& extremes, std::int64_t most_steps);
  void copy_state(std::size_t count);
  std::size_t take_over(std::size_t count);
  double scale(std::size_t t) const { return problem_.scale ? problem_.scale[t] : 1.0; }

  const DualProblem& problem_;
  Variables& v_;
  std::size_t from_ = 0;             // where the next choice begins to look
  std::vector<std::size_t> points_;  // of the set
  std::vector<Row> rows_;            // theirs
  Variables own_;                    // their state; places without a point are closed
  Numbers matrix_;                   // Q of the set
  std::vector<const double*> moved_rows_;
  std::vector<double> factors_;
};

}  // namespace kpb
