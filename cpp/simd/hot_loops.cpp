// Compiled once per instruction set; see CMakeLists.txt and lanes.h.
#include "simd/hot.h"

#include "kernels/rbf_loops.inc"
#include "kernels/single_loops.inc"
#include "solver/dense_loops.inc"
#include "solver/pair_loops.inc"

#define KPB_JOIN_(a, b) a##b
#define KPB_JOIN(a, b) KPB_JOIN_(a, b)
#define KPB_TEXT_(a) #a
#define KPB_TEXT(a) KPB_TEXT_(a)

namespace kpb {

extern const HotLoops KPB_JOIN(hot_, KPB_LEVEL);
const HotLoops KPB_JOIN(hot_, KPB_LEVEL) = {KPB_TEXT(KPB_LEVEL), pair_loops, dense_loops, rbf_loops,
                                            single_loops};

}  // namespace kpb
