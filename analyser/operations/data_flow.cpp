#include "analyser/operations/data_flow.h"

#include "analyser/operations/operation_steps.h"
#include "analyser/program/callers.h"
#include "analyser/session/format.h"
#include "reports/sqlite/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>

namespace analyser::operations {

namespace {

constexpr int64_t kMostUses = 50'000'000; // uses of variables, also in called functions; no program that fits a chip has more
constexpr int kNone = -1;
constexpr std::size_t kReadable = 40;      // boxes of a graph if the levels are not given
constexpr std::size_t kMostBesideOne = 10; // factor on the limit of boxes, if the graph would otherwise be one box

struct Uses {
  std::vector<int64_t> reads, writes;
  std::vector<std::pair<int64_t, int64_t>> moves; // of a step that copies several variables: from, to; empty if unknown
  // Whether the sources of every written variable are known.
  bool tellsMoves() const { return !moves.empty() || reads.size() <= 1 || writes.size() <= 1; }
};

class FlowWalk {
public:
  FlowWalk(Session& session, const Operations& operations, Transfers transfers, std::stop_token stop)
      : m_stop(std::move(stop)), m_program(program::programTree(session, m_stop)), m_operations(operations),
        m_transfers(transfers), m_isArrow(operations.rows.size(), false), m_callers(session, m_program, m_stop),
        m_operationOf(operationOfNodes(session, operations, m_program, m_stop)) {
    for (std::size_t i = 0; i < operations.rows.size(); ++i)
      m_rowOf.emplace(int64_t(operations.rows[i].debugContext.value()), int(i));
    session.reader().forEach<reports::StepVariablesRow>(
        {}, {},
        [&](reports::StepVariablesRow& row) {
          m_isKnown = true;
          const int node = nodeOf(row.programStepId);
          if (node < 0) return;
          m_usesOf[node] = {reports::unpackDeltas(row.reads, std::size_t(row.readCount), "step_variables.reads"),
                            reports::unpackDeltas(row.writes, std::size_t(row.writtenCount), "step_variables.writes"),
                            {}};
        },
        m_stop);
    session.reader().forEach<reports::StepMoveRow>(
        {}, {},
        [&](const reports::StepMoveRow& row) {
          if (const auto uses = m_usesOf.find(nodeOf(row.programStepId)); uses != m_usesOf.end())
            uses->second.moves.emplace_back(row.fromVariableId, row.toVariableId);
        },
        m_stop);
  }

  DataFlow flow() {
    DataFlow flow;
    flow.isKnown = m_isKnown;
    if (!m_isKnown) return flow;
    requireEnd();
    for (const int root : m_program.roots)
      if (m_program.nodes[std::size_t(root)].kind != "Function") follow(root, flow);
    for (const auto& [operation, variable] : m_early)
      for (const int writer : m_states[variable].writers) add(writer, operation, variable, true);
    for (const auto& [edge, carried] : m_edges) {
      m_isArrow[std::size_t(std::get<0>(edge))] = m_isArrow[std::size_t(std::get<1>(edge))] = false;
      flow.edges.push_back({std::get<0>(edge), std::get<1>(edge), std::get<2>(edge), carried});
    }
    flow.isArrow = std::move(m_isArrow);
    return flow;
  }

private:
  struct State {
    std::vector<int> writers; // operations that wrote it since its last read
    bool wasRead = false;
  };

  int nodeOf(int64_t step) const {
    return step >= 0 && step <= INT32_MAX ? m_program.indexOf(reports::ProgramStepId(std::size_t(step))) : kNone;
  }

  // Throws Error(Damaged) for cycles of steps and calls: following them would not end.
  void requireEnd() const {
    enum : uint8_t { New, Open, Done };
    std::vector<uint8_t> state(m_program.nodes.size(), New);
    std::vector<int> stack(m_program.roots.begin(), m_program.roots.end()); // a node to enter, or ~node to leave
    while (!stack.empty()) {
      const int at = stack.back();
      stack.pop_back();
      if (at < 0) {
        state[std::size_t(~at)] = Done;
        continue;
      }
      if (state[std::size_t(at)] == Done) continue;
      if (state[std::size_t(at)] == Open)
        throw reports::Error(reports::ErrorCode::Damaged, "a step of the program calls itself", "program_step",
                             "make the report again");
      state[std::size_t(at)] = Open;
      stack.push_back(~at);
      const auto children = m_program.childrenOf(at);
      stack.insert(stack.end(), children.begin(), children.end());
      const program::Node& node = m_program.nodes[std::size_t(at)];
      if (const int callee = node.callee.valid() ? m_program.indexOf(node.callee) : kNone; callee >= 0) stack.push_back(callee);
    }
  }

  void follow(int root, DataFlow& flow) {
    struct Entry {
      int node = 0, frame = kNone;
    };
    std::vector<Entry> stack{{root}};
    while (!stack.empty()) {
      const auto [at, frame] = stack.back();
      stack.pop_back();
      if (++m_uses > kMostUses) {
        flow.issue = "The steps use variables more than " + formatCount(kMostUses) + " times; the data flow is cut there.";
        return;
      }
      if (m_uses >= m_nextLook) {
        reports::throwIfStopped(m_stop);
        m_nextLook = m_uses + 4096;
      }
      const auto children = m_program.childrenOf(at);
      for (auto child = children.rbegin(); child != children.rend(); ++child) stack.push_back({*child, frame});
      const program::Node& node = m_program.nodes[std::size_t(at)];
      if (node.callee.valid())
        if (const int callee = m_program.indexOf(node.callee); callee >= 0) stack.push_back({callee, enter(at, frame)});
      if (const auto used = m_usesOf.find(at); used != m_usesOf.end())
        step(caller(frame, m_operationOf[std::size_t(at)]), used->second);
    }
  }

  // The frame inside a call.
  int enter(int call, int frame) {
    const auto* pairs = m_callers.ofCall(call);
    if (!pairs) return frame;
    m_frames.push_back({pairs, frame});
    return int(m_frames.size()) - 1;
  }

  // The operation of the caller for which a step of a function runs.
  int caller(int frame, int operation) const {
    if (operation == kNone || frame == kNone) return operation;
    int64_t context = int64_t(m_operations.rows[std::size_t(operation)].debugContext.value());
    for (; frame != kNone; frame = m_frames[std::size_t(frame)].outer)
      if (const auto found = m_frames[std::size_t(frame)].pairs->find(context);
          found != m_frames[std::size_t(frame)].pairs->end())
        context = found->second;
    const auto row = m_rowOf.find(context);
    return row == m_rowOf.end() ? operation : row->second;
  }

  void step(int operation, const Uses& uses) {
    if (operation == kNone) return handOn(uses);
    if (m_transfers == Transfers::Arrows && isTransfer(m_operations.rows[std::size_t(operation)]) && uses.tellsMoves()) {
      m_isArrow[std::size_t(operation)] = true;
      return handOn(uses);
    }
    m_uses += int64_t(uses.reads.size() + uses.writes.size());
    for (const int64_t v : uses.reads) {
      State& state = m_states[v];
      m_uses += int64_t(state.writers.size());
      if (m_uses > kMostUses) return;
      state.wasRead = true;
      if (state.writers.empty()) m_early.insert({operation, v});
      for (const int writer : state.writers) add(writer, operation, v, false);
    }
    for (const int64_t v : uses.writes) {
      State& state = m_states[v];
      if (state.wasRead) state = {};
      if (state.writers.empty() || state.writers.back() != operation) state.writers.push_back(operation);
    }
  }

  // A step outside operations, or a transfer drawn as an arrow: written variables inherit the writers of the variables it reads.
  void handOn(const Uses& uses) {
    if (uses.reads.empty()) return; // a step without reads only reorders data that an earlier step copied
    m_uses += int64_t(uses.reads.size() + uses.writes.size() + uses.moves.size());
    std::map<int64_t, std::vector<int>> writersOf; // by written variable
    const auto become = [&](int64_t from, std::vector<int>& writers) {
      const std::vector<int>& before = m_states[from].writers;
      m_uses += int64_t(before.size());
      if (m_uses <= kMostUses) writers.insert(writers.end(), before.begin(), before.end());
    };
    const auto once = [](std::vector<int>& writers) {
      std::sort(writers.begin(), writers.end());
      writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
    };
    if (uses.moves.empty()) {
      std::vector<int> all;
      for (const int64_t from : uses.reads) become(from, all);
      once(all);
      for (const int64_t to : uses.writes) writersOf[to] = all;
    } else {
      for (const int64_t to : uses.writes) writersOf[to]; // a variable without a move is written, too
      for (const auto& [from, to] : uses.moves) become(from, writersOf[to]);
      for (auto& [to, writers] : writersOf) once(writers);
    }
    for (auto& [to, writers] : writersOf) m_states[to] = {std::move(writers), false};
  }

  void add(int from, int to, int64_t variable, bool carried) {
    if (from != to) m_edges.emplace(std::tuple(from, to, variable), carried); // the first entry stays
  }

  struct Frame {
    const program::Callers::Pairs* pairs;
    int outer = kNone;
  };

  std::stop_token m_stop;
  program::Program m_program;
  const Operations& m_operations;
  Transfers m_transfers;
  std::vector<bool> m_isArrow; // by operation
  program::Callers m_callers;
  std::unordered_map<int64_t, int> m_rowOf; // by debug context of the operation
  std::vector<Frame> m_frames;              // calls whose steps run for operations of the caller
  std::vector<int> m_operationOf;           // by node; kNone: no operation
  std::unordered_map<int, Uses> m_usesOf;   // by node
  std::unordered_map<int64_t, State> m_states;
  std::set<std::pair<int, int64_t>> m_early;             // operations and variables that they read before any write
  std::map<std::tuple<int, int, int64_t>, bool> m_edges; // from, to, variable: carried
  int64_t m_uses = 0, m_nextLook = 0;
  bool m_isKnown = false;
};

} // namespace

DataFlow dataFlow(Session& session, const Operations& operations, Transfers transfers, std::stop_token stop) {
  DataFlow flow = FlowWalk(session, operations, transfers, stop).flow();
  for (const DataEdge& edge : flow.edges) flow.variables.emplace(edge.variable, DataVariable{});
  if (flow.variables.empty()) return flow;
  reports::Statement statement(session.reader().connection(),
                               "SELECT id, name_id, element_type, shape, total_bytes FROM variable ORDER BY id");
  while (statement.step()) {
    int64_t id = 0, name = 0, bytes = 0;
    statement.read(0, id, "variable.id");
    const auto found = flow.variables.find(id);
    if (found == flow.variables.end()) continue;
    std::string type, shape;
    statement.read(1, name, "variable.name_id");
    statement.read(2, type, "variable.element_type");
    statement.read(3, shape, "variable.shape");
    statement.read(4, bytes, "variable.total_bytes");
    found->second = {session.text(name), type + (shape.empty() || shape.front() == '[' ? " " + shape : " [" + shape + "]"),
                     Bytes(bytes)};
    reports::throwIfStopped(stop);
  }
  return flow;
}

OperationGraph operationGraph(const std::vector<TreeRow>& tree, const DataFlow& flow, const std::vector<bool>& open) {
  std::vector<bool> isFolder(tree.size(), false), hasNode(tree.size(), false);
  const auto isArrow = [&](int operation) {
    return std::size_t(operation) < flow.isArrow.size() && flow.isArrow[std::size_t(operation)];
  };
  for (std::size_t i = tree.size(); i-- > 0;) { // children before their folder
    const TreeRow& row = tree[i];
    if (row.operation >= 0 && !isArrow(row.operation)) hasNode[i] = true;
    if (row.parent < 0) continue;
    isFolder[std::size_t(row.parent)] = true;
    if (hasNode[i]) hasNode[std::size_t(row.parent)] = true;
  }
  OperationGraph graph;
  std::vector<int> nodeOf(tree.size(), kNone); // the node of a row: its own or that of a collapsed folder
  std::vector<int> nodeOfOperation;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const int parent = tree[i].parent;
    const bool isSeen = parent < 0 || (nodeOf[std::size_t(parent)] == kNone && open[std::size_t(parent)]);
    if (!isSeen) {
      nodeOf[i] = nodeOf[std::size_t(parent)];
    } else if (hasNode[i] && (!isFolder[i] || !open[i])) {
      nodeOf[i] = int(graph.nodes.size());
      graph.nodes.push_back({int(i)});
    }
    if (tree[i].operation < 0) continue;
    nodeOfOperation.resize(std::max(nodeOfOperation.size(), std::size_t(tree[i].operation) + 1), kNone);
    nodeOfOperation[std::size_t(tree[i].operation)] = nodeOf[i];
  }
  const auto nodeAt = [&](int operation) {
    return std::size_t(operation) < nodeOfOperation.size() ? nodeOfOperation[std::size_t(operation)] : kNone;
  };
  struct Joined {
    std::set<int64_t> variables;
    bool carried = true;
  };
  std::map<std::pair<int, int>, Joined> joined;
  for (const DataEdge& edge : flow.edges) {
    const int from = nodeAt(edge.from), to = nodeAt(edge.to);
    if (from == to || from == kNone || to == kNone) continue;
    Joined& one = joined[{from, to}];
    one.variables.insert(edge.variable);
    one.carried = one.carried && edge.carried;
  }
  for (const auto& [ends, one] : joined) {
    GraphEdge edge{ends.first, ends.second, {}, {one.variables.begin(), one.variables.end()}, one.carried};
    const auto bytesOf = [&](int64_t v) { return flow.variables.at(v).bytes; };
    for (const int64_t v : edge.variables) edge.bytes += bytesOf(v);
    std::stable_sort(edge.variables.begin(), edge.variables.end(), [&](int64_t a, int64_t b) { return bytesOf(a) > bytesOf(b); });
    graph.edges.push_back(std::move(edge));
  }
  return graph;
}

std::vector<bool> openFolders(const std::vector<TreeRow>& tree, int levels) {
  if (levels <= 0) return openUpTo(tree, kReadable);
  std::vector<bool> open(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) open[i] = tree[i].depth + 1 < levels;
  return open;
}

std::vector<bool> openUpTo(const std::vector<TreeRow>& tree, std::size_t most) {
  std::vector<bool> open(tree.size(), false);
  std::vector<std::vector<std::size_t>> children(tree.size());
  std::size_t seen = 0;
  std::priority_queue<std::pair<int64_t, int64_t>> folders; // by number of operations; ties: the first row
  bool isFull = false;
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree[i].parent >= 0)
      children[std::size_t(tree[i].parent)].push_back(i);
    else
      ++seen;
  const auto offer = [&](std::size_t row) {
    if (!children[row].empty()) folders.push({tree[row].operations, -int64_t(row)});
  };
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree[i].parent < 0) offer(i);
  while (!folders.empty()) {
    const auto row = std::size_t(-folders.top().second);
    folders.pop();
    // A single box is not a graph: its children are shown even if they are more than requested. If one folder is too large, all
    // folders with several rows stay closed: otherwise a small open folder would look like most of the graph.
    isFull = isFull || seen - 1 + children[row].size() > (seen == 1 ? most * kMostBesideOne : most);
    if (isFull && children[row].size() > 1) continue;
    seen += children[row].size() - 1;
    open[row] = true;
    for (const std::size_t child : children[row]) offer(child);
  }
  return open;
}

namespace {

// Lines as quoted text for Graphviz.
std::string quoted(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += out.empty() ? "\"" : "\\n";
    for (const char c : printable(line)) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

} // namespace

std::string dotText(const OperationGraph& graph, const std::vector<TreeRow>& tree, const DataFlow& flow,
                    const std::string& title) {
  std::string text = "digraph " + quoted({title}) + " {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const TreeRow& row = tree[std::size_t(graph.nodes[i].row)];
    text += fmt::format("  n{} [label={}, tooltip={}];\n", i, quoted({row.title, formatCycles(row.totals.total)}),
                        quoted({row.totals.name}));
  }
  for (const GraphEdge& edge : graph.edges) {
    const std::string what = edge.variables.size() == 1 ? flow.variables.at(edge.variables.front()).type
                                                        : formatCount(int64_t(edge.variables.size())) + " variables";
    text += fmt::format("  n{} -> n{} [label={}{}];\n", edge.from, edge.to, quoted({what, formatBytes(edge.bytes)}),
                        edge.carried ? ", style=dashed, constraint=false" : "");
  }
  return text + "}\n";
}

} // namespace analyser::operations
