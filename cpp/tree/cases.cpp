#include "tree/cases.h"

#include <algorithm>
#include <numeric>

namespace kpb::c45 {
namespace {

// A share is taken back by dividing by it, so it must not vanish; smaller ones come from weights
// that are nothing beside the others.
constexpr double smallest_share = 1e-100;

}  // namespace

Cases::Cases(const TrainingData& data)
    : data_(data), rows_(data.cases), weights_(data.weights, data.weights + data.cases) {
  std::iota(rows_.begin(), rows_.end(), 0);
}

void Cases::scale(Range range, double factor) {
  for (std::size_t k = range.first; k < range.last; ++k) weights_[rows_[k]] *= factor;
}

double Cases::total(Range range) const {
  return std::accumulate(begin(range), end(range), 0.0,
                         [this](double sum, Index row) { return sum + weights_[row]; });
}

void Cases::add_classes(Range range, double* sums) const {
  for (const Index* row = begin(range); row != end(range); ++row) {
    sums[data_.classes[*row]] += weights_[*row];
  }
}

Division::Division(Cases& cases, const Node& node, Range range)
    : cases_(&cases),
      node_(node),
      is_nominal_(cases.data().is_nominal(node.attribute)),
      range_(range),
      missing_(range.first) {
  Index* rows = cases.rows();
  Index* known = std::partition(rows + range.first, rows + range.last, [&](Index row) {
    return cases.data().is_missing(node.attribute, row);
  });
  next_ = static_cast<std::size_t>(known - rows);
  n_missing_ = next_ - range.first;
  known_weight_ = cases.total({next_, range.last});
  if (is_nominal_) {
    std::sort(known, rows + range.last,
              [this](Index a, Index b) { return branch_of_row(a) < branch_of_row(b); });
  } else {
    std::partition(known, rows + range.last, [this](Index row) { return branch_of_row(row) == 0; });
  }
}

bool Division::enter(Index branch) {
  const std::size_t start = next_;
  while (next_ < range_.last && branch_of_row(cases_->rows()[next_]) == branch) ++next_;
  if (next_ == start) return false;
  factor_ = std::max(cases_->total({start, next_}) / known_weight_, smallest_share);
  cases_->scale({missing_, start}, factor_);
  return true;
}

// Below, the branch's cases were put into another order, the missing ones among them.
void Division::leave() {
  if (n_missing_ == 0) {
    missing_ = next_;
    return;
  }
  Index* rows = cases_->rows();
  std::partition(rows + missing_, rows + next_, [this](Index row) {
    return !cases_->data().is_missing(node_.attribute, row);
  });
  missing_ = next_ - n_missing_;
  cases_->scale({missing_, next_}, 1.0 / factor_);
}

Index Division::branch_of_row(Index row) const {
  return branch_of(node_, is_nominal_, cases_->data().value(node_.attribute, row));
}

}  // namespace kpb::c45
