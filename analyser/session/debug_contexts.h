// The origin of a step or a variable: the path from a debug context up to its operation and its model layer. Walks are bounded,
// so a report with a circle of contexts gives a short chain, not a hang.
#pragma once

#include "analyser/session/session.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace analyser {

struct DebugLayer {
  std::string layer, kind, name, detailsJson;
};

// Innermost first. Reads only the rows of the chain, so use it for single steps.
std::vector<DebugLayer> debugChain(Session& session, std::optional<int64_t> debugContext);
// A variable with its type and the debug layers that made it.
struct MadeVariable {
  std::string name, type; // "half [64, 128]"
  int64_t alignment = 1;  // bytes
  std::string demands;    // vertex fields that require a kind of memory; empty if none
  std::vector<DebugLayer> debug;
};
std::optional<MadeVariable> madeVariable(Session& session, reports::VariableId variable);
// The operation of a context; empty if none. Use it for single steps.
std::string operationOf(Session& session, std::optional<int64_t> debugContext);

// All operations by context, for tables of many rows.
class OperationNames {
public:
  explicit OperationNames(Session& session, std::stop_token stop = {});
  const std::string& of(std::optional<int64_t> debugContext) const; // empty if none
  // The context of the operation; none if the context does not belong to an operation.
  std::optional<int64_t> contextOf(std::optional<int64_t> debugContext) const;

private:
  std::unordered_map<int64_t, int64_t> m_parents;
  std::unordered_map<int64_t, std::string> m_names; // by the context of the operation
};

// For each debug context: whether its path ("fwd/layer3/attention") matches and no ancestor's path does. A context that does not
// come after its parent counts as a root.
std::vector<bool> outermostContexts(Session& session, const std::function<bool(const std::string& path)>& isMeant,
                                    std::stop_token stop = {});

// Case-insensitive (ASCII) search for all tables; an empty text matches everything.
bool containsText(std::string_view haystack, std::string_view needle);

} // namespace analyser
