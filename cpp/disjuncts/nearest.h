// The nearest of many points, in an order that does not depend on how distances were rounded.
//
// Points come by distance, and by index where distances are equal. Squared distances count as equal
// if they round to the same 30 bits (nine digits): on a grid of values many distances are equal by
// rights and differ in their last digits only, by the order of a sum or by the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kpb {

// Stands for "no point" among indices.
constexpr std::int32_t nobody = -1;

// Writes the indices of the `wanted` smallest of size values, nearest first. `skipped` is the index
// of one value to leave out, or nobody. Where fewer are left, nobody fills the rest.
void nearest(const double* squared, std::size_t size, std::int32_t skipped, std::size_t wanted,
             std::int32_t* out);

}  // namespace kpb
