#include "simd/hot.h"

namespace kpb {

extern const HotLoops hot_baseline;
#ifdef KPB_HAVE_AVX2
extern const HotLoops hot_avx2;
#endif

static const HotLoops& best_for_this_machine() {
#ifdef KPB_HAVE_AVX2
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return hot_avx2;
#endif
  return hot_baseline;
}

const HotLoops& hot() {
  static const HotLoops& chosen = best_for_this_machine();
  return chosen;
}

}  // namespace kpb
