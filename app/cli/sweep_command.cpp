#include "app/cli/sweep_command.h"

#include "analyser/session/format.h"
#include "analyser/sweep/sweep_table.h"
#include "app/cli/options.h"
#include "app/cli/output_files.h"
#include "app/cli/run_command.h"
#include "reports/core/error.h"
#include "reports/core/regular_file.h"
#include "reports/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <thread>

namespace app::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostSpecBytes = 16 << 20;

std::string specText(const std::string& file) {
  return reports::readRegularFile(file, kMostSpecBytes, "a spec is a JSON file; `tilescope-cli sweep --help` shows one");
}

// Reads the arguments like `run` and makes the graph, but does not run it.
void requireLoadable(const std::vector<std::string>& arguments, const std::stop_token& stop) {
  OptionParser parser;
  RunCommand run;
  Options options = parser.options();
  run.declare(options);
  if (const std::string wrong = parser.parse(arguments); !wrong.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, wrong, "", "`tilescope-cli run --help` lists the options");
  run.requireGraph();
  run.requireLoadable(stop);
}

// Rejects graphs, names and values that `run` does not know, before a hundred thousand tasks fail on them. A value is rejected if
// several runs have it and none of them can start. Values that only some runs cannot have are not rejected, and runs that would
// take too long are not checked.
class Rehearsal {
public:
  Rehearsal(const std::string& spec, const std::stop_token& stop) : m_spec(spec), m_stop(stop) {}

  void look(const analyser::sweep::Manifest& manifest) {
    const auto end = std::chrono::steady_clock::now() + kMostTime;
    for (const auto& configuration : manifest.configurations) {
      if (std::chrono::steady_clock::now() > end) return;
      if (hasNews(configuration)) tryOne(configuration);
    }
    for (const auto& [value, trial] : m_trials)
      if (trial.refusal) throw trial.refusal->within(m_spec);
  }

private:
  using Value = std::pair<std::string, std::string>;
  struct Trial {
    int tries = 0;
    std::optional<reports::Error> refusal; // empty once a run with the value can start
  };
  static constexpr int kMostTries = 8;
  static constexpr std::chrono::seconds kMostTime{10};

  static std::vector<Value> valuesOf(const analyser::sweep::Configuration& c) {
    return c.values.empty() ? std::vector<Value>{{}} : c.values;
  }

  bool hasNews(const analyser::sweep::Configuration& c) const {
    const auto values = valuesOf(c);
    return std::any_of(values.begin(), values.end(), [&](const Value& value) {
      const auto it = m_trials.find(value);
      return it == m_trials.end() || (it->second.refusal && it->second.tries < kMostTries);
    });
  }

  void tryOne(const analyser::sweep::Configuration& c) {
    std::optional<reports::Error> refusal;
    try {
      requireLoadable(c.arguments, m_stop);
    } catch (const reports::Error& error) {
      if (error.code() == reports::ErrorCode::Cancelled) throw;
      if (error.code() != reports::ErrorCode::OutOfMemory) refusal = error; // "does not fit" is a valid outcome
    }
    for (const Value& value : valuesOf(c)) {
      const auto [it, isNew] = m_trials.try_emplace(value);
      Trial& trial = it->second;
      ++trial.tries;
      if (isNew || trial.refusal) trial.refusal = refusal;
    }
  }

  const std::string& m_spec;
  const std::stop_token& m_stop;
  std::map<Value, Trial> m_trials;
};

// The path of this program, for its child processes.
std::string thisProgram() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw reports::Error(reports::ErrorCode::Io, "cannot find out which program this is", "/proc/self/exe", "use --program");
  return self.string();
}

} // namespace

void SweepCommand::declare(Options& command) {
  command.requireCommand();
  command.footer("A spec:\n"
                 "  {\"graph\": \"mnist-train\",\n"
                 "   \"arguments\": [\"--no-numbers\"],\n"
                 "   \"parameters\": {\"batch\": [16, 32, 64], \"--machine\": [\"gc200\", \"bow\"],\n"
                 "                  \"--precision\": [\"fp32\", \"fp16\"]},\n"
                 "   \"exclude\": [{\"batch\": 64, \"--precision\": \"fp32\"}]}\n"
                 "Then:\n"
                 "  tilescope-cli sweep plan spec.json -o my-sweep\n"
                 "  tilescope-cli sweep run my-sweep/manifest.jsonl\n"
                 "  tilescope-cli sweep merge my-sweep --csv");
  declarePlan(command.addCommand("plan", "Write the manifest: a line for each run"));
  declareRun(command.addCommand("run", "Do the runs of a manifest that have no result yet, or a slice of them"));
  declareMerge(command.addCommand("merge", "Put all results into one table, and say what is missing or failed"));
  declareEmit(command.addCommand("emit", "Print a script that does all runs with Slurm, GNU parallel or Kubernetes"));
}

void SweepCommand::declarePlan(Options command) {
  command.addOption("SPEC", m_spec, "the spec, a JSON file").required().check(isNamed());
  command.addOption("-o,--folder", m_folder, "folder for the manifest and the results (default: the spec's name without .json)")
      .check(isNamed());
  command.whenChosen([this] { m_chosen = &SweepCommand::plan; });
}

void SweepCommand::declareRun(Options command) {
  command.addOption("MANIFEST", m_manifest, "manifest.jsonl of `sweep plan`; results are written beside it")
      .required()
      .check(isNamed());
  command.addOption("--index", m_slice.index, "first run of the slice, from 0").showDefault();
  command.addOption("--count", m_slice.count, "runs of the slice; 0: all from --index on").showDefault();
  command.addOption("--jobs", m_slice.jobs, "runs at a time (default: one for each processor)").check(isInRange(1, 4096));
  command.addOption("--keep", m_keep, "reports, or none: results only").check(isOneOf({"reports", "none"})).showDefault();
  command.addOption("--timeout", m_timeoutSeconds, "seconds that one run may take; 0: any")
      .check(isInRange(0, 1'000'000))
      .showDefault();
  command.addOption("--lease", m_leaseSeconds, "seconds after which the runs of a silent node are taken over")
      .check(isInRange(1, 1'000'000))
      .showDefault();
  declareReadable(command);
  command.addOption("--program", m_program, "the tilescope-cli to start (default: this one)").check(isNamed());
  declareProgress(command, m_progress);
  command.whenChosen([this] { m_chosen = &SweepCommand::runIt; });
}

void SweepCommand::declareReadable(Options command) {
  command
      .addOption("--read", m_readable,
                 "file or folder that the manifest may name as its model or in --input and --tags, besides its own folder; may "
                 "be repeated")
      .oneValueEach();
  command.addOption("--execute", m_executable, "program that the manifest may start, as its graph program:FILE; may be repeated")
      .oneValueEach();
}

void SweepCommand::declareMerge(Options command) {
  command.addOption("DIR", m_folder, "folder of the sweep").required().check(isNamed());
  command.addFlag("--csv", m_csv, "print the table as CSV");
  command.whenChosen([this] { m_chosen = &SweepCommand::merge; });
}

void SweepCommand::declareEmit(Options command) {
  command.addOption("MANIFEST", m_manifest, "manifest.jsonl of `sweep plan`").required().check(isNamed());
  command.addOption("--for", m_scheduler, "slurm, parallel or k8s").required().check(isOneOf({"slurm", "parallel", "k8s"}));
  command.addOption("--count", m_count, "runs of a task").check(isInRange(1, 1'000'000));
  command.addOption("--most", m_most, "tasks at a time").check(isInRange(1, 1'000'000));
  command.addOption("--program", m_program, "the tilescope-cli of the nodes (default: this one)").check(isNamed());
  declareReadable(command);
  command.whenChosen([this] { m_chosen = &SweepCommand::emit; });
}

int SweepCommand::run(Context& context) { return (this->*m_chosen)(context); }

namespace {
// Number of runs in the existing manifest `file` that `next` does not have; 0 without a readable manifest.
int64_t runsThatAreReplaced(const fs::path& file, const analyser::sweep::Manifest& next) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return 0;
  std::set<std::string> kept;
  for (const auto& c : next.configurations) kept.insert(c.key);
  try {
    const auto earlier = analyser::sweep::readManifest(file.string()).configurations;
    return std::count_if(earlier.begin(), earlier.end(), [&](const auto& c) { return !kept.contains(c.key); });
  } catch (const reports::Error&) {
    return 0;
  }
}
} // namespace

int SweepCommand::plan(Context& context) {
  const auto manifest = analyser::sweep::planSweep(specText(m_spec), m_spec);
  Rehearsal(m_spec, context.stop).look(manifest);
  const fs::path folder = m_folder.empty() ? fs::path(m_spec).replace_extension() : fs::path(m_folder);
  if (folder == fs::path(m_spec))
    throw reports::Error(reports::ErrorCode::InvalidInput, "names the spec itself", "--folder", "give another folder with -o");
  makeFolder(folder);
  const fs::path file = folder / "manifest.jsonl";
  const int64_t replaced = runsThatAreReplaced(file, manifest);
  writeText(file, analyser::sweep::manifestText(manifest));
  if (replaced > 0)
    context.err << "note: " << reports::counted(replaced, "run") << " of the earlier plan in "
                << analyser::printable(file.string()) << (replaced == 1 ? " is" : " are")
                << " not in the new one; results in the folder are kept\n";
  context.out << analyser::formatCount(static_cast<int64_t>(manifest.configurations.size()))
              << (manifest.configurations.size() == 1 ? " run: " : " runs: ") << analyser::printable(file.string()) << "\n";
  std::set<std::string> elsewhere;
  for (const auto& c : manifest.configurations)
    for (const std::string& name : c.files)
      if (!isBelow(name, folder)) elsewhere.insert(name);
  for (const std::string& name : elsewhere)
    context.out << "its runs read " << analyser::printable(name) << ": add --read " << analyser::printable(name)
                << " to `sweep run`\n";
  std::set<std::string> programs;
  for (const auto& c : manifest.configurations)
    if (!c.program.empty()) programs.insert(c.program);
  for (const std::string& name : programs)
    context.out << "its runs start " << analyser::printable(name) << ": add --execute " << analyser::printable(name)
                << " to `sweep run`\n";
  return kDone;
}

int SweepCommand::runIt(Context& context) {
  m_slice.manifest = m_manifest;
  m_slice.readable.assign(m_readable.begin(), m_readable.end());
  m_slice.executable.assign(m_executable.begin(), m_executable.end());
  m_slice.program = m_program.empty() ? thisProgram() : m_program;
  if (m_slice.jobs == 0) m_slice.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  m_slice.keepsReports = m_keep == "reports";
  m_slice.lease = std::chrono::seconds(m_leaseSeconds);
  m_slice.timeout = std::chrono::seconds(m_timeoutSeconds);
  const auto progress = makeProgress(context, m_progress);
  const SweepOutcome outcome = runSlice(m_slice, context.stop, *progress);
  for (const std::string& line : outcome.failures) context.err << "failed: " << analyser::printable(line) << "\n";
  context.out << outcome.done << " done, " << outcome.doesNotFit << " do not fit, " << outcome.failed << " failed, "
              << outcome.already << " were done before\n";
  return outcome.failed == 0 ? kDone : kAnswerIsNo;
}

int SweepCommand::merge(Context& context) {
  const auto table = analyser::sweep::readSweep(m_folder);
  const fs::path file = fs::path(m_folder) / "sweep.db";
  writeWhole(
      file, [&](const fs::path& part) { analyser::sweep::writeSweepDatabase(table, part); }, reports::PartFile::Links::Refuse);
  if (m_csv)
    context.out << analyser::sweep::sweepCsv(table);
  else
    context.out << table.verdict.text() << "\ntable `point` in " << analyser::printable(file.string()) << "\n";
  for (const auto& p : table.points) {
    if (p.record && p.record->isFinal()) continue;
    context.err << (p.record ? "failed: " : "missing: ") << analyser::printable(p.configuration.valuesText())
                << (p.record ? ": " + analyser::printable(p.record->message) : std::string()) << "\n";
  }
  return table.failed + table.missing == 0 ? kDone : kAnswerIsNo;
}

int SweepCommand::emit(Context& context) {
  ScriptRequest request;
  request.scheduler = m_scheduler == "slurm"      ? Scheduler::Slurm
                      : m_scheduler == "parallel" ? Scheduler::Parallel
                                                  : Scheduler::Kubernetes;
  request.manifest = fs::absolute(m_manifest);
  request.program = m_program.empty() ? thisProgram() : m_program;
  request.runs = analyser::sweep::readManifest(m_manifest).configurations.size();
  request.count = m_count, request.most = m_most;
  for (const std::string& file : m_readable) request.readable.push_back(fs::absolute(file).string());
  for (const std::string& file : m_executable) request.executable.push_back(fs::absolute(file).string());
  context.out << sweepScript(request);
  return kDone;
}

} // namespace app::cli
