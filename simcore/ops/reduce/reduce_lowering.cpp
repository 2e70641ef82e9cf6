#include "simcore/ops/reduce/reduce_lowering.h"

#include "reports/core/error.h"
#include "simcore/graph/distribution.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/reduce/reduce_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace simcore::ops {

using codelets::ReduceOp;
using reports::ceilDiv;
using reports::MemoryCategory;

// The distribution of a reduction over the tiles of its input.
struct ReduceLowering::Split {
  int64_t outputs = 1; // number of outputs on all tiles
  int64_t partialsPerOutput = 1;
  int64_t ways = 1;                            // tiles that share one output
  int64_t localOutputs = 1, localPartials = 1; // on the fullest tile
  bool outputsInnermost = false;
};

namespace {

using Split = ReduceLowering::Split;

Split splitOf(const Distribution& layout, const Shape& shape, const std::vector<std::size_t>& axes) {
  Split s;
  auto reduced = [&](std::size_t d) { return std::find(axes.begin(), axes.end(), d) != axes.end(); };
  for (std::size_t d = 0; d < shape.size(); ++d) (reduced(d) ? s.partialsPerOutput : s.outputs) *= shape[d];
  s.outputsInnermost = !shape.empty() && !reduced(shape.size() - 1);
  if (layout.shape() == shape) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const int64_t part = ceilDiv(shape[d], layout.splits()[d]);
      if (reduced(d)) {
        s.ways *= layout.splits()[d];
        s.localPartials *= part;
      } else {
        s.localOutputs *= part;
      }
    }
    return s;
  }
  // A linear share is a stretch of rows: if the reduced axes are the inner ones, rows per tile or tiles per row decide.
  const int64_t share = std::max<int64_t>(1, layout.maxElements());
  if (!s.outputsInnermost) {
    s.localPartials = std::min(s.partialsPerOutput, share);
    s.localOutputs = std::max<int64_t>(1, share / s.partialsPerOutput);
    s.ways = ceilDiv(s.partialsPerOutput, share);
  } else {
    s.localOutputs = std::min(s.outputs, share);
    s.localPartials = std::max<int64_t>(1, share / s.outputs);
    s.ways = std::min(layout.cells(), ceilDiv(s.partialsPerOutput, s.localPartials));
  }
  return s;
}

// Whether both layouts put the same shares of elements on the same tiles.
bool alike(const Distribution& a, const Distribution& b) {
  return a.sameAs(b) || (a.cells() == b.cells() && a.firstTile() == b.firstTile() && a.tiles() == b.tiles() &&
                         a.maxElements() == b.maxElements());
}

// Layout of the result of a gather: over tiles with at least `least` elements each, beginning after the previous result.
// Otherwise all small results, and the code of their gathers, would be on the first tile.
Distribution rotated(const OpBuilder& b, int64_t elements, numerics::ElementType type, int64_t least) {
  const int64_t grain = std::max<int64_t>(1, b.tile().dataPathBytes / elementBytes(type)), count = std::max<int64_t>(1, elements),
                cells = std::min(b.tiles(), ceilDiv(count, std::max(least, grain)));
  if (2 * cells > b.tiles()) return b.linear(elements, type);
  return Distribution({count}, {cells}, {grain}, b.graph().nextStartTile(cells) % b.tiles(), b.tileRange());
}

int64_t leastElements(const OpBuilder& b, OutputPlace place, const codelets::ReduceTypes& types) {
  if (place == OutputPlace::AsVariable) return b.machine().leastLinearBytes / elementBytes(types.output);
  return 4 * std::max<int64_t>(1, b.tile().dataPathBytes / elementBytes(types.partials)); // popops, ReductionStages.cpp
}

} // namespace

ReduceLowering::ReduceLowering(const OpBuilder& b, const codelets::ReduceTypes& types, const Tensor& scale)
    : m_b(b), m_types(types), m_scale(scale), m_last(types) {
  m_types.scale = m_types.update = false; // only the last stage scales and updates
}

Tensor ReduceLowering::plan(const Tensor& x, const std::vector<std::size_t>& axes, const Shape& outShape, const Tensor& given,
                            OutputPlace place, const Tensor& near) {
  const Distribution layout = m_b.layoutOf(x);
  Split s = splitOf(layout, x.shape(), axes);
  if (s.ways <= 1) { // all partials of an output are on one tile
    const Distribution here({s.outputs}, {std::min(s.outputs, layout.cells())}, {1}, layout.firstTile(), layout.tiles());
    const bool inPlace = !given.valid() || alike(m_b.layoutOf(given), here);
    const Tensor out = given.valid() && inPlace ? given : m_b.output(m_types.output, outShape, inPlace ? "out" : "reduced", here);
    stage("Reduce", {x}, out, layout.elementsByTile(), s.localOutputs, s.localPartials, s.outputsInnermost, inPlace);
    if (!inPlace) {
      partialsAreOutputs();
      gatherStage("ReduceOutput", out, given, 1, true, inOrder(out, given, 1));
    }
    record(s, inPlace ? 1 : 2);
    return given.valid() ? given : out;
  }
  const Tensor partials = partialStage(x, layout, s);
  const PartialPlaces places(layout, x.shape(), axes);
  const auto fromPlaces = [&](const Tensor& to, int64_t parts, int64_t together, const PerTile& in) {
    return x.wholeVariable().valid() ? places.pairsTo(m_b.layoutOf(to), parts, together, in) : graph::SharedPairs();
  };
  Tensor from = partials;
  int64_t ways = s.ways;
  // Another stage while the fan-in is large (programming-model 2.2: below 2 sqrt(tiles), directly to the output).
  if (double(ways) > 2.0 * std::sqrt(double(m_b.tiles()))) {
    const int64_t group = std::max<int64_t>(2, int64_t(std::sqrt(double(ways))));
    const int64_t next = ceilDiv(ways, group);
    const Tensor middle =
        m_b.output(m_types.output, {s.outputs * next}, "intermediate",
                   rotated(m_b, s.outputs * next, m_types.output, leastElements(m_b, OutputPlace::AsVariable, m_types)));
    gatherStage("ReduceIntermediate", from, middle, group, false,
                [&](const PerTile& in) { return fromPlaces(middle, next, group, in); });
    from = middle;
    ways = next;
    m_group = group;
  }
  const auto layoutOfOutputs = [&] {
    if (near.valid()) return m_b.layoutOf(near).flattened();
    return rotated(m_b, s.outputs, m_types.output, leastElements(m_b, place, m_types));
  };
  const Tensor out = given.valid() ? given : m_b.output(m_types.output, outShape, "out", layoutOfOutputs());
  gatherStage("ReduceOutput", from, out, ways, true,
              m_group > 1 ? inOrder(from, out, ways) : PairsOf([&](const PerTile& in) { return fromPlaces(out, 1, ways, in); }));
  record(s, m_group > 1 ? 3 : 2);
  return out;
}

void ReduceLowering::record(const Split& s, int stages) const {
  m_b.recordPlan(fmt::format("{} stage{}", stages, stages > 1 ? "s" : ""),
                 fmt::format("{} outputs of {} partials, each output on {} tiles{}", s.outputs, s.partialsPerOutput, s.ways,
                             m_group > 1 ? fmt::format(", then {} at a time", m_group) : ""),
                 {{"outputs", s.outputs}, {"partials_per_output", s.partialsPerOutput}, {"ways", s.ways}, {"group", m_group}},
                 {m_cycles});
}

void ReduceLowering::partialsAreOutputs() {
  m_types.partials = m_types.output;
  if (m_types.op == ReduceOp::SquareAdd) m_types.op = ReduceOp::Add; // later stages only sum the squares
}

Tensor ReduceLowering::partialStage(const Tensor& x, const Distribution& layout, const Split& s) {
  PerTile bytes;
  const PerTile held = layout.elementsByTile();
  for (const auto& r : held.runs()) bytes.add(r.tiles, std::min(s.localOutputs, r.value) * elementBytes(m_types.output));
  if (s.localPartials == 1) return x; // every element is one partial
  const Tensor partials = m_b.buffer(m_types.output, "partials", bytes, MemoryCategory::Variable);
  stage("ReducePartials", {x}, partials, held, s.localOutputs, s.localPartials, s.outputsInnermost, false);
  partialsAreOutputs();
  return partials;
}

// Plans a stage that reduces `elements` on each tile to at most `outputs`, each from `partials` partials.
void ReduceLowering::stage(const std::string& name, std::vector<Tensor> reads, const Tensor& out, const PerTile& elements,
                           int64_t outputs, int64_t partials, bool outputsInnermost, bool last) {
  ReduceStage& stage = m_stages.emplace_back();
  stage.name = name;
  stage.reads = std::move(reads);
  stage.out = out;
  for (const auto& r : elements.runs()) {
    const int64_t outs = std::min(outputs, std::max<int64_t>(1, ceilDiv(r.value, std::max<int64_t>(1, partials))));
    workers(stage, r.tiles, outs, ceilDiv(r.value, outs), outputsInnermost, last, outs);
  }
  if (last) finish(stage);
  m_cycles += std::exchange(m_slowest, 0);
}

// Up to six worker vertices per tile share the outputs; a single output is shared by splitting its partials instead.
void ReduceLowering::workers(ReduceStage& stage, TileRange tiles, int64_t outputs, int64_t partials, bool outputsInnermost,
                             bool last, int64_t rowOutputs) {
  codelets::ReduceTypes types = m_types;
  types.scale = last && m_last.scale;
  types.update = last && m_last.update;
  const auto [used, each] = codelets::shareOfWorkers(m_b.tile(), types, outputs, outputsInnermost);
  const auto cost = codelets::reduceBest(m_b.tile(), types, each, partials, outputsInnermost, rowOutputs);
  m_slowest = std::max(m_slowest, cost.cycles.value() * m_b.tile().workers);
  stage.vertices.push_back({codelets::reduceBestSpec(types, each, outputsInnermost), cost, tiles, used});
}

// Adds the other inputs of the vertices that compute the outputs: the old output (update) and the scale.
void ReduceLowering::finish(ReduceStage& stage) {
  if (m_last.update) stage.reads.push_back(stage.out);
  if (!m_last.scale) return;
  PerTile one;
  for (const auto& v : stage.vertices) one.maxWith(PerTile::uniform(v.tiles, 1));
  PerTile bytes;
  bytes.add(one, elementBytes(m_scale));
  const Tensor scale = m_b.buffer(m_scale.elementType(), "scale", bytes, MemoryCategory::Message);
  stage.gathers.push_back({"scale", m_scale, scale, m_b.trafficBlind(m_b.layoutOf(m_scale), one, elementBytes(m_scale))});
  stage.reads.push_back(scale);
}

// Pairs for outputs each of which takes the next `ways` elements.
ReduceLowering::PairsOf ReduceLowering::inOrder(const Tensor& from, const Tensor& out, int64_t ways) const {
  return [this, &from, &out, ways](const PerTile& in) {
    const Distribution source = m_b.layoutOf(from), target = m_b.layoutOf(out);
    graph::PlannedPairs pairs(source, in);
    pairs.inOrderOf(target, [&](reports::Range<int64_t> outputs) {
      pairs.take(reports::Range<int64_t>{outputs.begin * ways, outputs.end * ways});
    });
    return pairs.finish();
  };
}

void ReduceLowering::gatherStage(const std::string& name, const Tensor& from, const Tensor& out, int64_t ways, bool last,
                                 const PairsOf& pairsOf) {
  // The rows of a buffer begin at whole words of the data path, so that a vertex reads vectors however many outputs there are.
  const int64_t size = elementBytes(from), vector = std::max<int64_t>(1, m_b.tile().dataPathBytes / size);
  Traffic t;
  PerTile received;
  const PerTile outputs = m_b.layoutOf(out).elementsByTile();
  int64_t total = 0, most = 0;
  for (const auto& r : outputs.runs()) {
    const int64_t in = reports::roundUp(r.value * ways * size, 4);
    received.add(r.tiles, reports::roundUp(r.value, vector) * ways * size);
    t.bytesIn.add(r.tiles, in);
    t.messagesIn.add(r.tiles, ways);
    total += in * r.tiles.size();
    most = std::max(most, in);
  }
  const PerTile senders = std::as_const(m_b.graph()).variable(from.variables()[0]).bytesByTile();
  const int64_t n = std::max<int64_t>(1, senders.activeTiles());
  for (const auto& r : senders.runs()) {
    t.bytesOut.add(r.tiles, reports::roundUp(ceilDiv(total, n), 4));
    t.messagesOut.add(r.tiles, std::max<int64_t>(1, outputs.activeTiles() * ways / n));
  }
  graph::obeySendingLaw(t, senders);
  if (m_b.graph().keepsPairs()) t.pairs = pairsOf(t.bytesIn);
  const Tensor gathered = m_b.buffer(from.elementType(), name + "In", received, MemoryCategory::Message);
  ReduceStage& stage = m_stages.emplace_back();
  stage.name = name;
  stage.gathers.push_back({name + "Gather", from, gathered, std::move(t)});
  stage.reads = {gathered};
  stage.out = out;
  for (const auto& r : outputs.runs()) workers(stage, r.tiles, r.value, ways, true, last, reports::roundUp(r.value, vector));
  if (last) finish(stage);
  m_cycles += std::exchange(m_slowest, 0) + exchangeEstimate(m_b.machine(), double(most));
}

namespace {
// One exchange, named after its first part, for the operands of all stages.
void exchangeAtOnce(const OpBuilder& b, const std::vector<const ReduceStage*>& stages) {
  std::string name;
  std::vector<Tensor> from, to;
  Traffic traffic;
  for (const ReduceStage* stage : stages)
    for (const ReduceStage::Gather& g : stage->gathers) {
      if (name.empty()) name = g.name;
      from.push_back(g.from);
      to.push_back(g.to);
      traffic.add(g.traffic);
    }
  if (!name.empty()) b.exchange(name, from, to, traffic);
}
} // namespace

void emitStages(const OpBuilder& b, const std::vector<ReduceLowering>& reductions) {
  std::size_t stages = 0;
  for (const ReduceLowering& r : reductions) stages = std::max(stages, r.stages().size());
  for (std::size_t s = 0; s < stages; ++s) {
    std::vector<const ReduceStage*> together;
    for (const ReduceLowering& r : reductions)
      if (s < r.stages().size()) together.push_back(&r.stages()[s]);
    exchangeAtOnce(b, together);
    Superstep step(b, together[0]->name);
    std::vector<Tensor> reads, writes;
    for (const ReduceStage* stage : together) {
      for (const ReduceStage::Vertices& v : stage->vertices) step.add(v.spec, v.cost, v.tiles, v.perTile);
      reads.insert(reads.end(), stage->reads.begin(), stage->reads.end());
      writes.push_back(stage->out);
    }
    step.execute(reads, writes);
  }
}

} // namespace simcore::ops
