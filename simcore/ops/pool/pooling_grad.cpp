#include "simcore/ops/pool/pool_cells.h"

namespace simcore::ops {

using reports::ceilDiv;

namespace {

// Every tile computes its share of the input's gradient and fetches the output positions whose windows overlap it.
Tensor backward(const OpBuilder& builder, const Shape& shape, const Distribution& layout, const std::vector<Tensor>& local,
                const std::vector<Tensor>& remote, const PoolParams& p) {
  const OpBuilder b = builder.within("poolGrad", "poolGrad");
  const ElementType type = remote[0].elementType();
  const Tensor out = b.output(type, shape, "out", layout);
  const int64_t inputs = shape[2] * shape[3], outputs = p.out[0] * p.out[1];
  PerTile positions; // outputs that a tile needs, all channels
  const PerTile held = layout.elementsByTile();
  for (const auto& r : held.runs()) positions.add(r.tiles, std::max<int64_t>(1, ceilDiv(r.value * outputs, inputs)));
  Traffic traffic;
  PerTile received;
  for (const Tensor& t : remote) {
    traffic.add(b.trafficBlind(b.layoutOf(t), positions, elementBytes(t)));
    received.add(positions, elementBytes(t));
  }
  const Tensor in = b.buffer(type, "in", received, reports::MemoryCategory::Message);
  b.exchange("gatherWindows", remote, {in}, traffic);
  const int64_t channels = std::min<int64_t>(shape[1], b.tile().vectorWidth(int(elementBytes(type))));
  Superstep step(b, "poolGrad");
  for (const auto& r : positions.runs()) {
    codelets::PoolShape s;
    s.channels = channels;
    const int64_t n = ceilDiv(r.value, channels);
    s.rowLength = std::min(n, p.out[1]);
    s.rows = ceilDiv(n, s.rowLength);
    s.kernelRows = p.kernel[0];
    s.kernelColumns = p.kernel[1];
    step.add(codelets::poolingSpec(p.kind, codelets::PoolPass::Backward, type, s),
             codelets::pooling(b.tile(), p.kind, codelets::PoolPass::Backward, type, s), r.tiles);
  }
  std::vector<Tensor> reads = local;
  reads.push_back(in);
  step.execute(reads, {out});
  if (!b.withNumbers()) return out;
  std::vector<Tensor> operands = local;
  operands.push_back(remote[0]);
  b.compute(operands, {out}, cellwiseGenerate(poolBackward(p, shape), layout, shape, type));
  return out;
}

} // namespace

Tensor poolGrad(const OpBuilder& builder, const Tensor& input, const Tensor& y, const Tensor& gradient,
                const PoolParams& params) {
  std::vector<Tensor> remote{gradient};
  if (y.valid()) remote.push_back(y);
  const Tensor x = builder.local(input);
  return backward(builder, x.shape(), builder.layoutOf(x), {x}, remote, params);
}

Tensor poolGrad(const OpBuilder& builder, const Shape& shape, const Tensor& gradient, const PoolParams& params) {
  return backward(builder, shape, builder.linear(numerics::elementCount(shape), gradient.elementType()), {}, {gradient}, params);
}

} // namespace simcore::ops
