#include "kernels/add_runs.h"

namespace kpb {

void add_runs(std::size_t rows, std::size_t count, std::size_t length, const double* part,
              const std::size_t* places, std::size_t runs_in_all, double* out) {
  for (std::size_t i = 0; i < rows; ++i, out += runs_in_all * length) {
    for (std::size_t m = 0; m < count; ++m, part += length) {
      double* run = out + places[m] * length;
      for (std::size_t t = 0; t < length; ++t) run[t] += part[t];
    }
  }
}

}  // namespace kpb
