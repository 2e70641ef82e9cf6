#include "app/cli/validate_codelets.h"

#include "analyser/session/format.h"
#include "reports/core/error.h"
#include "reports/core/json.h"
#include "simcore/native/library.h"
#include "simcore/native/unit.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <ostream>

namespace app::cli {

namespace {

using simcore::validation::CodeletResult;

void printAsJson(std::ostream& out, const std::vector<CodeletResult>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& r : results) {
    const auto& c = r.codeletCase;
    nlohmann::ordered_json item{{"id", c.id},
                                {"title", c.title},
                                {"source", c.source},
                                {"codelet", c.codelet},
                                {"from", c.from},
                                {"published_cycles", c.published},
                                {"exchange_cycles", c.besides}};
    item["estimated_cycles"] = r.estimated ? nlohmann::ordered_json(*r.estimated) : nlohmann::ordered_json();
    item["error"] = r.error ? nlohmann::ordered_json(*r.error) : nlohmann::ordered_json();
    if (!r.problem.empty()) item["problem"] = r.problem;
    list.push_back(std::move(item));
  }
  out << reports::jsonText(nlohmann::ordered_json{{"codelets", std::move(list)}}, 2) << "\n";
}

} // namespace

std::vector<CodeletResult> measuredCodelets(const std::vector<std::string>& only) {
  auto cases = simcore::validation::builtInCodelets();
  for (const auto& id : only)
    if (std::none_of(cases.begin(), cases.end(), [&](const auto& c) { return c.id == id; }))
      throw reports::Error(reports::ErrorCode::NotFound, "no codelet is called '" + id + "'", "--only");
  if (!only.empty()) std::erase_if(cases, [&](const auto& c) { return std::find(only.begin(), only.end(), c.id) == only.end(); });
  const simcore::native::ScratchFolder folder(std::filesystem::temp_directory_path());
  return simcore::validation::runCodelets(cases, [&](const std::string& file, const std::string& text) {
    simcore::native::CompileRequest request;
    request.sources = {folder / file};
    simcore::native::writeText(folder / file, text);
    return simcore::native::compileCodelets(request).codelets;
  });
}

void printCodelets(std::ostream& out, const std::vector<CodeletResult>& results, bool asJson) {
  if (asJson) return printAsJson(out, results);
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

} // namespace app::cli
