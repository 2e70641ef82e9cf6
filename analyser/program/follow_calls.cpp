#include "analyser/program/follow_calls.h"

#include "analyser/session/debug_contexts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace analyser::program {

namespace {

bool isFunction(const Node& n) { return n.kind == "Function"; }
int64_t timesInside(const Node& n) { return n.repeatCount && *n.repeatCount > 0 ? *n.repeatCount : 1; }

class Calls {
public:
  explicit Calls(Program& program) : m_p(program), m_body(program.nodes.size(), 0), m_state(program.nodes.size(), 0) {}

  void follow() {
    countBodies();
    // Callers before callees: a function whose steps have no count ran as often as its calls.
    for (const int root : m_p.roots)
      if (!isFunction(node(root))) spread(root);
    countCallers();
    for (const int root : m_p.roots)
      if (isFunction(node(root))) spread(root);
    for (std::size_t i = 0; i < m_p.nodes.size(); ++i)
      if (const int callee = calleeOf(int(i)); callee >= 0) m_calls[callee] += m_p.nodes[i].executions;
    for (const int root : m_p.roots) cost(root);
  }

private:
  Node& node(int i) { return m_p.nodes[std::size_t(i)]; }
  int calleeOf(int i) const {
    const auto callee = m_p.nodes[std::size_t(i)].callee;
    return callee.valid() ? m_p.indexOf(callee) : -1;
  }

  // Sets the executions of nodes from the counts of the steps inside them. Goes backwards, because children come after their
  // parents.
  void countBodies() {
    for (std::size_t i = m_p.nodes.size(); i-- > 0;) {
      Node& n = m_p.nodes[i];
      if (n.children > 0 && n.executions == 0) n.executions = m_body[i] / timesInside(n);
      if (n.parent >= 0) m_body[std::size_t(n.parent)] = std::max(m_body[std::size_t(n.parent)], n.executions);
    }
  }

  // Downwards: a node without a count ran as often as the other children of its parent. Relies on a subtree being contiguous.
  void spread(int root) {
    Node& top = node(root);
    if (top.executions == 0 && isFunction(top))
      for (std::size_t i = 0; i < m_p.nodes.size(); ++i)
        if (calleeOf(int(i)) == root) top.executions += m_p.nodes[i].executions;
    for (std::size_t i = std::size_t(root); i < m_p.nodes.size() && (int(i) == root || m_p.nodes[i].depth > top.depth); ++i) {
      Node& n = m_p.nodes[i];
      if (n.executions > 0 || n.parent < 0 || (n.children == 0 && !n.callee.valid())) continue;
      const Node& parent = node(n.parent);
      n.executions = m_body[std::size_t(n.parent)] > 0 ? m_body[std::size_t(n.parent)] : parent.executions * timesInside(parent);
    }
  }

  std::size_t endOf(int root) const {
    std::size_t end = std::size_t(root) + 1;
    while (end < m_p.nodes.size() && m_p.nodes[end].depth > m_p.nodes[std::size_t(root)].depth) ++end;
    return end;
  }

  // A program made only of calls has no step to count, so its count comes from functions without another known caller.
  void countCallers() {
    std::set<int> called; // functions whose calls are known to have run
    for (std::size_t i = 0; i < m_p.nodes.size(); ++i)
      if (const int callee = calleeOf(int(i)); callee >= 0 && m_p.nodes[i].executions > 0) called.insert(callee);
    for (const int root : m_p.roots) {
      if (isFunction(node(root)) || node(root).executions > 0) continue;
      const std::size_t end = endOf(root);
      int tells = -1;
      for (std::size_t i = std::size_t(root); i < end && tells < 0; ++i)
        if (const int callee = calleeOf(int(i)); callee >= 0 && node(callee).executions > 0 && !called.count(callee))
          tells = callee;
      if (tells < 0) continue;
      node(root).executions = 1;
      spread(root);
      int64_t calls = 0; // in one run
      for (std::size_t i = std::size_t(root); i < end; ++i)
        if (calleeOf(int(i)) == tells) calls += m_p.nodes[i].executions;
      const int64_t runs = calls > 0 ? node(tells).executions / calls : 1;
      for (std::size_t i = std::size_t(root); i < end && runs > 1; ++i) m_p.nodes[i].executions *= runs;
    }
  }

  // Cost of a root and its subtree; recurses only for calls, which are few levels deep.
  void cost(int root) {
    if (m_state[std::size_t(root)] != 0) return; // counted, or being counted: a function of a damaged report calls itself
    m_state[std::size_t(root)] = 1;
    for (std::size_t i = endOf(root); i-- > std::size_t(root);) {
      Node& n = m_p.nodes[i];
      if (n.children == 0) n.inclusive = n.cycles, n.inclusiveBytes = n.bytes, n.inclusiveFlops = n.flops;
      if (const int callee = calleeOf(int(i)); callee >= 0 && m_state[std::size_t(callee)] != 1) {
        cost(callee);
        const int64_t all = m_calls[callee];
        const double part = all > 0 ? double(n.executions) / double(all) : 0;
        const Node& called = node(callee);
        const auto share = [part](int64_t cost) { return int64_t(std::llround(double(cost) * part)); };
        n.inclusive += Cycles(share(called.inclusive.value()));
        n.inclusiveBytes += Bytes(share(called.inclusiveBytes.value()));
        n.inclusiveFlops += Flops(share(called.inclusiveFlops.value()));
      }
      if (n.parent < 0) continue;
      Node& parent = node(n.parent);
      parent.inclusive += n.inclusive;
      parent.inclusiveBytes += n.inclusiveBytes;
      parent.inclusiveFlops += n.inclusiveFlops;
    }
    m_state[std::size_t(root)] = 2;
  }

  Program& m_p;
  std::vector<int64_t> m_body;    // by node: executions of its contents
  std::vector<char> m_state;      // by root: 0 not counted, 1 being counted, 2 counted
  std::map<int, int64_t> m_calls; // by root of a function: executions of all its calls
};

} // namespace

void followCalls(Program& program) { Calls(program).follow(); }

void nameCalls(Session& session, Program& program, const std::stop_token& stop) {
  struct First {
    int64_t inFunction, caller; // debug contexts
  };
  std::unordered_map<int64_t, First> firsts; // by step of the call
  session.reader().forEach<reports::CallContextRow>(
      {}, {},
      [&](const reports::CallContextRow& row) {
        const auto [at, isNew] = firsts.try_emplace(row.programStepId, First{row.functionContextId, row.callerContextId});
        if (!isNew && row.functionContextId < at->second.inFunction) at->second = {row.functionContextId, row.callerContextId};
      },
      stop);
  if (firsts.empty()) return;
  const OperationNames operations(session, stop);
  // The first call of a function runs for the function's own operations.
  std::unordered_map<int, std::string> known; // by node of the function
  const auto ownOf = [&](const Node& call) -> const std::string& {
    const int callee = program.indexOf(call.callee);
    const auto [at, isNew] = known.try_emplace(callee);
    if (!isNew) return at->second;
    for (auto i = std::size_t(std::max(callee, 0)); callee >= 0 && i < program.nodes.size(); ++i) {
      const Node& inside = program.nodes[i];
      if (int(i) > callee && inside.depth <= program.nodes[std::size_t(callee)].depth) break;
      if (!inside.debugContext.valid()) continue;
      if (const std::string& name = operations.of(int64_t(inside.debugContext.value())); !name.empty()) return at->second = name;
    }
    return at->second;
  };
  for (Node& n : program.nodes) {
    if (!n.callee.valid()) continue;
    reports::throwIfStopped(stop);
    const auto first = firsts.find(int64_t(n.id.value()));
    const std::string path = first == firsts.end() ? ownOf(n) : operations.of(first->second.caller);
    if (!path.empty()) n.name = path + '/' + n.label;
  }
}

namespace {
void tellApartAmong(Program& program, std::span<const int> siblings) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<int>> alike; // by kind and label
  for (const int i : siblings) {
    const Node& n = program.nodes[std::size_t(i)];
    alike[{n.kind, n.label}].push_back(i);
  }
  for (const auto& [called, nodes] : alike) {
    if (nodes.size() < 2) continue;
    std::map<std::string_view, int> times; // by name
    for (const int i : nodes) ++times[program.nodes[std::size_t(i)].name];
    for (const int i : nodes) {
      Node& n = program.nodes[std::size_t(i)];
      if (times.size() > 1) n.title = n.name;
      if (times[n.name] > 1) n.title += (n.title.empty() ? "#" : " #") + std::to_string(n.id.value());
    }
  }
}
} // namespace

void tellApart(Program& program) {
  tellApartAmong(program, program.roots);
  for (std::size_t i = 0; i < program.nodes.size(); ++i) tellApartAmong(program, program.childrenOf(int(i)));
}

} // namespace analyser::program
