#include "simcore/ops/sort/nonzero.h"

#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/fill.h"
#include "simcore/ops/sort/sort.h"

#include <fmt/format.h>

namespace simcore::ops {

using codelets::BinaryOp;
using numerics::HostTensor;

namespace {
constexpr ElementType kPositionType = ElementType::Int64; // a word on the machine
}

Tensor placesOfNonZero(const OpBuilder& builder, const Tensor& x, int64_t count) {
  const OpBuilder b = builder.within("placesOfNonZero", "compaction");
  const int64_t n = x.numElements();
  const auto plan = planTopK(b.machine(), kPositionType, 1, n, count);
  b.recordPlan("partial sort of places", fmt::format("{} of {}", count, n), {{"elements", n}, {"kept", count}}, plan.cost());
  const Tensor places = b.output(kPositionType, {n}, "places", b.linear(n, kPositionType));
  iota(b, places, 0);
  HostKernel kernel;
  if (b.withNumbers())
    kernel = oneResult([n](const std::vector<HostTensor>& in) {
      HostTensor out(kPositionType, in[0].shape());
      const auto to = out.mutableValues<int64_t>();
      for (int64_t i = 0; i < out.count(); ++i) to[std::size_t(i)] = in[1].at(i) != 0 ? in[0].integerAt(i) : n;
      return out;
    });
  const Tensor keys = map(b, "keys", {{BinaryOp::NotEqual, x.elementType()}, {codelets::TernaryOp::Select, kPositionType}},
                          {places, x.flatten()}, kPositionType, {n}, std::move(kernel));
  return topK(b, keys, count, 0, false).values;
}

Tensor digitOf(const OpBuilder& builder, const Tensor& x, int64_t divisor, int64_t modulus) {
  HostKernel kernel;
  if (builder.withNumbers())
    kernel = oneResult([divisor, modulus](const std::vector<HostTensor>& in) {
      HostTensor out(kPositionType, in[0].shape());
      const auto to = out.mutableValues<int64_t>();
      for (int64_t i = 0; i < out.count(); ++i) {
        const int64_t quotient = in[0].integerAt(i) / divisor;
        to[std::size_t(i)] = modulus > 0 ? quotient % modulus : quotient;
      }
      return out;
    });
  std::vector<codelets::MapStep> steps;
  if (divisor != 1 || modulus == 0) steps.push_back({BinaryOp::Divide, kPositionType});
  if (modulus > 0) steps.push_back({BinaryOp::Remainder, kPositionType});
  return map(builder, "digit", steps, {x}, kPositionType, x.shape(), std::move(kernel));
}

Tensor nonZero(const OpBuilder& builder, const Tensor& x, int64_t count) {
  const OpBuilder b = builder.within("nonZero", "nonZero");
  const Tensor places = placesOfNonZero(b, x, count);
  std::vector<Tensor> coordinates;
  int64_t stride = x.numElements();
  for (std::size_t d = 0; d < x.rank(); ++d) {
    stride /= x.dim(d);
    coordinates.push_back(digitOf(b, places, stride, d == 0 ? 0 : x.dim(d)).reshape({1, count}));
  }
  return coordinates.size() == 1 ? coordinates[0] : graph::concat(coordinates, 0);
}

} // namespace simcore::ops
