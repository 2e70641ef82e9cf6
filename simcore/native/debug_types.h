// The debug information in the text of LLVM IR, as a graph of nodes: classes, their members and offsets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

class DebugTypes {
public:
  struct Node {
    std::string_view kind; // DICompositeType, DIBasicType …; empty: a list
    std::map<std::string_view, std::string_view> fields;
    std::vector<int> items; // of a list; -1: null
  };

  explicit DebugTypes(std::string_view irText); // the text must outlive this object

  const std::map<int, Node>& nodes() const { return m_nodes; }
  const Node* node(int id) const;                                     // null if it does not exist
  const Node* follow(const Node& from, std::string_view field) const; // the node that a field references
  std::vector<const Node*> list(const Node& from, std::string_view field) const;
  static std::string_view word(const Node& node, std::string_view field); // as written; empty if missing
  static std::string text(const Node& node, std::string_view field);      // of a quoted field
  static int64_t number(const Node& node, std::string_view field, int64_t otherwise = 0);
  // The type without typedefs and const.
  const Node* bare(const Node* type) const;

private:
  std::map<int, Node> m_nodes;
};

} // namespace simcore::native
