// Trees for Python: arrays in, arrays out, the interpreter's lock released. Shapes and values are
// checked by the package above.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "bindings/interrupt.h"
#include "bindings/to_numpy.h"
#include "tree/errors.h"
#include "tree/grow.h"
#include "tree/nearest_example.h"
#include "tree/reach.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using kpb::c45::Index;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Whole = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutRows = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class Entry>
nb::object array_of(std::size_t size, Entry entry) {
  std::unique_ptr<T[]> values(new T[size]);
  for (std::size_t k = 0; k < size; ++k) values[k] = entry(k);
  return kpb::to_numpy(std::move(values), {size});
}

nb::tuple arrays_of(const kpb::c45::Tree& tree, const kpb::c45::Indices& depth) {
  const std::size_t n = tree.size();
  const double* weights = tree.class_weights(0);
  const auto at = [&](std::size_t k) { return tree[static_cast<Index>(k)]; };
  return nb::make_tuple(
      array_of<Index>(n, [&](std::size_t k) { return at(k).attribute; }),
      array_of<double>(n, [&](std::size_t k) { return at(k).cut; }),
      array_of<Index>(n, [&](std::size_t k) { return at(k).first_branch; }),
      array_of<Index>(n, [&](std::size_t k) { return at(k).n_branches; }),
      array_of<Index>(n, [&](std::size_t k) { return at(k).label; }),
      array_of<Index>(n, [&](std::size_t k) { return depth[k]; }),
      array_of<double>(n * tree.n_classes(), [&](std::size_t k) { return weights[k]; }));
}

nb::tuple grow_tree(Matrix columns, Whole n_values, Whole classes, Vector weights,
                    std::size_t n_classes, double min_leaf, double min_gap, double confidence,
                    bool gain_ratio, bool penalise_cuts, bool collapse, bool prune, bool raise) {
  const kpb::c45::TrainingData data = {columns.data(),   n_values.data(),  classes.data(),
                                       weights.data(),   columns.shape(1), columns.shape(0),
                                       n_classes};
  const kpb::c45::Options options = {min_leaf,      min_gap,  confidence, gain_ratio,
                                     penalise_cuts, collapse, prune,      raise};
  kpb::c45::Indices depth;
  std::optional<kpb::c45::Tree> tree;
  {
    const nb::gil_scoped_release unlocked;
    const kpb::c45::Pause pause = kpb::SignalCheck();
    kpb::c45::Cases cases(data);
    tree = kpb::c45::grow(cases, options, pause);
    if (collapse) kpb::c45::collapse(*tree);
    if (prune) kpb::c45::prune(*tree, cases, options, pause);
    tree = kpb::c45::compact(*tree, depth);
  }
  return arrays_of(*tree, depth);
}

// The leaves' scores, one row per node, weighted by what a case has in each leaf.
void tree_scores(Matrix x, Flags is_nominal, Whole attribute, Vector cut, Whole first_branch,
                 Whole n_branches, Vector weight, Matrix scores, OutMatrix out) {
  const nb::gil_scoped_release unlocked;
  const kpb::c45::TreeView tree = {attribute.data(),  cut.data(),    first_branch.data(),
                                   n_branches.data(), weight.data(), is_nominal.data()};
  kpb::c45::Reach reach(tree);
  kpb::SignalCheck pause;
  const std::size_t width = scores.shape(1);
  for (std::size_t i = 0; i < x.shape(0); ++i) {
    pause();
    double* sums = out.data() + i * width;
    std::fill_n(sums, width, 0.0);
    for (const auto& [leaf, share] : reach.leaves(x.data() + i * x.shape(1))) {
      const double* row = scores.data() + static_cast<std::size_t>(leaf) * width;
      for (std::size_t c = 0; c < width; ++c) sums[c] += share * row[c];
    }
  }
}

void tree_leaves(Matrix x, Flags is_nominal, Whole attribute, Vector cut, Whole first_branch,
                 Whole n_branches, Vector weight, OutRows out) {
  const nb::gil_scoped_release unlocked;
  const kpb::c45::TreeView tree = {attribute.data(),  cut.data(),    first_branch.data(),
                                   n_branches.data(), weight.data(), is_nominal.data()};
  kpb::c45::Reach reach(tree);
  kpb::SignalCheck pause;
  for (std::size_t i = 0; i < x.shape(0); ++i) {
    pause();
    out.data()[i] = reach.heaviest_leaf(x.data() + i * x.shape(1));
  }
}

void nearest_examples(Matrix queries, Matrix examples, Flags is_nominal, Vector low, Vector high,
                      OutRows out) {
  const nb::gil_scoped_release unlocked;
  const kpb::c45::Examples known = {examples.data(), is_nominal.data(), low.data(),
                                    high.data(),     examples.shape(0), examples.shape(1)};
  kpb::c45::NearestExample nearest(known);
  kpb::SignalCheck pause;
  for (std::size_t i = 0; i < queries.shape(0); ++i) {
    pause();
    const std::size_t found = nearest.find(queries.data() + i * queries.shape(1));
    out.data()[i] = static_cast<std::int64_t>(found);
  }
}

double added_errors(double cases, double errors, double confidence) {
  return kpb::c45::ErrorLimit(confidence).added(cases, errors);
}

}  // namespace

void bind_tree(nb::module_& module) {
  module.def("grow_tree", grow_tree, "columns"_a.noconvert(), "n_values"_a.noconvert(),
             "classes"_a.noconvert(), "weights"_a.noconvert(), "n_classes"_a, "min_leaf"_a,
             "min_gap"_a, "confidence"_a, "gain_ratio"_a, "penalise_cuts"_a, "collapse"_a,
             "prune"_a, "raise_subtrees"_a);
  module.def("tree_scores", tree_scores, "x"_a.noconvert(), "is_nominal"_a.noconvert(),
             "attribute"_a.noconvert(), "cut"_a.noconvert(), "first_branch"_a.noconvert(),
             "n_branches"_a.noconvert(), "weight"_a.noconvert(), "scores"_a.noconvert(),
             "out"_a.noconvert());
  module.def("tree_leaves", tree_leaves, "x"_a.noconvert(), "is_nominal"_a.noconvert(),
             "attribute"_a.noconvert(), "cut"_a.noconvert(), "first_branch"_a.noconvert(),
             "n_branches"_a.noconvert(), "weight"_a.noconvert(), "out"_a.noconvert());
  module.def("nearest_examples", nearest_examples, "queries"_a.noconvert(),
             "examples"_a.noconvert(), "is_nominal"_a.noconvert(), "low"_a.noconvert(),
             "high"_a.noconvert(), "out"_a.noconvert());
  module.def("added_errors", added_errors, "cases"_a, "errors"_a, "confidence"_a);
}
