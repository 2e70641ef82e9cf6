#include "simcore/native/debug_types.h"

#include <cctype>
#include <charconv>

namespace simcore::native {

namespace {

int idOf(std::string_view word) { // "!12"
  int id = -1;
  if (word.starts_with('!')) std::from_chars(word.data() + 1, word.data() + word.size(), id);
  return id;
}

// The position after a value that starts at `at`: the next comma or closing bracket outside quotes and brackets.
std::size_t endOfValue(std::string_view line, std::size_t at) {
  int depth = 0;
  bool isQuoted = false;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (c == '(' || c == '{') ++depth;
    if (depth == 0 && (c == ',' || c == ')' || c == '}')) return at;
    if (c == ')' || c == '}') --depth;
  }
  return at;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

void readFields(std::string_view body, DebugTypes::Node& node) {
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = endOfValue(body, at);
    const std::string_view part = trimmed(body.substr(at, end - at));
    if (const std::size_t colon = part.find(": "); colon != std::string_view::npos)
      node.fields[part.substr(0, colon)] = trimmed(part.substr(colon + 2));
    at = end + 1;
  }
}

void readItems(std::string_view body, DebugTypes::Node& node) {
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = endOfValue(body, at);
    node.items.push_back(idOf(trimmed(body.substr(at, end - at))));
    at = end + 1;
  }
}

} // namespace

DebugTypes::DebugTypes(std::string_view irText) {
  for (std::size_t at = 0; at < irText.size();) {
    const std::size_t end = std::min(irText.find('\n', at), irText.size());
    std::string_view line = irText.substr(at, end - at);
    at = end + 1;
    const int id = idOf(line);
    const std::size_t equals = line.find(" = ");
    if (id < 0 || equals == std::string_view::npos) continue;
    line.remove_prefix(equals + 3);
    if (line.starts_with("distinct ")) line.remove_prefix(9);
    if (!line.starts_with('!')) continue;
    const std::size_t open = line.find_first_of("({");
    if (open == std::string_view::npos) continue;
    Node node;
    node.kind = line.substr(1, open - 1);
    const std::string_view body = line.substr(open + 1, line.find_last_of(")}") - open - 1);
    node.kind.empty() ? readItems(body, node) : readFields(body, node);
    m_nodes.emplace(id, std::move(node));
  }
}

const DebugTypes::Node* DebugTypes::node(int id) const {
  const auto it = m_nodes.find(id);
  return it == m_nodes.end() ? nullptr : &it->second;
}

std::string_view DebugTypes::word(const Node& node, std::string_view field) {
  const auto it = node.fields.find(field);
  return it == node.fields.end() ? std::string_view() : it->second;
}

const DebugTypes::Node* DebugTypes::follow(const Node& from, std::string_view field) const {
  return node(idOf(word(from, field)));
}

std::vector<const DebugTypes::Node*> DebugTypes::list(const Node& from, std::string_view field) const {
  std::vector<const Node*> result;
  if (const Node* items = follow(from, field))
    for (const int id : items->items) result.push_back(node(id));
  return result;
}

std::string DebugTypes::text(const Node& node, std::string_view field) {
  std::string_view quoted = word(node, field);
  if (quoted.size() < 2 || quoted.front() != '"') return {};
  quoted = quoted.substr(1, quoted.size() - 2);
  std::string result;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    unsigned code = 0;
    if (quoted[i] == '\\' && i + 2 < quoted.size() &&
        std::from_chars(&quoted[i + 1], &quoted[i + 1] + 2, code, 16).ec == std::errc()) {
      result += char(code);
      i += 2;
    } else {
      result += quoted[i];
    }
  }
  return result;
}

int64_t DebugTypes::number(const Node& node, std::string_view field, int64_t otherwise) {
  std::string_view value = word(node, field);
  if (value == "true") return 1;
  if (const std::size_t space = value.rfind(' '); space != std::string_view::npos) value.remove_prefix(space + 1); // i32 8
  if (value == "true") return 1;
  int64_t result = otherwise;
  std::from_chars(value.data(), value.data() + value.size(), result);
  return result;
}

const DebugTypes::Node* DebugTypes::bare(const Node* type) const {
  while (type && type->kind == "DIDerivedType") {
    const std::string_view tag = word(*type, "tag");
    if (tag != "DW_TAG_typedef" && tag != "DW_TAG_const_type" && tag != "DW_TAG_volatile_type" && tag != "DW_TAG_template_alias")
      break;
    type = follow(*type, "baseType");
  }
  return type;
}

} // namespace simcore::native
