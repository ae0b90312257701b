#include "boosting/regions.h"

#include <vector>

namespace kpb {

void Regions::protect(bool* mask) const {
  const std::size_t length = row_bytes();
  std::vector<std::uint8_t> inside(length, 0);
  for (std::size_t i = 0; i < size; ++i) {
    if (mask[i]) continue;
    const std::uint8_t* row = bits + i * length;
    for (std::size_t byte = 0; byte < length; ++byte) inside[byte] |= row[byte];
  }
  for (std::size_t j = 0; j < size; ++j)
    mask[j] = mask[j] && !(inside[j / 8] >> (7 - j % 8) & 1);
}

}  // namespace kpb
