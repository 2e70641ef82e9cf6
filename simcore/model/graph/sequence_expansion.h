// Sequences of tensors as the names of their elements. Exporters write them where a list of known length is meant (the parts of a
// split, the outputs of an unrolled loop), so the nodes that build and take apart such lists are replaced by ordinary ones
// before types are inferred; no sequence reaches the machine.
#pragma once

#include "simcore/model/graph/graph.h"
#include "simcore/model/graph/operator.h"

#include <optional>
#include <unordered_map>

namespace simcore::model {

class SequenceExpansion {
public:
  // What a node needs to know of values outside of it.
  struct Values {
    std::function<const TensorType&(const std::string&)> type;
    std::function<const numerics::HostTensor*(const std::string&)> constant; // null: not known before the run
  };
  explicit SequenceExpansion(Values values) : m_values(std::move(values)) {}

  // The ordinary nodes that stand for a node that makes or reads a sequence; nothing for any other node. Throws
  // reports::Error(Unsupported) where the length of a sequence or a position in it is not known before the run.
  std::optional<std::vector<Node>> expand(const Node& node);
  bool isSequence(const std::string& name) const { return m_sequences.count(name) != 0; }

private:
  using Names = std::vector<std::string>;

  const Names& sequence(const std::string& name) const;
  std::int64_t integer(const Node& node, std::size_t input, std::int64_t standard) const;
  std::vector<Node> split(const Node& node);
  std::vector<Node> concat(const Node& node);

  Values m_values;
  std::unordered_map<std::string, Names> m_sequences;
};

} // namespace simcore::model
