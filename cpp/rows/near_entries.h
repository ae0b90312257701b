// The entries of a Gram matrix that matter where the kernel is narrow: points hardly touch each
// other then, and all but a few entries of a row are so close to zero that they are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "rows/rbf_points.h"

namespace kpb {

struct NearEntries {
  std::vector<std::size_t> begin;      // of each row's entries; one more tells where the last end
  std::vector<std::uint32_t> columns;  // ascending within a row
  std::vector<double> values;
  double largest_left_out;  // no entry that is not here is larger in size

  // out[t] += factor * K[i, t]
  void add_row(std::size_t i, double factor, double* out) const;
};

// Entries of some rows, which threads may find together.
class FoundEntries {
 public:
  static constexpr std::size_t most_rows = 32;
  explicit FoundEntries(std::size_t row_length);
  // Those of row r that are larger than `least`; its values begin at column `first`.
  void find(std::size_t r, std::size_t count, const double* values, double least,
            std::size_t first);
  void append(std::size_t rows, NearEntries& list) const;

 private:
  std::size_t length_, found_[most_rows];
  std::unique_ptr<std::uint32_t[]> columns_;  // of which the first few are ever written
  std::unique_ptr<double[]> values_;
};

// Those of a matrix in memory, as its rows are read.
class NearEntriesOfRows {
 public:
  NearEntriesOfRows(const double* matrix, std::size_t size, double largest_diagonal);

  bool are_few() const { return found_ != nullptr; }  // as far as is known
  void add_rows(std::size_t first, std::size_t count);  // in order, and not too many at a time
  std::unique_ptr<const NearEntries> take() { return std::move(found_); }  // null: not few

 private:
  const double* matrix_;
  std::size_t size_, most_ = 0;
  std::unique_ptr<NearEntries> found_;
  std::optional<FoundEntries> rows_;
};

// What is thrown by those who look for near entries when they are told to stop.
struct Stopped {};

// Those of exp(-gamma |x_i - x_j|^2), half of which is computed for it and not kept. Null where
// they are not few.
std::unique_ptr<const NearEntries> near_entries_of(const RbfPoints& points,
                                                   const std::function<bool()>& stopped);

// Found when first asked for, and kept. Threads may ask at the same time.
class NearEntriesOnce {
 public:
  // Null if there are none, or if the search was stopped: the next one begins anew.
  template <class Find>
  const NearEntries* get(Find find) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      if (!is_known_) found_ = find();
      is_known_ = true;
    } catch (const Stopped&) {
    }
    return found_.get();
  }

 private:
  mutable std::mutex mutex_;
  mutable bool is_known_ = false;
  mutable std::unique_ptr<const NearEntries> found_;
};

}  // namespace kpb
