#include "reports/exchange/device_beside.h"

#include "reports/exchange/trace_assembly.h"
#include "reports/rows/slice_decode.h"
#include "reports/rows/slice_track.h"
#include "reports/sqlite/schema.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

namespace reports::exchange {

namespace {

// Whether rows of this type are not copied: the trace replaces the report's own host, and the assembly writes texts.
template<class Row>
constexpr bool kIsHosts =
    std::is_same_v<Row, HostProcessRow> || std::is_same_v<Row, HostThreadRow> || std::is_same_v<Row, ChannelRow> ||
    std::is_same_v<Row, InstantChunkRow> || std::is_same_v<Row, CounterSeriesRow> || std::is_same_v<Row, CounterChunkRow> ||
    std::is_same_v<Row, CounterLevelRow> || std::is_same_v<Row, HeatmapRow> || std::is_same_v<Row, HeatmapChunkRow> ||
    std::is_same_v<Row, FlowChunkRow> || std::is_same_v<Row, DetailsChunkRow> || std::is_same_v<Row, RunLinkRow> ||
    std::is_same_v<Row, StringRow>;

// Whether the import or the writer sets this key itself.
bool isOfImport(const std::string& key) {
  return key == "complete" || key == kChecksumKey || key == "title" || key == "tool" || key == "tool_version" ||
         key.starts_with("import.") || key.starts_with("trace.");
}

template<class Row>
void copyRows(Reader& report, const std::set<int64_t>& tracks, ReportSink& sink, const std::stop_token& stop) {
  if constexpr (!kIsHosts<Row>)
    report.forEach<Row>(
        {}, {},
        [&](const Row& row) {
          if constexpr (std::is_same_v<Row, TrackRow>) {
            if (!tracks.contains(row.id)) return;
          } else if constexpr (std::is_same_v<Row, SliceChunkRow> || std::is_same_v<Row, SliceLevelRow>) {
            if (!tracks.contains(row.trackId)) return;
          } else if constexpr (std::is_same_v<Row, MetadataRow>) {
            if (isOfImport(row.key)) return;
          }
          sink.add(row);
        },
        stop);
}

template<class... Rows>
void copyTables(TypeList<Rows...>, Reader& report, const std::set<int64_t>& tracks, ReportSink& sink,
                const std::stop_token& stop) {
  (copyRows<Rows>(report, tracks, sink, stop), ...);
}

constexpr std::size_t kMostFound = 1'000'000;

// The number of slices that begin before an earlier one has ended; only slices of different tracks can.
std::size_t overlapping(const std::vector<RunFinder::Found>& slices) {
  std::size_t count = 0;
  int64_t end = std::numeric_limits<int64_t>::min();
  for (const auto& slice : slices) {
    count += slice.start < end;
    end = std::max(end, slice.end);
  }
  return count;
}

// The end of a run that begins with its slice and takes this many nanoseconds; at most the end of the slice.
int64_t endOf(const RunFinder::Found& slice, double nanoseconds) {
  constexpr double kMost = 9e18;
  if (!(nanoseconds < std::min(kMost, double(slice.end) - double(slice.start)))) return slice.end;
  return std::min(slice.end, slice.start + std::max<int64_t>(1, std::llround(nanoseconds)));
}

} // namespace

void RunFinder::receive(const StringRow& row) {
  if (!m_name.empty() && row.text.starts_with(m_name)) m_ids.insert(uint32_t(row.id));
  m_to.add(row);
}

void RunFinder::receive(const SliceChunkRow& chunk) {
  m_to.add(chunk);
  if (m_ids.empty() || chunk.trackId < m_firstTrack) return;
  const auto columns = decodeChunk(chunk);
  for (std::size_t i = 0; i < columns.size() && !m_isTooMany; ++i)
    if (m_ids.contains(columns.names[i]) && !(m_isTooMany = m_found.size() == kMostFound))
      m_found.push_back(
          {{chunk.trackId, chunk.depth, chunk.chunk * kSlicesPerChunk + int64_t(i)}, columns.starts[i], columns.end(i)});
}

std::vector<RunFinder::Found> RunFinder::outermost() {
  std::stable_sort(m_found.begin(), m_found.end(), [](const Found& a, const Found& b) {
    return std::tuple(a.place.track, a.start, -a.end) < std::tuple(b.place.track, b.start, -b.end);
  });
  std::vector<Found> outer;
  for (const Found& one : m_found)
    if (outer.empty() || one.place.track != outer.back().place.track || one.start >= outer.back().end) outer.push_back(one);
  std::stable_sort(outer.begin(), outer.end(), [](const Found& a, const Found& b) { return a.start < b.start; });
  return outer;
}

void addDevice(Reader& report, TraceAssembly& assembly, const std::stop_token& stop) {
  report.forEach<StringRow>(
      "1 ORDER BY id", {},
      [&](const StringRow& row) {
        if (int64_t(assembly.string(row.text)) != row.id)
          throw Error(ErrorCode::Unsupported, "the texts of the report are not numbered in order", report.path().string(),
                      "write it again with this release");
      },
      stop);
  std::set<int64_t> tracks;
  int64_t last = -1;
  report.forEach<TrackRow>({}, {}, [&](const TrackRow& row) {
    if (row.kind == "host_thread") return;
    tracks.insert(row.id);
    last = std::max(last, row.id);
  });
  if (tracks.empty())
    throw Error(ErrorCode::InvalidInput, "the report has no device run", report.path().string(),
                "simulate one: tilescope-cli run");
  copyTables(AllTables{}, report, tracks, assembly.sink(), stop);
  assembly.setFirstTrack(last + 1);
}

LaidRuns linkRuns(Reader& report, const std::vector<RunFinder::Found>& slices, const std::string& name, ReportSink& sink) {
  double clock = 0;
  report.forEach<MachineRow>({}, {}, [&](const MachineRow& machine) { clock = double(machine.clockHz); });
  const std::vector<RunRow> runs = report.rows<RunRow>("1 ORDER BY start_cycle, id");
  constexpr double kNano = 1e9;
  const LaidRuns laid{int64_t(slices.size()), int64_t(runs.size())};
  std::vector<RunLinkRow> links;
  for (std::size_t i = 0; i < std::size_t(laid.linked()); ++i) {
    const auto& slice = slices[i];
    const double own = clock > 0 ? double(runs[i].cycles) / clock * kNano : double(slice.end) - double(slice.start);
    links.push_back({runs[i].id, slice.place.track, slice.place.depth, slice.place.slice, slice.start, endOf(slice, own)});
  }
  std::sort(links.begin(), links.end(), [](const RunLinkRow& a, const RunLinkRow& b) { return a.runId < b.runId; });
  for (const RunLinkRow& link : links) sink.add(link);
  if (runs.size() != slices.size())
    sink.add(ReportIssueRow{0, "notice", report.path().filename().string(),
                            "the trace has " + std::to_string(slices.size()) + " slices “" + name + "…”, the report " +
                                std::to_string(runs.size()) + " runs: the first " + std::to_string(laid.linked()) +
                                " are laid side by side",
                            "simulate as many runs as the program makes, or name its slices with --runs", laid.linked()});
  if (const std::size_t overlaps = overlapping(slices); overlaps > 0)
    sink.add(
        ReportIssueRow{0, "notice", report.path().filename().string(),
                       std::to_string(overlaps) + " of the slices “" + name +
                           "…” begin while one of another thread lasts: runs are laid beside them in the order of their starts",
                       "name the slices of one thread with --runs if the threads wait for each other", int64_t(overlaps)});
  return laid;
}

} // namespace reports::exchange
