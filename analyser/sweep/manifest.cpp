#include "analyser/sweep/manifest.h"

#include "analyser/session/repeat.h"
#include "reports/core/error.h"
#include "reports/core/join.h"
#include "reports/core/json.h"
#include "reports/core/regular_file.h"
#include "reports/core/text.h"

#include <nlohmann/json.hpp>
#include <sha256.h>

#include <algorithm>
#include <set>

namespace analyser::sweep {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using reports::Error;
using reports::ErrorCode;
using Values = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] void refuse(const std::string& why, const std::string& where, const std::string& advice = {}) {
  throw Error(ErrorCode::InvalidInput, why, where, advice);
}

std::string digest(const std::string& bytes) {
  char text[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), text);
  return text;
}

constexpr std::int64_t kMostManifestBytes = std::int64_t(1) << 30, kMostGraphBytes = std::int64_t(1) << 36;

// A setting as a word of the command line: 16, 0.5, true, or the text.
std::string wordOf(const Json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return reports::jsonText(value);
  refuse("a value must be a number, a text, true or false", where);
}

Values valuesOf(const Json& object, const std::string& where) {
  if (!object.is_object()) refuse("must be an object of names and values", where);
  Values values;
  for (const auto& [name, value] : object.items()) values.emplace_back(name, wordOf(value, where + ", " + name));
  return values;
}

void requireSettable(const std::string& name, const std::string& where) {
  static const std::set<std::string> kOurs{"-o", "--report", "--outputs", "--save-model", "--json", "--progress", "--help", "-h"};
  if (name.empty()) refuse("a parameter has no name", where);
  const bool isShortWithValue = name.starts_with("-o") && name.size() > 2; // -oFILE
  if (kOurs.contains(name.substr(0, name.find('='))) || isShortWithValue)
    refuse("'" + name + "' is set by the sweep itself", where, "leave it out");
}

// Checks the options of a run, because a manifest may come from anyone: only those listed in repeat.h are accepted, with values
// of their types. Returns the files that the options read.
std::vector<std::string> requireRunnable(const std::vector<std::string>& arguments, const std::string& where) {
  std::vector<std::string> words; // without --memory-limit and its value, which may always be given
  for (auto word = arguments.begin(); word != arguments.end(); ++word)
    if (*word != "--memory-limit")
      words.push_back(*word);
    else if (word + 1 != arguments.end())
      ++word;
  const Repeat run = repeatOfWords(words);
  if (run.graph.empty() || run.graph != arguments.front()) refuse("the name of the graph is not plain text", where);
  if (!run.left.empty())
    refuse("'" + reports::displayText(run.left.front(), 100) +
               "' is not an option that a sweep may set, or has a value of another type",
           where, "`tilescope-cli run --help` lists options and their values; those that write files are not for sweeps");
  std::vector<std::string> files;
  if (readsGraph(run.graph) && !isProgram(run.graph)) files.push_back(run.graph);
  for (std::size_t i = 0; i + 1 < run.reading.size(); i += 2) files.push_back(fileOf(run.reading[i], run.reading[i + 1]));
  return files;
}

std::string programOf(const std::vector<std::string>& arguments) {
  return isProgram(arguments.front()) ? programFile(arguments.front()) : std::string();
}

// The digest of the graph's file, if the word names one: its contents also affect the outcome.
std::string graphDigest(const std::string& graph) {
  fs::path file = isProgram(graph) ? programFile(graph) : graph;
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) file /= "model.onnx";
  return fs::is_regular_file(file, ignored) ? digest(reports::readRegularFile(file, kMostGraphBytes)) : std::string();
}

class Planner {
public:
  Planner(const Json& spec, std::string where) : m_where(std::move(where)) {
    if (!spec.is_object()) refuse("a spec is an object with the member \"graph\"", m_where);
    for (const auto& [name, value] : spec.items())
      if (!std::set<std::string>{"graph", "arguments", "parameters", "cases", "exclude"}.contains(name))
        refuse("unknown member '" + name + "'", m_where, "members are graph, arguments, parameters, cases and exclude");
    if (!spec.contains("graph") || !spec["graph"].is_string()) refuse("the member \"graph\" is missing", m_where);
    m_graph = spec["graph"];
    m_graphDigest = graphDigest(m_graph);
    for (const Json& word : list(spec, "arguments")) {
      m_arguments.push_back(wordOf(word, m_where + ", arguments"));
      if (m_arguments.back().starts_with("-")) requireSettable(m_arguments.back(), m_where + ", arguments");
    }
    for (const Json& point : list(spec, "exclude")) m_excluded.push_back(valuesOf(point, m_where + ", exclude"));
    addCombinations(spec);
    for (const Json& point : list(spec, "cases")) add(valuesOf(point, m_where + ", cases"));
    requireKnownExcludes();
    if (m_manifest.configurations.empty()) refuse("the sweep has no run", m_where, "add parameters or cases, or exclude less");
  }

  Manifest take() { return std::move(m_manifest); }

private:
  static Json list(const Json& spec, const char* name) {
    const Json member = spec.value(name, Json::array());
    if (!member.is_array()) refuse(std::string("the member \"") + name + "\" must be a list", name);
    return member;
  }

  void addCombinations(const Json& spec) {
    const Json parameters = spec.value("parameters", Json::object());
    if (!parameters.is_object()) refuse("the member \"parameters\" must be an object", m_where);
    std::vector<std::pair<std::string, std::vector<std::string>>> axes;
    std::size_t count = 1;
    for (const auto& [name, values] : parameters.items()) {
      const std::string where = m_where + ", parameters, " + name;
      if (!values.is_array() || values.empty()) refuse("must be a list of values", where, "write [16, 32, 64]");
      axes.emplace_back(name, std::vector<std::string>());
      for (const Json& value : values) axes.back().second.push_back(wordOf(value, where));
      if (axes.back().second.size() > kMostConfigurations / count)
        refuse("the sweep has more than " + std::to_string(kMostConfigurations) + " runs", m_where, "split it");
      count *= axes.back().second.size();
    }
    if (axes.empty()) return;
    for (std::size_t n = 0; n < count; ++n) { // the last parameter changes fastest
      Values values;
      std::size_t rest = n, block = count;
      for (const auto& [name, words] : axes) {
        block /= words.size();
        values.emplace_back(name, words[rest / block]);
        rest %= block;
      }
      add(std::move(values));
    }
  }

  // An entry of `exclude` with a name that no run varies is an error, because it would exclude nothing.
  void requireKnownExcludes() const {
    for (const Values& point : m_excluded)
      for (const auto& [name, word] : point)
        if (!m_names.contains(name)) {
          refuse("no parameter of the sweep is called '" + name + "'", m_where + ", exclude",
                 "there are " + reports::joined(m_names));
        }
  }

  bool isExcluded(const Values& values) const {
    return std::any_of(m_excluded.begin(), m_excluded.end(), [&](const Values& point) {
      return std::all_of(point.begin(), point.end(),
                         [&](const auto& v) { return std::find(values.begin(), values.end(), v) != values.end(); });
    });
  }

  void add(Values values) {
    for (const auto& [name, word] : values) m_names.insert(name);
    if (isExcluded(values)) return;
    Configuration c;
    c.arguments.push_back(m_graph);
    c.arguments.insert(c.arguments.end(), m_arguments.begin(), m_arguments.end());
    for (const auto& [name, word] : values) {
      requireSettable(name, m_where);
      if (std::find(m_manifest.parameters.begin(), m_manifest.parameters.end(), name) == m_manifest.parameters.end())
        m_manifest.parameters.push_back(name);
      if (!name.starts_with("--"))
        c.arguments.insert(c.arguments.end(), {"--set", name + "=" + word});
      else if (word == "true")
        c.arguments.push_back(name);
      else if (word != "false")
        c.arguments.insert(c.arguments.end(), {name, word});
    }
    c.files = requireRunnable(c.arguments, m_where);
    c.program = programOf(c.arguments);
    c.values = std::move(values);
    c.key =
        digest(Json{{"arguments", c.arguments}, {"graph", m_graphDigest}}.dump(-1, ' ', true, Json::error_handler_t::replace));
    if (m_keys.insert(c.key).second) m_manifest.configurations.push_back(std::move(c));
  }

  std::string m_where, m_graph, m_graphDigest;
  std::vector<std::string> m_arguments;
  std::vector<Values> m_excluded;
  std::set<std::string> m_keys, m_names; // keys of runs; names of parameters, including parameters of excluded runs
  Manifest m_manifest;
};

Configuration configurationOf(const Json& line, const std::string& where) {
  const auto isText = [](const Json& v) { return v.is_string(); };
  if (!line.is_object() || !line.contains("key") || !line["key"].is_string() || !line.contains("arguments") ||
      !line["arguments"].is_array() || line["arguments"].empty() ||
      !std::all_of(line["arguments"].begin(), line["arguments"].end(), isText) || !line.contains("values") ||
      !line["values"].is_array())
    refuse("is not a line of a manifest", where, "make one with `tilescope-cli sweep plan`");
  Configuration c;
  c.key = line["key"];
  if (c.key.size() != 64 || c.key.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse("the key is not a SHA-256", where); // the key becomes a file name
  c.arguments = line["arguments"].get<std::vector<std::string>>();
  for (const std::string& argument : c.arguments)
    if (!argument.empty()) requireSettable(argument, where + ", arguments");
  c.files = requireRunnable(c.arguments, where + ", arguments");
  c.program = programOf(c.arguments);
  for (const Json& pair : line["values"]) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      refuse("a value is not a pair of texts", where);
    c.values.emplace_back(pair[0], pair[1]);
  }
  return c;
}

} // namespace

Manifest planSweep(const std::string& specText, const std::string& where) {
  return Planner(reports::parseJsonBounded(specText, where), where).take();
}

std::string manifestText(const Manifest& manifest) {
  std::string text;
  for (const Configuration& c : manifest.configurations) {
    const nlohmann::ordered_json line{{"key", c.key}, {"arguments", c.arguments}, {"values", c.values}};
    text += reports::jsonText(line) + "\n";
  }
  return text;
}

Manifest readManifest(const fs::path& file) {
  const std::string text = reports::readRegularFile(file, kMostManifestBytes, "name a manifest that `sweep plan` wrote");
  Manifest manifest;
  std::set<std::string> keys;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string where = file.string() + ", line " + std::to_string(number + 1), line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    Json json;
    try {
      json = reports::parseJsonBounded(line, where);
    } catch (const reports::Error& error) {
      refuse(error.message(), error.where(), "name a manifest that `sweep plan` wrote");
    }
    Configuration c = configurationOf(json, where);
    if (!keys.insert(c.key).second) refuse("this run occurs twice", where);
    for (const auto& [name, word] : c.values)
      if (std::find(manifest.parameters.begin(), manifest.parameters.end(), name) == manifest.parameters.end())
        manifest.parameters.push_back(name);
    manifest.configurations.push_back(std::move(c));
  }
  if (manifest.configurations.empty()) refuse("the manifest is empty", file.string());
  return manifest;
}

std::string Configuration::valuesText() const {
  return reports::joined(values, [](const auto& value) { return value.first + " " + value.second; });
}

} // namespace analyser::sweep
