// IB1: the nearest example where attributes are numbers, names, or missing.
#pragma once

#include "tree/training_data.h"

namespace kpb::c45 {

struct Examples {
  const double* values;    // row by row; NaN is missing
  const bool* is_nominal;  // per attribute
  const double *low, *high;  // range of each numeric attribute in the training set
  std::size_t count, attributes;
};

class NearestExample {
 public:
  explicit NearestExample(const Examples& examples)
      : examples_(examples), low_(examples.attributes), half_range_(examples.attributes) {}

  // Number of the example nearest to the query, the first of several; there is at least one.
  std::size_t find(const double* query);

 private:
  void set_units(const double* query);
  double squared(const double* query, const double* example, double limit) const;
  double difference(std::size_t attribute, double a, double b) const;
  double scaled_step(std::size_t attribute, double from, double to) const;

  const Examples& examples_;
  Numbers low_;         // per attribute
  Numbers half_range_;  // infinite for a constant: all its values are one
};

}  // namespace kpb::c45
