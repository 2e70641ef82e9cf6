#include "reports/exchange/perfetto_debug.h"

#include "reports/core/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace reports::exchange {

namespace {

constexpr int kMostDepth = 64; // of nested annotations; deeper ones become null

std::string numberJson(double v) { return std::isfinite(v) ? fmt::format("{}", v) : quotedJson(fmt::format("{}", v)); }

std::string lookUp(const std::map<uint64_t, std::string>& names, uint64_t id) {
  const auto found = names.find(id);
  return found == names.end() ? fmt::format("#{}", id) : found->second;
}

// A DebugAnnotation.NestedValue, used by older writers for dictionaries and lists.
std::string nestedJson(std::string_view nested, int depth) {
  enum { kDictionary = 1, kArray = 2 };
  if (depth > kMostDepth) return "null";
  std::string value = "null";
  uint64_t type = 0;
  std::vector<std::string_view> keys, values, elements;
  forEachField(nested, [&](const ProtoField& f) {
    switch (f.number) {
    case 1: type = f.value; break;
    case 2: keys.push_back(f.bytes); break;
    case 3: values.push_back(f.bytes); break;
    case 4: elements.push_back(f.bytes); break;
    case 5: value = fmt::format("{}", f.sint()); break;
    case 6: value = numberJson(f.real()); break;
    case 7: value = f.value ? "true" : "false"; break;
    case 8: value = quotedJson(f.bytes); break;
    default: break;
    }
  });
  std::string inside;
  const auto join = [&](const std::string& part) { inside += (inside.empty() ? "" : ",") + part; };
  if (type == kArray) {
    for (const std::string_view element : elements) join(nestedJson(element, depth + 1));
    return "[" + inside + "]";
  }
  if (type != kDictionary) return value;
  for (std::size_t i = 0; i < std::min(keys.size(), values.size()); ++i)
    join(quotedJson(keys[i]) + ":" + nestedJson(values[i], depth + 1));
  return "{" + inside + "}";
}

// The value of a DebugAnnotation; `name` is set if it has one.
std::string valueJson(std::string_view annotation, const PerfettoNames& names, std::string& name, int depth) {
  if (depth > kMostDepth) return "null";
  std::string value = "null", inside;
  bool isObject = false, isArray = false;
  forEachField(annotation, [&](const ProtoField& f) {
    std::string inner;
    const auto join = [&](const std::string& part) { inside += (inside.empty() ? "" : ",") + part; };
    switch (f.number) {
    case 1: name = lookUp(names.annotations, f.value); break;
    case 10: name = validUtf8(f.bytes); break;
    case 2: value = f.value ? "true" : "false"; break;
    case 3: value = fmt::format("{}", f.value); break;
    case 4: value = fmt::format("{}", f.sint()); break;
    case 5: value = numberJson(f.real()); break;
    case 6: value = quotedJson(f.bytes); break;
    case 7: value = fmt::format("\"0x{:x}\"", f.value); break;
    case 8: value = nestedJson(f.bytes, depth + 1); break;
    case 9: // JSON, if valid
      value = nlohmann::json::accept(f.bytes) ? validUtf8(f.bytes) : quotedJson(f.bytes);
      break;
    case 17: value = quotedJson(lookUp(names.strings, f.value)); break;
    case 11: {
      isObject = true;
      const std::string text = valueJson(f.bytes, names, inner, depth + 1);
      join(quotedJson(inner) + ":" + text);
      break;
    }
    case 12:
      isArray = true;
      join(valueJson(f.bytes, names, inner, depth + 1));
      break;
    default: break;
    }
  });
  if (isObject) return "{" + inside + "}";
  return isArray ? "[" + inside + "]" : value;
}

} // namespace

void appendAnnotation(std::string& out, std::string_view annotation, const PerfettoNames& names) {
  std::string name;
  const std::string value = valueJson(annotation, names, name, 0);
  out += (out.empty() ? "" : ",") + quotedJson(name) + ":" + value;
}

} // namespace reports::exchange
