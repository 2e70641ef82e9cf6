#include "simcore/graph/source_place.h"

#include "reports/core/json.h"

#include <nlohmann/json.hpp>

namespace simcore::graph {

namespace {
// What comes before the place of this file in the repository.
std::string_view buildRoot() {
  const std::string_view here = std::source_location::current().file_name();
  const std::size_t at = here.rfind("simcore/graph/");
  return at == std::string_view::npos ? std::string_view() : here.substr(0, at);
}
} // namespace

std::string fileOf(const std::source_location& source) {
  const std::string_view file = source.file_name(), root = buildRoot();
  return std::string(file.substr(!root.empty() && file.starts_with(root) ? root.size() : 0));
}

std::string functionName(std::string_view signature) {
  const std::size_t arguments = signature.find('(');
  signature = signature.substr(0, arguments);
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    if (signature[i] == '<') ++depth;
    if (signature[i] == '>' && depth > 0) --depth;
    if (depth == 0 && (signature[i] == ' ' || signature[i] == ':' || signature[i] == '*' || signature[i] == '&')) begin = i + 1;
  }
  return std::string(signature.substr(begin));
}

std::string withSource(const std::string& details, const std::source_location& source) {
  if (!isKnown(source)) return details;
  auto object = details.empty() ? nlohmann::ordered_json::object() : nlohmann::ordered_json::parse(details);
  auto& place = object["source"];
  place["file"] = fileOf(source);
  place["line"] = source.line();
  if (const std::string name = functionName(source.function_name()); !name.empty()) place["function"] = name;
  return reports::jsonText(object);
}

} // namespace simcore::graph
