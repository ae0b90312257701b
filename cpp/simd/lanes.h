// A vector of doubles as wide as the instruction set being compiled for.
//
// Everything here lives in an unnamed namespace: hot_loops.cpp is compiled once per instruction
// set, and a shared inline function would let the linker hand AVX2 code to a machine without it.
// For the same reason no hot loop may use a template of the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kpb {
namespace {

#if defined(__GNUC__) && defined(__AVX2__)
constexpr std::size_t lane_count = 4;
#elif defined(__GNUC__)
constexpr std::size_t lane_count = 2;  // SSE2 and NEON, part of every 64-bit x86 and ARM
#else
constexpr std::size_t lane_count = 1;  // plain loops
#endif

#if defined(__GNUC__)
typedef double Lanes __attribute__((vector_size(lane_count * sizeof(double))));
typedef std::int64_t IndexLanes __attribute__((vector_size(lane_count * sizeof(double))));
inline double lane(const Lanes& v, std::size_t q) { return v[q]; }
inline std::int64_t lane(const IndexLanes& v, std::size_t q) { return v[q]; }
inline Lanes same(double x) { return x - Lanes{}; }
inline IndexLanes same_index(std::int64_t x) { return x - IndexLanes{}; }
inline IndexLanes count_up() {
  IndexLanes v{};
  for (std::size_t q = 0; q < lane_count; ++q) v[q] = static_cast<std::int64_t>(q);
  return v;
}
#else
typedef double Lanes;
typedef std::int64_t IndexLanes;
inline double lane(Lanes v, std::size_t) { return v; }
inline std::int64_t lane(IndexLanes v, std::size_t) { return v; }
inline Lanes same(double x) { return x; }
inline IndexLanes same_index(std::int64_t x) { return x; }
inline IndexLanes count_up() { return 0; }
#endif

// Gram rows start anywhere, so loads and stores do not assume alignment.
inline Lanes load(const double* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(double* p, Lanes v) { std::memcpy(p, &v, sizeof v); }

inline Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }

inline double sum_of(Lanes v) {
  double total = 0;
  for (std::size_t q = 0; q < lane_count; ++q) total += lane(v, q);
  return total;
}

}  // namespace
}  // namespace kpb
