#include "app/cli/tags.h"

#include "app/cli/workload_source.h"
#include "reports/core/error.h"
#include "reports/core/json.h"
#include "reports/core/regular_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace app::cli {

using reports::Error, reports::ErrorCode;

namespace {

constexpr std::size_t kMostTags = 1000, kMostBytes = 1 << 20;

// Lists are stored as JSON text, because their parts have no names.
void addObject(const nlohmann::json& object, const std::string& before, std::map<std::string, std::string>& tags) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      addObject(value, before + name + ".", tags);
      continue;
    }
    if (!tags.emplace(before + name, value.is_string() ? value.get<std::string>() : reports::jsonText(value)).second)
      throw Error(ErrorCode::InvalidInput, "the tag '" + before + name + "' is given twice", "--tags", "rename one of them");
  }
}

std::map<std::string, std::string> tagsOfFile(const std::string& file) {
  const nlohmann::json json = reports::parseJsonBounded(reports::readRegularFile(file, kMostBytes), file, {kMostBytes, 16});
  if (!json.is_object())
    throw Error(ErrorCode::InvalidInput, "tags must be a JSON object", file, "write it as {\"commit\": \"1f3a\"}");
  std::map<std::string, std::string> tags;
  addObject(json, {}, tags);
  return tags;
}

void requireName(const std::string& name) {
  const auto isBad = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (name.find_first_not_of(" .") == std::string::npos || std::any_of(name.begin(), name.end(), isBad))
    throw Error(ErrorCode::InvalidInput, "a tag needs a name on one line", "'" + name + "'", "call it e.g. commit");
}

} // namespace

std::map<std::string, std::string> readTags(const std::vector<std::string>& words, const std::string& file) {
  auto tags = keyValues(words, "--tag");
  if (!file.empty()) tags.merge(tagsOfFile(file)); // existing tags are not replaced
  std::map<std::string, std::string> keys;
  std::size_t bytes = 0;
  for (const auto& [name, value] : tags) {
    requireName(name);
    bytes += name.size() + value.size();
    keys.emplace("tag." + name, value);
  }
  if (keys.size() > kMostTags || bytes > kMostBytes)
    throw Error(ErrorCode::InvalidInput,
                std::to_string(keys.size()) + " tags of " + std::to_string(bytes) +
                    " bytes are given; a report keeps at most 1,000 tags of 1 MiB together",
                file.empty() ? "--tag" : file);
  return keys;
}

} // namespace app::cli
