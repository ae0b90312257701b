// Hands an array over to numpy, which frees it in the end.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>

namespace kpb {

template <class T, std::size_t dims>
nanobind::object to_numpy(std::unique_ptr<T[]> array, const std::size_t (&shape)[dims]) {
  T* values = array.release();
  const nanobind::capsule owner(values,
                                [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<dims>>(
      values, dims, shape, owner));
}

}  // namespace kpb
