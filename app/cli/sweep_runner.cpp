#include "app/cli/sweep_runner.h"

#include "analyser/session/shell_line.h"
#include "app/cli/child.h"
#include "app/cli/lease.h"
#include "app/cli/output_files.h"
#include "reports/core/error.h"
#include "reports/core/text.h"
#include "reports/sqlite/part_file.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <list>
#include <set>
#include <span>

namespace app::cli {

namespace {

namespace fs = std::filesystem;
using analyser::sweep::Configuration;
using analyser::sweep::Record;
using analyser::sweep::State;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestLine = 1000;  // characters of an error
constexpr int kMoment = 1;                  // milliseconds
constexpr int kTick = 200;                  // milliseconds between checks of time-outs and leases
constexpr std::chrono::seconds kRefresh{5}; // between renewals of a lease
constexpr int kDoesNotFitCode = kAnswerIsNo;

std::string inWords(const Configuration& c) { return c.values.empty() ? c.arguments.front() : c.valuesText(); }

// The standard output of a run, in memory: it contains the report's figures, so the report is not read again.
class Answer {
public:
  Answer() : m_file(memfd_create("answer", MFD_CLOEXEC)) {}
  ~Answer() {
    if (m_file >= 0) close(m_file);
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  // Empty without the memory file: then the output is discarded.
  std::string path() const { return m_file < 0 ? std::string() : "/proc/self/fd/" + std::to_string(m_file); }
  std::string text() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

private:
  int m_file;
};

struct Running {
  const Configuration* configuration;
  Lease lease;
  Answer answer;
  Child child;
  bool timedOut = false;
  Running(const Configuration& c, Lease held, const std::vector<std::string>& commandLine)
      : configuration(&c), lease(std::move(held)), child({.words = commandLine, .output = answer.path()}) {}
};

class Runner {
public:
  Runner(const SweepSlice& slice, const std::stop_token& stop, reports::Progress& progress)
      : m_slice(slice), m_stop(stop), m_progress(progress), m_folder(fs::absolute(slice.manifest).parent_path()) {}

  SweepOutcome run() {
    const auto manifest = analyser::sweep::readManifest(m_slice.manifest);
    const std::size_t all = manifest.configurations.size();
    if (m_slice.index >= all)
      throw reports::Error(reports::ErrorCode::InvalidInput, "the manifest has " + std::to_string(all) + " runs, from 0",
                           "--index " + std::to_string(m_slice.index));
    const std::size_t end = m_slice.count == 0 ? all : std::min(all, m_slice.index + m_slice.count);
    for (std::size_t i = m_slice.index; i < end; ++i) requireReadable(manifest.configurations[i]);
    requireExecutable(std::span(manifest.configurations).subspan(m_slice.index, end - m_slice.index));
    if (std::error_code ignored; fs::is_symlink(fs::symlink_status(m_folder / "runs", ignored)))
      throw reports::Error(reports::ErrorCode::InvalidInput, "is a symbolic link, and runs would be written where it points to",
                           (m_folder / "runs").string(), "remove the link first");
    makeFolder(m_folder / "runs");
    tidy(manifest, end);
    for (std::size_t i = m_slice.index; i < end; ++i) m_waiting.push_back(&manifest.configurations[i]);
    m_size = m_waiting.size();
    while (!m_waiting.empty() || !m_running.empty()) {
      if (m_stop.stop_requested()) {
        m_running.clear(); // children end when their objects are destroyed; their unfinished files remain
        tidy(manifest, end);
        reports::throwIfStopped(m_stop);
      }
      startSome();
      wait();
      std::list<Running> ended = takeEnded();
      startSome(); // starts runs first, so that the processors are busy while results are read and written
      for (const Running& r : ended) finish(r);
      refreshLeases();
    }
    tidy(manifest, end);
    return std::move(m_outcome);
  }

private:
  // Throws unless the user has allowed all programs that the runs start: a program can do anything that the user can. The error
  // shows the command lines.
  void requireExecutable(std::span<const Configuration> runs) const {
    const auto isAllowed = [&](const Configuration& c) {
      std::error_code ignored;
      return c.program.empty() || std::any_of(m_slice.executable.begin(), m_slice.executable.end(),
                                              [&](const fs::path& p) { return fs::equivalent(p, c.program, ignored); });
    };
    std::set<std::string> lines;
    std::string first;
    for (const Configuration& c : runs)
      if (!isAllowed(c)) {
        if (first.empty()) first = c.program;
        lines.insert(reports::displayText(analyser::shellLine(c.arguments), kLongestLine));
      }
    if (lines.empty()) return;
    std::string shown;
    for (auto line = lines.begin(); line != lines.end() && shown.size() < kLongestLine; ++line)
      shown += (shown.empty() ? "" : "; ") + *line;
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "runs would start a program, with " + std::to_string(lines.size()) + " command lines: " + shown,
                         m_slice.manifest.string(), "to allow them, add --execute " + reports::displayText(first));
  }

  // Throws unless the user has allowed the files that the run reads: a foreign manifest may name any file of this computer, whose
  // contents would end up in reports.
  void requireReadable(const Configuration& c) const {
    for (const std::string& file : c.files)
      if (!isBelow(file, m_folder) &&
          std::none_of(m_slice.readable.begin(), m_slice.readable.end(), [&](const fs::path& p) { return isBelow(file, p); }))
        throw reports::Error(reports::ErrorCode::InvalidInput,
                             "a run would read " + reports::displayText(file) + ", which is not beside the manifest",
                             m_slice.manifest.string(), "to allow it, add --read " + reports::displayText(file));
  }

  // Removes leftovers of killed processes: unfinished files, and leases of runs that are done.
  void tidy(const analyser::sweep::Manifest& manifest, std::size_t end) const {
    std::error_code ignored;
    for (const fs::path& part : reports::staleParts(m_folder / "runs" / "any")) fs::remove(part, ignored);
    for (std::size_t i = m_slice.index; i < end; ++i)
      if (const Configuration& c = manifest.configurations[i]; isDone(c))
        Lease::removeStale(analyser::sweep::leaseFile(m_folder, c.key), m_slice.lease);
  }

  std::vector<std::string> commandLine(const Configuration& c) const {
    std::vector<std::string> words{m_slice.program, "run"};
    words.insert(words.end(), c.arguments.begin(), c.arguments.end());
    words.insert(words.end(), {"--report", analyser::sweep::reportFile(m_folder, c.key).string(), "--no-follow", "--progress",
                               "none", "--json"});
    return words;
  }

  bool isDone(const Configuration& c) const {
    const auto record = analyser::sweep::readRecord(analyser::sweep::recordFile(m_folder, c.key), c.key);
    return record && record->isFinal();
  }

  // Starts runs while there are free jobs. Checks each waiting run at most once; a run that another process has taken goes to the
  // end of the queue.
  void startSome() {
    for (std::size_t looks = m_waiting.size(); looks > 0 && m_running.size() < static_cast<std::size_t>(m_slice.jobs); --looks) {
      const Configuration& c = *m_waiting.front();
      m_waiting.pop_front();
      if (isDone(c)) {
        ++m_outcome.already;
        continue;
      }
      auto lease = Lease::take(analyser::sweep::leaseFile(m_folder, c.key), m_slice.lease);
      if (!lease)
        m_waiting.push_back(&c);
      else if (isDone(c)) // finished between the check and the lease
        ++m_outcome.already;
      else
        m_running.emplace_back(c, std::move(*lease), commandLine(c));
    }
    const auto finished = static_cast<double>(m_size - m_waiting.size() - m_running.size());
    m_progress.phase(std::to_string(int64_t(finished)) + " of " + std::to_string(m_size) + " runs");
    m_progress.update(m_size == 0 ? 1 : finished / double(m_size));
  }

  // Waits for output. A child that has closed its pipe ends soon, but poll() does not report that, so the wait is then short.
  void wait() const {
    std::vector<pollfd> pipes;
    int most = kTick;
    for (const Running& r : m_running) {
      pipes.push_back({r.child.descriptor(), POLLIN, 0});
      if (r.child.descriptor() < 0) most = kMoment;
    }
    if (pipes.empty() && m_waiting.empty()) return;
    poll(pipes.data(), pipes.size(), most);
  }

  // Removes the runs that have ended, and their leases, from the list of running ones.
  std::list<Running> takeEnded() {
    std::list<Running> ended;
    for (auto it = m_running.begin(); it != m_running.end();) {
      const bool isLate = m_slice.timeout.count() > 0 && it->child.seconds() > double(m_slice.timeout.count());
      if (isLate && !it->timedOut) it->timedOut = true, it->child.kill();
      const auto next = std::next(it);
      if (it->child.check()) ended.splice(ended.end(), m_running, it);
      it = next;
    }
    return ended;
  }

  void finish(const Running& r) {
    const Configuration& c = *r.configuration;
    const fs::path report = analyser::sweep::reportFile(m_folder, c.key);
    Record record;
    record.key = c.key;
    const bool hasRun = r.child.exitCode() == kDone || r.child.exitCode() == kDoesNotFitCode;
    if (auto answered = hasRun ? analyser::sweep::recordOfAnswer(c.key, r.answer.text()) : std::nullopt)
      record = std::move(*answered);
    else if (hasRun)
      record = analyser::sweep::recordOfReport(c.key, report);
    else
      record.message = whyItFailed(r);
    record.wallSeconds = r.child.seconds();
    if (!m_slice.keepsReports) fs::remove(report);
    writeText(analyser::sweep::recordFile(m_folder, c.key), analyser::sweep::recordText(record));
    if (record.state == State::Failed) m_outcome.failures.push_back(inWords(c) + ": " + record.message);
    ++(record.state == State::Done         ? m_outcome.done
       : record.state == State::DoesNotFit ? m_outcome.doesNotFit
                                           : m_outcome.failed);
  }

  std::string whyItFailed(const Running& r) const {
    if (r.timedOut) return "took longer than " + std::to_string(m_slice.timeout.count()) + " s";
    if (r.child.signal() != 0) return std::string("ended by a signal: ") + strsignal(r.child.signal());
    const std::string prefix = "tilescope-cli: ";
    const std::string& line = r.child.lastLine();
    if (!line.empty()) return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
    return "ended with exit code " + std::to_string(r.child.exitCode());
  }

  void refreshLeases() {
    if (Clock::now() - m_refreshed < kRefresh) return;
    m_refreshed = Clock::now();
    for (const Running& r : m_running) r.lease.refresh();
  }

  const SweepSlice& m_slice;
  const std::stop_token& m_stop;
  reports::Progress& m_progress;
  fs::path m_folder;
  std::deque<const Configuration*> m_waiting;
  std::list<Running> m_running;
  std::size_t m_size = 0;
  SweepOutcome m_outcome;
  Clock::time_point m_refreshed = Clock::now();
};

} // namespace

bool isBelow(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(fs::absolute(file), error),
                 outer = fs::weakly_canonical(fs::absolute(folder), error);
  return !error && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

SweepOutcome runSlice(const SweepSlice& slice, const std::stop_token& stop, reports::Progress& progress) {
  return Runner(slice, stop, progress).run();
}

} // namespace app::cli
