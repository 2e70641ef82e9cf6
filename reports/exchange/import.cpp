#include "reports/exchange/import.h"

#include "reports/core/join.h"
#include "reports/core/sqlite_head.h"
#include "reports/core/text.h"
#include "reports/exchange/chrome_json.h"
#include "reports/exchange/cpu_profile.h"
#include "reports/exchange/device_beside.h"
#include "reports/exchange/folded_stacks.h"
#include "reports/exchange/foreign_formats.h"
#include "reports/exchange/ftrace_text.h"
#include "reports/exchange/ninja_log.h"
#include "reports/exchange/perf_script.h"
#include "reports/exchange/perfetto_trace.h"
#include "reports/exchange/poplar_profile.h"
#include "reports/exchange/pprof.h"
#include "reports/exchange/pvti_trace.h"
#include "reports/exchange/recording_trace.h"
#include "reports/exchange/speedscope.h"

#include <algorithm>
#include <new>
#include <unordered_map>

namespace reports::exchange {

namespace {

// A format: its name, how to recognise a file by its first bytes, and how to read it. If several entries recognise a file, the
// first one is used.
struct Importer {
  TraceFormat format;
  const char *name, *title; // title: in the list of supported formats
  bool (*looksLike)(std::string_view head, const std::filesystem::path& file);
  // One of the two is set: a format is read either as a stream of bytes or from a file. Poplar's profiles are collected in
  // `profile`.
  void (*readStream)(Window& window, TraceAssembly& assembly, PoplarProfile& profile);
  void (*readFile)(const std::filesystem::path& file, TraceAssembly& assembly, const std::stop_token& stop);
};

template<bool (*looksLike)(std::string_view)> bool byHead(std::string_view head, const std::filesystem::path&) {
  return looksLike(head);
}
template<void (*read)(Window&, TraceAssembly&)> void asStream(Window& window, TraceAssembly& assembly, PoplarProfile&) {
  read(window, assembly);
}
bool isCpuProfile(std::string_view head, const std::filesystem::path& file) {
  return looksLikeCpuProfile(head) || (file.extension() == ".cpuprofile" && head.find("\"samples\"") != std::string::npos);
}
void readPoplarProfile(Window& window, TraceAssembly& assembly, PoplarProfile& profile) {
  profile.add(window, assembly.source().name, assembly);
}

constexpr Importer kImporters[] = {
    {TraceFormat::Recording, "recording", "recordings", byHead<looksLikeRecording>, nullptr, readRecording},
    {TraceFormat::Pvti, "pvti", ".pvti", byHead<looksLikePvti>, nullptr, readPvti},
    {TraceFormat::Speedscope, "speedscope", "speedscope", byHead<looksLikeSpeedscope>, asStream<readSpeedscope>, nullptr},
    {TraceFormat::Poplar, "poplar", "JSON profiles of Poplar", byHead<looksLikePoplarProfile>, readPoplarProfile, nullptr},
    {TraceFormat::CpuProfile, "cpuprofile", ".cpuprofile", isCpuProfile, asStream<readCpuProfile>, nullptr},
    {TraceFormat::Chrome, "chrome", "Chrome JSON", byHead<looksLikeChromeJson>, asStream<readChromeJson>, nullptr},
    {TraceFormat::Pprof, "pprof", "pprof", byHead<looksLikePprof>, asStream<readPprof>, nullptr},
    {TraceFormat::Ninja, "ninja", "logs of ninja", byHead<looksLikeNinjaLog>, asStream<readNinjaLog>, nullptr},
    {TraceFormat::Perfetto, "perfetto", "Perfetto", byHead<looksLikePerfetto>, asStream<readPerfetto>, nullptr},
    {TraceFormat::Ftrace, "ftrace", "systrace", byHead<looksLikeFtraceText>, asStream<readFtraceText>, nullptr},
    {TraceFormat::PerfScript, "perf-script", "perf script", byHead<looksLikePerfScript>, asStream<readPerfScript>, nullptr},
    {TraceFormat::Folded, "folded", "folded stacks", byHead<looksLikeFoldedStacks>, asStream<readFoldedStacks>, nullptr}};

const Importer& importerOf(TraceFormat format) {
  return *std::find_if(std::begin(kImporters), std::end(kImporters), [&](const Importer& i) { return i.format == format; });
}

constexpr std::size_t kHeadBytes = 1 << 18;

// The last `parts` parts of a path.
std::filesystem::path endOf(const std::filesystem::path& path, std::size_t parts) {
  std::filesystem::path end;
  auto part = path.end();
  for (std::size_t i = 0; i < parts && part != path.begin(); ++i) {
    --part;
    end = end.empty() ? *part : *part / end;
  }
  return end;
}

// Sets `reason` if unpacking stopped within these bytes.
std::string headOf(const std::filesystem::path& file, std::string* reason = nullptr) {
  ByteSource source(file);
  std::string head(kHeadBytes, '\0');
  head.resize(source.read({head.data(), head.size()}));
  if (head.starts_with("\xef\xbb\xbf")) head.erase(0, 3);
  if (reason) *reason = source.endReason();
  return head;
}

void refuseOwnReport(std::string_view head, const std::string& name) {
  if (!isReportHead(head)) return;
  for (const auto& [ending, unpack] : {std::pair(".gz", "gunzip "), std::pair(".zst", "unzstd ")})
    if (name.ends_with(ending))
      throw Error(ErrorCode::InvalidInput, "is a packed report of Tilescope, not a trace to import", name,
                  "unpack it: " + (unpack + name) + ", then open it: tilescope " + name.substr(0, name.rfind('.')));
  throw Error(ErrorCode::InvalidInput, "is a report of Tilescope already, not a trace to import", name,
              "open it: tilescope " + name + ", or tilescope-cli summary " + name);
}

struct StreamEnd {
  int64_t bytes = 0;  // unpacked bytes that were read; 0 for formats with readFile
  std::string reason; // why unpacking ended early; empty if it did not
};

StreamEnd readOne(TraceFormat format, const std::filesystem::path& file, TraceAssembly& assembly, PoplarProfile& profile,
                  Progress& progress, const std::stop_token& stop) {
  const std::string name = assembly.source().name;
  const Importer& importer = importerOf(format);
  if (importer.readFile) return importer.readFile(file, assembly, stop), StreamEnd();
  ByteSource source(file);
  Window window(source, progress, stop);
  window.grow();
  if (std::string_view(window.at(), window.size()).starts_with("\xef\xbb\xbf")) window.advanceTo(window.at() + 3);
  importer.readStream(window, assembly, profile);
  if (source.isFollowed()) {
    assembly.counts().mend(Mend::TrailingContent);
  } else if (!source.endReason().empty()) {
    assembly.counts().mend(Mend::TornFile);
    assembly.sink().add(ReportIssueRow{0, "warning", name, "unpacking stopped early: " + source.endReason(),
                                       "everything before was read; copy the file again", 1});
  }
  return {window.offset() + int64_t(window.size()), source.isFollowed() ? std::string() : source.endReason()};
}

// Reads a file; returns why unpacking stopped early, or an empty text. A file without usable data is an error, not an empty
// report. Errors get the file as location.
std::string readNamed(TraceFormat format, const std::filesystem::path& file, TraceAssembly& assembly, PoplarProfile& profile,
                      Progress& progress, const std::stop_token& stop) {
  const std::string place = displayText(file.string());
  StreamEnd end;
  try {
    end = readOne(format, file, assembly, profile, progress, stop);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::Io,
                "this computer has not enough memory for the trace; " + std::to_string(assembly.counts().slices) +
                    " slices were read",
                place, "record a shorter time, or import it on a computer with more memory");
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    if (!error.where().empty()) throw;
    throw error.within(place);
  }
  const ImportCounts& c = assembly.counts();
  // A complete Perfetto trace may hold only kinds that are not shown. It is accepted, because issues name these kinds.
  const bool isWholePerfetto = format == TraceFormat::Perfetto && c.mended[std::size_t(Mend::TornFile)] == 0 &&
                               c.mended[std::size_t(Mend::UnreadableEvents)] == 0;
  if (format == TraceFormat::Poplar || isWholePerfetto || assembly.source().hasTimes() ||
      c.processes + c.metadataEvents + c.samples > 0)
    return end.reason;
  const auto odd = std::find_if(c.mended.begin(), c.mended.end(), [](int64_t n) { return n > 0; });
  if (odd == c.mended.end()) return end.reason;
  const bool isCut = c.mended[std::size_t(Mend::TornFile)] > 0;
  const std::string after = " after " + std::to_string(end.bytes) + " bytes, before its first complete entry";
  throw Error(ErrorCode::Damaged,
              !end.reason.empty() ? "unpacking stopped" + after + ": " + end.reason
              : isCut             ? "the file is cut short: it ends" + after
                                  : "nothing in it can be shown: " + std::string(mendSentence(Mend(odd - c.mended.begin()))),
              place, isCut ? "copy it again, or record it again" : "if it has another format, name that with --format");
}

void writeIssues(const std::string& place, const ImportCounts& counts, ReportSink& sink) {
  for (int i = 0; i < kMendCount; ++i)
    if (const int64_t n = counts.mended[std::size_t(i)]; n > 0 && !isSaidByName(counts, Mend(i)))
      sink.add(ReportIssueRow{0, "notice", place, std::string(mendSentence(Mend(i))), "", n});
}

} // namespace

std::string_view traceFormatName(TraceFormat format) { return importerOf(format).name; }

const std::vector<std::string>& traceFormatNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Importer& importer : kImporters) list.emplace_back(importer.name);
    return list;
  }();
  return names;
}

TraceFormat traceFormatOf(const std::string& name) {
  for (const Importer& importer : kImporters)
    if (name == importer.name) return importer.format;
  throw Error(ErrorCode::NotFound, "no trace format is called '" + name + "'", "",
              "there are " + joined(kImporters, &Importer::name));
}

TraceFormat recognise(const std::filesystem::path& file) {
  std::string stopped;
  const std::string head = headOf(file, &stopped);
  const std::string name = displayText(file.string());
  if (head.empty() && !stopped.empty())
    throw Error(ErrorCode::Damaged, "it cannot be unpacked: " + stopped, name, "copy it again");
  if (head.empty()) throw Error(ErrorCode::InvalidInput, "the file is empty", name, "name a trace file");
  refuseOwnReport(head, name);
  if (const auto foreign = foreignFormat(head, file))
    throw Error(ErrorCode::InvalidInput, "is " + foreign->what + ", not a trace that Tilescope reads", name, foreign->advice);
  for (const Importer& importer : kImporters)
    if (importer.looksLike(head, file)) return importer.format;
  if (!stopped.empty())
    throw Error(ErrorCode::Damaged, "unpacking stopped after " + std::to_string(head.size()) + " bytes: " + stopped, name,
                "copy it again");
  throw Error(ErrorCode::InvalidInput, "not a trace of a known format", name,
              "formats that are read: " + joined(kImporters, &Importer::title) + "; --format names one");
}

// Names grow by one folder at a time; only those that are not unique yet grow further.
std::vector<std::string> distinctNames(const std::vector<std::filesystem::path>& files) {
  std::vector<std::filesystem::path> paths;
  std::vector<std::size_t> shared;
  for (const auto& file : files) {
    shared.push_back(paths.size());
    paths.push_back(file.lexically_normal());
  }
  std::vector<std::string> names(files.size());
  struct Group {
    std::size_t first = 0; // one of its paths
    bool hasOthers = false;
  };
  for (std::size_t parts = 1; !shared.empty(); ++parts) {
    std::unordered_map<std::string, Group> groups; // by the last `parts` parts of the path
    for (const std::size_t i : shared) {
      Group& group = groups.try_emplace(endOf(paths[i], parts).string(), Group{i, false}).first->second;
      group.hasOthers = group.hasOthers || paths[i] != paths[group.first];
    }
    std::vector<std::size_t> still;
    for (const std::size_t i : shared) {
      const std::string end = endOf(paths[i], parts).string();
      const auto most = std::size_t(std::distance(paths[i].begin(), paths[i].end()));
      if (parts < most && groups.at(end).hasOthers)
        still.push_back(i);
      else
        names[i] = displayText(end, 200);
    }
    shared = std::move(still);
  }
  return names;
}

ImportResult importTraces(const ImportRequest& request, ReportSink& into, Progress& progress, std::stop_token stop) {
  RunFinder sink(into, request.device ? request.device->runs : std::string());
  std::optional<Reader> deviceReport;
  TraceAssembly assembly(sink);
  if (request.device) {
    progress.phase("reading " + displayText(request.device->report.filename().string()));
    addDevice(deviceReport.emplace(request.device->report), assembly, stop);
    sink.setFirstTrack(assembly.firstTrack());
  }
  if (!request.alignment.marker.empty()) assembly.setMarker(request.alignment.marker);
  ImportResult result;
  PoplarProfile profile;
  const std::vector<std::string> sourceNames = distinctNames(request.files);
  for (std::size_t i = 0; i < request.files.size(); ++i) {
    const std::filesystem::path& file = request.files[i];
    if (request.format) refuseOwnReport(headOf(file), displayText(file.string()));
    const TraceFormat format = request.format ? *request.format : recognise(file);
    if (format == TraceFormat::Poplar && i < request.alignment.offsets.size() && request.alignment.offsets[i] != 0)
      throw Error(ErrorCode::InvalidInput,
                  "the times of a Poplar profile cannot be moved: they are device cycles, not times of a host clock",
                  displayText(file.string()), "leave out --offset for it");
    if (format == TraceFormat::Poplar && request.device)
      throw Error(ErrorCode::InvalidInput, "a Poplar profile has a device of its own", displayText(file.string()),
                  "leave out the profile, or the report with another device");
    progress.phase("reading " + sourceNames[i]);
    assembly.addSource(sourceNames[i]);
    std::string stopped = readNamed(format, file, assembly, profile, progress, stop);
    ImportedFile& read = result.files.emplace_back();
    read.path = file, read.name = sourceNames[i], read.format = format, read.stopped = std::move(stopped);
  }
  const PoplarProfile::Counts device = profile.write(assembly);
  result.tiles = device.tiles;
  result.programs = device.programs;
  result.steps = device.steps;
  result.total = writeTrace(assembly, request.alignment, progress, stop);
  if (request.device) result.laid = linkRuns(*deviceReport, sink.outermost(), request.device->runs, sink);
  if (sink.isTooMany())
    sink.add(ReportIssueRow{0, "notice", deviceReport->path().filename().string(),
                            "the trace has more than 1,000,000 slices “" + request.device->runs + "…”: later ones are not linked",
                            "name fewer slices with --runs", 0});
  for (std::size_t i = 0; i < result.files.size(); ++i) {
    result.files[i].counts = assembly.sources()[i].counts;
    writeIssues(assembly.sources()[i].name, result.files[i].counts, sink);
  }
  const std::string formats = joined(result.files, [](const ImportedFile&file) { return traceFormatName(file.format); }),
                    names = joined(result.files, &ImportedFile::name);
  std::string title = request.title;
  if (title.empty() && deviceReport) // the report keeps the title of the device run
    title = deviceReport->metadata("title").value_or("");
  sink.add(MetadataRow{"title", title.empty() ? names : title});
  if (!request.device) sink.add(MetadataRow{"provenance", "imported"}); // else the provenance of the device's report stays
  sink.add(MetadataRow{"import.files", names});
  sink.add(MetadataRow{"import.formats", formats});
  return result;
}

} // namespace reports::exchange
