#include "app/cli/run_command.h"

#include "app/cli/effective_options.h"
#include "app/cli/onnx_model.h"
#include "app/cli/options.h"
#include "app/cli/output_files.h"
#include "app/cli/parallel_options.h"
#include "app/cli/precision_options.h"
#include "app/cli/preview_memory.h"
#include "app/cli/preview_text.h"
#include "app/cli/system_limits.h"
#include "app/cli/tags.h"

#include "analyser/session/format.h"
#include "analyser/session/repeat.h"
#include "analyser/session/shell_line.h"
#include "analyser/summary/summary.h"
#include "analyser/sweep/record.h"
#include "reports/core/join.h"
#include "reports/core/json.h"
#include "reports/core/text.h"
#include "simcore/native/unit.h"
#include "simcore/numerics/host_memory.h"
#include "simcore/run/auto_reports.h"
#include "simcore/run/simulate.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <set>

namespace app::cli {

using simcore::run::SimulateOptions;
using simcore::run::SimulateResult;

namespace {

// A NaN is printed without its sign.
std::string shortNumber(double value) { return std::isnan(value) ? "NaN" : fmt::format("{:g}", value); }

std::string commandLine(const Context& context) {
  std::vector<std::string> words{"tilescope-cli"};
  words.insert(words.end(), context.arguments.begin(), context.arguments.end());
  return analyser::shellLine(words);
}

std::map<std::string, std::string> howItWasRun(const Context& context) {
  std::error_code noName; // set if the working folder was removed
  return {{"command_line", commandLine(context)}, {"working_directory", std::filesystem::current_path(noName).string()}};
}

// The passes that changed the graph, from the facts of a workload: name and count.
std::map<std::string, std::string> firedPasses(const std::map<std::string, std::string>& facts) {
  const std::string prefix = "pass.";
  std::map<std::string, std::string> fired;
  for (const auto& [key, value] : facts)
    if (key.starts_with(prefix) && value != "0") fired[key.substr(prefix.size())] = value;
  return fired;
}

void print(Context& context, const std::string& report, const SimulateResult& result, const std::vector<std::string>& files,
           const std::map<std::string, std::string>& facts, bool asJson) {
  const auto fired = firedPasses(facts);
  const auto trained = facts.find("train.parameters");
  const auto session = analyser::Session::open(report);
  const auto s = analyser::summary::summarise(*session); // cannot be cancelled, because the report is complete
  // A filter of Blocks that matches nothing is an issue of the report. It is printed here, because otherwise only the Blocks tab
  // would show it.
  for (const auto& issue : s.issues)
    if (issue.place.starts_with("profiler."))
      context.err << "note: " << analyser::printable(issue.message) << " (" << issue.place << "); "
                  << analyser::printable(issue.advice) << "\n";
  if (asJson) {
    const auto jsonOf = [&](const char* fact) {
      const auto found = facts.find(fact);
      return found == facts.end() ? nlohmann::ordered_json() : nlohmann::ordered_json(found->second);
    };
    nlohmann::ordered_json history = nlohmann::ordered_json::object();
    for (const auto& [stream, values] : result.history) history[stream] = values;
    const nlohmann::ordered_json json{{"report", report},
                                      {"title", s.identity.title},
                                      {"state", s.outOfMemory ? "out_of_memory" : "fits"},
                                      {"total_cycles", s.cycles.total.value()},
                                      {"seconds", s.seconds},
                                      {"figures", analyser::sweep::figuresOf(*session, s)},
                                      {"verdict", s.verdict.text()},
                                      {"outputs", files},
                                      {"passes", fired},
                                      {"trained", jsonOf("train.parameters")},
                                      {"not_trained", jsonOf("train.not_trained")},
                                      {"values", history}};
    context.out << reports::jsonText(json, 2) << "\n";
    return;
  }
  context.out << analyser::printable(s.identity.title) << " on " << s.identity.machine << "\n"
              << s.verdict.text() << "\n"
              << s.timeVerdict << "\n"
              << "report: " << analyser::printable(report) << " (" << analyser::formatBytes(s.identity.fileSize) << ")\n";
  const std::string passes = reports::joined(fired, [](const auto& pass) { return pass.first + " " + pass.second; });
  if (!passes.empty()) context.out << "fused: " << passes << "\n";
  if (trained != facts.end()) context.out << "trained: " << analyser::printable(trained->second) << "\n";
  for (const auto& [stream, values] : result.history)
    if (values.size() > 1)
      context.out << analyser::printable(stream) << ": " << shortNumber(values.front()) << " at first, "
                  << shortNumber(values.back()) << " after " << analyser::formatCount(static_cast<int64_t>(values.size()))
                  << " values\n";
  if (!files.empty()) context.out << "outputs: " << analyser::formatCount(static_cast<int64_t>(files.size())) << " files\n";
}

} // namespace

void RunCommand::declare(Options& command) {
  command
      .addOption("GRAPH", m_request.graph,
                 "a sample's name, an .onnx file, a folder with model.onnx, or program:FILE, a program built with the SDK")
      .required()
      .check(isNamed());
  command.addOption("--machine", m_request.machine, "machine (see `machines`)").showDefault();
  command.addOption("--ipus", m_request.ipus, "number of IPUs (default: the machine's)").check(isInRange(1, 4096));
  declareParallelOptions(command, m_request);
  declareOnnxOptions(command, m_request.onnx);
  command.addOption("-o,--output,--report", m_report, "report to write (default: NAME.tsr in this folder)").check(isNamed());
  command
      .addOption("--input", m_inputs,
                 "NAME=FILE: value of an input, .pb (TensorProto) or .npy, or the numbers themselves for a model (rate=16000); "
                 "may be repeated")
      .oneValueEach();
  command.addOption("--outputs", m_outputs, "folder for the outputs of the last run, as .npy files").check(isNamed());
  command.addOption("--set", m_settings, "KEY=VALUE: parameter of a sample; may be repeated").oneValueEach();
  declarePrecisionOptions(command, m_precision, m_request);
  command.addOption("--iterations", m_request.iterations, "how often to run the program")
      .check(isInRange(1, int64_t(1'000'000)))
      .showDefault();
  command.addOption("--seed", m_request.seed, "seed of weights, made-up inputs and random numbers")
      .check(isWholeNumber())
      .each([this](const std::string&) { m_seedGiven = true; })
      .showDefault();
  command
      .addOption("--engine-option", m_engineOptions,
                 "KEY=VALUE: engine option under its Poplar name; may be repeated. POPLAR_ENGINE_OPTIONS (JSON) is read first")
      .oneValueEach();
  command.addOption("--tag", m_tagWords, kTagHelp).oneValueEach();
  command.addOption("--tags", m_tagFile, kTagFileHelp).check(isNamed());
  command.addFlag("--vertex-by-vertex", m_request.vertexByVertex,
                  "compute library operations tile by tile, from each tile's own data, as their plans cut them; if the numbers "
                  "equal those of a normal run up to rounding, the plans are right; slow, so only for small graphs and machines");
  command.addFlag("--no-numbers", m_noNumbers, "time and memory only: no values are computed");
  command.addFlag("--dry-run", m_dryRun,
                  "print the graph, its inputs and the memory it takes, without computing numbers; keep no report");
  command.addFlag("--force", m_force, "replace the report even if it is read-only, and files of --outputs that no run wrote");
  command.addFlag("--no-follow", m_noFollow, "refuse to write the report through a symbolic link");
  command
      .addOption(
          "--memory-limit", m_memoryLimit,
          "memory of this computer that values may take, as 8GiB (default: four fifths of it); a node that needs more is an "
          "error")
      .asSize()
      .check(isPositive());
  command.addOption("--arguments", m_arguments,
                    "words for a program, as a shell splits them; {name} is the value of --set name=…");
  command.addOption("--environment", m_environment, "NAME=VALUE … for a program, as a shell splits them");
  command.addOption("--folder", m_folder, "folder in which a program runs (default: this one)").check(isNamed());
  command.addFlag("--json", m_json, "print JSON");
  declareProgress(command, m_progress);
  m_given = [command] { return command.given(); };
}

bool RunCommand::isGiven(const char* option) const {
  const std::vector<std::string> given = m_given();
  return std::find(given.begin(), given.end(), option) != given.end();
}

// The program itself chooses its device, its numbers and its training, so options for them are rejected.
ProgramRun RunCommand::programRun() const {
  static const std::set<std::string> kTaken{"--machine",       "--arguments", "--environment", "--folder", "--set",
                                            "--engine-option", "--tag",       "--tags",        "--output", "--no-follow",
                                            "--force",         "--json",      "--progress"};
  for (const std::string& option : m_given())
    if (!kTaken.contains(option))
      throw reports::Error(reports::ErrorCode::InvalidInput, "a program does not take this option", option,
                           "leave it out; a program takes " + reports::joined(kTaken));
  ProgramRun run;
  run.file = analyser::programFile(m_request.graph);
  run.arguments = m_arguments, run.environment = m_environment, run.folder = m_folder;
  if (isGiven("--machine")) {
    (void)simcore::arch::findMachine(m_request.machine, 0); // throws for an unknown name
    run.machine = m_request.machine;
  }
  run.settings = keyValues(m_settings, "--set");
  run.engineOptions = keyValues(m_engineOptions, "--engine-option");
  run.keepsOutput = m_json;
  return run;
}

int RunCommand::runProgram(Context& context) {
  ProgramRun program = programRun();
  requireStartable(program);
  if (m_report.empty()) m_report = fileName(program.file.filename().string()) + ".tsr";
  RunFiles files = runFiles();
  files.read.push_back(program.file);
  requireSafe(files, {});
  program.metadata = readTags(m_tagWords, m_tagFile);
  program.metadata.merge(howItWasRun(context));
  for (const auto& [name, value] : program.settings) program.metadata["parameter." + name] = value;
  for (const auto& [name, value] : {std::pair("arguments", m_arguments), {"environment", m_environment}, {"folder", m_folder}})
    if (!value.empty()) program.metadata[std::string("option.") + name] = value;
  const auto progress = makeProgress(context, m_progress);
  reports::PartFile part(m_report, files.replaces, files.links);
  program.report = part.path();
  const ProgramEnd end = cli::runProgram(program, context.stop, *progress);
  if (!end.wroteReport)
    throw reports::Error(
        reports::ErrorCode::InvalidInput,
        end.exitCode == 0 ? "the program wrote no report" : "the program " + end.inWords() + ", and wrote no report",
        program.file.string(), "a report is written by poplar::Engine of the SDK, in the process that was started");
  const bool fits = analyser::Session::open(part.path().string())->metadata("state") == "fits";
  part.publish();
  if (end.exitCode != 0 && fits)
    throw reports::Error(reports::ErrorCode::InvalidInput, "the program " + end.inWords(), program.file.string(),
                         "its report is kept: " + m_report);
  print(context, m_report, {}, {}, {}, m_json);
  return fits ? kDone : kAnswerIsNo;
}

RunFiles RunCommand::runFiles() const {
  RunFiles files{m_report, m_outputs, m_request.onnx.saveModel, {}};
  files.asked = m_asked;
  if (m_force) files.replaces = reports::PartFile::Replaces::ReadOnlyReports, files.replacesOutputs = true;
  if (m_noFollow) files.links = reports::PartFile::Links::Refuse;
  if (const auto file = findOnnxFile(m_request.graph)) files.read.push_back(*file);
  if (!m_tagFile.empty()) files.read.emplace_back(m_tagFile);
  for (const auto& [name, file] : m_request.inputs) files.read.emplace_back(file);
  return files;
}

// Joins the options and the environment into one set, so that unknown names are reported once.
simcore::run::EngineOptionSet RunCommand::readEngineOptions(Context& context) const {
  simcore::run::EngineOptionSet options;
  if (const char* json = std::getenv("POPLAR_ENGINE_OPTIONS"); json && *json) options.readJson(json, "POPLAR_ENGINE_OPTIONS");
  for (const auto& [name, value] : keyValues(m_engineOptions, "--engine-option")) options.set(name, value, "--engine-option");
  for (const std::string& name : options.unknown())
    context.err << "note: engine option '" << analyser::printable(name) << "' is not known and has no effect\n";
  return options;
}

void RunCommand::requireNumbers() const {
  const auto refuse = [](bool isGiven, const char* what, const char* option, const char* other) {
    if (isGiven) throw reports::Error(reports::ErrorCode::InvalidInput, what, option, std::string("leave out ") + other);
  };
  if (m_dryRun) {
    refuse(!m_report.empty(), "a dry run writes no report", "--report", "--dry-run");
    refuse(!m_outputs.empty(), "a dry run computes no outputs", "--outputs", "--dry-run");
    refuse(!m_request.onnx.saveModel.empty(), "a dry run trains nothing", "--save-model", "--dry-run");
  }
  if (!m_noNumbers) return;
  refuse(!m_outputs.empty(), "outputs need numbers", "--outputs", "--no-numbers");
  refuse(!m_request.onnx.saveModel.empty(), "training needs numbers", "--save-model", "--no-numbers");
}

SimulateOptions RunCommand::simulateOptions(Context& context, const simcore::graph::Workload& workload,
                                            simcore::run::EngineOptionSet engineOptions) const {
  SimulateOptions options;
  options.engine.numbers = !m_noNumbers;
  options.engine.printStream = &context.err;
  options.iterations = m_request.iterations;
  options.seed = m_request.seed;
  options.engineOptions = std::move(engineOptions);
  options.replanning = replanningOf(m_request, context.stop);
  options.metadata = howItWasRun(context);
  options.metadata["tool"] = "tilescope-cli";
  options.metadata["tool_version"] = TILESCOPE_VERSION;
  options.metadata["precision"] = m_precision;
  if (m_request.parallel.quarter)
    options.metadata["peak_fp8_flops_per_second"] = std::to_string(int64_t(workload.graph->machine().peakQuarterFlops));
  if (m_request.vertexByVertex) options.metadata["numbers"] = "vertex by vertex";
  if (const int replicas = workload.graph->machine().replicas; replicas > 1)
    options.metadata["replicas"] = std::to_string(replicas);
  for (const auto& [name, value] : workload.facts) options.metadata[name] = value;
  options.metadata.merge(effectiveOptions(m_request));
  options.metadata.insert(m_tags.begin(), m_tags.end());
  options.metadata["iterations"] = std::to_string(m_request.iterations);
  if (const auto samples = simcore::run::samplesOfRun(workload, m_request.iterations)) // so that comparisons are per sample, too
    options.metadata["samples"] = std::to_string(*samples);
  return options;
}

// Prints the facts of the report that the console should show, too.
void RunCommand::printNotes(Context& context, const simcore::graph::Workload& workload, const SimulateResult& result) const {
  if (const int ipus = workload.graph->machine().ipus; result.idleIpus > 0 && result.idleIpus < ipus)
    context.err << "note: " << reports::counted(result.idleIpus, "IPU") << " of " << ipus
                << (result.idleIpus == 1 ? " computes" : " compute") << " nothing; shares of the peak are of all IPUs\n";
  if (const auto note = workload.facts.find("train.loss"); note != workload.facts.end())
    context.err << "note: " << analyser::printable(note->second) << ": say --class-axis N if they are not\n";
  if (const auto note = workload.facts.find("clamped"); note != workload.facts.end())
    context.err << "note: constants beyond fp16 are its largest number, 65504, on the machine: "
                << analyser::printable(note->second) << "\n";
  if (const auto note = workload.facts.find("made_up"); note != workload.facts.end())
    context.err << "note: inputs that are made up as zeros, on which sizes or offsets depend: "
                << analyser::printable(note->second) << "; give values as --input "
                << analyser::printable(note->second.substr(0, note->second.find(','))) << "=0,3,4\n";
  if (const auto note = workload.facts.find("model.batch"); note != workload.facts.end())
    context.err << "note: the batch is " << note->second << "\n";
  if (workload.facts.contains("bf16"))
    context.err << "note: the file's bf16 values are computed in fp32, because the machine has no bf16\n";
  if (const auto note = workload.facts.find("train.export"); note != workload.facts.end())
    context.err << "note: " << note->second << "\n";
  if (const auto note = workload.facts.find("train.statistics"); note != workload.facts.end())
    context.err << "note: " << note->second << "\n";
  for (const std::string& what : result.notFinite) context.err << "note: " << analyser::printable(what) << "\n";
  if (result.plans > 1)
    context.err << "note: tiles overflowed, so some operations were planned again with less available memory ("
                << reports::counted(result.plans, "plan")
                << (result.fits ? "; the last fits" : "; none fits, and the first is kept") << ")\n";
  if (!result.fits && (!m_outputs.empty() || !m_request.onnx.saveModel.empty()))
    context.err << "note: the model does not fit, so no numbers were computed and no outputs are written\n";
}

std::vector<std::string> RunCommand::writeFiles(const SimulateResult& result) const {
  std::vector<std::string> files;
  if (!result.fits) return files;
  if (!m_outputs.empty()) files = writeOutputs(m_outputs, result);
  if (!m_request.onnx.saveModel.empty()) {
    saveTrained(findOnnxFile(m_request.graph)->string(), result.variables, m_request.onnx.saveModel);
    files.push_back(m_request.onnx.saveModel);
  }
  return files;
}

// Writes the other files. If that fails, the error says that the report is complete.
std::vector<std::string> RunCommand::writeFilesBeside(const SimulateResult& result) const {
  try {
    return writeFiles(result);
  } catch (const reports::Error& e) {
    throw reports::Error(e.code(), e.message(), e.where(), "the report is complete: " + m_report);
  }
}

SimulateResult RunCommand::simulated(simcore::graph::Workload& workload, const SimulateOptions& options, reports::Writer& writer,
                                     simcore::run::HostTimeline& timeline, const std::stop_token& stop,
                                     reports::Progress& progress) const {
  const auto simulate = [&] { return simcore::run::simulate(std::move(workload), options, writer, timeline, stop, progress); };
  const auto file = findOnnxFile(m_request.graph);
  return file ? inModel(*file, simulate) : simulate();
}

// Compiles like a run. The memory is read from a report of the facts that are known before a run.
int RunCommand::dryRun(Context& context, const simcore::graph::Workload& workload, SimulateOptions options,
                       simcore::run::HostTimeline& timeline, reports::Progress& progress) const {
  options.engine.numbers = false;
  for (const char* option : {"debug.allowOutOfMemory", "tilescope.allowUnknownCycles"})
    options.engineOptions.set(option, "true", "--dry-run");
  const simcore::native::ScratchFolder folder(std::filesystem::temp_directory_path());
  const std::string report = folder / "plan.tsr";
  const auto compiled = [&] {
    reports::Writer writer(report);
    simcore::run::ReportedEngine planned(workload, options, writer, timeline, context.stop, progress);
    if (!planned.fits()) try { // Insights needs the order of the steps, to find the values that wait at the peak
        for (const auto& [stream, values] : workload.inputs) planned.engine().connectInput(stream, values);
        SimulateResult none;
        simcore::run::runPrograms(workload, 1, planned.engine(), context.stop, progress, none);
      } catch (const reports::Error&) { // e.g. too many steps; the memory is known without them
        if (context.stop.stop_requested()) throw;
      }
    planned.finish();
    writer.commit();
    return simcore::run::previewOf(workload, planned.executable(), planned.plans());
  };
  const auto file = findOnnxFile(m_request.graph);
  const auto preview = file ? inModel(*file, compiled) : compiled();
  const PreviewMemory memory = previewMemory(*analyser::Session::open(report), context.stop);
  if (!m_json) printNotes(context, workload, {});
  context.out << (m_json ? previewJson(workload, preview, memory) : previewText(workload, preview, memory));
  return preview.fits() ? kDone : kAnswerIsNo;
}

void RunCommand::requireGraph() const {
  if (analyser::isProgram(m_request.graph))
    requireStartable(programRun());
  else
    cli::requireGraph(m_request.graph, keyValues(m_settings, "--set"));
}

void RunCommand::requireOneGraph() const {
  requireGraph();
  for (const auto& [isGiven, option] :
       {std::pair(!m_report.empty(), "--report"), std::pair(!m_outputs.empty(), "--outputs"), std::pair(m_dryRun, "--dry-run"),
        std::pair(!m_request.onnx.saveModel.empty(), "--save-model")})
    if (isGiven)
      throw reports::Error(reports::ErrorCode::InvalidInput, "the results of the runs of `fit` are not kept", option,
                           "leave it out");
}

void RunCommand::requireLoadable(const std::stop_token& stop) {
  if (analyser::isProgram(m_request.graph)) return requireStartable(programRun());
  readRequest();
  reports::NoProgress quiet;
  (void)loadWorkload(m_request, stop, quiet);
}

void RunCommand::readRequest() {
  readPrecision(m_precision, m_request);
  m_request.numbers = !m_noNumbers && !m_dryRun;
  m_request.inputs = keyValues(m_inputs, "--input");
  m_request.settings = keyValues(m_settings, "--set");
  m_tags = readTags(m_tagWords, m_tagFile);
}

int RunCommand::run(Context& context) {
  if (analyser::isProgram(m_request.graph)) return runProgram(context);
  for (const char* option : {"--arguments", "--environment", "--folder"})
    if (isGiven(option))
      throw reports::Error(reports::ErrorCode::InvalidInput, "applies only to programs", option,
                           "run program:FILE, or omit the option");
  if (isProgramFile(m_request.graph))
    throw reports::Error(reports::ErrorCode::InvalidInput, "is a program, not a model", m_request.graph,
                         "`run program:" + m_request.graph + "` starts it");
  requireThreads();
  if (m_memoryLimit > 0) simcore::numerics::limitHostMemory(m_memoryLimit);
  readRequest();
  auto engineOptions = readEngineOptions(context);
  if (engineOptions.isSet("prng.seed") && !m_seedGiven) m_request.seed = engineOptions.integer("prng.seed");
  requireNumbers();
  if (!m_dryRun) m_asked = simcore::run::reportsAskedFor(engineOptions);
  if (!m_dryRun) requireSafe(runFiles(), {}); // now, because making the graph may take long
  const auto progress = makeProgress(context, m_progress);
  simcore::run::HostTimeline timeline("tilescope-cli");
  auto loading = timeline.span("load the graph", "load");
  auto workload = loadWorkload(m_request, context.stop, *progress);
  loading.reset();
  if (m_request.parallel.overlapIo == simcore::model::OverlapIo::Loops && workload.graph->machine().ioTiles == 0)
    throw reports::Error(reports::ErrorCode::InvalidInput, "the machine has no I/O tiles", "--overlap-io loops",
                         "add --io-tiles N");
  if (const auto overlap = workload.facts.find("overlap_io");
      overlap != workload.facts.end() && overlap->second.starts_with("none"))
    context.err << "note: a run of one batch has no next batch to load ahead; add --batches-per-step or --accumulation\n";
  if (m_dryRun)
    return dryRun(context, workload, simulateOptions(context, workload, std::move(engineOptions)), timeline, *progress);
  if (m_report.empty()) m_report = fileName(workload.name) + ".tsr";
  requireSafe(runFiles(), workload.outputs);

  SimulateResult result;
  {
    reports::Writer writer(m_report, runFiles().replaces, runFiles().links); // without commit() no file remains
    result = simulated(workload, simulateOptions(context, workload, std::move(engineOptions)), writer, timeline, context.stop,
                       *progress);
    progress->phase("finishing the report");
    if (!m_outputs.empty() && result.fits) makeFolder(m_outputs);
    writer.commit();
    writeCopies(runFiles());
    progress->update(1);
  }
  printNotes(context, workload, result);
  print(context, m_report, result, writeFilesBeside(result), workload.facts, m_json);
  return result.fits ? kDone : kAnswerIsNo;
}

} // namespace app::cli
