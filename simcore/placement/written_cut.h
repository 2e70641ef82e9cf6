// A cut over the IPUs of a replica as a user writes it. Two forms, both with commas between the parts of the cut:
//   NAME,NAME,…             the first node of every part but the first
//   layers:COUNT,COUNT,…    layers of every part, in halves (2.5): half a layer ends where the fewest bytes pass inside it
// A suffix @IPU says where a part runs; without it, the part runs on the first IPU without a part. An IPU may run several parts that
// are not neighbours: layers:3,7,7,7,0@0 has embedding and head on IPU 0.
#pragma once

#include "simcore/placement/sharding.h"

#include <string>
#include <vector>

namespace simcore::model {

struct WrittenCut {
  struct Part {
    std::string firstNode; // empty: the model's first, or counted in layers
    std::int64_t halfLayers = 0;
    int ipu = 0;
  };
  std::string text;
  bool countsLayers = false;
  std::vector<Part> parts;

  int ipus() const; // of a replica
};

// Whether `shard` (Parallelism) names a cut: it is neither "auto" nor "none".
bool isWrittenCut(const std::string& shard);
// Throws Error(InvalidInput) for a count that is not a number of layers, IPUs left out, and neighbours on one IPU.
WrittenCut readCut(const std::string& shard);

// The part of each node. Layers are those of the longest run of equal ones (outline.h); nodes before them belong to the first part,
// nodes after them to the last, and these two may have no layer. Throws Error(InvalidInput) for a node that the model does not have
// (shardAt()), a sum that is not the model's number of layers, and a part without nodes.
Sharding cutAt(const Model& model, const WrittenCut& cut);

} // namespace simcore::model
