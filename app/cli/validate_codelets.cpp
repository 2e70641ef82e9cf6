#include "app/cli/validate_codelets.h"

#include "analyser/session/format.h"
#include "reports/core/error.h"
#include "reports/core/json.h"
#include "simcore/native/clang_tool.h"
#include "simcore/native/library.h"
#include "simcore/native/unit.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace app::cli {

namespace {

using simcore::validation::CodeletResult;
using simcore::validation::SampleVertexResult;

template<class T> nlohmann::ordered_json orNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::optional<double> ratioOf(const SampleVertexResult& r) {
  return r.counted && r.vertex.formula > 0 ? std::optional(*r.counted / double(r.vertex.formula)) : std::nullopt;
}

void printAsJson(std::ostream& out, const CodeletTables& tables) {
  auto codelets = nlohmann::ordered_json::array(), samples = nlohmann::ordered_json::array();
  for (const auto& r : tables.measured) {
    const auto& c = r.codeletCase;
    nlohmann::ordered_json item{{"id", c.id},
                                {"title", c.title},
                                {"source", c.source},
                                {"codelet", c.codelet},
                                {"from", c.from},
                                {"published_cycles", c.published},
                                {"besides_cycles", c.besides}};
    item["estimated_cycles"] = orNull(r.estimated);
    item["error"] = orNull(r.error);
    if (!r.problem.empty()) item["problem"] = r.problem;
    codelets.push_back(std::move(item));
  }
  for (const auto& r : tables.samples) {
    const auto& v = r.vertex;
    nlohmann::ordered_json item{{"sample", v.sample},
                                {"vertex", v.vertex},
                                {"source", v.source},
                                {"codelet", v.codelet},
                                {"fields", simcore::validation::fieldsText(v)},
                                {"formula_cycles", v.formula}};
    item["counted_cycles"] = orNull(r.counted);
    item["ratio"] = orNull(ratioOf(r));
    if (!r.problem.empty()) item["problem"] = r.problem;
    samples.push_back(std::move(item));
  }
  out << reports::jsonText(nlohmann::ordered_json{{"codelets", std::move(codelets)}, {"samples", std::move(samples)}}, 2) << "\n";
}

void printMeasured(std::ostream& out, const std::vector<CodeletResult>& results) {
  std::size_t ids = 2, titles = 7;
  for (const auto& r : results) {
    ids = std::max(ids, r.codeletCase.id.size());
    titles = std::max(titles, r.codeletCase.title.size());
  }
  out << fmt::format("{:<{}}  {:<{}}  {:>10}  {:>10}  {:>8}  {}\n", "ID", ids, "CODELET", titles, "PUBLISHED", "ESTIMATED",
                     "ERROR", "MEASURED BY");
  for (const auto& r : results) {
    const auto& c = r.codeletCase;
    out << fmt::format("{:<{}}  {:<{}}  {:>10.0f}  {:>10}  {:>8}  {}\n", c.id, ids, c.title, titles, c.published,
                       r.estimated ? fmt::format("{:.0f}", *r.estimated) : "-",
                       r.error ? fmt::format("{:+.1f} %", *r.error * 100) : "-", c.from);
    if (!r.problem.empty()) out << "    " << analyser::printable(r.problem) << "\n";
  }
  const auto totals = simcore::validation::totalsOfCodelets(results);
  out << fmt::format("tile cycles, estimated from code: median error {:.1f} %, largest {:.1f} %\n", totals.medianError * 100,
                     totals.largestError * 100);
}

void printSamples(std::ostream& out, const std::vector<SampleVertexResult>& results) {
  std::size_t samples = 6, vertices = 6, fields = 6;
  for (const auto& r : results) {
    samples = std::max(samples, r.vertex.sample.size());
    vertices = std::max(vertices, r.vertex.vertex.size());
    fields = std::max(fields, simcore::validation::fieldsText(r.vertex).size());
  }
  out << "Vertices of samples, tile cycles\n";
  out << fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>10}  {:>10}  {:>6}\n", "SAMPLE", samples, "VERTEX", vertices, "FIELDS", fields,
                     "BY FORMULA", "COUNTED", "RATIO");
  for (const auto& r : results) {
    const auto& v = r.vertex;
    const auto ratio = ratioOf(r);
    out << fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>10}  {:>10}  {:>6}\n", v.sample, samples, v.vertex, vertices,
                       simcore::validation::fieldsText(v), fields, v.formula, r.counted ? fmt::format("{:.0f}", *r.counted) : "-",
                       ratio ? fmt::format("{:.2f}", *ratio) : "-");
    if (!r.problem.empty()) out << "    " << analyser::printable(r.problem) << "\n";
  }
}

} // namespace

CodeletTables codeletTables(const std::vector<std::string>& only) {
  auto cases = simcore::validation::builtInCodelets();
  simcore::native::findClang(); // fails before samples run in vain
  auto vertices = simcore::validation::sampleVertices();
  for (const auto& name : only)
    if (std::none_of(cases.begin(), cases.end(), [&](const auto& c) { return c.id == name; }) &&
        std::none_of(vertices.begin(), vertices.end(), [&](const auto& v) { return v.sample == name; }))
      throw reports::Error(reports::ErrorCode::NotFound, "no codelet or sample with a codelet is called '" + name + "'",
                           "--only");
  const auto isLeftOut = [&](const std::string& name) {
    return !only.empty() && std::find(only.begin(), only.end(), name) == only.end();
  };
  std::erase_if(cases, [&](const auto& c) { return isLeftOut(c.id); });
  std::erase_if(vertices, [&](const auto& v) { return isLeftOut(v.sample); });
  const simcore::native::CodeCache cache({}); // so that the next call finds the compiled code
  const auto compile = [&](const std::string& file, const std::string& text) {
    simcore::native::CompileRequest request;
    request.sources = {cache.folder() / file};
    cache.write(file, text);
    return simcore::native::compileCodelets(request).codelets;
  };
  return {simcore::validation::runCodelets(cases, compile), simcore::validation::runSampleVertices(std::move(vertices), compile)};
}

void printCodelets(std::ostream& out, const CodeletTables& tables, bool asJson) {
  if (asJson) return printAsJson(out, tables);
  if (!tables.measured.empty()) printMeasured(out, tables.measured);
  if (!tables.measured.empty() && !tables.samples.empty()) out << "\n";
  if (!tables.samples.empty()) printSamples(out, tables.samples);
}

} // namespace app::cli
