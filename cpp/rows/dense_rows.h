// Rows of a Gram matrix that is already in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "rows/gram_rows.h"
#include "rows/near_entries.h"

namespace kpb {

class DenseRows final : public GramRows {
 public:
  DenseRows(const double* gram, std::size_t size) : gram_(gram), size_(size), diagonal_(size) {
    for (std::size_t i = 0; i < size; ++i) {
      diagonal_[i] = gram[i * size + i];
      largest_diagonal_ = std::max(largest_diagonal_, std::fabs(diagonal_[i]));
    }
  }
  const double* data() const { return gram_; }
  std::size_t size() const override { return size_; }
  double diagonal(std::size_t i) const override { return diagonal_[i]; }
  Row row(std::size_t i) const override { return {gram_ + i * size_, nullptr}; }
  const NearEntries* near_entries() const override {
    return near_.get([this] { return near_entries_of(gram_, size_, largest_diagonal_); });
  }

 private:
  const double* gram_;
  std::size_t size_;
  std::vector<double> diagonal_;  // in the matrix every entry of it would be a cache miss
  double largest_diagonal_ = 0;
  NearEntriesOnce near_;
};

}  // namespace kpb
