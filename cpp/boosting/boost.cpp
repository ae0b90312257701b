#include "boosting/boost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "boosting/next_start.h"
#include "solver/feasible_start.h"
#include "solver/patience.h"
#include "solver/quality.h"

namespace kpb {

namespace {

// With a larger k, products with squared decision values could overflow. exp(-k f^2) is 0 long
// before, unless f is.
constexpr double largest_perturbation = 1e100;

// In the kernel of a round, a training point has s times the field that it would have as a new
// point. So the one tells the other while s is not too small: with an error of at most this, far
// less than the solver's tolerance. Last digits of a sum are lost in twos and threes.
constexpr double exact = 1e-8, last_digits = 4 * std::numeric_limits<double>::epsilon();

class Boosting {
 public:
  Boosting(const BoostingPlan& plan, BoostingRound& first)
      : plan_(plan), n_(plan.gram.size()), block_(block_for(plan.gram)), mask_(new bool[n_]),
        loss_(n_), scale_(n_, 1.0) {
    last_ = {first.dual_coef, first.decision, scale_, std::vector<char>(n_), first.rounding};
    for (double& value : last_.field) value -= first.intercept;
    last_.rounding += std::numeric_limits<double>::epsilon() * std::fabs(first.intercept);
    for (std::size_t i = 0; i < n_; ++i)
      largest_diagonal_ = std::max(largest_diagonal_, std::fabs(plan_.gram.diagonal(i)));
    ask_as_new(first);
    settle_margin(first);
  }

  // The round after this one; none if somebody said stop.
  std::optional<BoostingRound> after(const BoostingRound& round) {
    if (!find_losers(round)) return {};
    BoostingRound next = perturbed(round);
    const NextStart start = next_start(last_, loss_, scale_);
    const std::vector<double> feasible =
        feasible_start(n_, plan_.target, plan_.bound, start.beta.data());
    const KnownField known = start.known();
    const DualOutcome outcome =
        solve_dual({plan_.gram, plan_.target, plan_.bound, scale_.data(), feasible.data(),
                    start.field.empty() ? nullptr : &known, &block_},
                   plan_.limits);
    if (outcome.status == Status::interrupted) return {};
    take_over(outcome, next);
    return next;
  }

 private:
  bool find_losers(const BoostingRound& round) {
    for (std::size_t i = 0; i < n_; ++i)
      mask_[i] = (round.decision[i] >= 0) == (plan_.target[i] > 0);
    return !plan_.rule || plan_.rule(mask_.get());
  }

  // k grows by a step where resolution is lost; log s falls by k f^2.
  BoostingRound perturbed(const BoostingRound& round) {
    BoostingRound next;
    next.perturbation = round.perturbation;
    next.log_scale = round.log_scale;
    for (std::size_t i = 0; i < n_; ++i) {
      double& k = next.perturbation[i];
      k = std::min(k + (mask_[i] ? plan_.step : 0.0), largest_perturbation);
      loss_[i] = k * (round.decision[i] * round.decision[i]);
      next.log_scale[i] -= loss_[i];
      scale_[i] = std::exp(next.log_scale[i]);
    }
    return next;
  }

  void take_over(const DualOutcome& outcome, BoostingRound& round) {
    const Variables& v = outcome.variables;
    const Quality quality =
        quality_of(n_, plan_.target, plan_.bound, v.beta.data(), v.residual.data());
    last_.beta.assign(v.beta.begin(), v.beta.end());
    for (std::size_t i = 0; i < n_; ++i) last_.field[i] = plan_.target[i] - v.residual[i];
    last_.scale = scale_;
    last_.rounding = outcome.rounding;
    round.dual_coef = last_.beta;
    round.decision = last_.field;
    for (double& value : round.decision) value += quality.intercept;
    round.intercept = quality.intercept;
    round.gap = quality.gap;
    round.rounding = outcome.rounding;
    round.steps = outcome.steps;
    round.status = outcome.status;
    ask_as_new(round);
    settle_margin(round);
  }

  void ask_as_new(BoostingRound& round) const {
    double total = 0, smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n_; ++i) {
      total += scale_[i] * std::fabs(last_.beta[i]);
      smallest = std::min(smallest, scale_[i]);
    }
    const double largest = 1 + total * largest_diagonal_;  // of what was summed up
    const double error = last_.rounding + last_digits * largest;
    if (!(smallest > 0 && error <= exact * smallest)) return;
    round.as_new.resize(n_);
    for (std::size_t i = 0; i < n_; ++i)
      round.as_new[i] = last_.field[i] / scale_[i] + round.intercept;
  }

  // A free support vector has f = y but for the solver's tolerance. Counting it as exactly there,
  // such points all lose resolution alike, and the next round can start where it will end. After a
  // failed solve, or where rounding alone keeps a point from its bound, f may be anything.
  void settle_margin(BoostingRound& round) {
    for (std::size_t i = 0; i < n_; ++i) {
      const double size = std::fabs(round.dual_coef[i]), y = plan_.target[i];
      const bool near = std::fabs(round.decision[i] - y) <= plan_.limits.tolerance;
      last_.on_margin[i] = size > 0 && size < plan_.bound[i] && near;
      if (last_.on_margin[i]) round.decision[i] = y;
    }
  }

  const BoostingPlan& plan_;
  std::size_t n_;
  Block block_;
  LastRound last_;
  std::unique_ptr<bool[]> mask_;
  std::vector<double> loss_, scale_;
  double largest_diagonal_ = 0;
};

}  // namespace

std::vector<BoostingRound> boost(const BoostingPlan& plan, BoostingRound first) {
  Boosting boosting(plan, first);
  std::vector<BoostingRound> rounds;
  rounds.push_back(std::move(first));
  Patience between_rounds(1, plan.limits.interrupted);  // short solves never ask
  while (rounds.size() < plan.rounds) {
    between_rounds.poll();
    if (between_rounds.stopped()) break;
    std::optional<BoostingRound> next = boosting.after(rounds.back());
    if (!next) break;
    rounds.push_back(std::move(*next));
    if (plan.after_round && !plan.after_round()) break;
  }
  return rounds;
}

}  // namespace kpb
