// The operations for which the steps of a function run. A function that many layers share has the operations of the first layer;
// each call lists the operations for which it runs (table call_context).
#pragma once

#include "analyser/program/program_tree.h"

#include <map>
#include <unordered_map>

namespace analyser::program {

class Callers {
public:
  // An operation, by its debug context, and its own executions of a step.
  struct Share {
    int64_t context = 0, executions = 0;
    bool operator==(const Share&) const = default;
  };
  using Pairs = std::unordered_map<int64_t, int64_t>; // context in the function -> context for which it runs

  Callers(Session& session, const Program& program, std::stop_token stop = {});
  bool empty() const { return m_pairs.empty(); }
  // The operations for which a step of the operation `context` runs, most executions first; empty if it runs only for itself.
  // Executions of the function: they give each operation's share of the step's cost.
  const std::vector<Share>& of(int node, int64_t context);
  // The pairs of one call; null without pairs.
  const Pairs* ofCall(int node) const;

private:
  // The executions of a function through one chain of calls. `outer` is the chain of the function or program that contains the
  // call.
  struct Chain {
    const Pairs* pairs = nullptr; // null: the call keeps the contexts
    int outer = -1;               // index in m_chains
    int64_t executions = 0;
  };
  void chainsOf(int root, const std::vector<int>& calls, const Program& program);
  int rootOf(int node) const;
  int64_t caller(int chain, int64_t context) const;

  std::unordered_map<int, Pairs> m_pairs; // by node of the call
  std::vector<int> m_roots;               // nodes, rising
  std::vector<Chain> m_chains;
  std::unordered_map<int, std::vector<int>> m_chainsOf; // by node of the root
  std::map<std::pair<int, int64_t>, std::vector<Share>> m_shares;
};

} // namespace analyser::program
