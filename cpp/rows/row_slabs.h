// Memory for rows that go together in the end. Slabs ask for large pages: ordinary ones, of which a
// matrix has tens of thousands, may take longer to come by than the rows that are written there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kpb {

class RowSlabs {
 public:
  explicit RowSlabs(std::size_t row_length)
      : row_length_(row_length),
        bytes_per_slab_(whole_pages(std::max(slab_bytes, row_length * sizeof(double)))) {}

  // A row without values. Any thread may ask.
  double* take() {
    const std::lock_guard<std::mutex> guard(lock_);
    if (rows_left_ == 0) add_slab();
    --rows_left_;
    return slabs_.back().get() + rows_left_ * row_length_;
  }

 private:
  static constexpr std::size_t large_page = std::size_t{1} << 21, slab_bytes = 2 * large_page;
  struct Free {
    void operator()(double* slab) const { ::operator delete(slab, std::align_val_t{large_page}); }
  };

  static std::size_t whole_pages(std::size_t bytes) {
    return (bytes + large_page - 1) / large_page * large_page;
  }

  void add_slab() {
    std::unique_ptr<double[], Free> slab(static_cast<double*>(
        ::operator new(bytes_per_slab_, std::align_val_t{large_page})));
#if defined(MADV_HUGEPAGE)
    (void)madvise(slab.get(), bytes_per_slab_, MADV_HUGEPAGE);  // a wish: rows are the same without
#endif
    slabs_.push_back(std::move(slab));
    rows_left_ = bytes_per_slab_ / (row_length_ * sizeof(double));
  }

  std::size_t row_length_, bytes_per_slab_, rows_left_ = 0;
  std::mutex lock_;
  std::vector<std::unique_ptr<double[], Free>> slabs_;
};

}  // namespace kpb
