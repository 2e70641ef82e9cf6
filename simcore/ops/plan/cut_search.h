// Searches the cut of a model over the IPUs of a replica: one part per IPU, in the order of the nodes, or one part more. That
// last part shares the IPU of an earlier part that is not its neighbour, as the head of a language model shares the IPU of its
// embedding. Of all cuts that fit, the one with the fastest slowest IPU is chosen; if none fits, the one whose fullest IPU
// exceeds its memory least.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace simcore::ops {

// Costs of the nodes of a model on an IPU of a cut: cycles of a micro-batch, and bytes. Bytes that nodes share (a weight, a kept
// value, code) count once per IPU for any number of its nodes, so they are listed instead of summed.
struct NodeCosts {
  // Costs of nodes with their gradients and the recomputation for the gradients.
  struct Passes {
    std::vector<std::int64_t> cycles; // by forward node
    std::vector<std::int64_t>
        temporaryBytes; // by forward node: the most bytes live while it or its gradient runs, without kept bytes
    // By forward node: the values that its backward pass reads. Each takes its bytes once per micro-batch in the pipeline.
    std::vector<std::vector<std::size_t>> keptBy;
    std::vector<std::int64_t> keptBytes; // by value
  };
  Passes inner; // in a part that is not the last
  Passes last;  // in the last part, whose backward pass follows immediately

  // Code by forward node: kinds of nodes with the same lowering.
  std::vector<std::vector<std::size_t>> codeOf;
  std::vector<std::int64_t> codeBytes; // by kind
  // The repeated layer of a node: its first node and the node after its last. For a node outside of layers, both are the node
  // itself. A part with only some nodes of a layer needs separate code for them.
  std::vector<std::pair<std::size_t, std::size_t>> layerOf;

  struct Weight {
    std::vector<std::size_t> readers; // forward nodes, in order
    std::int64_t homeBytes = 0;       // bytes on the IPU of the first reader, including sum and state
    std::int64_t copyBytes = 0;       // bytes on another IPU: a copy and a separate sum
    std::int64_t updateBytes = 0;     // further bytes at home during the update: state from streaming memory
  };
  std::vector<Weight> weights;

  std::vector<std::int64_t> crossing; // by node: link cycles for values passed from earlier nodes to this and later nodes

  std::size_t nodes() const { return inner.cycles.size(); }
};

struct FoundCut {
  std::vector<int> partOfNode, ipuOfPart;
  std::int64_t mostBytes = 0; // estimated bytes on the fullest IPU
};

struct CutWish {
  int ipus = 1;
  std::int64_t memoryBytes = 0; // memory of an IPU
  bool isTraining = false, isPipeline = false;
  std::int64_t microBatches = 1; // per run of the pipeline
  std::int64_t bytesToKeep = 0;  // if given, a cut whose IPUs need at most these bytes is preferred to a faster one
};

// The model must have at least as many nodes as there are IPUs.
FoundCut searchCut(const NodeCosts& costs, const CutWish& wish);

} // namespace simcore::ops
