#include "tree/split.h"

#include <algorithm>
#include <numeric>

namespace kpb::c45 {
namespace {

// Release 8's own: gains this far below the average are as good as average, and branches must
// tell more than this to divide by it. eps
constexpr double epsilon = 1e-3;
// Gains that differ by less are equal, and the first one wins.
constexpr double tie = 1e-9;
// For a cut to be tried, either side has a tenth of the weight that a class has on average: m where
// that is less, and 25 where it is more.
constexpr double side_share = 0.1;
constexpr double largest_side = 25.0;
// A nominal attribute with this many values per case would distort the average gain.
constexpr double many_values = 0.3;

}  // namespace

SplitSearch::SplitSearch(const TrainingData& data, const Options& options, const Pause& pause)
    : data_(data),
      options_(options),
      pause_(pause),
      order_(data, pause),
      left_(data.n_classes),
      right_(data.n_classes),
      root_weight_(std::accumulate(data.weights, data.weights + data.cases, 0.0)) {
  all_have_many_values_ = true;
  for (std::size_t a = 0; a < data.attributes; ++a) all_have_many_values_ &= has_many_values(a);
}

std::optional<Split> SplitSearch::best(const Cases& cases, Range range) {
  order_.choose(cases.begin(range), cases.end(range));
  total_ = cases.total(range);
  std::vector<Split> valid;
  for (Index attribute = 0; attribute < static_cast<Index>(data_.attributes); ++attribute) {
    pause_();
    const bool nominal = data_.is_nominal(attribute);
    const auto split = nominal ? try_nominal(cases, attribute) : try_numeric(cases, attribute);
    if (split) valid.push_back(*split);
  }
  return best_of(valid);
}

// One branch per value. Below such a test all known values are one, so that it is not taken twice.
std::optional<Split> SplitSearch::try_nominal(const Cases& cases, Index attribute) {
  const Indices& rows = order_.known_rows(attribute);
  double disorder = known_disorder(cases, rows);
  const double known = right_.total();
  double places = x_log_x(total_) - x_log_x(total_ - known);
  int reasonable = 0;
  for (std::size_t k = 0; k < rows.size();) {
    const double value = data_.value(attribute, rows[k]);
    for (left_.clear(); k < rows.size() && data_.value(attribute, rows[k]) == value; ++k) {
      left_.add(data_.classes[rows[k]], cases.weight(rows[k]));
    }
    disorder -= left_.disorder();
    places -= x_log_x(left_.total());
    reasonable += left_.total() >= options_.min_leaf - weight_slack;
  }
  if (reasonable < 2) return std::nullopt;
  return Split{attribute, 0.0, disorder / total_, places / total_};
}

// Two branches, at the cut of the largest gain; having had a choice costs log(cuts) bits.
std::optional<Split> SplitSearch::try_numeric(const Cases& cases, Index attribute) {
  const Indices& rows = order_.known_rows(attribute);
  const double disorder = known_disorder(cases, rows);
  const double known = right_.total(), least = options_.min_leaf - weight_slack;
  const double side = smallest_side(known) - weight_slack;
  if (known < 2 * least) return std::nullopt;
  left_.clear();
  std::size_t tries = 0, best = 0;
  double best_gain = 0.0, best_left = 0.0;
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    const double weight = cases.weight(rows[k]);
    left_.add(data_.classes[rows[k]], weight);
    right_.add(data_.classes[rows[k]], -weight);
    if (left_.total() < side) continue;
    if (known - left_.total() < side) break;
    const double gap = data_.value(attribute, rows[k + 1]) - data_.value(attribute, rows[k]);
    if (!(gap > options_.min_gap)) continue;
    ++tries;
    if (std::min(left_.total(), known - left_.total()) < least) continue;
    const double gain = (disorder - left_.disorder() - right_.disorder()) / total_;
    if (gain > best_gain + tie) {
      best = k;
      best_gain = gain;
      best_left = left_.total();
    }
  }
  if (tries == 0) return std::nullopt;
  const double choices = options_.penalise_cuts ? static_cast<double>(tries) : 1.0;
  const double price = std::log2(choices) / total_;
  if (best_gain - price <= tie) return std::nullopt;
  const double low = data_.value(attribute, rows[best]);
  const double high = data_.value(attribute, rows[best + 1]);
  const double cut = order_.largest_value(attribute, std::max(low, low / 2 + high / 2), high);
  const double places = x_log_x(total_) - x_log_x(total_ - known) - x_log_x(best_left) -
                        x_log_x(known - best_left);
  return Split{attribute, cut, best_gain - price, places / total_};
}

std::optional<Split> SplitSearch::best_of(const std::vector<Split>& valid) const {
  const double enough = average_gain(valid) - epsilon;
  std::optional<Split> best;
  double best_worth = -epsilon;
  for (const Split& split : valid) {
    if (split.split_info <= epsilon || (options_.gain_ratio && split.gain < enough)) continue;
    const double worth = options_.gain_ratio ? split.gain / split.split_info : split.gain;
    if (worth > best_worth + (best ? tie : 0.0)) {
      best = split;
      best_worth = worth;
    }
  }
  return best;
}

// Infinite if only attributes with many values, next to others, are valid: then none is chosen.
double SplitSearch::average_gain(const std::vector<Split>& valid) const {
  double sum = 0.0, count = 0.0;
  for (const Split& split : valid) {
    if (!all_have_many_values_ && has_many_values(split.attribute)) continue;
    sum += split.gain;
    count += 1.0;
  }
  return count > 0.0 ? sum / count : INFINITY;
}

// Leaves the known cases in `right_`.
double SplitSearch::known_disorder(const Cases& cases, const Indices& rows) {
  right_.clear();
  for (const Index row : rows) right_.add(data_.classes[row], cases.weight(row));
  return right_.disorder();
}

double SplitSearch::smallest_side(double known) const {
  const double share = side_share * known / static_cast<double>(data_.n_classes);
  return share <= options_.min_leaf ? options_.min_leaf : std::min(share, largest_side);
}

bool SplitSearch::has_many_values(std::size_t attribute) const {
  return data_.is_nominal(attribute) && data_.n_values[attribute] >= many_values * root_weight_;
}

}  // namespace kpb::c45
