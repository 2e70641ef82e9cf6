#include "tests/support/synthetic_program.h"

#include "reports/core/tile_pairs.h"
#include "reports/core/units.h"

#include <algorithm>

namespace tests {

using namespace reports;

namespace {
constexpr const char* kKinds[] = {"Conv", "Relu", "Gemm", "MaxPool", "Add"};
constexpr const char* kVertexTypes[] = {"poplin::ConvPartial1x1<float,float>", "popnn::NonLinearity<float>",
                                        "poplin::ConvPartialHMAC<float,float>", "popnn::MaxPooling<float>",
                                        "popops::BinaryOp<float>"};
constexpr int kKindCount = 5;
constexpr const char* kStreams[] = {"weights", "images", "loss"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return text;
}
bool hasCopy(int operation) { return operation % 3 == 2; }
} // namespace

SyntheticProgram::SyntheticProgram(ReportSink& sink, StringPool& strings, const ReportShape& shape) : m_shape(shape) {
  for (int i = 0; i < shape.operations; ++i) {
    SyntheticOperation op;
    op.kind = kKinds[i % kKindCount];
    op.name = "model/" + lower(op.kind) + std::to_string(i);
    m_operations.push_back(op);
  }
  build();
  countIterations();
  numberLiveness();
  writeContexts(sink, strings);
  writeSteps(sink, strings);
  writeComputeSets(sink, strings);
  writeExchanges(sink, strings);
  writeStreams(sink);
  sink.add(ControlCodeRow{0, packRuns(std::vector<int64_t>(std::size_t(tiles()), 8))});
}

int SyntheticProgram::add(int parent, const std::string& kind, const std::string& name, Activity activity, int operation) {
  SyntheticStep step;
  step.row.id = int64_t(m_steps.size());
  if (parent >= 0) step.row.parentId = parent;
  step.row.position = m_positions[parent]++;
  step.row.kind = kind;
  step.row.activity = int64_t(activity);
  step.row.codeBytes = 8 * int64_t(tiles());
  step.row.controlCodeId = 0;
  step.operation = operation;
  step.name = name;
  m_steps.push_back(step);
  const auto index = int(m_steps.size()) - 1;
  if (operation >= 0 && activity != Activity::Scope) m_operations[std::size_t(operation)].steps.push_back(index);
  if (kind == "OnTileExecute" || kind == "OnTileCopy") {
    m_steps.back().row.computeSetId = int64_t(m_computeSets.size());
    m_computeSets.push_back(index);
  } else if (kind == "DoExchange" || kind == "GlobalExchange" || kind == "StreamCopyMid") {
    m_steps.back().row.exchangeId = int64_t(m_exchanges.size());
    m_exchanges.push_back(index);
  }
  return index;
}

int SyntheticProgram::addStream(int parent, const std::string& name, std::vector<int>& leaves) {
  const int scope = add(parent, "Sequence", "stream/" + name, Activity::Scope);
  leaves.push_back(add(scope, "StreamCopyBegin", "stream/" + name + "/begin", Activity::HostStream));
  leaves.push_back(add(scope, "StreamCopyMid", "stream/" + name + "/copy", Activity::HostStream));
  m_streamCopies.push_back(leaves.back());
  leaves.push_back(add(scope, "StreamCopyEnd", "stream/" + name + "/end", Activity::HostStream));
  return scope;
}

void SyntheticProgram::buildOperation(int parent, int operation) {
  const std::string name = m_operations[std::size_t(operation)].name;
  const int scope = add(parent, "Sequence", name, Activity::Scope, operation);
  m_loop.push_back(add(scope, "DoExchange", name + "/exchange", Activity::InternalExchange, operation));
  m_loop.push_back(add(scope, "OnTileExecute", name + "/compute", Activity::Compute, operation));
  if (hasCopy(operation)) m_loop.push_back(add(scope, "OnTileCopy", name + "/rearrange", Activity::OnTileCopy, operation));
}

void SyntheticProgram::build() {
  m_initProgram = add(-1, "ControlProgram", "init", Activity::Scope);
  addStream(m_initProgram, kStreams[0], m_initSteps);
  m_mainProgram = add(-1, "ControlProgram", "main", Activity::Scope);
  addStream(m_mainProgram, kStreams[1], m_beforeLoop);
  const int call = add(m_mainProgram, "Call", "zeroGradients", Activity::Control);
  m_repeat = add(m_mainProgram, "Repeat", "train", Activity::Scope);
  const int body = add(m_repeat, "Sequence", "train/body", Activity::Scope);
  m_loop.push_back(add(body, "Sync", "train/sync", Activity::Sync));
  for (int i = 0; i < m_shape.operations; ++i) buildOperation(body, i);
  if (m_shape.ipus > 1) m_loop.push_back(add(body, "GlobalExchange", "train/allReduce", Activity::GlobalExchange));
  addStream(m_mainProgram, kStreams[2], m_afterLoop);
  const int function = add(-1, "Function", "function/zero", Activity::Scope);
  m_beforeLoop.push_back(add(function, "OnTileExecute", "function/zero/fill", Activity::Compute));
  m_steps[std::size_t(call)].row.calleeId = function;
}

void SyntheticProgram::countIterations() {
  const auto perIteration = int64_t(m_loop.size() + m_operations.size()) * m_shape.ipus;
  m_iterations = std::max<int64_t>(4, m_shape.slices / perIteration);
  m_steps[std::size_t(m_repeat)].row.repeatCount = m_iterations;
}

void SyntheticProgram::numberLiveness() {
  for (std::size_t i = 0; i < m_steps.size(); ++i) {
    auto& step = m_steps[i];
    const auto activity = Activity(step.row.activity);
    if (activity == Activity::Scope || activity == Activity::Control) continue;
    const auto ordinal = int(m_liveness.size());
    step.row.livenessStep = ordinal;
    m_liveness.push_back(int(i));
    if (step.operation < 0) continue;
    auto& op = m_operations[std::size_t(step.operation)];
    if (op.endLiveness == 0) op.firstLiveness = ordinal;
    op.endLiveness = ordinal + 1;
  }
}

// Contexts are model > operation > library call, so that every step of an operation has a context two levels down.
void SyntheticProgram::writeContexts(ReportSink& sink, StringPool& strings) {
  DebugContextRow root{0, {}, strings.id("model"), strings.id("model"), strings.id("Model"), {}};
  sink.add(root);
  int64_t id = 1;
  for (auto& op : m_operations) {
    op.context = id++;
    sink.add(DebugContextRow{op.context, 0, strings.id(op.name.substr(6)), strings.id("onnx"), strings.id(op.kind),
                             R"({"inputs":["x"],"outputs":["y"]})"});
    sink.add(DebugContextRow{
        id++, op.context, strings.id(lower(op.kind)), strings.id("library"), strings.id("poplibs::" + lower(op.kind)), {}});
  }
  for (std::size_t i = 0; i < m_operations.size(); ++i) {
    const auto& op = m_operations[i];
    if (op.kind != "Conv" && op.kind != "Gemm") continue;
    sink.add(PlanRow{int64_t(i), op.context, op.kind == "Conv" ? "AMP" : "HMAC", "partition 1x1x1x4, grain 16",
                     R"({"partition":{"batch":1,"outChannels":4}})", 900, 4096});
  }
}

void SyntheticProgram::writeSteps(ReportSink& sink, StringPool& strings) {
  for (auto& step : m_steps) {
    step.row.nameId = strings.id(step.name);
    if (step.operation >= 0) step.row.debugContextId = m_operations[std::size_t(step.operation)].context + 1;
    sink.add(step.row);
    // The function has no steps of operations, so this call does not change sums.
    if (step.row.calleeId && !m_operations.empty())
      sink.add(CallContextRow{step.row.id, m_operations.front().context, m_operations.back().context});
  }
  for (std::size_t i = 0; i < m_liveness.size(); ++i) {
    const auto& row = m_steps[std::size_t(m_liveness[i])].row;
    sink.add(LivenessStepRow{int64_t(i), row.id, row.nameId});
  }
}

void SyntheticProgram::writeComputeSets(ReportSink& sink, StringPool& strings) {
  for (int i = 0; i < kKindCount; ++i)
    sink.add(VertexTypeRow{i, strings.id(kVertexTypes[i]), i % 2 ? "Vertex" : "Supervisor", 64 + 32 * i, "estimated", {}, {}});
  for (std::size_t id = 0; id < m_computeSets.size(); ++id) {
    const auto& step = m_steps[std::size_t(m_computeSets[id])];
    ComputeSetVerticesRow part;
    std::vector<int64_t> vertices;
    int64_t slowest = 0, active = 0;
    for (int tile = 0; tile < tiles(); ++tile) {
      const int64_t cycles = tileCycles(step, tile, 0);
      vertices.push_back(cycles > 0 ? 6 : 0);
      part.vertices += vertices.back();
      part.cycles += cycles;
      slowest = std::max(slowest, cycles);
      active += cycles > 0;
    }
    part.computeSetId = int64_t(id);
    part.vertexTypeId = step.operation < 0 ? 4 : step.operation % kKindCount;
    part.flops = flops(step);
    part.stateBytes = part.vertices * 24;
    part.edgePointerBytes = part.vertices * 12;
    part.descriptorBytes = 0;
    part.verticesByTile = packRuns(vertices);
    sink.add(ComputeSetRow{int64_t(id), step.row.nameId, step.row.debugContextId, part.vertices, part.vertices * 3, active,
                           slowest, part.cycles, part.cycles * 6, part.flops});
    sink.add(part);
  }
}

void SyntheticProgram::writeExchanges(ReportSink& sink, StringPool& strings) {
  for (std::size_t id = 0; id < m_exchanges.size(); ++id) {
    const auto& step = m_steps[std::size_t(m_exchanges[id])];
    ExchangeRow row;
    row.id = int64_t(id);
    row.kind = step.row.kind == "DoExchange" ? "internal" : step.row.kind == "GlobalExchange" ? "global" : "host";
    row.nameId = strings.id(step.name);
    std::vector<int64_t> bytes;
    for (int tile = 0; tile < tiles(); ++tile) {
      bytes.push_back(exchangeBytes(row.id, tile));
      row.totalBytes += bytes.back();
      row.maxCycles = std::max(row.maxCycles, tileCycles(step, tile, 0));
    }
    row.messages = tiles();
    row.codeBytes = 16 * int64_t(tiles());
    row.codeByTile = packRuns(std::vector<int64_t>(std::size_t(tiles()), 16));
    row.bytesInByTile = row.bytesOutByTile = packRuns(bytes);
    if (row.kind == "internal" && id % 2 == 0 && tiles() > 1) { // each tile receives from the previous one
      PairWriter pairs;
      for (int tile = 0; tile < tiles(); ++tile) {
        pairs.receiver(tile);
        pairs.take((tile + 1) % tiles(), bytes[std::size_t(tile)]);
      }
      row.pairs = packPairs(pairs.finish());
    }
    sink.add(row);
    if (row.kind == "internal") // held by rows, wanted by columns
      sink.add(ExchangeOperandRow{row.id, 0, 0, row.totalBytes, "rows in " + std::to_string(tiles()), tiles(),
                                  "columns in " + std::to_string(tiles()), tiles()});
  }
}

void SyntheticProgram::writeStreams(ReportSink& sink) {
  for (std::size_t i = 0; i < m_streamCopies.size(); ++i) {
    const auto& step = m_steps[std::size_t(m_streamCopies[i])];
    int64_t bytes = 0;
    for (int tile = 0; tile < tiles(); ++tile) bytes += exchangeBytes(*step.row.exchangeId, tile);
    sink.add(StreamRow{int64_t(i), kStreams[i], i == 2 ? "device_to_host" : "host_to_device", "float", bytes / 4, 1, bytes});
    sink.add(StreamCopyRow{step.row.id, int64_t(i), bytes, 1});
  }
}

int64_t SyntheticProgram::exchangeBytes(int64_t exchangeId, int tile) const {
  return 64 * m_shape.scale * (1 + (exchangeId * 5 + tile / 3) % 4);
}

int64_t SyntheticProgram::tileCycles(const SyntheticStep& step, int tile, int variant) const {
  const int local = tile % m_shape.tilesPerIpu, op = std::max(step.operation, 0);
  switch (Activity(step.row.activity)) {
  case Activity::Compute:
    // The last tile of odd operations has nothing to do.
    if (op % 2 == 1 && local == m_shape.tilesPerIpu - 1) return 0;
    return m_shape.scale * (400 + 97 * (op % 7) + 13 * ((local / 2 + op) % 5) + 31 * variant);
  case Activity::OnTileCopy: return 60 + 4 * (local % 3);
  case Activity::InternalExchange: return exchangeBytes(*step.row.exchangeId, tile) / 4 + 20;
  case Activity::GlobalExchange: return exchangeBytes(*step.row.exchangeId, tile) / 2 + 150;
  case Activity::HostStream: return step.row.exchangeId ? exchangeBytes(*step.row.exchangeId, tile) + 300 : 50;
  default: return 0;
  }
}

int64_t SyntheticProgram::flops(const SyntheticStep& step) const {
  if (Activity(step.row.activity) != Activity::Compute) return 0;
  int64_t sum = 0;
  for (int tile = 0; tile < tiles(); ++tile) sum += tileCycles(step, tile, 0) * 8;
  return sum;
}

} // namespace tests
