#include "simcore/samples/llm_program.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "reports/core/within.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/stream_lowering.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::samples {

using graph::Sequence;
using graph::Tensor;

namespace {

constexpr double kTableShare = 0.05; // share of a tile's memory for the look-up of tokens, besides an even share of the table
constexpr double kUneven = 1.5;      // the largest part of the table on a tile under this limit, as a multiple of an even share
constexpr double kCodeOfLayer = 30 * 1024; // bytes per tile: vertices, exchange and control code of both programs

// The first layer of each IPU after the first, chosen so that the fullest tile holds as few bytes as possible. The embedding is
// on the first IPU, the head on the last.
std::vector<int64_t> cutOfLayers(const LlmShape& s, int64_t ipus, int64_t tiles, int64_t size) {
  const double weights = double(s.parametersOfLayer()) * (s.weightBits ? double(s.weightBits) / 8 : double(size)) / double(tiles);
  const double layer = weights + kCodeOfLayer, last = double(s.vocabulary * s.hidden * size) / double(tiles),
               first = kUneven * last;
  const auto most = [&](int64_t ipu, double bytes) { // the most layers whose bytes fit a tile
    const double left = bytes - (ipu == 0 ? first : 0) - (ipu + 1 == ipus ? last : 0);
    return std::max<int64_t>(1, int64_t(left / layer + 1e-9));
  };
  double bytes = layer;
  const auto held = [&] {
    int64_t sum = 0;
    for (int64_t i = 0; i < ipus; ++i) sum += most(i, bytes);
    return sum;
  };
  while (held() < s.layers) bytes += layer / 8;
  std::vector<int64_t> starts;
  int64_t done = 0;
  for (int64_t i = 0; i + 1 < ipus; ++i) {
    done += std::min(most(i, bytes), s.layers - done - (ipus - 1 - i));
    starts.push_back(done);
  }
  return starts;
}

class LlmLowering {
public:
  LlmLowering(const Network& network, const LlmGraph& llm, const LlmShape& shape, const LlmPrograms& programs,
              const BuildOptions& options)
      : m_model(network.model()), m_llm(llm), m_shape(shape), m_programs(programs),
        m_load(model::emptyWorkload(m_model, options.machine)),
        m_root(m_load.graph->addContext({}, m_load.name, "model", "", {}, graph::kNoSource)), m_options(optionsOf(options)),
        m_scope(m_model.graph, nullptr, *m_load.graph, m_root, m_options) {}

  graph::Workload lower() {
    Sequence in, load, token, prompt;
    addStates();
    model::StreamLowering streams(m_scope);
    streams.lowerInputs(
        m_model, m_load, [&](int) -> Sequence& { return in; }, [&](int) -> Sequence& { return load; });
    const std::span<const model::Node> nodes(m_model.graph.nodes);
    m_scope.lowerNodes(nodes.first(m_programs.tokenNodes), token, true);
    m_scope.lowerNodes(nodes.subspan(m_programs.tokenNodes), prompt, true);
    write(token, m_programs.afterToken);
    write(prompt, m_programs.afterPrompt);
    m_scope.placeTheRest();
    Sequence toHost, store;
    sendTokens(streams, toHost, store);
    Sequence one, part, all;
    for (const Sequence* s : {&m_copies, &token, &toHost, &store})
      if (!s->empty()) one.add(*s);
    for (const Sequence* s : {&load, &in, &m_copies, &prompt})
      if (!s->empty()) part.add(*s);
    if (m_programs.prompts == 1)
      all = part;
    else
      all.add(graph::program::repeat(m_programs.prompts, part, "parts", m_root));
    m_load.programs = {{"token", one.program()}, {"prompt", all.program()}};
    m_load.before = {1};
    m_load.outputs = {"tokens"};
    return std::move(m_load);
  }

private:
  int ipus() const { return m_load.graph->machine().ipus; }

  model::LoweringOptions optionsOf(const BuildOptions& o) {
    model::LoweringOptions lowering;
    lowering.precision = o.type;
    lowering.availableMemoryProportion = o.parallel.availableMemoryProportion;
    // Limits the memory of the token look-up, which would be fastest with the table on few tiles.
    graph::MemoryShares shares = o.parallel.memoryShares ? *o.parallel.memoryShares : graph::MemoryShares();
    shares.try_emplace("llm/token/embedding/multiSlice", kTableShare);
    lowering.memoryShares = std::make_shared<const graph::MemoryShares>(std::move(shares));
    lowering.halfPartials = o.parallel.halfPartials;
    m_firstLayers = cutOfLayers(m_shape, ipus(), o.machine.tilesPerIpu, o.type == numerics::ElementType::Half ? 2 : 4);
    for (const int layer : m_llm.layerOfNode()) lowering.ipuOfNode.push_back(ipuOfLayer(layer));
    return lowering;
  }
  int ipuOfLayer(int layer) const {
    const int64_t at = std::clamp<int64_t>(layer, 0, m_shape.layers - 1);
    return int(std::upper_bound(m_firstLayers.begin(), m_firstLayers.end(), at) - m_firstLayers.begin());
  }

  void addStates() {
    graph::Graph& g = *m_load.graph;
    for (const LlmState& s : m_llm.states()) {
      const auto zeros = numerics::HostTensor::deferred(s.type, s.shape, [s] { return numerics::HostTensor(s.type, s.shape); });
      if (s.isRemote) { // the buffer is 0 until the prompt is written
        m_scope.setRemoteType(s.name, m_scope.deviceType(s.type));
        continue;
      }
      const Tensor variable = g.addVariable(m_scope.deviceType(s.type), s.shape, s.name, m_root);
      g.setInitialValue(variable, zeros);
      m_load.state[s.name] = variable;
      m_scope.keepVariable(s.name, variable, m_copies);
    }
  }

  void write(Sequence& program, const std::vector<LlmPrograms::Written>& written) {
    graph::Graph& g = *m_load.graph;
    for (const auto& [state, value] : written) {
      const Tensor to = m_load.state.at(state);
      Tensor from = m_scope.tensor(value);
      const int ipu = std::max(0, ops::ipuOf(g, to));
      const ops::OpBuilder b(g, program, m_root, true, ipu);
      if (ops::isElsewhere(g, from, ipu)) from = ops::interIpuCopy(b, from, ipu, "IpuCopy/" + state);
      program.add(graph::program::copy(from.reshape(to.shape()), to, "keep/" + state, m_root));
    }
  }

  void sendTokens(model::StreamLowering& streams, Sequence& toHost, Sequence& store) {
    const Tensor token = m_load.state.at(LlmGraph::kToken);
    const auto stream = m_load.graph->addDeviceToHostFifo("tokens", token.elementType(), token.numElements());
    streams.send(token, stream, "tokens", toHost, store);
  }

  const model::Model& m_model;
  const LlmGraph& m_llm;
  const LlmShape& m_shape;
  const LlmPrograms& m_programs;
  graph::Workload m_load;
  reports::DebugContextId m_root;
  std::vector<int64_t> m_firstLayers; // first layers of all IPUs except the first
  model::LoweringOptions m_options;
  model::LoweringScope m_scope;
  Sequence m_copies; // copies of states that several IPUs read
};

} // namespace

graph::Workload llmWorkload(const Network& network, const LlmGraph& llm, const LlmShape& shape, const LlmPrograms& programs,
                            const BuildOptions& options) {
  if (options.machine.ipus > shape.layers)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         fmt::format("{} cannot be spread over {}", reports::counted(shape.layers, "layer"),
                                     reports::counted(options.machine.ipus, "IPU")),
                         reports::option("ipus"), "give at most one IPU per layer");
  return reports::within(network.model().file, [&] { return LlmLowering(network, llm, shape, programs, options).lower(); });
}

} // namespace simcore::samples
