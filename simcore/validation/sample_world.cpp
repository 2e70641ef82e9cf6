#include "simcore/validation/sample_world.h"

#include "simcore/compile/vertex_times.h"
#include "simcore/samples/sample.h"

#include <algorithm>

namespace simcore::validation {

using graph::Codelet;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

int64_t tileCycles(Codelet::Kind kind, int64_t cycles, const arch::Machine& machine) {
  return kind == Codelet::Kind::Worker ? cycles * machine.tile.workers : cycles;
}

// Runs the codelet's own function and returns the fields that it writes.
std::map<std::string, HostTensor> computed(const Codelet& codelet, const std::vector<graph::StateValue>& state,
                                           std::vector<ConnectedField> fields) {
  std::vector<graph::VertexFields::Edge> edges;
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (HostTensor& vector : fields[f].vectors)
      edges.push_back({uint16_t(f), vector.type(), vector.mutableRaw().data(), vector.count()});
  graph::VertexFields view(codelet, edges, state);
  codelet.compute(view);
  std::map<std::string, HostTensor> results;
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (codelet.fields[f].direction != graph::FieldDirection::Input) results[fields[f].name] = fields[f].vectors.at(0);
  return results;
}

} // namespace

SampleWorld::SampleWorld(const std::string& sample, const Settings& settings, int tiles) : m_sample(sample) {
  const samples::Sample& found = samples::findSample(sample);
  samples::BuildOptions options;
  options.machine = arch::tinyMachine(tiles, 1);
  m_load = found.build(samples::Parameters(found.name, found.parameters, settings), options);
  m_executable = compile::compile(m_load.graph, m_load.programs);
  run::EngineOptions engine;
  engine.printStream = &m_printed;
  m_engine = std::make_unique<run::Engine>(m_executable, engine, nullptr);
  for (const auto& [stream, values] : m_load.inputs) m_engine->connectInput(stream, values);
  for (const std::size_t program : m_load.before) m_engine->run(program);
  m_engine->run();
}

HostTensor SampleWorld::values(const std::string& name) const {
  const auto& variables = m_load.graph->variables();
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.name == name; });
  if (found == variables.end()) throw Error(ErrorCode::NotFound, "the sample has no variable '" + name + "'", m_sample);
  const reports::VariableId id{std::size_t(found - variables.begin())};
  return m_engine->readTensor(graph::Tensor(id, found->type, found->shape));
}

SampleVertex SampleWorld::libraryVertex(const std::string& name, const std::string& source, const std::string& codelet) const {
  const graph::Graph& graph = *m_load.graph;
  for (const auto& set : graph.computeSets())
    for (const auto& run : set.runs) {
      const graph::VertexType& type = graph.vertexTypes()[run.type];
      if (type.name != name && set.name != name) continue;
      SampleVertex result;
      result.sample = m_sample;
      result.vertex = type.name;
      result.source = source;
      result.codelet = codelet;
      result.formula = tileCycles(type.kind, run.cycles, graph.machine());
      return result;
    }
  throw Error(ErrorCode::NotFound, "the sample has no vertices '" + name + "'", m_sample);
}

SampleVertex SampleWorld::userVertex(const std::string& name, const std::string& source, std::size_t vertex) const {
  const graph::Graph& graph = *m_load.graph;
  compile::VertexEstimates estimates(graph);
  for (const auto& set : graph.computeSets())
    for (const auto& v : set.vertices) {
      const Codelet& codelet = graph.codeletOf(v);
      if (codelet.name != name || vertex-- > 0) continue;
      SampleVertex result;
      result.sample = m_sample;
      result.vertex = result.codelet = name;
      result.source = source;
      for (const auto& field : codelet.fields) result.fields.push_back({field.name, {}});
      for (const auto& [field, view] : v.edges) result.fields[field].vectors.push_back(m_engine->readTensor(view.flatten()));
      for (const auto& s : v.state) result.state.emplace_back(codelet.state[s.field].name, s.number());
      result.formula = tileCycles(codelet.kind, estimates.of(v).cycles, graph.machine());
      result.results = computed(codelet, v.state, result.fields);
      return result;
    }
  throw Error(ErrorCode::NotFound, "the sample has no vertices '" + name + "'", m_sample);
}

} // namespace simcore::validation
