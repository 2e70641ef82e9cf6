#include "analyser/program/step_search.h"

#include <cmath>
#include <unordered_map>

namespace analyser::program {

namespace {

// The cycles of found steps, root by root: the cycles of a function are split among its calls by their executions.
class FoundCycles {
public:
  FoundCycles(const Program& program, const std::vector<bool>& isFound) : m_p(program), m_isFound(isFound) {
    for (const Node& n : program.nodes)
      if (const int callee = calleeOf(n); callee >= 0) m_calls[callee] += n.executions;
  }

  Cycles all() {
    double sum = 0;
    for (const int root : m_p.roots)
      if (!m_calls.contains(root)) sum += of(root);
    return Cycles(std::llround(sum));
  }

private:
  int calleeOf(const Node& n) const { return n.callee.valid() ? m_p.indexOf(n.callee) : -1; }

  double of(int root) {
    const auto [known, isNew] = m_known.try_emplace(root, 0.0); // a recursive function adds nothing
    if (!isNew) return known->second;
    double sum = 0;
    const int depth = m_p.nodes[std::size_t(root)].depth;
    for (auto i = std::size_t(root); i < m_p.nodes.size(); ++i) {
      const Node& n = m_p.nodes[i];
      if (int(i) > root && n.depth <= depth) break;
      if (m_isFound[i]) {
        sum += double(n.inclusive.value());
        while (i + 1 < m_p.nodes.size() && m_p.nodes[i + 1].depth > n.depth) ++i; // skips the contents of the match
      } else if (const int callee = calleeOf(n); callee >= 0 && m_calls[callee] > 0) {
        sum += of(callee) * double(n.executions) / double(m_calls[callee]);
      }
    }
    return m_known[root] = sum;
  }

  const Program& m_p;
  const std::vector<bool>& m_isFound;
  std::unordered_map<int, int64_t> m_calls; // by root of a function: executions of all its calls
  std::unordered_map<int, double> m_known;  // by root: cycles of the found steps below it
};

} // namespace

StepsFound findSteps(const Program& program, const std::function<bool(const std::string&)>& isMeant) {
  StepsFound found;
  std::vector<bool> isFound(program.nodes.size(), false);
  std::unordered_map<std::string_view, bool> known; // a program has many steps but few kinds and names
  const auto isMeantOnce = [&](const std::string& text) {
    const auto [at, isNew] = known.try_emplace(text, false);
    if (isNew) at->second = isMeant(text);
    return at->second;
  };
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    isFound[i] = isMeantOnce(program.nodes[i].name) || isMeantOnce(program.nodes[i].kind);
    if (isFound[i]) found.nodes.push_back(int(i));
  }
  found.cycles = FoundCycles(program, isFound).all();
  found.share = program.total > Cycles() ? ratio(found.cycles, program.total) : 0;
  return found;
}

} // namespace analyser::program
