// A vector of doubles as wide as the instruction set being compiled for.
//
// Everything here lives in an unnamed namespace: hot_loops.cpp is compiled once per instruction
// set, and a shared inline function would let the linker hand AVX2 code to a machine without it.
// For the same reason no hot loop may use a template of the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace kpb {
namespace {

#if defined(__GNUC__) && defined(__AVX512F__)
constexpr std::size_t lane_count = 8;
#elif defined(__GNUC__) && defined(__AVX2__)
constexpr std::size_t lane_count = 4;
#elif defined(__GNUC__)
constexpr std::size_t lane_count = 2;  // SSE2 and NEON, part of every 64-bit x86 and ARM
#else
constexpr std::size_t lane_count = 1;  // plain loops
#endif

#if defined(__GNUC__)
typedef double Lanes __attribute__((vector_size(lane_count * sizeof(double))));
typedef std::uint64_t BitLanes __attribute__((vector_size(lane_count * sizeof(double))));
inline double lane(const Lanes& v, std::size_t q) { return v[q]; }
inline Lanes same(double x) { return x - Lanes{}; }
#else
typedef double Lanes;
typedef std::uint64_t BitLanes;
inline double lane(Lanes v, std::size_t) { return v; }
inline Lanes same(double x) { return x; }
#endif

// Gram rows start anywhere, so loads and stores do not assume alignment.
inline Lanes load(const double* p) {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(double* p, Lanes v) { std::memcpy(p, &v, sizeof v); }

// A hint that these values will be read soon; the address may lie outside of the array.
inline void prefetch(const double* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#else
  (void)p;
#endif
}

// Intrinsics because compilers do not always see a maximum in a > b ? a : b.
inline Lanes larger(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return _mm512_max_pd(a, b);
#elif defined(__AVX2__)
  return _mm256_max_pd(a, b);
#elif defined(__SSE2__)
  return _mm_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}
inline Lanes smaller(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return _mm512_min_pd(a, b);
#elif defined(__AVX2__)
  return _mm256_min_pd(a, b);
#elif defined(__SSE2__)
  return _mm_min_pd(a, b);
#else
  return a < b ? a : b;
#endif
}

// |v|: all bits but the sign.
inline Lanes size_of(Lanes v) {
  BitLanes bits;
  std::memcpy(&bits, &v, sizeof bits);
  bits &= ~std::uint64_t{0} >> 1;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

// A bit for each lane of v that is above that of the limit.
inline std::uint64_t bits_above(Lanes v, Lanes limit) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(v, limit, _CMP_GT_OQ);
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(v, limit, _CMP_GT_OQ)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_pd(_mm_cmpgt_pd(v, limit)));
#else
  std::uint64_t bits = 0;
  for (std::size_t q = 0; q < lane_count; ++q)
    bits |= static_cast<std::uint64_t>(lane(v, q) > lane(limit, q)) << q;
  return bits;
#endif
}

// The place of the lowest bit that is set; there must be one.
inline std::size_t lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__)
  return static_cast<std::size_t>(__builtin_ctzll(bits));
#else
  std::size_t place = 0;
  for (; (bits >> place & 1) == 0; ++place) {
  }
  return place;
#endif
}

// Sums and maxima over the lanes go pairwise: a chain of lane_count operations is latency.
inline double sum_of(Lanes v) {
  double x[lane_count];
  std::memcpy(x, &v, sizeof v);
  for (std::size_t half = lane_count / 2; half > 0; half /= 2)
    for (std::size_t q = 0; q < half; ++q) x[q] += x[q + half];
  return x[0];
}

inline double largest_of(Lanes v) {
  double x[lane_count];
  std::memcpy(x, &v, sizeof v);
  for (std::size_t half = lane_count / 2; half > 0; half /= 2)
    for (std::size_t q = 0; q < half; ++q) x[q] = x[q + half] > x[q] ? x[q + half] : x[q];
  return x[0];
}

// Is a[q] == b[q] in any lane?
inline bool any_equal(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)) != 0;
#elif defined(__SSE2__)
  return _mm_movemask_pd(_mm_cmpeq_pd(a, b)) != 0;
#else
  for (std::size_t q = 0; q < lane_count; ++q)
    if (lane(a, q) == lane(b, q)) return true;
  return false;
#endif
}

// Is a[q] > b[q] in any lane?
inline bool any_larger(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ)) != 0;
#elif defined(__SSE2__)
  return _mm_movemask_pd(_mm_cmpgt_pd(a, b)) != 0;
#else
  for (std::size_t q = 0; q < lane_count; ++q)
    if (lane(a, q) > lane(b, q)) return true;
  return false;
#endif
}

// Turns a square of lane_count by lane_count: v[i][j] becomes v[j][i].
inline void turn(Lanes* v) {
#if defined(__AVX512F__)
  constexpr int even = 0x88, odd = 0xdd;  // pairs of lanes 0 and 2, or 1 and 3, of both operands
  Lanes pairs[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_pd(v[i], v[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_pd(v[i], v[i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    const Lanes low = _mm512_shuffle_f64x2(pairs[i], pairs[i + 2], even);
    const Lanes high = _mm512_shuffle_f64x2(pairs[i + 4], pairs[i + 6], even);
    const Lanes low_odd = _mm512_shuffle_f64x2(pairs[i], pairs[i + 2], odd);
    const Lanes high_odd = _mm512_shuffle_f64x2(pairs[i + 4], pairs[i + 6], odd);
    v[i] = _mm512_shuffle_f64x2(low, high, even);
    v[i + 2] = _mm512_shuffle_f64x2(low_odd, high_odd, even);
    v[i + 4] = _mm512_shuffle_f64x2(low, high, odd);
    v[i + 6] = _mm512_shuffle_f64x2(low_odd, high_odd, odd);
  }
#elif defined(__AVX2__)
  constexpr int low = 0x20, high = 0x31;  // the lower or upper halves of both operands
  const Lanes even[2] = {_mm256_unpacklo_pd(v[0], v[1]), _mm256_unpacklo_pd(v[2], v[3])};
  const Lanes odd[2] = {_mm256_unpackhi_pd(v[0], v[1]), _mm256_unpackhi_pd(v[2], v[3])};
  v[0] = _mm256_permute2f128_pd(even[0], even[1], low);
  v[1] = _mm256_permute2f128_pd(odd[0], odd[1], low);
  v[2] = _mm256_permute2f128_pd(even[0], even[1], high);
  v[3] = _mm256_permute2f128_pd(odd[0], odd[1], high);
#elif defined(__SSE2__)
  const Lanes first = _mm_unpacklo_pd(v[0], v[1]);
  v[1] = _mm_unpackhi_pd(v[0], v[1]);
  v[0] = first;
#elif defined(__GNUC__)
  for (std::size_t i = 0; i < lane_count; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double other = v[i][j];
      v[i][j] = v[j][i];
      v[j][i] = other;
    }
#else
  (void)v;
#endif
}

// Twice as many floats as there are doubles in Lanes, for what needs no more precision.
#if defined(__GNUC__)
constexpr std::size_t float_count = 2 * lane_count;
typedef float FloatLanes __attribute__((vector_size(float_count * sizeof(float))));
typedef std::uint32_t FloatBitLanes __attribute__((vector_size(float_count * sizeof(float))));
typedef std::int32_t FloatIndexLanes __attribute__((vector_size(float_count * sizeof(float))));
inline FloatLanes same_float(float x) { return x - FloatLanes{}; }
inline FloatIndexLanes same_float_index(std::int32_t x) { return x - FloatIndexLanes{}; }
inline FloatIndexLanes count_up_floats() {
  FloatIndexLanes v{};
  for (std::size_t q = 0; q < 2 * lane_count; ++q) v[q] = static_cast<std::int32_t>(q);
  return v;
}
inline FloatLanes rounded(Lanes low, Lanes high) {
#if defined(__AVX512F__)
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
#elif defined(__AVX2__)
  return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
#elif defined(__SSE2__)
  return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
#else
  FloatLanes v{};
  for (std::size_t q = 0; q < lane_count; ++q) {
    v[q] = static_cast<float>(low[q]);
    v[lane_count + q] = static_cast<float>(high[q]);
  }
  return v;
#endif
}
inline FloatLanes larger(FloatLanes a, FloatLanes b) {
#if defined(__AVX512F__)
  return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_max_ps(a, b);
#elif defined(__SSE2__)
  return _mm_max_ps(a, b);
#else
  return a > b ? a : b;
#endif
}
#else
constexpr std::size_t float_count = 1;
typedef float FloatLanes;
typedef std::uint32_t FloatBitLanes;
inline FloatLanes same_float(float x) { return x; }
#endif

inline FloatLanes load(const float* p) {
  FloatLanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, FloatLanes v) { std::memcpy(p, &v, sizeof v); }

}  // namespace
}  // namespace kpb
