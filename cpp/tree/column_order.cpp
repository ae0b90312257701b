#include "tree/column_order.h"

#include <algorithm>
#include <iterator>

namespace kpb::c45 {
namespace {

Indices sorted_rows(const TrainingData& data, std::size_t attribute) {
  Indices rows;
  for (Index row = 0; row < static_cast<Index>(data.cases); ++row) {
    if (!data.is_missing(attribute, row)) rows.push_back(row);
  }
  const double* values = data.columns + attribute * data.cases;
  std::stable_sort(rows.begin(), rows.end(),
                   [values](Index a, Index b) { return values[a] < values[b]; });
  return rows;
}

}  // namespace

ColumnOrder::ColumnOrder(const TrainingData& data, const Pause& pause)
    : data_(data), chosen_(data.cases, 0) {
  for (std::size_t attribute = 0; attribute < data.attributes; ++attribute) {
    pause();
    order_.push_back(sorted_rows(data, attribute));
    place_.emplace_back(data.cases);
    for (std::size_t k = 0; k < order_.back().size(); ++k) {
      place_.back()[order_.back()[k]] = static_cast<Index>(k);
    }
  }
}

void ColumnOrder::choose(const Index* first, const Index* last) {
  first_ = first;
  last_ = last;
}

const Indices& ColumnOrder::known_rows(std::size_t attribute) {
  const auto size = static_cast<double>(last_ - first_);
  rows_.clear();
  if (static_cast<double>(order_[attribute].size()) < size * std::log2(size + 1)) {
    walk(order_[attribute]);
  } else {
    sort_places(attribute);
  }
  return rows_;
}

void ColumnOrder::walk(const Indices& order) {
  std::for_each(first_, last_, [this](Index row) { chosen_[row] = 1; });
  std::copy_if(order.begin(), order.end(), std::back_inserter(rows_),
               [this](Index row) { return chosen_[row]; });
  std::for_each(first_, last_, [this](Index row) { chosen_[row] = 0; });
}

void ColumnOrder::sort_places(std::size_t attribute) {
  for (const Index* row = first_; row != last_; ++row) {
    if (!data_.is_missing(attribute, *row)) rows_.push_back(place_[attribute][*row]);
  }
  std::sort(rows_.begin(), rows_.end());
  for (Index& row : rows_) row = order_[attribute][row];
}

double ColumnOrder::largest_value(std::size_t attribute, double limit, double above) const {
  const Indices& order = order_[attribute];
  const auto beyond = std::partition_point(order.begin(), order.end(), [&](Index row) {
    const double value = data_.value(attribute, row);
    return value <= limit && value < above;
  });
  return data_.value(attribute, *(beyond - 1));
}

}  // namespace kpb::c45
