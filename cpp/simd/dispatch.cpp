#include <cstdlib>
#include <cstring>

#include "simd/hot.h"

namespace kpb {

extern const HotLoops hot_baseline;
#ifdef KPB_HAVE_AVX2
extern const HotLoops hot_avx2;
#endif
#ifdef KPB_HAVE_AVX512
extern const HotLoops hot_avx512;
#endif

// KPBOOST_SIMD=baseline or KPBOOST_SIMD=avx2 in the environment asks for no more than that: for
// tests, and to compare results between machines.
static bool capped_at(const char* level) {
  const char* wanted = std::getenv("KPBOOST_SIMD");
  return wanted != nullptr && std::strcmp(wanted, level) == 0;
}

static const HotLoops& best_for_this_machine() {
  if (capped_at("baseline")) return hot_baseline;
#ifdef KPB_HAVE_AVX512
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq");
  if (avx512 && !capped_at("avx2")) return hot_avx512;
#endif
#ifdef KPB_HAVE_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return hot_avx2;
#endif
  return hot_baseline;
}

const HotLoops& hot() {
  static const HotLoops& chosen = best_for_this_machine();
  return chosen;
}

}  // namespace kpb
