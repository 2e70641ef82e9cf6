// Passes that fuse several nodes of a typed model into one operation of the machine's library: fewer steps, no intermediate
// values. Each pass can be switched off; numbers change only by rounding. The fused node lists its original nodes
// (Node::fused), so every step can still be traced to the nodes of the file.
#pragma once

#include "simcore/model/graph/graph.h"

#include <set>
#include <span>

namespace simcore::model {

struct FusionPass {
  const char* name;
  const char* summary;
  bool inTraining; // whether it also runs if the nodes have gradients
  int (*apply)(Graph&);
  bool leavesOut = false; // whether it removes nodes without a replacement
};
// In the order in which they run.
std::span<const FusionPass> fusionPasses();

struct FusionCount {
  std::string pass;
  int fired = 0;
};
// Runs the passes that are not `disabled`; if the model will be trained, only those with inTraining. Needs resolveTypes() first
// and keeps every value typed. `disabled` may be "all"; an unknown name throws reports::Error(InvalidInput) with the list of
// passes. `named`: nodes that options of the run name (the first of a part, a checkpoint), by the node's name or that of a value;
// no pass removes them.
std::vector<FusionCount> fuse(Model& model, const std::set<std::string>& disabled, bool training = false,
                              const std::set<std::string>& named = {});

} // namespace simcore::model
