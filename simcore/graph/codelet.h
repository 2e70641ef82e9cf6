// A user's own vertex type: named fields, a body that runs on host copies of them, and a cycle estimate.
#pragma once

#include "simcore/graph/tensor.h"
#include "simcore/numerics/host_tensor.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simcore::graph {

enum class FieldDirection { Input, Output, InOut };

struct CodeletField {
  std::string name;
  FieldDirection direction = FieldDirection::Input;
  std::optional<ElementType> type = std::nullopt; // what may be connected; anything if not said
};

// The fields of one vertex while it runs: edges as flat tensors, plain state as numbers.
struct VertexFields {
  std::map<std::string, numerics::HostTensor> edges;
  std::map<std::string, double> state;
  int64_t size(const std::string& field) const { return edges.at(field).count(); }
};

struct Codelet {
  enum class Kind { Worker, Multi, Supervisor };
  std::string name;
  Kind kind = Kind::Worker;
  std::vector<CodeletField> fields;
  std::vector<std::string> state;
  // Writes outputs in `fields`; may be empty for a codelet that is only timed. Called once per vertex.
  std::function<void(VertexFields&)> compute;
  // Worker cycles (tile cycles for Multi and Supervisor) from field sizes; no launch overhead is added to it.
  std::function<int64_t(const std::map<std::string, int64_t>& sizes)> cycles;
  std::function<int64_t(const std::map<std::string, int64_t>& sizes)> flops;
  int64_t codeBytes = 400;
};

} // namespace simcore::graph
