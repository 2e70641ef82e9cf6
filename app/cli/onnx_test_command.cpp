#include "app/cli/onnx_test_command.h"

#include "app/cli/options.h"
#include "app/cli/precision_options.h"

#include "analyser/session/format.h"
#include "app/cli/onnx_model.h"
#include "app/cli/system_limits.h"
#include "reports/core/join.h"
#include "reports/core/json.h"
#include "simcore/native/unit.h"
#include "simcore/onnx/onnx_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using Verdict = CaseResult::Verdict;

// The folder itself if it has model.onnx, else all folders below it that have one, sorted by name.
std::vector<fs::path> modelFolders(const fs::path& folder) {
  std::error_code error;
  if (fs::is_regular_file(folder, error))
    throw reports::Error(reports::ErrorCode::InvalidInput, "one model needs the values of its inputs and outputs",
                         folder.string(),
                         "give them with --input x.npy --expect y.npy, or name a folder with model.onnx and test_data_set_*");
  if (!fs::is_directory(folder, error)) throw reports::Error(reports::ErrorCode::NotFound, "no such folder", folder.string());
  if (fs::is_regular_file(folder / "model.onnx", error)) return {folder};
  std::vector<fs::path> folders;
  for (auto it = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
       it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (error) break;
    if (it->path().filename() == "model.onnx") folders.push_back(it->path().parent_path());
  }
  if (folders.empty())
    throw reports::Error(reports::ErrorCode::NotFound, "holds no model.onnx, nor does any folder below it", folder.string());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::string errorText(double error) { return std::isinf(error) ? "inf" : analyser::formatThreeDigits(error); }

std::string line(const CaseResult& r) {
  const std::string name = analyser::printable(r.model + (r.dataSet.empty() ? "" : "/" + r.dataSet));
  switch (r.verdict) {
  case Verdict::Passed: return "pass " + name + " (max error " + errorText(r.maxError) + ")";
  case Verdict::Failed:
    return "FAIL " + name + (r.maxError > 0 ? " max error " + errorText(r.maxError) : "") + ": " + analyser::printable(r.reason);
  case Verdict::Unsupported: return "UNSUPPORTED " + name + ": " + analyser::printable(r.reason);
  case Verdict::OutOfRange: return "OUT OF RANGE " + name + ": " + analyser::printable(r.reason);
  case Verdict::TooSensitive: return "TOO SENSITIVE " + name + ": " + analyser::printable(r.reason);
  case Verdict::DoesNotFit: return "DOES NOT FIT " + name + ": " + analyser::printable(r.reason);
  case Verdict::Skipped: return "skipped " + name + ": " + analyser::printable(r.reason);
  }
  return {};
}

const char* verdictName(Verdict v) {
  switch (v) {
  case Verdict::Passed: return "passed";
  case Verdict::Failed: return "failed";
  case Verdict::Unsupported: return "unsupported";
  case Verdict::Skipped: return "skipped";
  case Verdict::OutOfRange: return "out_of_range";
  case Verdict::TooSensitive: return "too_sensitive";
  case Verdict::DoesNotFit: return "does_not_fit";
  }
  return "";
}

nlohmann::ordered_json json(const CaseResult& r) {
  nlohmann::ordered_json j{{"model", r.model},
                           {"data_set", r.dataSet},
                           {"verdict", verdictName(r.verdict)},
                           {"reason", r.reason},
                           {"compared_values", r.compared}};
  j["max_error"] = std::isfinite(r.maxError) ? nlohmann::ordered_json(r.maxError) : nlohmann::ordered_json("inf");
  return j;
}

} // namespace

void OnnxTestCommand::declare(Options& command) {
  command
      .addOption("DIR", m_folders,
                 "folders with model.onnx and test_data_set_*, or folders of such folders; with --expect one model")
      .required()
      .check(isNamed());
  command
      .addOption("--input", m_inputs,
                 "file with the value of an input, .npy or .pb, or NAME=FILE; without names in the order of the model's; may be "
                 "repeated")
      .oneValueEach();
  command
      .addOption("--expect", m_expected,
                 "file with the value that an output should have, or NAME=FILE; else in their order; may be repeated")
      .oneValueEach();
  command.addOption("--rtol", m_tolerance.relative, "relative tolerance").check(isNotNegative()).showDefault();
  command
      .addOption("--atol", m_tolerance.absolute,
                 "absolute tolerance; unless given, this share of an output's largest value, in fp16 1/512 of it, in fp8 1/16")
      .check(isNotNegative())
      .each([this](const std::string&) { m_tolerance.isAbsoluteGiven = true; })
      .showDefault();
  command.addOption("--disable-pass", m_disabledPasses, "fusion pass to leave out (see `passes`), or all; may be repeated")
      .oneValueEach();
  command.addOption("--machine", m_machine, "machine (see `machines`)").showDefault();
  command.addOption("--ipus", m_ipus, "number of IPUs (default: the machine's)").check(isInRange(1, 4096));
  declarePrecisionOptions(command, m_precision, m_request);
  command.addFlag(
      "--strict", m_strict,
      "exit with 1 unless every model passed: also if one is not supported, out of range, too sensitive, does not fit or is "
      "skipped");
  command.addFlag("--json", m_json, "print JSON");
  declareProgress(command, m_progress);
}

namespace {
// The files in the order of the model's values. A word is a file, or NAME=FILE.
std::vector<fs::path> inOrder(const std::vector<std::string>& words, const char* option,
                              const std::vector<simcore::model::ValueDeclaration>& declared) {
  std::vector<fs::path> files(declared.size());
  std::vector<std::string> unnamed;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const auto named =
        std::find_if(declared.begin(), declared.end(), [&](const auto& value) { return value.name == word.substr(0, equals); });
    std::error_code ignored;
    if (equals == std::string::npos || (named == declared.end() && fs::exists(word, ignored))) {
      unnamed.push_back(word);
      continue;
    }
    if (named == declared.end())
      throw reports::Error(reports::ErrorCode::NotFound, "the model has no '" + word.substr(0, equals) + "' here",
                           fmt::format("{} {}", option, word),
                           "it has " + reports::joined(declared, &simcore::model::ValueDeclaration::name));
    fs::path& file = files[std::size_t(named - declared.begin())];
    if (!file.empty())
      throw reports::Error(reports::ErrorCode::InvalidInput, "'" + named->name + "' has a file already",
                           fmt::format("{} {}", option, word));
    file = word.substr(equals + 1);
  }
  for (const std::string& word : unnamed) { // files without a name, for the remaining values
    const auto free = std::find_if(files.begin(), files.end(), [](const fs::path& file) { return file.empty(); });
    if (free == files.end())
      throw reports::Error(
          reports::ErrorCode::InvalidInput,
          fmt::format("the model has only {}", reports::joined(declared, &simcore::model::ValueDeclaration::name)),
          fmt::format("{} {}", option, word), "leave it out");
    *free = word;
  }
  for (std::size_t at = 0; at < files.size(); ++at)
    if (files[at].empty())
      throw reports::Error(reports::ErrorCode::InvalidInput, "'" + declared[at].name + "' has no file", option,
                           fmt::format("add {} {}=FILE", option, declared[at].name));
  return files;
}
} // namespace

// Runs the files of the command line as a separate data set.
CaseResult OnnxTestCommand::ofFiles(const CaseOptions& options, const std::stop_token& stop, reports::Progress& progress) const {
  const auto model = m_folders.size() == 1 ? findOnnxFile(m_folders.front()) : std::nullopt;
  if (!model)
    throw reports::Error(reports::ErrorCode::InvalidInput, "files are compared with one model", m_folders.front(),
                         "name one .onnx file, or a folder with model.onnx");
  const simcore::native::ScratchFolder folder(fs::temp_directory_path());
  const auto read = simcore::model::readOnnx(*model).graph;
  for (const auto& [prefix, files] : {std::pair("input_", inOrder(m_inputs, "--input", read.inputs)),
                                      std::pair("output_", inOrder(m_expected, "--expect", read.outputs))})
    for (std::size_t i = 0; i < files.size(); ++i) {
      const fs::path& file = files[i];
      const std::string kind = file.extension().string();
      if (kind != ".npy" && kind != ".pb")
        throw reports::Error(reports::ErrorCode::InvalidInput, "this is neither .npy nor .pb", file.string());
      std::error_code failed;
      fs::copy_file(file, folder / (prefix + std::to_string(i) + kind), failed);
      if (failed) throw reports::Error(reports::ErrorCode::Io, "cannot be read: " + failed.message(), file.string());
    }
  CaseResult result = runCase(*model, fs::path(folder / "x").parent_path(), options, stop, progress);
  result.model = model->filename().string(), result.dataSet.clear();
  return result;
}

int OnnxTestCommand::run(Context& context) {
  requireThreads();
  if (m_inputs.empty() != m_expected.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "--input and --expect belong together", "",
                         "give the value of each input and of each output");
  CaseOptions options;
  options.machine = simcore::arch::findMachine(m_machine, m_ipus);
  options.tolerance = m_tolerance;
  options.disabledPasses = {m_disabledPasses.begin(), m_disabledPasses.end()};
  readPrecision(m_precision, m_request);
  if (m_request.parallel.unitScaling)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "unit scaling is for training, and a test of a model runs its inference", "--unit-scaling",
                         "leave it out");
  if (m_request.half) options.precision = simcore::numerics::ElementType::Half;
  options.quarter = m_request.parallel.quarter;
  if (options.quarter) simcore::arch::requireQuarter(options.machine);
  std::vector<fs::path> folders;
  for (const std::string& folder : m_expected.empty() ? m_folders : std::vector<std::string>())
    for (fs::path& model : modelFolders(folder)) folders.push_back(fs::weakly_canonical(model));

  if (m_expected.empty() &&
      std::all_of(folders.begin(), folders.end(), [](const fs::path& folder) { return testDataSets(folder).empty(); }))
    throw reports::Error(reports::ErrorCode::NotFound, "no model has a test_data_set_*, so nothing is tested", m_folders.front(),
                         "name a folder whose models have stored inputs and outputs");

  int all = 0, passed = 0, failed = 0, skipped = 0;
  auto results = nlohmann::ordered_json::array();
  const auto report = [&](const CaseResult& r) {
    ++all;
    ++(r.verdict == Verdict::Passed ? passed : r.verdict == Verdict::Failed ? failed : skipped);
    if (m_json)
      results.push_back(json(r));
    else
      context.out << line(r) << std::endl; // flushed, because users watch a run over a thousand models
  };
  if (!m_expected.empty()) {
    const auto progress = makeProgress(context, m_progress);
    const CaseResult result = ofFiles(options, context.stop, *progress);
    report(result);
  }
  for (const fs::path& folder : folders) {
    const auto sets = testDataSets(folder);
    if (sets.empty()) report({Verdict::Skipped, folder.filename().string(), "", "it has no test_data_set_*", 0});
    for (const fs::path& set : sets) {
      const auto progress = makeProgress(context, m_progress);
      CaseResult result = runCase(folder / "model.onnx", set, options, context.stop, *progress);
      report(result);
    }
  }
  if (m_json)
    context.out << reports::jsonText(
                       nlohmann::ordered_json{{"results", results}, {"passed", passed}, {"failed", failed}, {"skipped", skipped}},
                       2)
                << "\n";
  else
    context.out << passed << " passed, " << failed << " failed, " << skipped << " skipped\n";
  return failed || (m_strict && passed < all) ? kAnswerIsNo : kDone;
}

} // namespace app::cli
