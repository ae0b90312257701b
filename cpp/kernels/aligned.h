// Memory for n doubles that starts on a cache line, so that no vector load straddles two of them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace kpb {

constexpr std::align_val_t cache_line{64};

struct AlignedDelete {
  void operator()(double* p) const { ::operator delete(p, cache_line); }
};

using AlignedDoubles = std::unique_ptr<double[], AlignedDelete>;

inline AlignedDoubles aligned_doubles(std::size_t n) {
  return AlignedDoubles(static_cast<double*>(::operator new(n * sizeof(double), cache_line)));
}

}  // namespace kpb
