// Lowers a range of nodes on one IPU, with a function for repeated layers. A function works on its own variables: inputs are copied to them
// before a call, and outputs are copied from them after it, unless their readers run before the next call (sums of gradients, stashes).
#pragma once

#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/outline.h"

#include <deque>

namespace simcore::model {

// The nodes [first, end), cut into ranges on one IPU each.
std::vector<std::vector<std::size_t>> stretchesOf(const std::vector<int>& ipuOfNode, std::size_t first, std::size_t end);

// A range of nodes for lowering. With functions, sums write into persistent variables, so they stay outside of the functions, after the
// nodes that make their gradients; transfers from and to remote buffers stay outside, too. Layers repeat among the other nodes.
struct Section {
  Section(const Graph& graph, std::vector<std::size_t> allNodes, bool withFunctions);

  std::vector<std::size_t> nodes, others;
  bool outline;
  std::vector<RepeatedLayers> repeated; // positions in `others`
};

// Nodes of a section for which SectionLowering::lower() makes a program: for repeated layers, only those of the first layer.
std::vector<std::size_t> nodesWithPrograms(const Graph& graph, const Section& section);

// Location of a repeated layer: the modules that contain most of its nodes, and its first node if the modules are not unique.
struct LayerPlace {
  std::vector<std::string> modules;
  std::string firstNode;
};

class SectionLowering {
public:
  // `programs` gets the programs in order. Their addresses are stable, so more can be appended to any of them.
  SectionLowering(LoweringScope& scope, std::deque<graph::Sequence>& programs, ops::StageRoutes* routes, int stage)
      : m_scope(scope), m_programs(programs), m_routes(routes), m_stage(stage) {}

  // Lowers a section of the scope's graph.
  void lower(const Section& section);

private:
  struct Function {
    graph::FunctionId id;
    std::string name;
    int ipu = 0;
    std::vector<graph::Tensor> inputs, outputs;
    std::vector<reports::DebugContextId> contexts; // of the first layer's nodes
    std::vector<bool> fleeting;                    // outputs that are read before the next call
  };
  graph::Sequence& next();
  void lowerOne(std::size_t node);
  void lowerLayers(const RepeatedLayers& layers);
  Function makeFunction(const RepeatedLayers& layers, const LayerPlace& place);
  void callFunction(const Function& function, const Layer& layer, const LayerPlace& place, int number);
  bool isFleeting(const RepeatedLayers& layers, std::size_t output) const;
  void load(const std::string& name); // loads the value unless it is already loaded
  ops::OpBuilder builder(graph::Sequence& program, int ipu, const std::string& what, const LayerPlace& place) const;

  LoweringScope& m_scope;
  std::deque<graph::Sequence>& m_programs;
  ops::StageRoutes* m_routes;
  int m_stage;
  std::unordered_map<std::string, std::vector<std::size_t>> m_readers; // of each value
  std::map<std::string, std::size_t> m_loads;                          // RemoteLoad nodes by output name
  std::map<std::string, std::vector<std::size_t>> m_sums;              // Accumulate nodes by the gradient they read
};

} // namespace simcore::model
