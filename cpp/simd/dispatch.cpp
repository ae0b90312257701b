#include "simd/hot.h"
#include <cstdlib>

#include <cstdlib>
#include <cstring>

namespace kpb {

extern const HotLoops hot_baseline;
#ifdef KPB_HAVE_AVX2
extern const HotLoops hot_avx2;
extern const HotLoops hot_avx512;
#endif

// KPBOOST_SIMD=baseline in the environment asks for the loops every machine can run: for tests, and
// to compare results between machines.
static bool baseline_wanted() {
  const char* wanted = std::getenv("KPBOOST_SIMD");
  return wanted != nullptr && std::strcmp(wanted, "baseline") == 0;
}

static const HotLoops& best_for_this_machine() {
  if (baseline_wanted()) return hot_baseline;
#ifdef KPB_HAVE_AVX2
  __builtin_cpu_init();
  const char* force = std::getenv("KPBOOST_SIMD");
  if (force && force[0] == 'b') return hot_baseline;
  if (!(force && force[3] == '2') && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return hot_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return hot_avx2;
#endif
  return hot_baseline;
}

const HotLoops& hot() {
  static const HotLoops& chosen = best_for_this_machine();
  return chosen;
}

}  // namespace kpb
