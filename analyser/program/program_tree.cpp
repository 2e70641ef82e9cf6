#include "analyser/program/program_tree.h"

#include "analyser/program/follow_calls.h"
#include "analyser/program/model_layers.h"
#include "analyser/program/step_search.h"
#include "analyser/session/exchange_code.h"
#include "analyser/session/format.h"
#include "reports/sqlite/reader.h"

namespace analyser::program {

namespace {

struct StepCost {
  std::unordered_map<int64_t, std::pair<int64_t, int64_t>> byIpu; // cycles and executions; -1 for a step of all IPUs
  int64_t bytes = 0, flops = 0;
};

std::unordered_map<int64_t, StepCost> readCosts(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, StepCost> costs;
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement s(session.reader().connection(),
                       "SELECT program_step_id, coalesce(ipu, -1), cycles, executions, bytes_in, flops FROM step_profile");
  while (s.step()) {
    int64_t step = 0, ipu = 0, cycles = 0, executions = 0, bytes = 0, flops = 0;
    s.read(0, step, "step_profile.program_step_id");
    s.read(1, ipu, "step_profile.ipu");
    s.read(2, cycles, "step_profile.cycles");
    s.read(3, executions, "step_profile.executions");
    s.read(4, bytes, "step_profile.bytes_in");
    s.read(5, flops, "step_profile.flops");
    StepCost& cost = costs[step];
    cost.byIpu[ipu].first += cycles * executions;
    cost.byIpu[ipu].second += executions;
    cost.bytes += bytes * executions;
    cost.flops += flops * executions;
  }
  return costs;
}

template<class Tag> reports::Id<Tag> idOr(const std::optional<int64_t>& v) {
  return v && *v >= 0 ? reports::Id<Tag>(static_cast<std::size_t>(*v)) : reports::Id<Tag>();
}

Node nodeFrom(Session& session, const reports::ProgramStepRow& row) {
  Node n;
  n.id = reports::ProgramStepId(static_cast<std::size_t>(row.id));
  n.kind = row.kind;
  n.name = session.text(row.nameId);
  const auto slash = n.name.rfind('/');
  n.label = slash == std::string::npos ? n.name : n.name.substr(slash + 1);
  n.title = n.label;
  n.position = static_cast<int>(row.position);
  if (row.activity >= 0 && row.activity < reports::kActivityCount) n.activity = static_cast<reports::Activity>(row.activity);
  n.codeBytes = Bytes(row.codeBytes);
  n.repeatCount = row.repeatCount;
  n.livenessStep = row.livenessStep;
  n.computeSet = idOr<reports::ComputeSetTag>(row.computeSetId);
  n.exchange = idOr<reports::ExchangeTag>(row.exchangeId);
  n.callee = idOr<reports::ProgramStepTag>(row.calleeId);
  n.debugContext = idOr<reports::DebugContextTag>(row.debugContextId);
  return n;
}

void addCost(Node& n, const StepCost& cost) {
  for (const auto& [ipu, sums] : cost.byIpu) { // IPUs run a step in parallel: the slowest counts
    n.cycles = std::max(n.cycles, Cycles(sums.first));
    n.executions = std::max(n.executions, sums.second);
  }
  n.bytes = Bytes(cost.bytes);
  n.flops = Flops(cost.flops);
}

// The rows as read, before they are sorted depth-first.
struct RawTree {
  std::vector<Node> nodes;
  std::vector<std::vector<int>> children;
  std::vector<int> roots;
};

RawTree readTree(Session& session, std::vector<std::string>& issues, const std::stop_token& stop) {
  RawTree tree;
  const auto costs = readCosts(session, stop);
  auto code = exchangeCode(session, stop);
  std::vector<std::optional<int64_t>> parents;
  std::unordered_map<int64_t, int> indexById;
  tree.nodes.reserve(std::size_t(session.reader().count<reports::ProgramStepRow>())); // nodes are large: avoids copies
  session.reader().forEach<reports::ProgramStepRow>(
      {}, {},
      [&](const reports::ProgramStepRow& row) {
        Node n = nodeFrom(session, row);
        if (const auto cost = costs.find(row.id); cost != costs.end()) addCost(n, cost->second);
        if (row.exchangeId)
          if (const auto at = code.find(*row.exchangeId); at != code.end()) {
            n.codeBytes += Bytes(at->second);
            code.erase(at); // a later step with the same exchange adds no code
          }
        indexById.emplace(row.id, static_cast<int>(tree.nodes.size()));
        tree.nodes.push_back(std::move(n));
        parents.push_back(row.parentId);
      },
      stop);
  tree.children.resize(tree.nodes.size());
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const auto parent = parents[i] ? indexById.find(*parents[i]) : indexById.end();
    if (parents[i] && parent == indexById.end())
      issues.push_back("step " + std::to_string(tree.nodes[i].id.value()) + " names a parent that is not in the report");
    if (parent == indexById.end())
      tree.roots.push_back(static_cast<int>(i));
    else
      tree.children[static_cast<std::size_t>(parent->second)].push_back(static_cast<int>(i));
  }
  const auto before = [&](int a, int b) {
    const Node &x = tree.nodes[static_cast<std::size_t>(a)], &y = tree.nodes[static_cast<std::size_t>(b)];
    return std::tie(x.position, x.id) < std::tie(y.position, y.id);
  };
  for (auto& c : tree.children) std::sort(c.begin(), c.end(), before);
  std::stable_sort(tree.roots.begin(), tree.roots.end(), [&](int a, int b) {
    const auto isFunction = [&](int i) { return tree.nodes[static_cast<std::size_t>(i)].kind == "Function"; };
    return isFunction(a) < isFunction(b);
  });
  return tree;
}

// Depth-first with an explicit stack: a chain of a million steps must not overflow the stack.
void order(RawTree& tree, Program& program) {
  struct Visit {
    int raw, parent;
  };
  std::vector<Visit> stack;
  std::vector<int> placed(tree.nodes.size(), -1);
  program.nodes.reserve(tree.nodes.size());
  for (auto r = tree.roots.rbegin(); r != tree.roots.rend(); ++r) stack.push_back({*r, -1});
  while (!stack.empty()) {
    const auto [raw, parent] = stack.back();
    stack.pop_back();
    const auto r = static_cast<std::size_t>(raw);
    const int index = static_cast<int>(program.nodes.size());
    placed[r] = index;
    Node n = std::move(tree.nodes[r]);
    n.parent = parent;
    n.depth = parent < 0 ? 0 : program.nodes[static_cast<std::size_t>(parent)].depth + 1;
    n.children = static_cast<int>(tree.children[r].size());
    program.nodes.push_back(std::move(n));
    if (parent < 0) program.roots.push_back(index);
    for (auto c = tree.children[r].rbegin(); c != tree.children[r].rend(); ++c) stack.push_back({*c, index});
  }
  const auto lost = std::count(placed.begin(), placed.end(), -1);
  if (lost) program.issues.push_back(formatCount(lost) + " steps are their own ancestors and are left out");
  for (std::size_t r = 0; r < placed.size(); ++r) {
    if (placed[r] < 0) continue;
    program.nodes[static_cast<std::size_t>(placed[r])].firstChild = static_cast<int>(program.childIndex.size());
    for (const int child : tree.children[r]) program.childIndex.push_back(placed[static_cast<std::size_t>(child)]);
  }
}

// Children come after their parent, so one pass from the end sums the tree.
void sumUp(Program& program) {
  for (std::size_t i = program.nodes.size(); i-- > 0;) {
    const Node& n = program.nodes[i];
    if (n.parent < 0) {
      program.total += n.cycles;
      continue;
    }
    Node& p = program.nodes[static_cast<std::size_t>(n.parent)];
    p.cycles += n.cycles;
    p.bytes += n.bytes;
    p.flops += n.flops;
    p.codeBytes += n.codeBytes;
  }
}

Sentence verdictOf(const Program& program, const Machine& machine) {
  if (program.nodes.empty()) return "This report holds no program.";
  const auto steps = int64_t(program.nodes.size());
  const Node* costly = nullptr;
  for (const Node& n : program.nodes) {
    if (n.children) continue;
    if (!costly || n.cycles > costly->cycles) costly = &n;
  }
  Sentence verdict;
  const auto roots = static_cast<int64_t>(program.roots.size());
  Sentence parts; // the last clause
  parts << roots << (roots == 1 ? " program" : " programs and functions");
  verdict << steps << (steps == 1 ? " program step" : " program steps");
  if (!costly || costly->cycles <= Cycles()) return (verdict << "; ").append(parts) << ".";
  verdict << (steps == 1 ? " takes " : " take ") << program.total << machine.addedUp()
          << "; costliest: " << Sentence::Name{costly->name} << ", " << Sentence::Percent{ratio(costly->cycles, program.total)};
  if (costly->executions > 1) verdict << "; it runs " << costly->executions << " times";
  return (verdict << "; ").append(parts) << ".";
}

} // namespace

std::span<const int> Program::childrenOf(int node) const {
  const Node& n = nodes[static_cast<std::size_t>(node)];
  return std::span(childIndex).subspan(static_cast<std::size_t>(n.firstChild), static_cast<std::size_t>(n.children));
}

int Program::indexOf(reports::ProgramStepId id) const {
  const auto it = std::lower_bound(byId.begin(), byId.end(), std::pair(id, -1));
  return it != byId.end() && it->first == id ? it->second : -1;
}

Program programTree(Session& session, std::stop_token stop) {
  Program program;
  RawTree tree = readTree(session, program.issues, stop);
  order(tree, program);
  sumUp(program);
  for (std::size_t i = 0; i < program.nodes.size(); ++i) program.byId.emplace_back(program.nodes[i].id, static_cast<int>(i));
  std::sort(program.byId.begin(), program.byId.end());
  followCalls(program);
  nameCalls(session, program, stop);
  tellApart(program);
  nameLayers(session, program, stop);
  program.verdict = verdictOf(program, session.machine());
  return program;
}

std::vector<Root> rootsOf(const Program& program) {
  std::vector<Root> roots;
  std::unordered_map<uint32_t, std::size_t> place; // by step id
  for (std::size_t r = 0; r < program.roots.size(); ++r) {
    Root root;
    root.node = program.roots[r];
    const std::size_t end = r + 1 < program.roots.size() ? std::size_t(program.roots[r + 1]) : program.nodes.size();
    root.steps = int64_t(end) - root.node; // a root's subtree follows it
    place.emplace(program.nodes[std::size_t(root.node)].id.value(), roots.size());
    roots.push_back(root);
  }
  for (const Node& n : program.nodes)
    if (const auto at = n.callee.valid() ? place.find(n.callee.value()) : place.end(); at != place.end())
      if (Root& root = roots[at->second]; root.calls++ == 0) root.firstCall = int(&n - program.nodes.data());
  return roots;
}

std::vector<int> search(const Program& program, const std::string& text) {
  return findSteps(program, [&](const std::string& words) { return containsText(words, text); }).nodes;
}

} // namespace analyser::program
