#include "reports/recording/tilescope_trace.h"

#include <nlohmann/json.hpp>

namespace tilescope_trace {

namespace {

using Json = nlohmann::json;

// A value of another kind than expected keeps its default, as documented for PVTI_OPTIONS.
template<typename T> void read(const Json& from, const char* key, bool (Json::*isKind)() const, T& to) {
  const auto found = from.find(key);
  if (found != from.end() && ((*found).*isKind)()) to = found->get<T>();
}

} // namespace

Options parseOptions(const char* json) {
  Options options;
  if (!json) {
    options.enable = false;
    return options;
  }
  const Json object = Json::parse(json, nullptr, false);
  if (!object.is_object()) return options;
  const auto flag = object.find("enable");
  if (flag != object.end()) {
    if (flag->is_boolean()) options.enable = flag->get<bool>();
    if (flag->is_string()) options.enable = flag->get<std::string>() != "false" && flag->get<std::string>() != "0";
    if (flag->is_number()) options.enable = flag->get<double>() != 0;
  }
  read(object, "directory", &Json::is_string, options.directory);
  read(object, "file", &Json::is_string, options.file);
  read(object, "duration", &Json::is_number, options.durationSeconds);
  read(object, "limit", &Json::is_number_unsigned, options.limitBytes);
  const auto channels = object.find("channels");
  if (channels != object.end() && channels->is_array())
    for (const Json& channel : *channels)
      if (channel.is_string()) options.channels.push_back(channel.get<std::string>());
  return options;
}

} // namespace tilescope_trace
