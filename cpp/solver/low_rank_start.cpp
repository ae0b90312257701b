#include "solver/low_rank_start.h"

#include <algorithm>
#include <cmath>

#include "simd/hot.h"
#include "solver/feasible_start.h"

namespace kpb {
namespace {

// Rows of K that span the approximation; more would take longer and find little more.
constexpr std::size_t n_landmarks = 48;
// The landmarks' own matrix gets this share of its diagonal on top, since it may be singular.
constexpr double ridge = 1e-8;

// What share of the diagonal is explained is looked at in so many points first.
constexpr std::size_t n_judged = 128;

// Features of more points would take more than 100 MB.
constexpr std::size_t most_points = 200000;

// A step that should lower the objective by more than this share of it and does not: Newton's
// method has lost its way, as it may where no point is in the corner.
constexpr double notable_descent = 1e-2;

// Points are taken so many at a time, so that their part of all features stays in a second-level
// cache.
constexpr std::size_t chunk = 1024;

// Half-widths of the rounded corner, one after the other.
constexpr double corners[] = {4, 1, 0.3, 0.1, 0.03};
// Steps for each corner, unless one lowers the objective by less than this share.
constexpr int most_steps = 12;
constexpr double notable_fall = 1e-4;
// Armijo's rule, and how often a step is halved.
constexpr double sufficient_share = 1e-4;
constexpr int most_halvings = 14;

// The intercept has no penalty of its own; this share of all bounds keeps the factor from failing
// where no point is in the corner.
constexpr double least_curvature = 1e-8;

// A symmetric positive definite matrix of the features, and its factor.
class SmallMatrix {
 public:
  explicit SmallMatrix(std::size_t size)
      : size_(size), stride_(size + cholesky_panel_width), values_(size * stride_, 0.0) {}
  double* row(std::size_t r) { return values_.data() + r * stride_; }
  const double* row(std::size_t r) const { return values_.data() + r * stride_; }

  // Of the lower triangle; false if the matrix is not positive definite.
  bool factor() {
    for (std::size_t r = 0; r < size_; ++r) std::fill(row(r) + r + 1, row(r) + stride_, 0.0);
    for (std::size_t first = 0; first < size_; first += cholesky_panel_width)
      if (!hot().dense.cholesky_panel(size_, first, first, values_.data(), stride_)) return false;
    return true;
  }

  void solve(double* x) const {
    hot().dense.solve_lower(size_, 0, values_.data(), stride_, x);
    hot().dense.solve_upper(size_, values_.data(), stride_, x);
  }

 private:
  std::size_t size_, stride_;
  Numbers values_;
};

// The landmarks' rows, and features of some or all points: row r has feature r of every point.
class Landmarks {
 public:
  Landmarks(const GramRows& gram, Patience& patience)
      : size_(gram.size()), matrix_(n_landmarks) {
    double largest = 0;
    for (std::size_t r = 0; r < n_landmarks; ++r) {
      patience.poll();
      places_[r] = (2 * r + 1) * size_ / (2 * n_landmarks);
      rows_.push_back(gram.row(places_[r]));
      largest = std::max(largest, gram.diagonal(places_[r]));
    }
    for (std::size_t r = 0; r < n_landmarks; ++r) {
      for (std::size_t c = 0; c <= r; ++c) matrix_.row(r)[c] = rows_[r].values[places_[c]];
      matrix_.row(r)[r] += ridge * largest;
    }
    is_sound_ = largest > 0 && matrix_.factor();
  }

  bool is_sound() const { return is_sound_; }

  // The share of the diagonal that the features explain, judged by a few points.
  double explained(const GramRows& gram) const {
    const std::size_t count = std::min(n_judged, size_);
    Numbers features(n_landmarks * count);
    double explained = 0, whole = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = (2 * k + 1) * size_ / (2 * count);
      for (std::size_t r = 0; r < n_landmarks; ++r)
        features[r * count + k] = rows_[r].values[i];
      whole += gram.diagonal(i);
    }
    turn_into_features(count, features.data(), count);
    for (double feature : features) explained += feature * feature;
    return explained / whole;
  }

  Numbers features(const double* scale, Patience& patience) const {
    Numbers features(n_landmarks * size_);
    for (std::size_t first = 0; first < size_ && !patience.stopped(); first += chunk) {
      patience.poll();
      const std::size_t count = std::min(chunk, size_ - first);
      for (std::size_t r = 0; r < n_landmarks; ++r)
        std::copy_n(rows_[r].values + first, count, features.data() + r * size_ + first);
      turn_into_features(count, features.data() + first, size_);
      for (std::size_t r = 0; scale && r < n_landmarks; ++r)
        for (std::size_t c = 0; c < count; ++c) features[r * size_ + first + c] *= scale[first + c];
    }
    return features;
  }

 private:
  // Kernel values with the landmarks become features: L^-1 of them, where L is the factor.
  void turn_into_features(std::size_t count, double* values, std::size_t stride) const {
    for (std::size_t r = 0; r < n_landmarks; ++r) {
      const double* earlier[n_landmarks];
      double factors[n_landmarks];
      for (std::size_t c = 0; c < r; ++c) {
        earlier[c] = values + c * stride;
        factors[c] = -matrix_.row(r)[c];
      }
      double* own = values + r * stride;
      hot().dense.add_rows(count, r, earlier, factors, nullptr, own);
      const double reciprocal = 1 / matrix_.row(r)[r];
      for (std::size_t t = 0; t < count; ++t) own[t] *= reciprocal;
    }
  }

  std::size_t size_;
  std::size_t places_[n_landmarks];
  std::vector<Row> rows_;
  SmallMatrix matrix_;
  bool is_sound_;
};

// The primal of low rank. Its variables are w and, as the last, b.
class Primal {
 public:
  Primal(const DualProblem& problem, const Numbers& features)
      : problem_(problem), size_(problem.gram.size()), features_(features), field_(size_, 0.0),
        slope_(size_), change_(size_), weighted_(n_variables * chunk), hessian_(n_variables) {
    for (std::size_t i = 0; i < size_; ++i) total_bound_ += problem.bound[i];
  }

  // Returns false if it has lost its way.
  bool minimise(double delta, Patience& patience) {
    delta_ = delta;
    double value = value_at(0);
    for (int step = 0; step < most_steps; ++step) {
      patience.poll();
      if (patience.stopped() || !find_step()) return false;
      const double before = value;
      value = go(before);
      if (value == before && -descent_ > notable_descent * std::fabs(before)) return false;
      if (!(before - value >= notable_fall * std::fabs(before))) return true;
    }
    return true;
  }

  // y_i alpha_i
  std::vector<double> dual() const {
    std::vector<double> beta(size_);
    for (std::size_t i = 0; i < size_; ++i)
      beta[i] = problem_.target[i] * problem_.bound[i] * share(field_[i] * problem_.target[i]);
    return beta;
  }

 private:
  static constexpr std::size_t n_variables = n_landmarks + 1;

  // -loss'(margin): how much of C a point at this margin uses.
  double share(double margin) const {
    return std::clamp((1 + delta_ - margin) / (2 * delta_), 0.0, 1.0);
  }

  double loss(double margin) const {
    const double used = share(margin);
    return used < 1 ? delta_ * used * used : 1 - margin;
  }

  const double* feature(std::size_t r) const { return features_.data() + r * size_; }

  double value_at(double length) const {
    double value = 0;
    for (std::size_t r = 0; r < n_landmarks; ++r) {
      const double w = variables_[r] + length * step_[r];
      value += 0.5 * w * w;
    }
    for (std::size_t i = 0; i < size_; ++i)
      value += problem_.bound[i] * loss(problem_.target[i] * (field_[i] + length * change_[i]));
    return value;
  }

  // Newton's direction, what it does to the field, and the slope of the objective along it.
  bool find_step() {
    double gradient[n_variables];
    find_gradient(gradient);
    find_hessian();
    if (!hessian_.factor()) return false;
    for (std::size_t r = 0; r < n_variables; ++r) step_[r] = -gradient[r];
    hessian_.solve(step_);
    descent_ = 0;
    for (std::size_t r = 0; r < n_variables; ++r) descent_ += gradient[r] * step_[r];
    const double* rows[n_landmarks];
    for (std::size_t r = 0; r < n_landmarks; ++r) rows[r] = feature(r);
    std::fill(change_.begin(), change_.end(), step_[n_landmarks]);
    hot().dense.add_rows(size_, n_landmarks, rows, step_, nullptr, change_.data());
    return true;
  }

  void find_gradient(double* gradient) {
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double y = problem_.target[i];
      slope_[i] = y * problem_.bound[i] * share(y * field_[i]);
      sum += slope_[i];
    }
    for (std::size_t r = 0; r < n_landmarks; ++r)
      gradient[r] = variables_[r] - hot().dense.dot(size_, feature(r), slope_.data());
    gradient[n_landmarks] = -sum;
  }

  // Of the points in the corner: features times the root of the loss's curvature, and their
  // products.
  void find_hessian() {
    for (std::size_t r = 0; r < n_variables; ++r)
      std::fill(hessian_.row(r), hessian_.row(r) + r + 1, 0.0);
    std::vector<std::size_t> corner;
    for (std::size_t i = 0; i < size_; ++i) {
      const double used = share(problem_.target[i] * field_[i]);
      if (used > 0 && used < 1) corner.push_back(i);
      if (corner.size() == chunk || i + 1 == size_) {
        add_to_hessian(corner);
        corner.clear();
      }
    }
    for (std::size_t r = 0; r < n_landmarks; ++r) hessian_.row(r)[r] += 1;
    hessian_.row(n_landmarks)[n_landmarks] += least_curvature * total_bound_;
  }

  void add_to_hessian(const std::vector<std::size_t>& corner) {
    const std::size_t count = corner.size();
    double* roots = weighted(n_landmarks);
    for (std::size_t k = 0; k < count; ++k)
      roots[k] = std::sqrt(problem_.bound[corner[k]] / (2 * delta_));
    for (std::size_t r = 0; r < n_landmarks; ++r)
      for (std::size_t k = 0; k < count; ++k)
        weighted(r)[k] = feature(r)[corner[k]] * roots[k];
    for (std::size_t r = 0; r < n_variables; ++r)
      for (std::size_t c = 0; c <= r; ++c)
        hessian_.row(r)[c] += hot().dense.dot(count, weighted(r), weighted(c));
  }

  double* weighted(std::size_t r) { return weighted_.data() + r * chunk; }

  // Goes as far along the step as it lowers the objective enough; returns the new value.
  double go(double before) {
    double length = 1, value = value_at(length);
    for (int k = 0; k < most_halvings && !(value <= before + sufficient_share * length * descent_);
         ++k) {
      length *= 0.5;
      value = value_at(length);
    }
    if (!(value <= before)) return before;
    for (std::size_t r = 0; r < n_variables; ++r) variables_[r] += length * step_[r];
    hot().dense.add_row(size_, length, change_.data(), field_.data());
    return value;
  }

  const DualProblem& problem_;
  std::size_t size_;
  const Numbers& features_;
  double delta_ = corners[0], descent_ = 0, total_bound_ = 0;
  double variables_[n_variables] = {}, step_[n_variables] = {};
  Numbers field_;   // z_i'w + b
  Numbers slope_;   // y_i alpha_i
  Numbers change_;  // of the field, along the step
  Numbers weighted_;
  SmallMatrix hessian_;
};

}  // namespace

std::vector<double> low_rank_start(const DualProblem& problem, double least_explained,
                                   Patience& patience) {
  const GramRows& gram = problem.gram;
  if (gram.size() > most_points) return {};
  Numbers features;
  {
    const Landmarks landmarks(gram, patience);
    if (!landmarks.is_sound() || !(landmarks.explained(gram) >= least_explained)) return {};
    features = landmarks.features(problem.scale, patience);
  }
  Primal primal(problem, features);
  for (double corner : corners)
    if (!primal.minimise(corner, patience)) return {};
  return feasible_start(gram.size(), problem.target, problem.bound, primal.dual().data());
}

}  // namespace kpb
