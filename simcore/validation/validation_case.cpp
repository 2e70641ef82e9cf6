#include "simcore/validation/validation_case.h"

#include "reports/core/error.h"
#include "reports/core/json.h"
#include "reports/core/spelling.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace simcore::validation {

using nlohmann::json;
using reports::Error;
using reports::ErrorCode;

extern const char *const kCasesJson, *const kModelsJson; // files of resources/validation, embedded at build time

namespace {

constexpr std::size_t kMaxCases = 10'000;
constexpr const char* kFormat =
    "a case has id, title, family, workload, set, options, machine, ipus, metric, value, tolerance, fits, kind and source";
constexpr const char* kDefaultMachine = "gc200";

// The text of a setting as for --set. Many JSON writers only know floating point and write 1000.0 for a thousand.
std::string settingText(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  const double number = value.get<double>();
  const bool isWhole = value.is_number_float() && number == std::floor(number) && std::abs(number) < 0x1p53;
  return isWhole ? std::to_string(int64_t(number)) : reports::jsonText(value);
}

// A number, or a string with one. If the string ends with the character `percent` (0: not allowed), the number is divided by 100.
std::optional<double> numberOf(const json& value, char percent = 0) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  std::string_view rest(end, std::size_t(text.data() + text.size() - end));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest.empty()) return number;
  return percent && rest == std::string_view(&percent, 1) ? std::optional(number / 100) : std::nullopt;
}

// Reads an entry of the list. The first error becomes the fault of the case; the rest is still read, so that a table can show it.
class CaseReader {
public:
  CaseReader(const json& entry, const std::string& where, std::size_t number)
      : m_object(entry), m_where(where + ", entry " + std::to_string(number)) {
    m_case.id = "entry " + std::to_string(number);
    m_case.value = std::numeric_limits<double>::quiet_NaN();
    m_case.tolerance.kind = Tolerance::Kind::Unreadable;
    m_case.json = reports::jsonText(entry.is_object() ? entry : json{{"given", entry}});
  }

  ValidationCase read() {
    if (!m_object.is_object()) {
      fault("a case must be a JSON object");
      return m_case;
    }
    readText("id", m_case.id, Need::Yes);
    if (given("id")) m_where += ", case " + m_case.id;
    readText("workload", m_case.workload, Need::Yes);
    m_case.machine = kDefaultMachine;
    readText("machine", m_case.machine, Need::No);
    readText("title", m_case.title, Need::No);
    readText("family", m_case.family, Need::No);
    readText("options", m_case.options, Need::No);
    readFits();
    // A case that only judges memory has no number.
    const bool hasNumber = !m_case.fits || given("metric") || given("value");
    if (hasNumber) readText("metric", m_case.metric, Need::Yes);
    readText("kind", m_case.kind, Need::No);
    readText("source", m_case.source, Need::No);
    readIpus();
    readSet();
    if (hasNumber) {
      readValue();
      readTolerance();
    } else {
      m_case.tolerance.kind = Tolerance::Kind::Report;
    }
    reportUnknownMembers();
    return m_case;
  }

private:
  enum class Need { Yes, No };

  void fault(const std::string& message, const std::string& advice = kFormat) {
    if (m_case.fault.empty()) m_case.fault = Error(ErrorCode::InvalidInput, message, m_where, advice).what();
  }

  // The member's value; null in the file counts as missing.
  const json* given(const char* name) const {
    const auto it = m_object.find(name);
    return it == m_object.end() || it->is_null() ? nullptr : &*it;
  }
  const json* needed(const char* name) {
    const json* value = given(name);
    if (!value) fault(std::string("'") + name + "' is missing");
    return value;
  }

  void readText(const char* name, std::string& text, Need need) {
    const json* value = need == Need::Yes ? needed(name) : given(name);
    if (!value) return;
    if (value->is_string() && !(value->get_ref<const std::string&>().empty() && need == Need::Yes))
      text = value->get<std::string>();
    else
      fault(std::string("'") + name + "' must be a text");
  }

  void readIpus() {
    const json* ipus = given("ipus");
    if (!ipus) return;
    const auto number = numberOf(*ipus);
    if (number && *number == std::floor(*number) && *number >= 0 && *number <= 4096)
      m_case.ipus = int(*number);
    else
      fault("'ipus' must be a whole number from 0 to 4096");
  }

  void readFits() {
    const json* fits = given("fits");
    if (!fits) return;
    if (fits->is_boolean())
      m_case.fits = fits->get<bool>();
    else
      fault("'fits' must be true or false");
  }

  void readSet() {
    const json* set = given("set");
    if (!set) return;
    if (!set->is_object()) return fault("'set' must be an object of parameters");
    for (const auto& [key, value] : set->items()) {
      if (value.is_string() || value.is_number() || value.is_boolean())
        m_case.set[key] = settingText(value);
      else
        fault("parameter '" + key + "' must be a text or a number");
    }
  }

  void readValue() {
    const json* value = needed("value");
    if (!value) return;
    const auto number = numberOf(*value);
    if (number && std::isfinite(*number))
      m_case.value = *number;
    else
      fault("'value' must be a number");
  }

  void readTolerance() {
    const json* t = needed("tolerance");
    if (!t) return;
    if (const auto number = numberOf(*t, '%'); number && std::isfinite(*number)) {
      if (*number < 0) return fault("'tolerance' must not be negative");
      m_case.tolerance = {Tolerance::Kind::Fraction, *number};
    } else if (t->is_string() && reports::sameName(t->get_ref<const std::string&>(), "exact")) {
      m_case.tolerance = {Tolerance::Kind::Exact, 0};
    } else if (t->is_string() && reports::sameName(t->get_ref<const std::string&>(), "report")) {
      m_case.tolerance = {Tolerance::Kind::Report, 0};
    } else {
      fault("'tolerance' must be a fraction, \"exact\" or \"report\"");
    }
  }

  // Reports unknown members: as a remark if they may be a note of the author, as a fault if they may be a misspelt name, because
  // that changes the case.
  void reportUnknownMembers() {
    static const std::vector<std::string> known{"id",     "title", "family",    "workload", "set",  "options", "machine", "ipus",
                                                "metric", "value", "tolerance", "fits",     "kind", "source",  "note"};
    for (const auto& [key, value] : m_object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string meant = reports::likelyMeant(key, known);
      if (!meant.empty() && !given(meant.c_str()))
        fault("unknown member '" + key + "'", "did you mean '" + meant + "'?");
      else if (value.is_object())
        fault("unknown member '" + key + "'", "parameters of the workload are in 'set'");
      else
        addRemark(m_case.remark, "not read: '" + key + "'");
    }
  }

  const json& m_object;
  std::string m_where;
  ValidationCase m_case;
};

const json& listOf(const json& file, const std::string& where) {
  const json* list = &file;
  if (file.is_object()) {
    const auto it = file.find("cases");
    if (it == file.end()) throw Error(ErrorCode::InvalidInput, "'cases' is missing", where, "the file is {\"cases\": [ … ]}");
    list = &*it;
  }
  if (!list->is_array())
    throw Error(ErrorCode::InvalidInput, "the cases are not a list", where, "the file is {\"cases\": [ … ]}");
  if (list->size() > kMaxCases) throw Error(ErrorCode::InvalidInput, "more than " + std::to_string(kMaxCases) + " cases", where);
  return *list;
}

} // namespace

void addRemark(std::string& remarks, const std::string& remark) { remarks += (remarks.empty() ? "" : "; ") + remark; }

std::string Tolerance::text() const {
  if (kind == Kind::Unreadable) return "-";
  if (kind == Kind::Exact) return "exact";
  if (kind == Kind::Report) return "report";
  std::string percent = std::to_string(std::llround(std::min(fraction, 1e12) * 1000));
  if (percent.size() == 1) percent = "0" + percent;
  const char tenth = percent.back();
  percent.pop_back();
  return percent + (tenth == '0' ? "" : std::string(".") + tenth) + " %";
}

std::vector<ValidationCase> parseCases(std::string_view text, const std::string& where) {
  json all = reports::parseJsonBounded(text, where);
  if (all.is_object() && !all.contains("cases") && (all.contains("id") || all.contains("workload")))
    all = json::array({all}); // a single case
  const json& list = listOf(all, where);
  std::vector<ValidationCase> cases;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ValidationCase c = CaseReader(list[i], where, i + 1).read();
    if (!ids.insert(c.id).second) addRemark(c.remark, "another case is called '" + c.id + "' too");
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<ValidationCase> builtInCases() { return parseCases(kCasesJson, "cases.json"); }
std::vector<ValidationCase> builtInModels() { return parseCases(kModelsJson, "models.json"); }

} // namespace simcore::validation
