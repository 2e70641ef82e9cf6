#include "simcore/numerics/optimiser.h"

#include "simcore/numerics/kernel_support.h"

#include <cmath>

namespace simcore::numerics {

namespace {

using Values = std::vector<double>;

Values gradientOf(const HostTensor& w, const HostTensor& g, const UpdateRule& rule) {
  if (w.count() != g.count())
    failKernel("the gradient has " + std::to_string(g.count()) + " elements, its parameter " + std::to_string(w.count()));
  Values values = g.toDoubles();
  for (double& v : values) v /= rule.divisor;
  return values;
}
void addDecay(Values& g, const Values& w, const UpdateRule& rule) {
  for (std::size_t i = 0; i < w.size(); ++i) g[i] += rule.decay * w[i];
}
HostTensor renewed(const HostTensor& old, const Values& values) { return HostTensor::of(old.shape(), values).cast(old.type()); }

double norm(const Values& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

} // namespace

std::vector<HostTensor> sgdUpdate(const HostTensor& parameter, const HostTensor& gradient, const HostTensor* velocity,
                                  const UpdateRule& rule) {
  Values w = parameter.toDoubles(), g = gradientOf(parameter, gradient, rule);
  addDecay(g, w, rule);
  if (!velocity) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rule.rate * g[i];
    return {renewed(parameter, w)};
  }
  Values v = velocity->toDoubles();
  for (std::size_t i = 0; i < w.size(); ++i) {
    v[i] = rule.momentum * v[i] + g[i];
    w[i] -= rule.rate * (rule.nesterov ? g[i] + rule.momentum * v[i] : v[i]);
  }
  return {renewed(parameter, w), renewed(*velocity, v)};
}

double larsTrustRatio(double weights, double gradient, const UpdateRule& rule) {
  return weights > 0 && gradient > 0 ? rule.trust * weights / (gradient + rule.decay * weights + rule.epsilon) : 1;
}

std::vector<HostTensor> larsUpdate(const HostTensor& parameter, const HostTensor& gradient, const HostTensor* velocity,
                                   bool adapts, const UpdateRule& rule) {
  Values w = parameter.toDoubles(), g = gradientOf(parameter, gradient, rule);
  const double rate = rule.rate * (adapts ? larsTrustRatio(norm(w), norm(g), rule) : 1);
  addDecay(g, w, rule);
  if (!velocity) {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rate * g[i];
    return {renewed(parameter, w)};
  }
  Values v = velocity->toDoubles();
  for (std::size_t i = 0; i < w.size(); ++i) {
    v[i] = rule.momentum * v[i] + rate * g[i];
    w[i] -= rule.nesterov ? rule.momentum * v[i] + rate * g[i] : v[i];
  }
  return {renewed(parameter, w), renewed(*velocity, v)};
}

std::vector<HostTensor> adamUpdate(const HostTensor& parameter, const HostTensor& gradient, const HostTensor& first,
                                   const HostTensor& second, double step, bool decayBeside, bool byNorms,
                                   const UpdateRule& rule) {
  Values w = parameter.toDoubles(), g = gradientOf(parameter, gradient, rule);
  if (!decayBeside) addDecay(g, w, rule);
  Values m = first.toDoubles(), v = second.toDoubles(), r(w.size());
  const double correct1 = 1 - std::pow(rule.beta1, step), correct2 = 1 - std::pow(rule.beta2, step);
  for (std::size_t i = 0; i < w.size(); ++i) {
    m[i] = rule.beta1 * m[i] + (1 - rule.beta1) * g[i];
    v[i] = rule.beta2 * v[i] + (1 - rule.beta2) * g[i] * g[i];
    r[i] = m[i] / correct1 / (std::sqrt(v[i] / correct2) + rule.epsilon);
    if (decayBeside) r[i] += rule.decay * w[i];
  }
  double rate = rule.rate;
  if (byNorms) {
    const double weights = norm(w), length = norm(r);
    if (weights > 0 && length > 0) rate *= weights / length;
  }
  for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rate * r[i];
  return {renewed(parameter, w), renewed(first, m), renewed(second, v)};
}

std::vector<HostTensor> adaMaxUpdate(const HostTensor& parameter, const HostTensor& gradient, const HostTensor& first,
                                     const HostTensor& largest, double step, const UpdateRule& rule) {
  Values w = parameter.toDoubles(), g = gradientOf(parameter, gradient, rule);
  if (!rule.decayBeside) addDecay(g, w, rule);
  Values m = first.toDoubles(), u = largest.toDoubles();
  const double correct = 1 - std::pow(rule.beta1, step);
  for (std::size_t i = 0; i < w.size(); ++i) {
    m[i] = rule.beta1 * m[i] + (1 - rule.beta1) * g[i];
    u[i] = std::max(rule.beta2 * u[i], std::abs(g[i]));
    const double decay = rule.decayBeside ? rule.decay * w[i] : 0;
    w[i] -= rule.rate * (m[i] / correct / (u[i] + rule.epsilon) + decay);
  }
  return {renewed(parameter, w), renewed(first, m), renewed(largest, u)};
}

std::vector<HostTensor> squaresUpdate(const HostTensor& parameter, const HostTensor& gradient, const HostTensor& squares,
                                      const HostTensor* mean, const HostTensor* velocity, bool sums, const UpdateRule& rule) {
  Values w = parameter.toDoubles(), g = gradientOf(parameter, gradient, rule), v = squares.toDoubles(), m, u;
  if (mean) m = mean->toDoubles();
  if (velocity) u = velocity->toDoubles();
  if (!rule.decayBeside) addDecay(g, w, rule);
  const bool inside = rule.asTensorFlow;
  for (std::size_t i = 0; i < w.size(); ++i) {
    v[i] = (sums ? v[i] : rule.beta2 * v[i]) + (sums ? 1 : 1 - rule.beta2) * g[i] * g[i];
    double variance = v[i];
    if (mean) {
      m[i] = rule.beta2 * m[i] + (1 - rule.beta2) * g[i];
      variance -= m[i] * m[i];
    }
    double step = g[i] / (inside ? std::sqrt(variance + rule.epsilon) : std::sqrt(variance) + rule.epsilon);
    if (inside) step *= rule.rate;
    if (velocity) step = u[i] = rule.momentum * u[i] + step;
    double decay = rule.decayBeside ? rule.decay * w[i] : 0;
    if (!(inside && velocity)) decay *= rule.rate; // as in PopART: with TensorFlow's velocity the rate does not scale the decay
    w[i] -= (inside ? step : rule.rate * step) + decay;
  }
  std::vector<HostTensor> made{renewed(parameter, w), renewed(squares, v)};
  if (mean) made.push_back(renewed(*mean, m));
  if (velocity) made.push_back(renewed(*velocity, u));
  return made;
}

} // namespace simcore::numerics
