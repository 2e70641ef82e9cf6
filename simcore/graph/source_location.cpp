#include "simcore/graph/source_location.h"

#include "reports/core/error.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace simcore::graph {

namespace {
// The repository's folder, as it appears in the compiler's name of this file.
std::string_view buildRoot() {
  const std::string_view here = SourceLocation::current().file;
  const std::size_t at = here.rfind("simcore/graph/");
  return at == std::string_view::npos ? std::string_view() : here.substr(0, at);
}
} // namespace

std::string SourceLocation::fileOfRepository() const {
  const std::string_view name = file, root = buildRoot();
  return std::string(name.substr(!root.empty() && name.starts_with(root) ? root.size() : 0));
}

std::string withSource(const std::string& details, const SourceLocation& source) {
  if (!source.isKnown()) return details;
  const auto given =
      details.empty() ? nlohmann::json::object() : reports::parseJsonBounded(details, "details of a debug context");
  if (!given.is_object())
    throw reports::Error(reports::ErrorCode::InvalidInput, "the details are not a JSON object", "details of a debug context",
                         "give an object, or nothing");
  if (given.contains("source")) return details;
  auto object = details.empty() ? nlohmann::ordered_json::object() : nlohmann::ordered_json::parse(details);
  auto& place = object["source"];
  place["file"] = source.fileOfRepository();
  place["line"] = source.line;
  // A lambda has no name.
  if (const std::string_view name = source.function; !name.empty() && name != "operator()") place["function"] = name;
  return reports::jsonText(object);
}

} // namespace simcore::graph
