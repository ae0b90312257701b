// Weights per class, and the sum of x log x over them, from which entropies are made:
// w H = w log w - sum_c w_c log w_c, with w the weight of all classes.
#pragma once

#include "tree/training_data.h"

namespace kpb::c45 {

inline double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// A change costs one logarithm per class concerned, however many classes there are, and only once
// the sum is asked for; clearing costs as much as was added.
class Tally {
 public:
  explicit Tally(std::size_t n_classes) : entries_(n_classes) {}

  void add(Index c, double weight) {
    Entry& entry = entries_[c];
    if (!entry.is_used) used_.push_back(c);
    if (!entry.is_changed) changed_.push_back(c);
    entry.is_used = entry.is_changed = true;
    entry.weight += weight;
    total_ += weight;
  }

  // Weight times entropy. w H
  double disorder() {
    for (const Index c : changed_) {
      Entry& entry = entries_[c];
      const double term = x_log_x(entry.weight);
      terms_ += term - entry.term;
      entry.term = term;
      entry.is_changed = false;
    }
    changed_.clear();
    return x_log_x(total_) - terms_;
  }

  double total() const { return total_; }

  void clear() {
    for (const Index c : used_) entries_[c] = Entry();
    used_.clear();
    changed_.clear();
    total_ = terms_ = 0.0;
  }

 private:
  struct Entry {
    double weight = 0.0, term = 0.0;
    bool is_used = false, is_changed = false;
  };
  std::vector<Entry> entries_;
  Indices used_, changed_;
  double total_ = 0.0, terms_ = 0.0;
};

}  // namespace kpb::c45
