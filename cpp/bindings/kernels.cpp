// The Python packages check shapes and values; here arrays are taken as they come.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/interrupt.h"
#include "bindings/to_numpy.h"
#include "kernels/add_runs.h"
#include "kernels/rbf.h"
#include "kernels/single.h"
#include "rows/near_entries.h"
#include "rows/products.h"
#include "rows/rbf_matrix.h"
#include "rows/rbf_rows.h"
#include "simd/hot.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using OutMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutSingles = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutArray = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::size_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Runs = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OutRuns = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using ReadOnly = nb::ndarray<nb::numpy, const double, nb::ndim<1>>;

kpb::Points points(const Matrix& m) { return {m.data(), m.shape(0), m.shape(1)}; }

void rbf_block(Matrix x, Matrix y, kpb::Gamma gamma, OutMatrix out) {
  const nb::gil_scoped_release release;
  kpb::rbf_block(points(x), points(y), gamma, out.data(), kpb::SignalCheck());
}

void rbf_gram(Matrix x, kpb::Gamma gamma, OutMatrix out) {
  const nb::gil_scoped_release release;
  kpb::rbf_gram(points(x), gamma, out.data(), kpb::SignalCheck());
}

void rbf_decision(Matrix x, Matrix y, double gamma, Matrix coef, Vector intercept, OutMatrix out) {
  const nb::gil_scoped_release release;
  kpb::rbf_decision(points(x), points(y), gamma, coef.shape(0), coef.data(),
                    intercept.data(), out.data(), kpb::SignalCheck());
}

void laplacian_decision(Matrix x, Matrix y, double gamma, Matrix coef, Vector intercept,
                        OutMatrix out) {
  const nb::gil_scoped_release release;
  kpb::laplacian_decision(points(x), points(y), gamma, coef.shape(0), coef.data(),
                          intercept.data(), out.data(), kpb::SignalCheck());
}

void single_block(Matrix x, Matrix landmarks, Vector centre, double gamma, OutSingles out) {
  const nb::gil_scoped_release release;
  kpb::single_block(points(x), points(landmarks), centre.data(), gamma, out.data(),
                    kpb::SignalCheck());
}

void single_decision(Matrix x, Matrix landmarks, Vector centre, double gamma, Matrix coef,
                     Vector intercept, OutMatrix out) {
  const nb::gil_scoped_release release;
  kpb::single_decision(points(x), points(landmarks), centre.data(), gamma, coef.shape(0),
                       coef.data(), intercept.data(), out.data(), kpb::SignalCheck());
}

void decay(AnyArray squared, double gamma, OutArray out) {
  constexpr std::size_t piece = std::size_t{1} << 16;  // well below a millisecond of work
  const nb::gil_scoped_release release;
  kpb::SignalCheck pause;
  for (std::size_t first = 0; first < squared.size(); first += piece) {
    pause();
    kpb::hot().rbf.decay(std::min(piece, squared.size() - first), gamma, squared.data() + first,
                         out.data() + first);
  }
}

void add_runs(Runs part, Indices places, OutRuns out) {
  const nb::gil_scoped_release release;
  kpb::add_runs(part.shape(0), part.shape(1), part.shape(2), part.data(), places.data(),
                out.shape(1), out.data());
}

bool all_finite(AnyArray values) {
  const nb::gil_scoped_release release;
  return kpb::hot().rbf.all_finite(values.size(), values.data());
}

template <class T>
nb::capsule owner_of(std::unique_ptr<T> held) {
  return nb::capsule(held.release(), [](void* p) noexcept { delete static_cast<T*>(p); });
}

void check_index(const kpb::GramRows& rows, std::size_t i) {
  if (i >= rows.size()) throw nb::index_error("the index lies outside the Gram matrix");
}

// The row itself, kept alive by the array; a row without an owner is only as good as its matrix.
ReadOnly row_of(const kpb::GramRows& rows, std::size_t i) {
  check_index(rows, i);
  auto row = std::make_unique<kpb::Row>();
  {
    const nb::gil_scoped_release release;
    *row = rows.row(i);
  }
  const double* values = row->values;
  return ReadOnly(values, {rows.size()}, owner_of(std::move(row)));
}

ReadOnly entries_of(const kpb::GramRows& rows, std::size_t i, Indices columns) {
  check_index(rows, i);
  for (std::size_t c = 0; c < columns.size(); ++c) check_index(rows, columns.data()[c]);
  auto values = std::make_unique<std::vector<double>>(columns.size());
  {
    const nb::gil_scoped_release release;
    rows.entries(i, columns.data(), columns.size(), values->data());
  }
  const double* data = values->data();
  return ReadOnly(data, {columns.size()}, owner_of(std::move(values)));
}

template <class T>
nb::object copy_of(const std::vector<T>& values) {
  std::unique_ptr<T[]> copy(new T[values.size()]);
  std::copy(values.begin(), values.end(), copy.get());
  return kpb::to_numpy(std::move(copy), {values.size()});
}

// Where rows begin, columns, values and the bound on all others; none where they are not few. For
// tests.
std::optional<nb::tuple> near_entries_of(const kpb::GramRows& rows) {
  const kpb::NearEntries* near = nullptr;
  {
    const nb::gil_scoped_release release;
    near = rows.near_entries([] { return false; });
  }
  if (!near) return std::nullopt;
  return nb::make_tuple(copy_of(near->begin), copy_of(near->columns), copy_of(near->values),
                        near->largest_left_out);
}

nb::tuple shape_of(const kpb::GramRows& rows) { return nb::make_tuple(rows.size(), rows.size()); }

void make_rbf_rows(kpb::RbfRows* self, Matrix x, double gamma, std::size_t cache_bytes,
                   bool in_parts) {
  new (self) kpb::RbfRows(points(x), gamma, cache_bytes, in_parts);
}

void make_rbf_matrix(kpb::RbfMatrix* self, Matrix x, double gamma) {
  new (self) kpb::RbfMatrix(points(x), gamma);
}

void products(const kpb::GramRows& rows, Indices points, Matrix coef, OutMatrix out) {
  for (std::size_t c = 0; c < points.size(); ++c) check_index(rows, points.data()[c]);
  const nb::gil_scoped_release release;
  kpb::products(rows, points.size(), points.data(), coef.shape(0), coef.data(), out.data(),
                kpb::SignalCheck());
}

void bind_rows(nb::module_& module) {
  nb::class_<kpb::GramRows>(module, "GramRows", "A symmetric Gram matrix, read by rows.")
      .def("__len__", &kpb::GramRows::size)
      .def_prop_ro("shape", shape_of)
      .def("size", &kpb::GramRows::size)
      .def("row", row_of, "i"_a, nb::keep_alive<0, 1>(), "Row i, read-only.")
      .def("entries", entries_of, "i"_a, "columns"_a.noconvert(), "K[i, columns].")
      .def("near_entries", near_entries_of, "Those that matter, where they are few.");
  nb::class_<kpb::RbfRows, kpb::GramRows>(module, "RBFRows")
      .def("__init__", make_rbf_rows, "x"_a.noconvert(), "gamma"_a, "cache_bytes"_a,
           "in_parts"_a)
      .def_prop_ro("gamma", &kpb::RbfRows::gamma)
      .def_prop_ro("n_features", &kpb::RbfRows::features)
      .def_prop_ro("capacity", &kpb::RbfRows::capacity)
      .def_prop_ro("cached_rows", &kpb::RbfRows::cached_rows)
      .def_prop_ro("hits", &kpb::RbfRows::hits)
      .def_prop_ro("misses", &kpb::RbfRows::misses);
  nb::class_<kpb::RbfMatrix, kpb::GramRows>(module, "RBFMatrix")
      .def("__init__", make_rbf_matrix, "x"_a.noconvert(), "gamma"_a)
      .def("expect_all", &kpb::RbfMatrix::expect_all)
      .def("products", products, "points"_a.noconvert(), "coef"_a.noconvert(),
           "out"_a.noconvert(), "out = coef @ K[points].")
      .def_prop_ro("gamma", &kpb::RbfMatrix::gamma)
      .def_prop_ro("made_rows", &kpb::RbfMatrix::made_rows);
}

}  // namespace

void bind_kernels(nb::module_& module) {
  module.def("rbf_block", rbf_block, "x"_a.noconvert(), "y"_a.noconvert(), "gamma"_a.none(),
             "out"_a.noconvert());
  module.def("rbf_gram", rbf_gram, "x"_a.noconvert(), "gamma"_a.none(), "out"_a.noconvert());
  module.def("rbf_decision", rbf_decision, "x"_a.noconvert(), "y"_a.noconvert(), "gamma"_a,
             "coef"_a.noconvert(), "intercept"_a.noconvert(), "out"_a.noconvert());
  module.def("laplacian_decision", laplacian_decision, "x"_a.noconvert(), "y"_a.noconvert(),
             "gamma"_a, "coef"_a.noconvert(), "intercept"_a.noconvert(), "out"_a.noconvert());
  module.def("single_block", single_block, "x"_a.noconvert(), "landmarks"_a.noconvert(),
             "centre"_a.noconvert(), "gamma"_a, "out"_a.noconvert());
  module.def("single_decision", single_decision, "x"_a.noconvert(), "landmarks"_a.noconvert(),
             "centre"_a.noconvert(), "gamma"_a, "coef"_a.noconvert(), "intercept"_a.noconvert(),
             "out"_a.noconvert());
  module.def("decay", decay, "squared"_a.noconvert(), "gamma"_a, "out"_a.noconvert());
  module.def("add_runs", add_runs, "part"_a.noconvert(), "places"_a.noconvert(),
             "out"_a.noconvert());
  module.def("all_finite", all_finite, "values"_a.noconvert());
  bind_rows(module);
}
