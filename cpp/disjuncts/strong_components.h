// Strongly connected components of a directed graph, by one depth-first search (Tarjan 1972).
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace kpb {

struct Edge {
  std::int32_t from, to;

  friend bool operator<(const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  }
  friend bool operator==(const Edge& a, const Edge& b) {
    return a.from == b.from && a.to == b.to;
  }
};

// Returns the lowest node of each node's component. The edges must be sorted.
std::vector<std::int32_t> strong_components(const std::vector<Edge>& edges, std::size_t nodes);

}  // namespace kpb
