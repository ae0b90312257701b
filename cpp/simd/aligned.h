// Memory for doubles that starts on a cache line, so that no vector load straddles two of them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace kpb {

constexpr std::align_val_t cache_line{64};

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), cache_line)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, cache_line); }
  template <class U>
  bool operator==(const CacheLineAllocator<U>&) const { return true; }
  template <class U>
  bool operator!=(const CacheLineAllocator<U>&) const { return false; }
};

using Numbers = std::vector<double, CacheLineAllocator<double>>;

// The same without a size and without initial values.
struct AlignedDelete {
  void operator()(double* p) const { ::operator delete(p, cache_line); }
};

using AlignedDoubles = std::unique_ptr<double[], AlignedDelete>;

inline AlignedDoubles aligned_doubles(std::size_t n) {
  return AlignedDoubles(static_cast<double*>(::operator new(n * sizeof(double), cache_line)));
}

}  // namespace kpb
