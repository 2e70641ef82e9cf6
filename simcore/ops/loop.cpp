#include "simcore/ops/loop.h"

#include "reports/core/error.h"
#include "reports/core/units.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/fill.h"

namespace simcore::ops {

using numerics::HostTensor;

void countedLoop(const OpBuilder& builder, int64_t begin, int64_t end, int64_t step,
                 const std::function<void(const OpBuilder& body, const Tensor& index)>& body) {
  if (step < 1)
    throw reports::Error(reports::ErrorCode::InvalidInput, "a counted loop cannot go in steps of " + std::to_string(step),
                         "countedLoop", "count up; the body can reverse the index");
  if (begin >= end) return;
  const OpBuilder b = builder.within("countedLoop", "countedLoop");
  const Tensor index = b.output(ElementType::Int32, {1}, "index", b.linear(1, ElementType::Int32));
  fill(b, index, double(begin));
  Sequence sequence;
  const OpBuilder in = b.into(sequence);
  body(in, index);
  HostKernel next;
  if (b.withNumbers())
    next = oneResult([](const std::vector<HostTensor>& v) { return numerics::binary(numerics::BinaryKind::Add, v[0], v[1]); });
  mapInPlace(in, "next", {{codelets::BinaryOp::Add, ElementType::Int32}}, {index}, std::move(next),
             {HostTensor::full(ElementType::Int32, {1}, double(step))});
  b.program().add(graph::program::repeat(reports::ceilDiv(end - begin, step), sequence, "iterations", b.context()));
}

} // namespace simcore::ops
