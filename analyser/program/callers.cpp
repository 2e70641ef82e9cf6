#include "analyser/program/callers.h"

#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace analyser::program {

namespace {
constexpr std::size_t kMostChains = 1'000'000; // programs that fit a chip have fewer; above, a function keeps its own cost
}

Callers::Callers(Session& session, const Program& program, std::stop_token stop) {
  session.reader().forEach<reports::CallContextRow>(
      {}, {},
      [&](const reports::CallContextRow& row) {
        const int node = row.programStepId < 0 ? -1 : program.indexOf(reports::ProgramStepId(std::size_t(row.programStepId)));
        if (node >= 0) m_pairs[node].emplace(row.functionContextId, row.callerContextId);
      },
      stop);
  if (m_pairs.empty()) return;
  m_roots = program.roots;
  std::sort(m_roots.begin(), m_roots.end());
  // Callers before callees: a root is ready once all its calls are counted. A recursive function is never ready, so it has no
  // chains.
  std::unordered_map<int, std::vector<int>> callsOf, callsIn; // by root
  std::unordered_map<int, std::size_t> left;
  for (std::size_t n = 0; n < program.nodes.size(); ++n) {
    const auto callee = program.nodes[n].callee;
    const int root = callee.valid() ? program.indexOf(callee) : -1;
    if (root < 0) continue;
    callsOf[root].push_back(int(n)), callsIn[rootOf(int(n))].push_back(root);
    ++left[root];
  }
  std::vector<int> ready;
  for (const int root : m_roots)
    if (!left.contains(root)) ready.push_back(root);
  while (!ready.empty()) {
    reports::throwIfStopped(stop);
    const int root = ready.back();
    ready.pop_back();
    chainsOf(root, callsOf[root], program);
    for (const int callee : callsIn[root])
      if (--left[callee] == 0) ready.push_back(callee);
  }
}

void Callers::chainsOf(int root, const std::vector<int>& calls, const Program& program) {
  std::vector<int>& chains = m_chainsOf[root];
  int64_t plain = 0; // executions for the function's own operations
  for (const int call : calls) {
    const int64_t executions = program.nodes[std::size_t(call)].executions;
    const Pairs* pairs = ofCall(call);
    const auto outer = m_chainsOf.find(rootOf(call));
    const bool isPlain = outer == m_chainsOf.end() || outer->second.empty() || m_chains.size() > kMostChains;
    if (isPlain && !pairs) {
      plain += executions;
      continue;
    }
    if (isPlain) {
      chains.push_back(int(m_chains.size()));
      m_chains.push_back({pairs, -1, executions});
      continue;
    }
    double all = 0;
    for (const int chain : outer->second) all += double(m_chains[std::size_t(chain)].executions);
    for (const int chain : outer->second) {
      const double share = all > 0 ? double(m_chains[std::size_t(chain)].executions) / all : 0;
      chains.push_back(int(m_chains.size()));
      m_chains.push_back({pairs, chain, std::llround(double(executions) * share)});
    }
  }
  if (chains.empty() || plain == 0) return;
  chains.push_back(int(m_chains.size()));
  m_chains.push_back({nullptr, -1, plain});
}

int Callers::rootOf(int node) const {
  const auto after = std::upper_bound(m_roots.begin(), m_roots.end(), node);
  return after == m_roots.begin() ? -1 : *(after - 1); // a root's subtree follows it
}

const Callers::Pairs* Callers::ofCall(int node) const {
  const auto found = m_pairs.find(node);
  return found == m_pairs.end() ? nullptr : &found->second;
}

int64_t Callers::caller(int chain, int64_t context) const {
  for (; chain >= 0; chain = m_chains[std::size_t(chain)].outer) {
    const Pairs* pairs = m_chains[std::size_t(chain)].pairs;
    if (const auto found = pairs ? pairs->find(context) : Pairs::const_iterator(); pairs && found != pairs->end())
      context = found->second;
  }
  return context;
}

const std::vector<Callers::Share>& Callers::of(int node, int64_t context) {
  const int root = rootOf(node);
  const auto [it, isNew] = m_shares.try_emplace({root, context});
  const auto chains = m_chainsOf.find(root);
  if (!isNew || chains == m_chainsOf.end()) return it->second;
  std::vector<Share>& shares = it->second;
  std::unordered_map<int64_t, std::size_t> places;
  for (const int chain : chains->second) {
    const int64_t of = caller(chain, context);
    const auto [place, added] = places.emplace(of, shares.size());
    if (added) shares.push_back({of, 0});
    shares[place->second].executions += m_chains[std::size_t(chain)].executions;
  }
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.executions > b.executions; });
  if (shares.size() == 1 && shares.front().context == context) shares.clear();
  return shares;
}

} // namespace analyser::program
