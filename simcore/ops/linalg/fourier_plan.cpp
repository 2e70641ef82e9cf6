// The planner of Fourier transforms: see fourier.h.
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/ops/linalg/fourier.h"
#include "simcore/ops/plan/exchange_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::MapStep;
using reports::ceilDiv;

std::string FourierPlan::text() const {
  const std::string digits = fmt::format("factors {}", fmt::join(factors, " x "));
  return (chirp ? fmt::format("a chirp of {}, twice ", chirp) : std::string()) + digits +
         fmt::format(", tables of {} bytes", tableBytes);
}

namespace {

// Plans of one problem: the remaining length after some digits is a smaller problem of the same kind.
class FourierPlanner {
public:
  FourierPlanner(const arch::Machine& m, const FourierParams& p, double availableMemory)
      : m_m(m), m_p(p), m_availableMemory(availableMemory), m_elements(p.rows * p.length) {}

  FourierPlan best() {
    FourierPlan plan;
    plan.fits = false;
    const int64_t prime = largestPrime(m_p.length);
    if (prime <= kLargestPrime) plan = from(m_p.length, true);
    // Two transforms of more than twice the length are only useful if the length has a large prime factor.
    if (plan.fits && prime < kLargestDigit) return plan;
    const int64_t length = int64_t(std::bit_ceil(uint64_t(m_p.outputs + m_p.samples - 1)));
    FourierParams there = m_p;
    there.length = there.samples = there.outputs = length;
    there.parts = 2;
    there.type = ElementType::Float; // the sums of the convolution exceed the range of half
    FourierPlan chirp = FourierPlanner(m_m, there, m_availableMemory).from(length, true);
    chirp.chirp = length;
    chirp.computeCycles *= 2;
    chirp.transformCycles = 2 * chirp.transformCycles + 3 * roots(m_p.rows * length).transformCycles;
    chirp.exchangeCycles *= 2;
    chirp.tableBytes += chirp.tableBytes + 2 * (length + 2 * m_p.length) * elementBytes(there.type);
    return plan.factors.empty() || chirp.cost() < plan.cost() ? chirp : plan;
  }

private:
  // Limits of the candidates: longer products are never better than shorter ones, and planning each candidate takes time.
  static constexpr int64_t kLargestDigit = 128, kLargestLast = 1024, kLargestPrime = 4096;

  static int64_t largestPrime(int64_t n) {
    int64_t largest = 1;
    for (int64_t p = 2; p * p <= n; ++p)
      for (; n % p == 0; n /= p) largest = p;
    return std::max(largest, n);
  }

  // Lower bound: the cycles of the product if every tile multiplied all the time.
  int64_t leastCycles(int64_t r, int64_t ins, int64_t parts, int64_t outputs) const {
    const int64_t atOnce = m_p.type == ElementType::Half ? 64 : 16; // programming-model 2.1
    return std::max<int64_t>(1, m_elements / r) * parts * ins * 2 * outputs / (atOnce * m_m.tilesPerIpu);
  }

  // A product along a digit of r values; the other digits are its rows.
  FourierPlan product(int64_t r, int64_t ins, int64_t parts, int64_t outputs) {
    const auto known = m_products.find({r, ins, parts, outputs});
    if (known != m_products.end()) return known->second;
    ConvParams c;
    c.type = m_p.type;
    c.inChannels = parts * ins;
    c.outChannels = 2 * outputs;
    c.product = true;
    c.in = {std::max<int64_t>(1, m_elements / r), 1};
    const ConvPlan plan = planConvolution(m_m, c, {m_availableMemory});
    FourierPlan result;
    result.computeCycles = plan.cycles();
    result.fits = plan.fits;
    result.tableBytes = c.inChannels * c.outChannels * elementBytes(m_p.type);
    m_products[{r, ins, parts, outputs}] = result;
    return result;
  }

  // Complex numbers times roots on other tiles: real parts, then imaginary parts.
  FourierPlan roots(int64_t elements) const {
    const int64_t each = ceilDiv(elements, m_m.tilesPerIpu), size = elementBytes(m_p.type);
    const std::vector<MapStep> steps(3, MapStep{BinaryOp::Multiply, m_p.type});
    FourierPlan result;
    result.transformCycles =
        2 * (codelets::fusedMap(m_m.tile, steps, each).cycles.value() + exchangeEstimate(m_m, 4 * each * size));
    return result;
  }

  FourierPlan transposed() const {
    const int64_t each = 2 * ceilDiv(m_elements, m_m.tilesPerIpu);
    FourierPlan result;
    result.exchangeCycles =
        exchangeEstimate(m_m, each * elementBytes(m_p.type)) + codelets::stridedCopy(m_m.tile, m_p.type, each).cycles.value();
    return result;
  }

  static FourierPlan sum(std::initializer_list<FourierPlan> list) {
    FourierPlan total;
    for (const FourierPlan& p : list) {
      total.factors.insert(total.factors.end(), p.factors.begin(), p.factors.end());
      total.computeCycles += p.computeCycles;
      total.transformCycles += p.transformCycles;
      total.exchangeCycles += p.exchangeCycles;
      total.tableBytes += p.tableBytes;
      total.fits = total.fits && p.fits;
    }
    return total;
  }

  // Best plan for the remaining `length`: one last digit, or a digit r and the best plan for length / r.
  const FourierPlan& from(int64_t length, bool first) {
    const auto known = m_known.find({length, first});
    if (known != m_known.end()) return known->second;
    const int64_t parts = first ? m_p.parts : 2, samples = first ? std::min(m_p.samples, length) : length;
    Cheapest<FourierPlan> best;
    // Planning a product takes far longer than counting its multiplications, so a product that cannot win is not planned.
    const auto mayWin = [&](int64_t atLeast) { return !best.found() || !best.cost().fits || atLeast < best.cost().cycles; };
    const int64_t between = transposed().cycles() + roots(m_elements).cycles();
    for (int64_t r = std::min(length / 2, kLargestPrime); r >= 2; --r) {
      if (length % r != 0 || (r > kLargestDigit && largestPrime(r) != r)) continue;
      const int64_t rest = length / r, ins = first ? ceilDiv(samples, rest) : r, least = leastCycles(r, ins, parts, r) + between;
      if (!mayWin(least) || !mayWin(least + from(rest, false).cycles())) continue;
      FourierPlan digit = product(r, ins, parts, r);
      digit.factors = {r};
      digit.tableBytes += 2 * length * elementBytes(m_p.type);
      best.offer(sum({digit, transposed(), roots(m_elements), from(rest, false)}));
    }
    if (length <= kLargestLast || largestPrime(length) == length) {
      const int64_t outputs = ceilDiv(m_p.outputs, m_p.length / length), move = first ? 0 : transposed().cycles();
      if (mayWin(leastCycles(length, samples, parts, outputs) + move)) {
        FourierPlan last = product(length, samples, parts, outputs);
        last.factors = {length};
        best.offer(first ? last : sum({last, transposed()}));
      }
    }
    return m_known[{length, first}] = best.plan();
  }

  const arch::Machine& m_m;
  const FourierParams m_p;
  const double m_availableMemory;
  const int64_t m_elements;
  std::map<std::pair<int64_t, bool>, FourierPlan> m_known;
  std::map<std::array<int64_t, 4>, FourierPlan> m_products;
};

} // namespace

FourierPlan planFourier(const arch::Machine& machine, const FourierParams& params, double availableMemory) {
  return FourierPlanner(machine, params, availableMemory).best();
}

} // namespace simcore::ops
