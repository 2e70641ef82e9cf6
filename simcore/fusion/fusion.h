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
  bool inTraining; // whether its nodes have gradients
  int (*apply)(Graph&);
  bool leavesOut = false; // whether it removes nodes without a replacement
};
// In the order in which they run.
std::span<const FusionPass> fusionPasses();

struct FusionCount {
  std::string pass;
  int fired = 0;
};
// Runs the passes that are not `disabled` (only those with inTraining if the model will be
// trained). Needs resolveTypes() first and keeps every value typed. Throws
// reports::Error(InvalidInput) listing the passes for an unknown name; "all" disables all. `named`: nodes that
// options of the run name (the begin of a part, a checkpoint), by their own name or a value's; no pass removes them.
std::vector<FusionCount> fuse(Model& model, const std::set<std::string>& disabled, bool training = false,
                              const std::set<std::string>& named = {});

} // namespace simcore::model
