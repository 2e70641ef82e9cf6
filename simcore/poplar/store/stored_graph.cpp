#include "simcore/poplar/store/stored_graph.h"

#include "simcore/poplar/store/codelet_files.h"
#include "simcore/poplar/store/graph_fields.h"
#include "simcore/poplar/store/recorded_call.h"

#include <algorithm>
#include <unordered_map>

namespace simcore::poplar {

using graph::Graph;
using graph::Program;
using graph::ProgramNode;
using reports::Error;
using reports::ErrorCode;

namespace {

// The source of a node's numbers: a recorded call, and the node's position among the programs of that call.
struct Numbers {
  std::size_t call = 0, place = 0;
};
constexpr std::size_t kNone = ~std::size_t(0);

// ---- tiles of virtual graphs ------------------------------------------------------------------------------------------

std::optional<Graph> virtualGraph(Graph& top, const std::vector<int64_t>& tiles) {
  if (std::adjacent_find(tiles.begin(), tiles.end(), [](int64_t a, int64_t b) { return b != a + 1; }) == tiles.end())
    return top.createVirtualGraph(tiles.front(), tiles.back() + 1);
  std::vector<int64_t> perIpu;
  for (const int64_t t : tiles)
    if (t < top.machine().tilesPerIpu) perIpu.push_back(t);
  Graph made = top.createVirtualGraph(perIpu);
  if (made.tiles() != int64_t(tiles.size())) return std::nullopt;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    if (int64_t(made.topLevelTile(int64_t(i)).value()) != tiles[i]) return std::nullopt;
  return made;
}

// ---- writing ----------------------------------------------------------------------------------------------------------

class Nodes {
public:
  std::size_t add(const Program& program) {
    if (!program) return kNone;
    if (const auto it = m_index.find(program.get()); it != m_index.end()) return it->second;
    for (const Program& child : program->children) add(child);
    m_index[program.get()] = m_all.size();
    m_all.push_back(program);
    return m_all.size() - 1;
  }
  std::size_t of(const Program& program) const { return program ? m_index.at(program.get()) : kNone; }
  const std::vector<Program>& all() const { return m_all; }

private:
  std::vector<Program> m_all; // children before their parents
  std::unordered_map<const ProgramNode*, std::size_t> m_index;
};

// The calls that compute the numbers of the program's nodes.
class CallsOfNodes {
public:
  explicit CallsOfNodes(const std::vector<CallOfGraph>& calls) {
    for (const CallOfGraph& call : calls) {
      const auto nodes = withNumbers(call.made);
      for (std::size_t i = 0; i < nodes.size(); ++i) m_of.emplace(nodes[i], std::pair{&call, i});
    }
  }
  Numbers numbersOf(const ProgramNode& node) {
    const auto it = m_of.find(&node);
    if (it == m_of.end() || !it->second.first->call)
      throw Error(ErrorCode::Unsupported,
                  "the library call '" + (it == m_of.end() ? node.name : it->second.first->kind) + "' cannot be kept in a file",
                  "executable", "build the graph where it runs");
    const auto [index, isNew] = m_index.emplace(it->second.first, m_used.size());
    if (isNew) m_used.push_back(it->second.first);
    return {index->second, it->second.second};
  }
  const std::vector<const CallOfGraph*>& used() const { return m_used; }

private:
  std::unordered_map<const ProgramNode*, std::pair<const CallOfGraph*, std::size_t>> m_of;
  std::unordered_map<const CallOfGraph*, std::size_t> m_index;
  std::vector<const CallOfGraph*> m_used;
};

void writeNode(Archive& a, const ProgramNode& node, const Nodes& nodes, CallsOfNodes& calls) {
  ProgramNode copy = node;
  fields(a, copy);
  std::vector<std::size_t> children;
  for (const Program& child : node.children) children.push_back(nodes.of(child));
  std::optional<std::pair<std::size_t, std::size_t>> numbers;
  if (node.kernel) {
    const Numbers n = calls.numbersOf(node);
    numbers = {n.call, n.place};
  }
  a(children, numbers);
}

// ---- both -------------------------------------------------------------------------------------------------------------

// Stores a list; reading rebuilds it by adding the elements in order.
template<class T, class Add> void list(Archive& a, const std::vector<T>& all, Add add) {
  std::size_t n = all.size();
  a(n);
  for (std::size_t i = 0; i < n; ++i) {
    T each = a.reads() ? T{} : all[i];
    a(each);
    if (a.reads()) add(each);
  }
}

void variables(Archive& a, Graph& g) {
  list(a, g.contexts(), [&](graph::DebugContext& c) {
    if (c.parent.valid() && c.parent.value() >= g.contexts().size()) Archive::refuse("a context comes before its parent");
    g.addContext(c.parent, c.name, c.layer, c.kind, c.details, graph::kNoSource);
  });
  list(a, g.variables(), [&](graph::Variable& v) {
    g.addVariable(v.type, v.shape, v.name, v.context);
    g.variable(reports::VariableId(g.variables().size() - 1)) = std::move(v);
  });
}

void hostSide(Archive& a, Graph& g) {
  std::vector<graph::HostFunction> functions = g.hostFunctions();
  std::vector<graph::RemoteBuffer> buffers = g.remoteBuffers();
  std::vector<graph::Stream> streams = g.streams();
  std::map<std::string, graph::HostHandle> handles = g.hostHandles();
  a(functions, buffers, streams, handles);
  if (!a.reads()) return;
  std::size_t function = 0;
  while (g.streams().size() < streams.size()) {
    const auto& s = streams[g.streams().size()];
    const auto isOf = [&](const graph::HostFunction& f) {
      const auto& ids = f.inputStreams.empty() ? f.outputStreams : f.inputStreams;
      return !ids.empty() && ids.front().value == g.streams().size();
    };
    if (function < functions.size() && isOf(functions[function])) {
      const auto& f = functions[function++];
      g.addHostFunction(f.handle, f.inputs, f.outputs);
    } else if (s.direction == graph::StreamDirection::HostToDevice) {
      g.addHostToDeviceFifo(s.name, s.type, s.elements, s.options);
    } else {
      g.addDeviceToHostFifo(s.name, s.type, s.elements, s.options);
    }
  }
  for (; function < functions.size(); ++function) // the functions without arguments
    g.addHostFunction(functions[function].handle, functions[function].inputs, functions[function].outputs);
  if (g.streams().size() != streams.size()) Archive::refuse("streams do not fit the functions of the host");
  for (const auto& b : buffers) g.addRemoteBuffer(b.handle, b.type, b.elements, b.repeats, b.rearrangeOnHost, b.optimiseMemory);
  for (const auto& [name, h] : handles) {
    if (h.read) g.createHostRead(name, h.tensor);
    if (h.write) g.createHostWrite(name, h.tensor);
  }
}

// Compute sets name vertex types by number; numbers are translated because they may differ in the graph that is read.
void vertices(Archive& a, Graph& g) {
  std::vector<graph::VertexType> types = g.vertexTypes();
  a(types);
  std::vector<uint32_t> typeOf;
  if (a.reads())
    for (auto& t : types) {
      if (t.codelet >= int(g.codelets().size())) Archive::refuse("a vertex type has no codelet");
      typeOf.push_back(g.vertexType(t));
    }
  const auto renamed = [&](uint32_t& type) {
    if (type >= typeOf.size()) Archive::refuse("a vertex has no type");
    type = typeOf[type];
  };
  list(a, g.computeSets(), [&](graph::ComputeSet& c) {
    const auto id = g.addComputeSet(c.name, c.context);
    for (auto& run : c.runs) renamed(run.type);
    for (auto& v : c.vertices) {
      renamed(v.type);
      const int codelet = g.vertexTypes()[v.type].codelet;
      if (codelet < 0 || (v.tile.valid() && int64_t(v.tile.value()) >= g.tiles()))
        Archive::refuse("a vertex does not fit the graph");
      const auto& known = g.codelets()[std::size_t(codelet)];
      for (const auto& [field, view] : v.edges)
        if (field >= known.fields.size()) Archive::refuse("a vertex has a field that its codelet lacks");
      for (const auto& s : v.state)
        if (s.field >= known.state.size() || int64_t(s.element) >= known.state[s.field].count)
          Archive::refuse("a vertex has a member that its codelet lacks");
    }
    g.computeSet(id) = std::move(c);
  });
  list(a, g.plans(), [&](graph::Plan& p) { g.addPlan(std::move(p)); });
}

} // namespace

std::string toBytes(const StoredProgram& program) {
  Archive a;
  Graph g = program.graph->getTopLevelGraph();
  arch::Machine machine = g.machine();
  StoredProgram head{program.name, program.targetType, program.architecture, program.options, nullptr, {}, nullptr};
  bool byVertex = g.vertexByVertex();
  a(head.name, head.targetType, head.architecture, head.options, machine, byVertex);
  variables(a, g);
  writeCodelets(a, g, program.shared->codeletFiles);
  vertices(a, g);
  hostSide(a, g);

  Nodes nodes;
  for (const auto& f : g.functions()) nodes.add(f.body);
  for (const Program& p : program.programs) nodes.add(p);
  CallsOfNodes calls(program.shared->calls);
  std::size_t count = nodes.all().size();
  a(count);
  for (const Program& node : nodes.all()) writeNode(a, *node, nodes, calls);
  std::vector<std::pair<std::string, std::size_t>> functions;
  for (const auto& f : g.functions()) functions.emplace_back(f.name, nodes.of(f.body));
  std::vector<std::size_t> programs;
  for (const Program& p : program.programs) programs.push_back(nodes.of(p));
  a(functions, programs);

  count = calls.used().size();
  a(count);
  for (const CallOfGraph* call : calls.used()) {
    if (!call->tiles.empty() && !virtualGraph(g, call->tiles))
      throw Error(ErrorCode::Unsupported,
                  "the call '" + call->kind + "' on a virtual graph of scattered tiles cannot be kept in a file", "executable",
                  "build the graph where it runs");
    std::string name = call->call->name();
    std::vector<int64_t> tiles = call->tiles;
    std::size_t made = withNumbers(call->made).size();
    a(name, tiles, made);
    call->call->arguments(a);
  }
  return a.bytes();
}

// ---- reading ----------------------------------------------------------------------------------------------------------

namespace {

using MutableNodes = std::vector<std::shared_ptr<ProgramNode>>;
struct Wanted { // a node that needs numbers, and their source
  std::size_t node = 0;
  Numbers from;
};

void requireFits(const ProgramNode& n, const Graph& g) {
  using Kind = ProgramNode::Kind;
  const auto children = [&](std::size_t wanted) { return n.children.size() == wanted; };
  bool fits = true;
  switch (n.kind) {
  case Kind::Execute: fits = n.computeSet.valid() && n.computeSet.value() < g.computeSets().size(); break;
  case Kind::StreamToTensor: fits = n.stream.value < g.streams().size() && n.destination.valid(); break;
  case Kind::TensorToStream: fits = n.stream.value < g.streams().size() && n.source.valid(); break;
  case Kind::RemoteToTensor: fits = n.remoteBuffer.id < g.remoteBuffers().size() && n.destination.valid(); break;
  case Kind::TensorToRemote: fits = n.remoteBuffer.id < g.remoteBuffers().size() && n.source.valid(); break;
  case Kind::Copy:
    fits = n.source.valid() && n.destination.valid() && n.source.shape() == n.destination.shape() &&
           n.source.elementType() == n.destination.elementType();
    break;
  case Kind::Repeat:
  case Kind::Block: fits = children(1); break;
  case Kind::RepeatWhileTrue:
  case Kind::RepeatWhileFalse:
  case Kind::If: fits = children(2) && n.source.valid(); break;
  case Kind::Switch: fits = children(n.cases.size() + 1) && n.source.valid(); break;
  default: break;
  }
  for (const auto* list : {&n.reads, &n.writes})
    for (const auto id : *list) fits = fits && id.value() < g.variables().size();
  if (!fits) Archive::refuse("a program does not fit the graph");
}

MutableNodes readNodes(Archive& a, const Graph& g, std::vector<Wanted>& wanted) {
  std::size_t count = 0;
  a(count);
  MutableNodes nodes;
  for (std::size_t i = 0; i < count; ++i) {
    auto node = std::make_shared<ProgramNode>();
    fields(a, *node);
    std::vector<std::size_t> children;
    std::optional<std::pair<std::size_t, std::size_t>> numbers;
    a(children, numbers);
    for (const std::size_t child : children) {
      if (child != kNone && child >= i) Archive::refuse("a program contains itself");
      node->children.push_back(child == kNone ? Program() : nodes[child]);
    }
    requireFits(*node, g);
    if (numbers) wanted.push_back({i, {numbers->first, numbers->second}});
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Program nodeAt(const MutableNodes& nodes, std::size_t index) {
  if (index == kNone) return nullptr;
  if (index >= nodes.size()) Archive::refuse("a program is missing");
  return nodes[index];
}

// Repeats the calls on a copy of the graph and assigns their functions to the nodes.
void readCalls(Archive& a, const Graph& g, const MutableNodes& nodes, const std::vector<Wanted>& wanted) {
  Graph scratch = std::const_pointer_cast<Graph>(g.snapshot())->getTopLevelGraph();
  scratch.keepPairs(false);
  const auto context = scratch.addContext({}, "again", "user", "", {}, graph::kNoSource);
  std::size_t count = 0;
  a(count);
  std::vector<std::vector<graph::HostKernel>> kernels;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name;
    std::vector<int64_t> tiles;
    std::size_t made = 0;
    a(name, tiles, made);
    const auto call = callNamed(name);
    call->arguments(a);
    auto place = tiles.empty() ? std::optional<Graph>(scratch.getTopLevelGraph()) : virtualGraph(scratch, tiles);
    if (!place) Archive::refuse("a library call uses tiles that do not exist");
    graph::Sequence sequence;
    const std::size_t firstFunction = scratch.functions().size();
    call->run(ops::OpBuilder(*place, sequence, context));
    std::vector<Program> programs = sequence.children();
    for (std::size_t f = firstFunction; f < scratch.functions().size(); ++f) programs.push_back(scratch.functions()[f].body);
    kernels.emplace_back();
    for (const ProgramNode* node : withNumbers(programs)) kernels.back().push_back(node->kernel);
    if (kernels.back().size() != made) Archive::refuse("a library call no longer makes the same programs");
  }
  for (const Wanted& w : wanted) {
    if (w.from.call >= kernels.size() || w.from.place >= kernels[w.from.call].size())
      Archive::refuse("the numbers of a program have no library call");
    nodes[w.node]->kernel = kernels[w.from.call][w.from.place];
  }
}

} // namespace

StoredProgram ofBytes(std::string_view bytes) {
  Archive a(bytes);
  StoredProgram program;
  arch::Machine machine;
  bool byVertex = false;
  a(program.name, program.targetType, program.architecture, program.options, machine, byVertex);
  program.shared = std::make_shared<::poplar::SharedByGraphs>();
  program.shared->type = program.targetType;
  program.shared->architecture = program.architecture;
  const auto made = std::make_shared<Graph>(std::move(machine));
  Graph& g = *made;
  g.setVertexByVertex(byVertex);
  a.setGraph(g);
  variables(a, g);
  readCodelets(a, g, program.architecture, program.shared->codeletFiles);
  vertices(a, g);
  hostSide(a, g);
  std::vector<Wanted> wanted;
  const MutableNodes nodes = readNodes(a, g, wanted);
  std::vector<std::pair<std::string, std::size_t>> functions;
  std::vector<std::size_t> programs;
  a(functions, programs);
  for (const auto& [name, body] : functions) g.addFunction(name, nodeAt(nodes, body));
  for (const auto& node : nodes)
    if (node->kind == ProgramNode::Kind::Call && node->function.value >= g.functions().size())
      Archive::refuse("a called function is missing");
  for (const std::size_t p : programs) program.programs.push_back(nodeAt(nodes, p));
  readCalls(a, g, nodes, wanted);
  if (!a.atEnd()) Archive::refuse("other bytes follow the executable");
  program.graph = made;
  return program;
}

} // namespace simcore::poplar
