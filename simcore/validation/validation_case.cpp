#include "simcore/validation/validation_case.h"

#include "reports/core/error.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace simcore::validation {

using nlohmann::json;
using reports::Error;
using reports::ErrorCode;

extern const char* const kCasesJson; // resources/validation/cases.json, embedded at build time

namespace {

constexpr std::size_t kMaxCases = 10'000;
constexpr const char* kFormat = "a case has id, workload, set, machine, ipus, metric, value, tolerance, kind and source";
constexpr const char* kDefaultMachine = "gc200";

// As --set would have it: many JSON writers know only floating point and write 1000.0 for a thousand.
std::string settingText(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  const double number = value.get<double>();
  const bool isWhole = value.is_number_float() && number == std::floor(number) && std::abs(number) < 0x1p53;
  return isWhole ? std::to_string(int64_t(number)) : value.dump();
}

// Reads one object; every error says which case and which member.
class CaseReader {
public:
  CaseReader(const json& object, const std::string& where) : m_object(object), m_where(where) {
    if (!object.is_object()) fail("a case must be a JSON object");
    if (object.contains("id") && object["id"].is_string()) m_where += ", case " + object["id"].get<std::string>();
  }

  ValidationCase read() {
    static const std::set<std::string> known{"id",    "workload",  "set",  "machine", "ipus", "metric",
                                             "value", "tolerance", "kind", "source",  "note"};
    for (const auto& [key, value] : m_object.items())
      if (!known.count(key)) fail("unknown member '" + key + "'");
    ValidationCase c;
    c.id = text("id", true);
    c.workload = text("workload", true);
    c.machine = m_object.contains("machine") ? text("machine", true) : kDefaultMachine;
    c.metric = text("metric", true);
    c.kind = text("kind", false);
    c.source = text("source", false);
    readIpus(c);
    readSet(c);
    const json& value = member("value");
    if (!value.is_number() || !std::isfinite(value.get<double>())) fail("'value' must be a number");
    c.value = value.get<double>();
    c.tolerance = tolerance();
    c.json = m_object.dump();
    return c;
  }

private:
  [[noreturn]] void fail(const std::string& message, const std::string& advice = kFormat) const {
    throw Error(ErrorCode::InvalidInput, message, m_where, advice);
  }

  const json& member(const char* name) const {
    const auto it = m_object.find(name);
    if (it == m_object.end()) fail(std::string("'") + name + "' is missing");
    return *it;
  }

  std::string text(const char* name, bool required) const {
    if (!m_object.contains(name)) {
      if (required) fail(std::string("'") + name + "' is missing");
      return {};
    }
    const json& value = m_object[name];
    if (!value.is_string() || (required && value.get_ref<const std::string&>().empty()))
      fail(std::string("'") + name + "' must be a text");
    return value.get<std::string>();
  }

  void readIpus(ValidationCase& c) const {
    if (!m_object.contains("ipus")) return;
    const json& ipus = m_object["ipus"];
    if (!ipus.is_number_integer() || ipus.get<double>() < 0 || ipus.get<double>() > 4096)
      fail("'ipus' must be a whole number from 0 to 4096");
    c.ipus = ipus.get<int>();
  }

  void readSet(ValidationCase& c) const {
    if (!m_object.contains("set")) return;
    if (!m_object["set"].is_object()) fail("'set' must be an object of parameters");
    for (const auto& [key, value] : m_object["set"].items()) {
      if (!value.is_string() && !value.is_number() && !value.is_boolean())
        fail("parameter '" + key + "' must be a text or a number");
      c.set[key] = settingText(value);
    }
  }

  Tolerance tolerance() const {
    const json& t = member("tolerance");
    if (t.is_number()) {
      const double fraction = t.get<double>();
      if (!std::isfinite(fraction) || fraction < 0) fail("'tolerance' must not be negative");
      return {Tolerance::Kind::Fraction, fraction};
    }
    if (t.is_string() && t == "exact") return {Tolerance::Kind::Exact, 0};
    if (t.is_string() && t == "report") return {Tolerance::Kind::Report, 0};
    fail("'tolerance' must be a fraction, \"exact\" or \"report\"");
  }

  const json& m_object;
  std::string m_where;
};

} // namespace

std::string Tolerance::text() const {
  if (kind == Kind::Exact) return "exact";
  if (kind == Kind::Report) return "report";
  std::string percent = std::to_string(std::lround(fraction * 1000));
  if (percent.size() == 1) percent = "0" + percent;
  const char tenth = percent.back();
  percent.pop_back();
  return percent + (tenth == '0' ? "" : std::string(".") + tenth) + " %";
}

std::vector<ValidationCase> parseCases(std::string_view text, const std::string& where) {
  json all = reports::parseJsonBounded(text, where);
  if (all.is_object() && !all.contains("cases") && all.contains("id")) all = json::array({all}); // one case by itself
  const json* list = &all;
  if (all.is_object()) {
    const auto it = all.find("cases");
    if (it == all.end()) throw Error(ErrorCode::InvalidInput, "'cases' is missing", where, "the file is {\"cases\": [ … ]}");
    list = &*it;
  }
  if (!list->is_array())
    throw Error(ErrorCode::InvalidInput, "the cases are not a list", where, "the file is {\"cases\": [ … ]}");
  if (list->size() > kMaxCases) throw Error(ErrorCode::InvalidInput, "more than " + std::to_string(kMaxCases) + " cases", where);
  std::vector<ValidationCase> cases;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < list->size(); ++i) {
    cases.push_back(CaseReader((*list)[i], where + ", entry " + std::to_string(i + 1)).read());
    if (!ids.insert(cases.back().id).second)
      throw Error(ErrorCode::InvalidInput, "two cases have the id '" + cases.back().id + "'",
                  where + ", entry " + std::to_string(i + 1));
  }
  return cases;
}

std::vector<ValidationCase> builtInCases() { return parseCases(kCasesJson, "cases.json"); }

} // namespace simcore::validation
