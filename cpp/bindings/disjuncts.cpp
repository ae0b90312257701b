// Neighbours and growing disjuncts for Python. Shapes and values are checked by the package above.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "bindings/interrupt.h"
#include "disjuncts/growth.h"
#include "disjuncts/nearest.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutTable = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutRows = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutCounts = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Row i of the block belongs to point `own` + i, which is no neighbour of its own; a negative `own`
// says that the rows are no points of the set.
void nearest_in_block(Matrix squared, std::int64_t own, OutTable out) {
  const nb::gil_scoped_release release;
  kpb::SignalCheck pause;
  for (std::size_t i = 0; i < squared.shape(0); ++i) {
    pause();
    const auto skipped = own < 0 ? kpb::nobody : static_cast<std::int32_t>(own + i);
    kpb::nearest(squared.data() + i * squared.shape(1), squared.shape(1), skipped, out.shape(1),
                 out.data() + i * out.shape(1));
  }
}

kpb::Connection connection_of(const std::string& word) {
  if (word == "weak") return kpb::Connection::weak;
  if (word == "strong") return kpb::Connection::strong;
  if (word == "directed") return kpb::Connection::directed;
  throw nb::value_error("the connection must be 'directed', 'weak' or 'strong'");
}

// Takes as many columns as there are counts.
void grow(Table links, const std::string& connection, OutCounts counts, OutRows lowest) {
  const kpb::Connection rule = connection_of(connection);
  const nb::gil_scoped_release release;
  kpb::SignalCheck pause;
  const auto growth = kpb::make_growth(rule, {links.data(), links.shape(0), links.shape(1)});
  for (std::size_t column = 0; column < counts.size(); ++column) {
    pause();
    growth->add_column(column);
    counts.data()[column] = static_cast<std::int64_t>(growth->count());
  }
  const kpb::Rows rows = growth->lowest_rows();
  std::copy(rows.begin(), rows.end(), lowest.data());
}

}  // namespace

void bind_disjuncts(nb::module_& module) {
  module.def("nearest_in_block", nearest_in_block, "squared"_a.noconvert(), "own"_a,
             "out"_a.noconvert());
  module.def("grow", grow, "links"_a.noconvert(), "connection"_a, "counts"_a.noconvert(),
             "lowest"_a.noconvert());
}
