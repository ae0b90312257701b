#include "boosting/trial.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "boosting/rates.h"
#include "simd/hot.h"
#include "solver/patience.h"

namespace kpb {

namespace {

using Rounds = std::vector<BoostingRound>;

// A multiple of the rows that the products take at a time, so that sums do not depend on it.
constexpr std::size_t rows_between_polls = 256;

// What multiplies the first kernel at new points, s_t,i lambda_i y_i: a row for every training
// point, padded to whole panels.
class Coefficients {
 public:
  explicit Coefficients(const Rounds& rounds)
      : rounds_(rounds.size()),
        stride_((rounds_ + panel_width - 1) / panel_width * panel_width),
        values_(rounds[0].dual_coef.size() * stride_, 0.0) {
    for (std::size_t t = 0; t < rounds_; ++t)
      for (std::size_t i = 0; i < rounds[t].dual_coef.size(); ++i)
        if (const double beta = rounds[t].dual_coef[i]; beta != 0)
          values_[i * stride_ + t] = beta * std::exp(rounds[t].log_scale[i]);
  }

  // out[r * rounds + t] gains the sums over `count` training points from `first` on; `kernel` has
  // their values in the first columns of its rows. Of no use if patience was stopped meanwhile.
  void add_sums(const double* kernel, std::size_t stride, std::size_t n_rows, std::size_t first,
                std::size_t count, double* out, Patience& patience) const {
    for (std::size_t row = 0; row < n_rows && !patience.stopped(); row += rows_between_polls) {
      hot().rbf.add_wide_products(count, std::min(rows_between_polls, n_rows - row),
                                  kernel + row * stride, stride, rounds_,
                                  values_.data() + first * stride_, stride_, out + row * rounds_);
      patience.poll();
    }
  }

 private:
  std::size_t rounds_, stride_;
  std::vector<double> values_;
};

// The rounds of one problem; fewer than planned if somebody said stop.
Rounds rounds_of(const Trial& trial, const TrialProblem& problem) {
  BoostingPlan plan = {problem.gram, problem.target, problem.bound, trial.step,
                       trial.rounds, trial.limits,   {},            {}};
  if (problem.regions != nullptr)
    plan.rule = [&problem](bool* mask) {
      problem.regions->protect(mask);
      return true;
    };
  return boost(plan, problem.first);
}

// Rates of all rounds at the problem's own points, as new points or in the round's own kernel.
void judge(const TrialProblem& problem, const Rounds& rounds, const Coefficients& coef, bool as_new,
           Patience& patience, double* tpr, double* tnr) {
  const std::size_t n = problem.gram.size(), T = rounds.size();
  const auto is_known = [](const BoostingRound& round) { return !round.as_new.empty(); };
  std::vector<double> sums;
  if (as_new && !std::all_of(rounds.begin(), rounds.end(), is_known)) {
    sums.assign(n * T, 0.0);
    coef.add_sums(problem.gram.data(), n, n, 0, n, sums.data(), patience);
  }
  const auto value = [&](std::size_t t, std::size_t i) {
    if (!as_new) return rounds[t].decision[i];
    return is_known(rounds[t]) ? rounds[t].as_new[i] : sums[i * T + t] + rounds[t].intercept;
  };
  const std::unique_ptr<bool[]> correct(new bool[n]);
  for (std::size_t t = 0; t < T; ++t) {
    for (std::size_t i = 0; i < n; ++i)
      correct[i] = (value(t, i) >= 0) == (problem.target[i] > 0);
    const ClassRates rates = class_rates(n, problem.target, problem.weight, correct.get());
    tpr[t] = rates.tpr;
    tnr[t] = rates.tnr;
  }
}

// Sums at the test points, over the runs of neighbours among the problem's rows.
std::vector<double> test_sums(const Trial& trial, const TrialProblem& problem,
                              const Coefficients& coef, Patience& patience) {
  const std::size_t n = problem.gram.size();
  std::vector<double> sums(trial.n_test * trial.rounds, 0.0);
  for (std::size_t first = 0, next; first < n; first = next) {
    for (next = first + 1; next < n && problem.rows[next] == problem.rows[next - 1] + 1;) ++next;
    coef.add_sums(trial.test_kernel + problem.rows[first], trial.n_train, trial.n_test, first,
                  next - first, sums.data(), patience);
  }
  return sums;
}

void answer(const Trial& trial, std::size_t p, const Rounds& rounds, const Coefficients& coef,
            Patience& patience, const TrialAnswers& answers) {
  const TrialProblem& problem = trial.problems[p];
  const std::size_t T = trial.rounds, P = trial.problems.size();
  const std::vector<double> sums = test_sums(trial, problem, coef, patience);
  for (std::size_t t = 0; t < T; ++t) answers.intercept[p * T + t] = rounds[t].intercept;
  for (std::size_t r = 0; r < trial.n_test; ++r)
    for (std::size_t t = 0; t < T; ++t) {
      answers.sums[(r * P + p) * T + t] = sums[r * T + t];
      if (answers.inherited != nullptr)
        answers.inherited[(r * P + p) * T + t] = rounds[t].perturbation[problem.nearest[r]];
    }
}

}  // namespace

TrialEnd try_step(const Trial& trial, const TrialAnswers& answers) {
  TrialEnd end = {true, {}};
  Patience patience(1, trial.limits.interrupted);  // short solves never ask
  for (std::size_t p = 0; p < trial.problems.size(); ++p) {
    const TrialProblem& problem = trial.problems[p];
    patience.poll();
    const Rounds rounds = patience.stopped() ? Rounds() : rounds_of(trial, problem);
    if (rounds.size() < trial.rounds) return {false, {}};
    for (const BoostingRound& round : rounds)
      if (round.status != Status::converged)
        end.failed.push_back({round.status, round.steps, round.gap});
    const Coefficients coef(rounds);
    judge(problem, rounds, coef, trial.as_new, patience, answers.tpr + p * trial.rounds,
          answers.tnr + p * trial.rounds);
    answer(trial, p, rounds, coef, patience, answers);
    if (patience.stopped()) return {false, {}};
  }
  return end;
}

}  // namespace kpb
