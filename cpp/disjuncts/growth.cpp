#include "disjuncts/growth.h"

namespace kpb {

std::unique_ptr<Growth> make_growth(Connection connection, Links links) {
  switch (connection) {
    case Connection::weak: return weak_growth(links);
    case Connection::strong: return strong_growth(links);
    case Connection::directed: break;
  }
  return directed_growth(links);
}

}  // namespace kpb
