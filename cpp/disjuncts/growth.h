// Disjuncts as they grow: every point starts alone, and each step adds one more neighbour link per
// point. Links only ever join, so each step goes on from the last one and the number of disjuncts
// never rises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "disjuncts/nearest.h"

namespace kpb {

// Row u holds the points that u links to, nearest first, `nobody` where there is no link.
struct Links {
  const std::int32_t* targets;
  std::size_t points, columns;

  std::int32_t target(std::size_t u, std::size_t column) const {
    return targets[u * columns + column];
  }
};

using Rows = std::vector<std::int32_t>;

class Growth {
 public:
  virtual ~Growth() = default;
  // Adds the links of the next column.
  virtual void add_column(std::size_t column) = 0;
  virtual std::size_t count() const = 0;
  // The lowest row of each point's disjunct.
  virtual Rows lowest_rows() = 0;
};

// What joins two points: a path of links from the disjunct's lowest row, as breadth-first searches
// from the lowest unvisited rows find it; a path with links either way; paths in both directions.
enum class Connection { directed, weak, strong };

std::unique_ptr<Growth> make_growth(Connection connection, Links links);
std::unique_ptr<Growth> directed_growth(Links links);
std::unique_ptr<Growth> weak_growth(Links links);
std::unique_ptr<Growth> strong_growth(Links links);

}  // namespace kpb
