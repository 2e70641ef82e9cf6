// A cut over the IPUs of a replica as a user writes it. There are two forms; commas separate the parts:
//   NAME,NAME,…           the first node of every part except the first
//   layers:COUNT,COUNT,…  the layers of every part, in halves (2.5): half a layer ends where the fewest bytes pass inside it
// A suffix @IPU sets the IPU of a part; without it, the part gets the first IPU without a part. In the first form, a first word
// @IPU sets the IPU of the first part: @1,NAME@3. An IPU may run several parts that are not neighbours: layers:3,7,7,7,0@0 has
// embedding and head on IPU 0. IPUs that no part names are idle.
#pragma once

#include "simcore/placement/sharding.h"

#include <string>
#include <vector>

namespace simcore::model {

struct WrittenCut {
  struct Part {
    std::string firstNode; // empty: begins with the model, or is counted in layers
    std::int64_t halfLayers = 0;
    int ipu = 0;
  };
  std::string text;
  bool countsLayers = false;
  std::vector<Part> parts;

  int ipus() const; // of a replica, including idle IPUs before the last one with a part
};

// Whether `shard` (Parallelism) is a written cut: neither "auto" nor "none".
bool isWrittenCut(const std::string& shard);
// Throws Error(InvalidInput) if a count is not a number of layers, or if neighbours are on one IPU.
WrittenCut readCut(const std::string& shard);

// Returns the part of each node. Layers are those of the longest run of equal layers (outline.h). Nodes before them belong to the
// first part, nodes after them to the last, and these two parts may have no layer. Throws Error(InvalidInput) for an unknown node
// (shardAt()), a sum that differs from the model's number of layers, and a part without nodes.
Sharding cutAt(const Model& model, const WrittenCut& cut);

} // namespace simcore::model
