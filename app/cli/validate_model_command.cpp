#include "app/cli/validate_model_command.h"

#include "app/cli/checks.h"

#include "analyser/session/format.h"
#include "simcore/model/onnx/file_bytes.h"
#include "simcore/validation/validation.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

namespace app::cli {

namespace {

using simcore::validation::CaseResult;
using simcore::validation::Verdict;

constexpr std::uintmax_t kMaxCaseFile = 16u << 20;

// Six significant digits, whole numbers in full.
std::string number(double v) {
  if (!std::isfinite(v)) return "-";
  if (v == std::floor(v) && std::abs(v) < 1e15) return fmt::format("{:.0f}", v);
  return std::abs(v) >= 1000 ? fmt::format("{:.1f}", v) : fmt::format("{:.6g}", v);
}

std::string workloadText(const CaseResult& r) {
  const auto& c = r.validationCase;
  std::string text = c.workload.empty() ? "-" : c.workload;
  for (const auto& [key, value] : c.set) text += " " + key + "=" + value;
  return text + " on " + c.machine + (c.ipus > 1 ? " x" + std::to_string(c.ipus) : "") + ": " +
         (c.metric.empty() ? "-" : c.metric);
}

void printTable(std::ostream& out, const std::vector<CaseResult>& results) {
  std::size_t ids = 2, workloads = 8;
  for (const CaseResult& r : results) {
    ids = std::max(ids, r.validationCase.id.size());
    workloads = std::max(workloads, workloadText(r).size());
  }
  out << fmt::format("{:<{}}  {:<{}}  {:>13}  {:>13}  {:>8}  {:>9}  {}\n", "ID", ids, "WORKLOAD", workloads, "PUBLISHED",
                     "SIMULATED", "ERROR", "TOLERANCE", "VERDICT");
  for (const CaseResult& r : results) {
    const auto& c = r.validationCase;
    out << fmt::format("{:<{}}  {:<{}}  {:>13}  {:>13}  {:>8}  {:>9}  {}\n", analyser::printable(c.id), ids,
                       analyser::printable(workloadText(r)), workloads, number(c.value), r.simulated ? number(*r.simulated) : "-",
                       r.error && std::isfinite(*r.error) ? fmt::format("{:+.1f} %", *r.error * 100) : "-", c.tolerance.text(),
                       verdictName(r.verdict));
    if (!r.problem.empty()) out << "    " << analyser::printable(r.problem) << "\n";
  }
  const auto totals = simcore::validation::totalsOf(results);
  out << fmt::format("{} within tolerance, {} outside, median error {:.1f} %\n", totals.within, totals.outside,
                     totals.medianError * 100);
}

void printJson(std::ostream& out, const std::vector<CaseResult>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const CaseResult& r : results) {
    auto item = nlohmann::ordered_json::parse(r.validationCase.json);
    item["id"] = r.validationCase.id;
    item["simulated"] = r.simulated ? nlohmann::ordered_json(*r.simulated) : nlohmann::ordered_json();
    item["error"] = r.error && std::isfinite(*r.error) ? nlohmann::ordered_json(*r.error) : nlohmann::ordered_json();
    item["verdict"] = verdictName(r.verdict);
    if (!r.problem.empty()) item["problem"] = r.problem;
    list.push_back(std::move(item));
  }
  out << nlohmann::ordered_json{{"cases", std::move(list)}}.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
      << "\n";
}

} // namespace

void ValidateModelCommand::declare(CLI::App& command) {
  command
      .add_option("--cases", m_cases,
                  "file of cases (default: the published ones that are built in, which end with exit code 0: the last line "
                  "is their answer); the exit code is 1 if one of the file is outside its tolerance")
      ->check(isNamed());
  command.add_option("--seed", m_seed, "seed of made-up inputs")->check(isWholeNumber())->capture_default_str();
  command.add_flag("--json", m_json, "print JSON");
  declareProgress(command, m_progress);
}

int ValidateModelCommand::run(Context& context) {
  const auto cases = m_cases.empty()
                         ? simcore::validation::builtInCases()
                         : simcore::validation::parseCases(simcore::model::readFileBytes(m_cases, kMaxCaseFile), m_cases);
  if (cases.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "the file holds no case, so nothing is validated", m_cases,
                         "add one to its list `cases`");
  const auto progress = makeProgress(context, m_progress);
  const auto results = simcore::validation::runCases(cases, m_seed, context.stop, *progress);
  if (m_json)
    printJson(context.out, results);
  else
    printTable(context.out, results);
  return !m_cases.empty() && simcore::validation::totalsOf(results).outside > 0 ? kAnswerIsNo : kDone;
}

} // namespace app::cli
