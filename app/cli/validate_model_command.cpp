#include "app/cli/validate_model_command.h"

#include "app/cli/case_workload.h"
#include "app/cli/options.h"
#include "app/cli/system_limits.h"
#include "app/cli/validate_codelets.h"

#include "analyser/session/format.h"
#include "reports/core/join.h"
#include "reports/core/json.h"
#include "reports/core/text.h"
#include "simcore/onnx/tensor_files.h"
#include "simcore/validation/validation.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <sstream>

namespace app::cli {

namespace {

using simcore::validation::CaseResult;
using simcore::validation::Verdict;

constexpr std::uintmax_t kMaxCaseFile = 16u << 20;
constexpr int kSkipped = 77; // the usual exit code of a skipped test

// Six significant digits, whole numbers in full.
std::string number(double v) {
  if (!std::isfinite(v)) return "-";
  if (v == std::floor(v) && std::abs(v) < 1e15) return fmt::format("{:.0f}", v);
  return std::abs(v) >= 1000 ? fmt::format("{:.1f}", v) : fmt::format("{:.6g}", v);
}

std::string workloadText(const CaseResult& r) {
  const auto& c = r.validationCase;
  if (!c.title.empty()) return c.title + (c.metric.empty() ? "" : ": " + c.metric);
  std::string text = c.workload.empty() ? "-" : c.workload;
  for (const auto& [key, value] : c.set) text += " " + key + "=" + value;
  return text + " on " + c.machine + (c.ipus > 1 ? " x" + std::to_string(c.ipus) : "") + ": " +
         (c.metric.empty() ? "-" : c.metric);
}

std::string percent(const std::optional<double>& share) {
  return share && std::isfinite(*share) ? fmt::format("{:.0f} %", *share * 100) : "-";
}

const char* fitsText(const std::optional<bool>& fits) { return !fits ? "-" : *fits ? "fits" : "too large"; }

// The options that a case sets: "debug.instrument=true" …
std::vector<std::string> engineOptionsOf(const simcore::validation::ValidationCase& c) {
  std::vector<std::string> set;
  std::istringstream words(c.options);
  for (std::string word, before; words >> word; before = word)
    if (before == "--engine-option") set.push_back(word);
  return set;
}

// Each engine option that is not the default, with the cases that set it.
void printEngineOptions(std::ostream& out, const std::vector<CaseResult>& results) {
  std::map<std::string, std::vector<std::string>> cases; // by option
  for (const CaseResult& r : results) {
    for (const std::string& option : engineOptionsOf(r.validationCase)) cases[option].push_back(r.validationCase.id);
    if (r.validationCase.fits) cases["debug.instrument=false"].push_back(r.validationCase.id);
  }
  for (const auto& [option, ids] : cases)
    out << fmt::format("engine option {}, not the default: {}\n", analyser::printable(option),
                       ids.size() == results.size() ? "all cases" : analyser::printable(reports::joined(ids)));
}

// Columns of cases that state whether the program fitted a chip.
std::string memoryColumns(const CaseResult& r) {
  const auto& published = r.validationCase.fits;
  return fmt::format("  {:>12}  {:>9}  {:>9}  {}", percent(r.fullestTile), fitsText(r.fits), fitsText(published),
                     published ? verdictName(r.memory) : "-");
}

void printMemoryTotals(std::ostream& out, const std::vector<CaseResult>& results, const simcore::validation::Totals& totals) {
  out << fmt::format("memory: {} of {} verdicts as on the chip\n", totals.memoryAsPublished,
                     totals.memoryAsPublished + totals.memoryOtherwise);
  for (const auto& f : simcore::validation::familiesOf(results))
    out << fmt::format("{}: {}, simulated / published {:.2f} in the median, {:.2f} to {:.2f}\n", analyser::printable(f.family),
                       reports::counted(f.cases, "case"), f.medianRatio, f.leastRatio, f.greatestRatio);
}

void printTable(std::ostream& out, const std::vector<CaseResult>& results) {
  std::size_t ids = 2, workloads = 8;
  const bool withMemory = std::any_of(results.begin(), results.end(), [](const auto& r) { return r.validationCase.fits; });
  for (const CaseResult& r : results) {
    ids = std::max(ids, r.validationCase.id.size());
    workloads = std::max(workloads, workloadText(r).size());
  }
  out << fmt::format("{:<{}}  {:<{}}  {:>13}  {:>13}  {:>8}  {:>9}  {}", "ID", ids, "WORKLOAD", workloads, "PUBLISHED",
                     "SIMULATED", "ERROR", "TOLERANCE", withMemory ? "VERDICT    " : "VERDICT");
  if (withMemory) out << fmt::format("  {:>12}  {:>9}  {:>9}  {}", "FULLEST TILE", "SIMULATED", "CHIP", "MEMORY");
  out << "\n";
  for (const CaseResult& r : results) {
    const auto& c = r.validationCase;
    out << fmt::format("{:<{}}  {:<{}}  {:>13}  {:>13}  {:>8}  {:>9}  {:<{}}", analyser::printable(c.id), ids,
                       analyser::printable(workloadText(r)), workloads, number(c.value), r.simulated ? number(*r.simulated) : "-",
                       r.error && std::isfinite(*r.error) ? fmt::format("{:+.1f} %", *r.error * 100) : "-", c.tolerance.text(),
                       verdictName(r.verdict), withMemory ? 11 : 0);
    if (withMemory) out << memoryColumns(r);
    out << "\n";
    if (!r.problem.empty()) out << "    " << analyser::printable(r.problem) << "\n";
  }
  const auto totals = simcore::validation::totalsOf(results);
  out << fmt::format("{} within tolerance, {} outside, median error {:.1f} %\n", totals.within, totals.outside,
                     totals.medianError * 100);
  if (withMemory) printMemoryTotals(out, results, totals);
  printEngineOptions(out, results);
}

void printJson(std::ostream& out, const std::vector<CaseResult>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const CaseResult& r : results) {
    auto item = nlohmann::ordered_json::parse(r.validationCase.json);
    item["id"] = r.validationCase.id;
    item["simulated"] = r.simulated ? nlohmann::ordered_json(*r.simulated) : nlohmann::ordered_json();
    item["error"] = r.error && std::isfinite(*r.error) ? nlohmann::ordered_json(*r.error) : nlohmann::ordered_json();
    item["verdict"] = verdictName(r.verdict);
    item["engine_options"] = engineOptionsOf(r.validationCase);
    if (r.validationCase.fits) {
      item["engine_options"].push_back("debug.instrument=false");
      item["fullest_tile"] = r.fullestTile ? nlohmann::ordered_json(*r.fullestTile) : nlohmann::ordered_json();
      item["simulated_fits"] = r.fits ? nlohmann::ordered_json(*r.fits) : nlohmann::ordered_json();
      item["memory_verdict"] = verdictName(r.memory);
    }
    if (!r.problem.empty()) item["problem"] = r.problem;
    list.push_back(std::move(item));
  }
  out << reports::jsonText(nlohmann::ordered_json{{"cases", std::move(list)}}, 2) << "\n";
}

} // namespace

void ValidateModelCommand::declare(Options& command) {
  command
      .addOption("--cases", m_cases,
                 "file of cases; the exit code is 1 if a case of the file is outside its tolerance (default: the built-in "
                 "published cases; their exit code is always 0, and the last line is the result)")
      .check(isNamed());
  command.addFlag("--models", m_models,
                  "whole models instead of single operations: published throughput of training and inference, and whether they "
                  "fit on the chip");
  command.addFlag("--codelets", m_codelets,
                  "codelets instead of operations: compares published cycles, or the formulas of the samples' codelets, with the "
                  "cycles counted from their instructions (needs clang; without it the exit code is 77)");
  command.addOption("--only", m_only, "ID,...: these cases alone; with --codelets also names of samples")
      .delimiter(',')
      .oneValueEach();
  command.addOption("--seed", m_seed, "seed of made-up inputs").check(isWholeNumber()).showDefault();
  command.addFlag("--json", m_json, "print JSON");
  declareProgress(command, m_progress);
}

std::vector<simcore::validation::ValidationCase> ValidateModelCommand::cases() const {
  namespace validation = simcore::validation;
  if (m_models && !m_cases.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "there are two lists of cases", "--models, --cases",
                         "leave out one of them");
  auto cases = !m_cases.empty() ? validation::parseCases(simcore::model::readFileBytes(m_cases, kMaxCaseFile), m_cases)
               : m_models       ? validation::builtInModels()
                                : validation::builtInCases();
  for (const std::string& id : m_only)
    if (std::none_of(cases.begin(), cases.end(), [&](const auto& c) { return c.id == id; }))
      throw reports::Error(reports::ErrorCode::NotFound, "no case is called '" + id + "'", "--only");
  if (!m_only.empty())
    std::erase_if(cases, [&](const auto& c) { return std::find(m_only.begin(), m_only.end(), c.id) == m_only.end(); });
  return cases;
}

int ValidateModelCommand::validateCodelets(Context& context) const {
  if (m_models || !m_cases.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "there are two lists of cases",
                         m_models ? "--models, --codelets" : "--cases, --codelets", "leave out one of them");
  try {
    printCodelets(context.out, codeletTables(m_only), m_json);
    return kDone;
  } catch (const reports::Error& e) {
    if (e.code() != reports::ErrorCode::NotFound || e.where() == "--only") throw;
    context.err << "skipped: " << e.what() << "\n"; // no clang
    return kSkipped;
  }
}

int ValidateModelCommand::run(Context& context) {
  requireThreads();
  if (m_codelets) return validateCodelets(context);
  const auto cases = this->cases();
  if (cases.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "the file holds no case, so nothing is validated", m_cases,
                         "add one to its list `cases`");
  const auto progress = makeProgress(context, m_progress);
  const auto results =
      simcore::validation::runCases(cases, m_seed, context.stop, *progress, [&](const auto& c, std::stop_token stop) {
        return workloadOfCase(c, m_seed, std::move(stop));
      });
  if (m_json)
    printJson(context.out, results);
  else
    printTable(context.out, results);
  const auto totals = simcore::validation::totalsOf(results);
  return !m_cases.empty() && totals.outside + totals.memoryOtherwise > 0 ? kAnswerIsNo : kDone;
}

} // namespace app::cli
