#include "app/cli/import_command.h"

#include "analyser/session/format.h"
#include "app/cli/durations.h"
#include "app/cli/options.h"
#include "reports/core/join.h"
#include "reports/core/json.h"
#include "reports/core/text.h"
#include "reports/exchange/byte_source.h"
#include "reports/exchange/import.h"
#include "reports/sqlite/writer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ostream>

namespace app::cli {

namespace {

using reports::Error;
using reports::ErrorCode;
using reports::exchange::Alignment;
using reports::exchange::ImportCounts;
using reports::exchange::Mend;

constexpr int64_t kLargeFileBytes = int64_t(200) << 20;
constexpr double kBytesPerSecond = 100e6; // unpacked bytes read per second on one core, for the estimate
constexpr double kPackedBytesPerSecond = 10e6;

Alignment::By alignmentOf(const std::string& text, std::string& marker) {
  if (text == "absolute") return Alignment::By::Absolute;
  if (text == "start") return Alignment::By::Start;
  if (text.starts_with("marker:") && text.size() > 7) {
    marker = text.substr(7);
    return Alignment::By::Marker;
  }
  throw Error(ErrorCode::InvalidInput, "--align does not know '" + text + "'", "", "write absolute, start or marker:NAME");
}

// The files that match a name: its path as given, else the file's name or the last parts of its path.
std::vector<std::size_t> filesNamed(const std::string& name, const std::vector<std::string>& files) {
  const auto those = [&](auto&& isNamed) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < files.size(); ++i)
      if (isNamed(files[i])) found.push_back(i);
    return found;
  };
  if (const auto exact = those([&](const std::string& file) { return file == name; }); !exact.empty()) return exact;
  const std::filesystem::path wanted = std::filesystem::path(name).lexically_normal();
  const std::vector<std::string> parts(wanted.begin(), wanted.end());
  return those([&](const std::string& file) {
    std::error_code ignored;
    if (wanted.has_parent_path() && std::filesystem::equivalent(file, wanted, ignored)) return true;
    const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
    const std::vector<std::string> own(path.begin(), path.end());
    return !parts.empty() && own.size() >= parts.size() && std::equal(parts.rbegin(), parts.rend(), own.rbegin());
  });
}

std::vector<int64_t> offsetsOf(const std::vector<std::string>& options, const std::vector<std::string>& files) {
  std::vector<int64_t> offsets(files.size());
  for (const std::string& option : options) {
    const std::size_t equals = option.rfind('=');
    if (equals == std::string::npos)
      throw Error(ErrorCode::InvalidInput, "--offset needs FILE=TIME, not '" + option + "'", "",
                  "write for example host.json=+3ms");
    const std::string name = option.substr(0, equals);
    const std::vector<std::size_t> named = filesNamed(name, files);
    const std::string all = reports::joined(named, [&](std::size_t i) { return files[i]; });
    if (named.empty()) throw Error(ErrorCode::InvalidInput, "--offset names a file that is not imported: " + name);
    if (named.size() > 1)
      throw Error(ErrorCode::InvalidInput, "--offset " + name + " names several files: " + all, "",
                  "write more of the path, so that one file matches");
    offsets[named[0]] = nanosecondsOf(option.substr(equals + 1), "--offset");
  }
  return offsets;
}

nlohmann::ordered_json jsonOf(const ImportCounts& c) {
  nlohmann::ordered_json mended = nlohmann::ordered_json::object();
  for (int i = 0; i < reports::exchange::kMendCount; ++i)
    if (const int64_t n = c.mended[std::size_t(i)]) mended[std::string(mendKey(Mend(i)))] = n;
  return {{"slices", c.slices},
          {"instants", c.instants},
          {"counter_samples", c.counterSamples},
          {"counter_series", c.counterSeries},
          {"flows", c.flows},
          {"processes", c.processes},
          {"threads", c.threads},
          {"samples", c.samples},
          {"duration_ns", c.durationNanoseconds},
          {"async_slices", c.asyncSlices},
          {"other_instants", c.otherInstants},
          {"counter_values", c.counterValues},
          {"flow_arrows", c.flowArrows},
          {"metadata_events", c.metadataEvents},
          {"mended", std::move(mended)},
          {"not_shown", nlohmann::ordered_json(c.notShown)}};
}

void printText(std::ostream& out, const reports::exchange::ImportResult& result, const std::string& report) {
  const ImportCounts& c = result.total;
  std::string line;
  const auto part = [&](int64_t n, const char* one, const char* many) {
    if (n > 0) line += (line.empty() ? "" : ", ") + analyser::formatCount(n) + " " + (n == 1 ? one : many);
  };
  part(result.tiles, "tile", "tiles");
  part(result.programs, "program", "programs");
  part(result.steps, "executed step", "executed steps");
  part(c.slices, "slice", "slices");
  part(c.asyncSlices, "asynchronous slice", "asynchronous slices");
  part(c.instants, "instant", "instants");
  part(c.counterSamples, "counter sample", "counter samples");
  part(c.flows, "flow", "flows");
  part(c.samples, "call stack", "call stacks");
  part(c.threads, "thread", "threads");
  part(c.processes, "process", "processes");
  out << (line.empty() ? "nothing to show" : line);
  if (c.durationNanoseconds > 0 || (result.tiles == 0 && c.samples == 0)) // stacks may have no times
    out << "; " << analyser::formatNanoseconds(reports::Nanoseconds(c.durationNanoseconds));
  out << ".\n";
  if (result.laid)
    out << analyser::formatCount(result.laid->linked()) << " of " << analyser::formatCount(result.laid->runs)
        << " runs of the device are linked to the " << analyser::formatCount(result.laid->slices)
        << " slices that started them.\n";
  for (const auto& file : result.files)
    for (int i = 0; i < reports::exchange::kMendCount; ++i)
      if (const int64_t n = file.counts.mended[std::size_t(i)]; n > 0 && !isSaidByName(file.counts, Mend(i))) {
        std::string sentence(mendSentence(Mend(i)));
        sentence[0] = char(std::toupper(sentence[0]));
        const std::string place = result.files.size() > 1 ? file.name + ": " : std::string();
        if (Mend(i) == Mend::TornFile && !file.stopped.empty())
          out << analyser::printable(place) << "Unpacking stopped early: " << analyser::printable(file.stopped)
              << "; everything before was read.\n";
        else
          out << analyser::printable(place) << sentence << ": " << analyser::formatCount(n) << ".\n";
      }
  if (!c.notShown.empty()) {
    const std::string kinds =
        reports::joined(c.notShown, [](const auto& k) { return k.first + " (" + analyser::formatCount(k.second) + ")"; });
    out << "Not shown: " << analyser::printable(reports::displayText(kinds, 2000)) << ".\n";
  }
  out << "report: " << analyser::printable(report) << "\n";
}

// Large files take a while: announces the expected time.
void announceLarge(std::ostream& err, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    reports::exchange::ByteSource source{std::filesystem::path(file)};
    if (source.fileBytes() < kLargeFileBytes) continue;
    const double seconds = double(source.fileBytes()) / (source.isPacked() ? kPackedBytesPerSecond : kBytesPerSecond);
    err << "tilescope-cli: " << analyser::printable(file) << " has " << source.fileBytes() / (1 << 20)
        << " MiB; reading it takes about " << std::max(1, int(std::lround(seconds))) << " s. Ctrl+C cancels.\n";
  }
}

} // namespace

void ImportCommand::declare(Options& command) {
  command.addOption("FILE", m_files, "trace files; several become one report").required().check(isNamed());
  command.addOption("-o,--output,--report", m_output, "the report to write (.tsr)").required().check(isNamed());
  command.addOption("--format", m_format, "format of the files, if it is not recognised")
      .check(isOneOf(reports::exchange::traceFormatNames()));
  command
      .addOption("--align", m_align,
                 "how the clocks of several files relate: absolute (wall-clock time), start (all begin at 0) or marker:NAME "
                 "(the first event of that name)")
      .showDefault();
  command
      .addOption("--offset", m_offsets,
                 "FILE=TIME moves the times of one file, for example host.json=+3ms, or run2/host.json=+3ms; may be repeated")
      .everyOccurrence();
  command
      .addOption(
          "--device", m_device,
          "a report of `tilescope-cli run`: its device is laid beside the traces, each of its runs at the slice that started it")
      .check(isNamed());
  command.addOption("--runs", m_runs, "with --device: names of the slices that started runs begin with this").showDefault();
  command.addOption("--title", m_title, "title of the report; the file names if none is given");
  command.addFlag("--json", m_json, "print what was read as JSON");
  declareProgress(command, m_progress);
}

int ImportCommand::run(Context& context) {
  reports::exchange::ImportRequest request;
  for (const std::string& file : m_files) {
    request.files.emplace_back(file);
    std::error_code ignored;
    if (std::filesystem::equivalent(file, m_output, ignored))
      throw Error(ErrorCode::InvalidInput, "the report would be written over a file that is read", m_output,
                  "name another file with -o");
  }
  if (!m_format.empty()) request.format = reports::exchange::traceFormatOf(m_format);
  request.alignment.by = alignmentOf(m_align, request.alignment.marker);
  request.alignment.offsets = offsetsOf(m_offsets, m_files);
  request.title = m_title;
  if (!m_device.empty()) request.device = reports::exchange::DeviceBeside{m_device, m_runs};
  announceLarge(context.err, m_files);
  reports::Writer writer(m_output);
  const auto result = [&] {
    const auto progress = makeProgress(context, m_progress);
    return reports::exchange::importTraces(request, writer, *progress, context.stop);
  }();
  writer.add(reports::MetadataRow{"tool", "tilescope-cli"});
  writer.add(reports::MetadataRow{"tool_version", TILESCOPE_VERSION});
  writer.commit();
  if (m_json) {
    auto json = jsonOf(result.total);
    if (result.tiles > 0) json["device"] = {{"tiles", result.tiles}, {"programs", result.programs}, {"steps", result.steps}};
    if (result.laid)
      json["laid"] = {{"slices", result.laid->slices}, {"runs", result.laid->runs}, {"linked", result.laid->linked()}};
    if (result.files.size() > 1)
      for (const auto& file : result.files) json["files"][file.path.string()] = jsonOf(file.counts);
    context.out << reports::jsonText(json, 2) << "\n";
  } else {
    printText(context.out, result, m_output);
  }
  return kDone;
}

} // namespace app::cli
