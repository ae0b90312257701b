// Regions of influence, kept as bits: KPBoostROI's rule of who loses resolution.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kpb {

// The bits of row i are the points within the region of point i, from the highest bit of a byte to
// its lowest, as numpy packs them; each row begins with a new byte.
struct Regions {
  const std::uint8_t* bits;
  std::size_t size;  // number of points

  std::size_t row_bytes() const { return (size + 7) / 8; }

  // Makes of the mask of correctly classified points that of the points that lose resolution:
  // those outside of the regions of all others.
  void protect(bool* mask) const;
};

}  // namespace kpb
