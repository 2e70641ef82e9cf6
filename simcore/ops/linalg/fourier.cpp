#include "simcore/ops/linalg/fourier.h"

#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/movement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

namespace simcore::ops {

using codelets::BinaryOp;
using numerics::BinaryKind;
using numerics::HostTensor;
using reports::ceilDiv;

namespace {

// exp(2 pi i k / n), or its conjugate.
struct Root {
  double re, im;
};
Root root(int64_t k, int64_t n, bool inverse) {
  const double angle = (inverse ? 2 : -2) * M_PI * double(k % n) / double(n);
  return {std::cos(angle), std::sin(angle)};
}

// Separate real and imaginary parts, each [rows, length], so that products and maps read neighbours.
struct Planes {
  Tensor re, im;
};

class FourierLowering {
public:
  // `planes`: real and imaginary parts are separate, in the samples [parts, rows, samples] and in the result [2, rows, outputs].
  FourierLowering(const OpBuilder& b, const FourierParams& p, std::vector<int64_t> factors, bool planes = false)
      : m_b(b), m_p(p), m_factors(std::move(factors)), m_planes(planes) {}

  Tensor run(const Tensor& x) const {
    int64_t r = m_factors[0], rest = m_p.length / r, rows = m_p.rows;
    const int64_t ins = ceilDiv(m_p.samples, rest);
    const bool one = m_factors.size() == 1;
    Tensor y = times(digits(x, ins, rest).reshape({rows * rest, m_p.parts * ins}),
                     table({r, ins, one ? m_p.outputs : r, m_p.parts, m_planes || !one, m_planes || !one}));
    for (std::size_t i = 1; i < m_factors.size(); ++i) {
      const Planes turned = betweenDigits(y, rows, rest, r);
      const int64_t next = m_factors[i], left = rest / next;
      const Shape plane{1, rows, next, left, r};
      const Tensor digit = transpose(m_b, graph::concat(turned.re.reshape(plane), turned.im.reshape(plane), 0), {1, 4, 3, 0, 2});
      rows *= r;
      const bool last = left == 1;
      const int64_t outputs = last ? ceilDiv(m_p.outputs, m_p.length / next) : next;
      y = times(digit.reshape({rows * left, 2 * next}), table({next, next, outputs, 2, true, m_planes || !last}));
      r = next;
      rest = left;
    }
    return inOrder(y);
  }

  // x [rows, n] (or [rows, a, b]) times roots [n] ([a, b]).
  static Planes rotated(const OpBuilder& b, const Planes& x, const Tensor& re, const Tensor& im) {
    const auto part = [&](const char* name, BinaryOp join, BinaryKind kind, const Tensor& c, const Tensor& s) {
      HostKernel kernel;
      if (b.withNumbers())
        kernel = oneResult([kind](const std::vector<HostTensor>& in) {
          return numerics::binary(kind, numerics::binary(BinaryKind::Mul, in[0], in[2]),
                                  numerics::binary(BinaryKind::Mul, in[1], in[3]));
        });
      const ElementType type = x.re.elementType();
      return map(b, name, {{BinaryOp::Multiply, type}, {BinaryOp::Multiply, type}, {join, type}}, {x.re, x.im, c, s}, type,
                 x.re.shape(), std::move(kernel));
    };
    return {part("realPart", BinaryOp::Subtract, BinaryKind::Sub, re, im),
            part("imaginaryPart", BinaryOp::Add, BinaryKind::Add, im, re)};
  }

  static Tensor constant(const OpBuilder& b, const std::string& name, ElementType type, const Shape& shape,
                         const std::vector<double>& values) {
    return b.graph().addConstant(HostTensor::of(shape, values).cast(type), name, b.context());
  }

private:
  struct Table {
    int64_t length, ins, outs, parts;
    bool planesIn, planesOut; // whether parts come before positions, in the samples and in the result
  };
  Tensor table(const Table& t) const {
    std::vector<double> values(std::size_t(t.parts * t.ins * 2 * t.outs));
    const double scale = m_p.inverse ? 1.0 / double(t.length) : 1;
    for (int64_t n = 0; n < t.ins; ++n)
      for (int64_t k = 0; k < t.outs; ++k) {
        const Root w = root(n * k, t.length, m_p.inverse);
        for (int64_t in = 0; in < t.parts; ++in)
          for (int64_t out = 0; out < 2; ++out) {
            const int64_t row = t.planesIn ? in * t.ins + n : n * t.parts + in,
                          column = t.planesOut ? out * t.outs + k : k * 2 + out;
            values[std::size_t(row * 2 * t.outs + column)] = scale * (in == out ? w.re : in == 0 ? w.im : -w.im);
          }
      }
    return constant(m_b, "roots", m_p.type, {t.parts * t.ins, 2 * t.outs}, values);
  }

  Tensor times(const Tensor& x, const Tensor& roots) const { return matmul(m_b, x, roots); }

  // The samples as [rows, remaining digits, (part, first digit)], or (first digit, part) if there are no more digits.
  Tensor digits(const Tensor& x, int64_t ins, int64_t rest) const {
    const std::size_t at = m_planes ? 2 : 1;
    const int64_t missing = ins * rest - m_p.samples;
    Tensor all = x;
    if (missing > 0) {
      Shape shape = x.shape();
      shape[at] += missing;
      HostKernel kernel;
      if (m_b.withNumbers())
        kernel = oneResult([missing, at](const std::vector<HostTensor>& in) {
          std::vector<int64_t> none(3, 0), after(3, 0);
          after[at] = missing;
          return numerics::pad(in[0], none, after, numerics::PadMode::Constant, nullptr);
        });
      all = move(m_b, "pad", {x}, x.elementType(), shape, m_p.samples * (m_planes ? 1 : m_p.parts), {std::move(kernel)});
    }
    if (m_planes) {
      all = all.reshape({m_p.parts, m_p.rows, ins, rest});
      return rest == 1 ? all.dimShuffle({1, 3, 0, 2}) : transpose(m_b, all, {1, 3, 0, 2});
    }
    return rest == 1 ? all : transpose(m_b, all.reshape({m_p.rows, ins, rest, m_p.parts}), {0, 2, 3, 1});
  }

  // y [rows * rest, (part, frequency)] of a digit of r values, rotated by the roots of unity between it and the remaining digits.
  Planes betweenDigits(const Tensor& y, int64_t rows, int64_t rest, int64_t r) const {
    std::vector<double> re, im;
    for (int64_t n = 0; n < rest; ++n)
      for (int64_t k = 0; k < r; ++k) {
        const Root w = root(n * k, rest * r, m_p.inverse);
        re.push_back(w.re);
        im.push_back(w.im);
      }
    const Tensor both = y.reshape({rows, rest, 2 * r});
    return rotated(m_b, {both.slice(0, r, 2), both.slice(r, 2 * r, 2)}, constant(m_b, "cosines", m_p.type, {rest, r}, re),
                   constant(m_b, "sines", m_p.type, {rest, r}, im));
  }

  // y [(row, first digit, second, ..), (last digit, part)], or (part, last digit): the last digit is the most significant.
  Tensor inOrder(const Tensor& y) const {
    const int64_t last = y.dim(1) / 2;
    Shape shape{m_p.rows};
    shape.insert(shape.end(), m_factors.begin(), m_factors.end() - 1);
    const std::size_t at = shape.size();
    shape.push_back(m_planes ? 2 : last);
    shape.push_back(m_planes ? last : 2);
    std::vector<std::size_t> order{0, m_planes ? at + 1 : at};
    for (std::size_t i = at; i-- > 1;) order.push_back(i);
    order.insert(m_planes ? order.begin() : order.end(), m_planes ? at : at + 1);
    const Tensor digits = y.reshape(shape);
    const bool isInOrder = std::is_sorted(order.begin(), order.end());
    const Tensor all = isInOrder ? digits : transpose(m_b, digits, order);
    const int64_t outputs = all.numElements() / (2 * m_p.rows);
    return m_planes ? all.reshape({2, m_p.rows, outputs}).slice(0, m_p.outputs, 2)
                    : all.reshape({m_p.rows, outputs, 2}).slice(0, m_p.outputs, 1);
  }

  const OpBuilder& m_b;
  const FourierParams m_p;
  const std::vector<int64_t> m_factors;
  const bool m_planes;
};

// Transforms a table on the host; its length is a power of two.
void transformTable(std::vector<std::complex<double>>& x) {
  const std::size_t n = x.size();
  if (n == 1) return;
  std::vector<std::complex<double>> even(n / 2), odd(n / 2);
  for (std::size_t i = 0; i < n / 2; ++i) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1];
  }
  transformTable(even);
  transformTable(odd);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const Root w = root(int64_t(k), int64_t(n), false);
    const std::complex<double> turned = std::complex<double>(w.re, w.im) * odd[k];
    x[k] = even[k] + turned;
    x[k + n / 2] = even[k] - turned;
  }
}

// Bluestein: n k = (n^2 + k^2 - (k - n)^2) / 2. So the samples are multiplied by a chirp (roots of n^2 / 2), convolved with its
// conjugate, and multiplied by the chirp again. The convolution is a product of spectra, whose length the plan can choose.
class ChirpLowering {
public:
  ChirpLowering(const OpBuilder& b, const FourierParams& p, const FourierPlan& plan)
      : m_b(b), m_p(p), m_factors(plan.factors), m_length(plan.chirp) {}

  Tensor run(const Tensor& x) const {
    FourierParams there = m_p;
    there.length = there.outputs = m_length;
    there.samples = m_p.samples;
    there.parts = 2;
    there.inverse = false;
    const Tensor spectrum = FourierLowering(m_b, there, m_factors, true).run(together(firstTurn(x), m_p.samples));
    const auto [re, im] = spectrumOfChirp();
    const Planes product =
        FourierLowering::rotated(m_b, planesOf(spectrum), constant("spectrumRe", re), constant("spectrumIm", im));
    there.samples = m_length;
    there.outputs = m_p.outputs;
    there.inverse = true;
    const Tensor convolved = FourierLowering(m_b, there, m_factors, true).run(together(product, m_length));
    const auto [cosines, sines] = chirp(m_p.outputs, m_p.inverse ? 1.0 / double(m_p.length) : 1);
    const Planes last =
        FourierLowering::rotated(m_b, planesOf(convolved), constant("cosines", cosines), constant("sines", sines));
    return transpose(m_b, together(last, m_p.outputs), {1, 2, 0});
  }

private:
  using Values = std::vector<double>;

  std::pair<Values, Values> chirp(int64_t n, double scale) const {
    std::pair<Values, Values> values;
    for (int64_t i = 0; i < n; ++i) {
      const Root w = root(i * i, 2 * m_p.length, m_p.inverse);
      values.first.push_back(scale * w.re);
      values.second.push_back(scale * w.im);
    }
    return values;
  }

  std::pair<Values, Values> spectrumOfChirp() const {
    std::vector<std::complex<double>> x(std::size_t(m_length), std::complex<double>{});
    for (int64_t i = 1 - m_p.samples; i < m_p.outputs; ++i) {
      const Root w = root(i * i, 2 * m_p.length, m_p.inverse);
      x[std::size_t((i + m_length) % m_length)] = {w.re, -w.im};
    }
    transformTable(x);
    std::pair<Values, Values> values;
    for (const auto& v : x) {
      values.first.push_back(v.real());
      values.second.push_back(v.imag());
    }
    return values;
  }

  Tensor constant(const std::string& name, const Values& values) const {
    return FourierLowering::constant(m_b, name, m_p.type, {int64_t(values.size())}, values);
  }

  Planes firstTurn(const Tensor& x) const {
    const auto [re, im] = chirp(m_p.samples, 1);
    const Tensor cosines = constant("cosines", re), sines = constant("sines", im);
    if (m_p.parts == 2) return FourierLowering::rotated(m_b, planesOf(transpose(m_b, x, {2, 0, 1})), cosines, sines);
    const Tensor real = x.reshape({m_p.rows, m_p.samples});
    return {binary(m_b, BinaryOp::Multiply, real, cosines), binary(m_b, BinaryOp::Multiply, real, sines)};
  }

  static Planes planesOf(const Tensor& x) { return {x[0], x[1]}; } // [2, rows, n]
  Tensor together(const Planes& p, int64_t n) const {
    const Shape plane{1, m_p.rows, n};
    return graph::concat(p.re.reshape(plane), p.im.reshape(plane), 0);
  }

  const OpBuilder& m_b;
  const FourierParams m_p;
  const std::vector<int64_t> m_factors;
  const int64_t m_length;
};

} // namespace

Tensor fourier(const OpBuilder& builder, const Tensor& operand, const FourierParams& params) {
  const OpBuilder b = builder.within("fourier", "fourier");
  const auto refuse = [&](const std::string& why) {
    throw reports::Error(reports::ErrorCode::InvalidInput, why, b.graph().fullName(b.context()),
                         "give [transforms, samples, 1 or 2 parts]");
  };
  if (const Shape wanted{params.rows, params.samples, params.parts}; operand.shape() != wanted)
    refuse("the operand of a transform is " + numerics::toString(operand.shape()) + " instead of " + numerics::toString(wanted));
  if (params.parts < 1 || params.parts > 2) refuse("a transform of numbers with " + std::to_string(params.parts) + " parts");
  if (params.length < 1 || params.outputs < 1 || params.outputs > params.length)
    refuse(fmt::format("a transform of length {} cannot have {} outputs", params.length, params.outputs));
  const Tensor given = b.local(operand);
  FourierParams p = params;
  p.samples = std::min(params.samples, params.length);
  const Tensor x = p.samples < params.samples ? given.slice(0, p.samples, 1) : given;
  const FourierPlan plan = planFourier(b.machine(), p, b.availableMemoryProportion());
  b.recordPlan(
      plan.chirp                ? "chirp"
      : plan.factors.size() > 1 ? "product of each digit"
                                : "one product",
      fmt::format("{} of {}: {}", p.rows, p.length, plan.text()),
      {{"factors", plan.factors},
       {"chirp", plan.chirp},
       {"tableBytes", plan.tableBytes},
       {"predicted", {{"products", plan.computeCycles}, {"roots", plan.transformCycles}, {"transposes", plan.exchangeCycles}}}},
      plan.cost());
  if (!plan.chirp) return FourierLowering(b, p, plan.factors).run(x);
  const bool narrow = elementBytes(p.type) < elementBytes(ElementType::Float);
  if (narrow) p.type = ElementType::Float;
  const Tensor y = ChirpLowering(b, p, plan).run(narrow ? cast(b, x, p.type) : x);
  return narrow ? cast(b, y, x.elementType()) : y;
}

} // namespace simcore::ops
