#include "app/capi/session_options.h"

#include "app/cli/options.h"
#include "app/cli/parallel_options.h"
#include "app/cli/precision_options.h"
#include "reports/core/error.h"
#include "simcore/run/auto_reports.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace app::capi {

using reports::Error;
using reports::ErrorCode;

namespace {

struct Words {
  ReadOptions options;
  std::string anchor = "all", reduction = "mean", reportFolder;
  std::vector<std::string> engineOptions, groups;
  bool noBiasCorrection = false;
};

void declare(cli::Options options, Words& words) {
  cli::WorkloadRequest& request = words.options.request;
  options.addOption("--machine", request.machine, "");
  options.addOption("--ipus", request.ipus, "").check(cli::isInRange(1, 4096));
  options.addOption("--seed", request.seed, "").check(cli::isWholeNumber());
  cli::declareParallelOptions(options, request);
  cli::declareOnnxOptions(options, request.onnx);
  cli::declarePrecisionOptions(options, words.options.precision, request);
  options.addOption("--engine-option", words.engineOptions, "").oneValueEach();
  options.addOption("--anchor", words.anchor, "");
  options.addOption("--reduction", words.reduction, "").check(cli::isOneOf({"mean", "sum"}));
  options.addOption("--loss-scale", request.training.lossScale, "").check(cli::isPositive());
  options.addOption("--clip-norm", request.training.clipNorm, "").check(cli::isNotNegative());
  options.addOption("--beta1", request.onnx.optimiser.beta1, "").check(cli::isBetween(0, 1));
  options.addOption("--beta2", request.onnx.optimiser.beta2, "").check(cli::isBetween(0, 1));
  options.addFlag("--automatic-loss-scale", request.training.automaticLossScale, "");
  options.addFlag("--no-bias-correction", words.noBiasCorrection, "");
  options.addFlag("--centred", request.onnx.optimiser.centred, "");
  options.addFlag("--tensorflow-variant", request.onnx.optimiser.asTensorFlow, "");
  options.addFlag("--decay-beside", request.onnx.optimiser.decayBeside, "");
  options.addFlag("--nesterov", request.onnx.optimiser.nesterov, "");
  options.addOption("--gradient-of", request.training.shownGradients, "").oneValueEach();
  options.addOption("--group", words.groups, "").oneValueEach();
  options.addOption("--report-folder", words.reportFolder, "");
  options.addOption("--profiled-runs", words.options.profiledRuns, "").check(cli::isInRange(0, int64_t(1'000'000)));
}

const std::map<std::string, cli::OptionWords>& knownOptions() {
  static const std::map<std::string, cli::OptionWords> known = [] {
    Words words;
    cli::OptionParser parser;
    declare(parser.options(), words);
    std::map<std::string, cli::OptionWords> all;
    for (const auto& option : parser.words().options)
      for (const std::string& name : option.names)
        if (name.starts_with("--")) all.emplace(name.substr(2), option);
    return all;
  }();
  return known;
}

bool isRepeated(const std::string& name) {
  for (const char* repeated : {"parameters", "freeze", "buffers", "shape", "disable-pass", "checkpoint", "fp8-skip",
                               "engine-option", "gradient-of", "group"})
    if (name == repeated) return true;
  return false;
}

void readAnchor(const std::string& word, cli::WorkloadRequest& request) {
  using simcore::model::Anchor;
  const std::string period = "every:";
  if (word == "all") {
    request.anchor = Anchor::All;
  } else if (word == "final") {
    request.anchor = Anchor::Final;
  } else if (word == "sum") {
    request.anchor = Anchor::Sum;
  } else {
    const char *first = word.data() + period.size(), *last = word.data() + word.size();
    if (!word.starts_with(period) || std::from_chars(first, last, request.everyN).ptr != last || request.everyN < 1)
      throw Error(ErrorCode::InvalidInput, "'" + word + "' is not all, final, sum or every:N", "anchor");
    request.anchor = Anchor::EveryN;
  }
}

double numberIn(const std::string& word) {
  double value = 0;
  const char *first = word.data(), *last = first + word.size();
  if (const auto read = std::from_chars(first, last, value); word.empty() || read.ptr != last || read.ec != std::errc())
    throw Error(ErrorCode::InvalidInput, "'" + word + "' is not a number", "group");
  return value;
}

// "0:parameter=NAME" adds a parameter to a group, "0:learning-rate=0.1" sets a setting of the group.
void readGroups(const Words& words, cli::WorkloadRequest& request) {
  auto& groups = request.training.groups;
  for (const std::string& word : words.groups) {
    const auto [number, key, value] = groupWord(word);
    if (number > groups.size())
      throw Error(ErrorCode::InvalidInput, "'" + word + "' leaves out group " + std::to_string(groups.size()), "group");
    if (number == groups.size()) groups.push_back({{}, request.onnx.optimiser});
    auto& [parameters, optimiser] = groups[number];
    const std::map<std::string, double*> numbers = {{"learning-rate", &optimiser.learningRate},
                                                    {"momentum", &optimiser.momentum},
                                                    {"weight-decay", &optimiser.weightDecay},
                                                    {"beta1", &optimiser.beta1},
                                                    {"beta2", &optimiser.beta2},
                                                    {"epsilon", &optimiser.epsilon}};
    if (key == "parameter")
      parameters.insert(value);
    else if (key == "nesterov")
      optimiser.nesterov = value == "1";
    else if (const auto found = numbers.find(key); found != numbers.end())
      *found->second = numberIn(value);
    else
      throw Error(ErrorCode::NotFound, "a group of parameters has no setting of this name", key);
  }
  for (const auto& group : groups)
    for (const std::string& name : group.parameters)
      if (std::count_if(groups.begin(), groups.end(), [&](const auto& other) { return other.parameters.count(name) > 0; }) > 1)
        throw Error(ErrorCode::InvalidInput, "this parameter is in two groups", name);
}

void readEngineOptions(const Words& words, ReadOptions& options) {
  options.engine.set("debug.allowOutOfMemory", "true", "a session"); // so that a model that does not fit also gets a report
  for (const auto& [name, value] : cli::keyValues(words.engineOptions, "engine-option"))
    options.engine.set(name, value, "engine-option");
  // The environment takes precedence, as in Poplar.
  if (const char* json = std::getenv("POPLAR_ENGINE_OPTIONS"); json && *json)
    options.engine.readJson(json, "POPLAR_ENGINE_OPTIONS");
  if (!words.reportFolder.empty()) {
    const char* const directory = "autoReport.directory";
    const std::filesystem::path folder = options.engine.text(directory);
    options.engine.set(directory, (folder / words.reportFolder).string(), "report-folder");
  }
  options.reports = simcore::run::reportsAskedFor(options.engine);
}

} // namespace

GroupWord groupWord(const std::string& word) {
  const auto colon = word.find(':'), equals = word.find('=');
  GroupWord read;
  const char* last = word.data() + std::min(colon, word.size());
  if (colon == std::string::npos || equals == std::string::npos || equals < colon ||
      std::from_chars(word.data(), last, read.number).ptr != last)
    throw Error(ErrorCode::InvalidInput, "'" + word + "' is not NUMBER:NAME=VALUE", "group");
  read.key = word.substr(colon + 1, equals - colon - 1);
  read.value = word.substr(equals + 1);
  return read;
}

void SessionOptions::set(const std::string& given, const std::string& value) {
  // Programs written for version 1 of the interface call this option `output`, its former name on the command line.
  const std::string name = given == "output" ? "loss-output" : given;
  if (!knownOptions().contains(name) || name == "save-model")
    throw Error(ErrorCode::NotFound, "a session has no option of this name", name);
  if (!isRepeated(name) || value.empty()) std::erase_if(m_given, [&](const auto& old) { return old.first == name; });
  if (name == "group" && !value.empty()) {
    const GroupWord word = groupWord(value);
    std::erase_if(m_given, [&](const auto& old) {
      return old.first == name && word.key != "parameter" && old.second.starts_with(value.substr(0, value.find('=') + 1));
    });
  }
  if (!value.empty()) m_given.emplace_back(name, value);
}

ReadOptions SessionOptions::read() const {
  Words words;
  words.options.precision = "fp32";
  cli::OptionParser parser;
  declare(parser.options(), words);
  std::vector<std::string> line;
  for (const auto& [name, value] : m_given) {
    if (knownOptions().at(name).takesValue)
      line.push_back("--" + name + "=" + value);
    else if (value == "1" || value == "true")
      line.push_back("--" + name);
    else if (value != "0" && value != "false")
      throw Error(ErrorCode::InvalidInput, "'" + value + "' is not 0 or 1", name);
  }
  if (const std::string wrong = parser.parse(line); !wrong.empty()) throw Error(ErrorCode::InvalidInput, wrong);
  ReadOptions& options = words.options;
  cli::WorkloadRequest& request = options.request;
  cli::readPrecision(options.precision, request);
  readAnchor(words.anchor, request);
  request.onnx.optimiser.biasCorrection = !words.noBiasCorrection;
  readGroups(words, request);
  readEngineOptions(words, options);
  request.readsStoredInputs = false;
  request.valuesChange = true;
  request.training.rateChanges = true;
  if (words.reduction == "sum")
    request.training.lossFactor = double(request.parallel.microBatches() * std::max(1, request.replicas));
  return options;
}

} // namespace app::capi
