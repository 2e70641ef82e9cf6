#include "ui/views/host/host_source.h"

#include "ui/shell/report_text.h"
#include "ui/theme/format.h"
#include "ui/theme/tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ui::host {

using shell::reportText;
using tables::Kind;

namespace {
constexpr int kManyLanes = 12; // deeper threads are folded at first

constexpr std::size_t kOpenAmong = 4; // IPUs; of more none is open at first

HostEntry threadEntry(const analyser::host::Thread& thread, int process, int64_t processId) {
  HostEntry row;
  row.process = process;
  row.processId = processId;
  row.depths = thread.depths;
  row.slices = thread.slices;
  row.instants = thread.instants;
  QString detail;
  if (thread.slices > 0) detail = theme::plural(thread.slices, QObject::tr("slice"), QObject::tr("slices"));
  if (thread.instants > 0)
    detail += (detail.isEmpty() ? QString() : QStringLiteral(", ")) +
              theme::plural(thread.instants, QObject::tr("instant"), QObject::tr("instants"));
  const int lanes = thread.depths + (thread.instants > 0 ? 1 : 0);
  row.entry = {thread.track, {reportText(thread.name), detail, lanes, false, lanes > kManyLanes}};
  return row;
}
} // namespace

OpenHost::OpenHost(std::shared_ptr<const analyser::Session> base, const std::stop_token& stop) : m_reader(std::move(base)) {
  m_reader.use([&](analyser::host::HostTimeline& timeline) { readTracks(timeline, stop); });
}

void OpenHost::readTracks(analyser::host::HostTimeline& timeline, const std::stop_token& stop) {
  m_range = timeline.range();
  m_verdict = timeline.verdict(stop);
  m_hasFlows = timeline.hasFlows();
  int number = 0;
  for (const auto& process : timeline.processes()) {
    QString title = reportText(process.name);
    if (process.pid && !process.name.ends_with(" " + std::to_string(*process.pid)))
      title += QStringLiteral(" · %1").arg(*process.pid);
    const std::size_t heading = m_entries.size();
    m_entries.push_back({{{}, {title, reportText(process.provenance), 0, true}}, number, 0, 0, 0, process.id, false});
    for (const auto& thread : process.threads) {
      if (thread.depths == 0 && thread.instants == 0) continue;
      m_threads += thread.depths > 0 && (thread.kind.empty() || thread.kind == "thread") ? 1 : 0;
      m_entries.push_back(threadEntry(thread, number, process.id));
      if (!timeline.device().isEmpty() && timeline.device().runs().front().track == thread.track)
        addDevice(timeline, HostEntry(m_entries.back()));
    }
    if (m_entries.size() == heading + 1) m_entries.pop_back(); // a process without anything to show
    ++number;
  }
  m_charts = analyser::host::counterCharts(timeline.slices().session());
  m_heatmaps = analyser::host::heatmaps(timeline.slices().session());
  std::set<int> used;
  for (const auto& s : analyser::trace::statisticsByName(timeline.slices(), {}, m_range, {}, stop)) used.insert(s.category);
  for (const int id : used) m_channels.push_back({id, reportText(timeline.channel(uint8_t(id)))});
}

// The IPUs lie below the thread that started the first run.
void OpenHost::addDevice(analyser::host::HostTimeline& timeline, const HostEntry& thread) {
  auto& slices = timeline.device().slices();
  std::set<reports::Activity> occurring;
  for (const auto& track : slices.tracks()) {
    HostEntry row = thread; // with its slices, so that both stay together in every order
    row.isDevice = true;
    row.depths = track.depths;
    row.instants = 0;
    const QString title = !track.ipu     ? reportText(track.name)
                          : track.isIo() ? QObject::tr("IPU %1, I/O tiles").arg(track.ipu->value())
                                         : QObject::tr("IPU %1").arg(track.ipu->value());
    const bool folded = slices.tracks().size() > kOpenAmong || track.depths > kManyLanes;
    const int64_t runs = int64_t(timeline.device().runs().size());
    row.entry = {track.id,
                 {title, theme::plural(runs, QObject::tr("run"), QObject::tr("runs")) + QObject::tr(" of the device"),
                  track.depths, false, folded}};
    m_entries.push_back(std::move(row));
    for (int depth = 0; depth < track.depths; ++depth) {
      const auto busy = slices.busyTicks(track.id, depth, slices.range());
      for (int a = 0; a < reports::kActivityCount; ++a)
        if (busy.ticks[std::size_t(a)] > 0) occurring.insert(reports::Activity(a));
    }
  }
  m_activities.assign(occurring.begin(), occurring.end());
}

void OpenHost::use(const std::function<void(analyser::trace::Slices&)>& f) {
  m_reader.use([&](analyser::host::HostTimeline& timeline) { f(timeline.slices()); });
}

QString OpenHost::channelName(int id) const {
  for (const Channel& channel : m_channels)
    if (channel.id == id) return channel.name;
  return QObject::tr("no channel");
}

QColor channelColour(int channel, bool dark) { return theme::seriesColour(channel, dark); }

std::vector<QColor> channelPalette(bool dark) {
  std::vector<QColor> colours;
  for (int channel = 0; channel < kFirstActivity; ++channel) colours.push_back(channelColour(channel, dark));
  for (int a = 0; a < reports::kActivityCount; ++a) {
    // Enclosing spans step back, as in the execution trace.
    const QColor colour = theme::activityColour(reports::Activity(a), dark);
    colours.push_back(reports::Activity(a) == reports::Activity::Scope ? theme::mix(colour, theme::tokens(dark).surface, 0.62)
                                                                       : colour);
  }
  return colours;
}

namespace {

// A process and its rows.
struct RowGroup {
  HostEntry heading;
  std::vector<HostEntry> rows;
  int64_t slices = 0;

  int64_t process() const { return rows.empty() ? heading.processId : rows.front().processId; }
};

struct OrderedRows {
  std::vector<HostEntry> pinned;
  std::vector<RowGroup> groups;
};

// The place of something in an order made by hand; behind all where it is not in it.
template<class Id> std::size_t placeIn(const std::vector<Id>& order, Id id) {
  return std::size_t(std::find(order.begin(), order.end(), id) - order.begin());
}

// A thread and the device rows below it.
std::vector<std::vector<HostEntry>> unitsOf(const std::vector<HostEntry>& rows) {
  std::vector<std::vector<HostEntry>> units;
  for (const HostEntry& row : rows) {
    if (units.empty() || !row.isDevice) units.emplace_back();
    units.back().push_back(row);
  }
  return units;
}

OrderedRows orderedGroups(const std::vector<HostEntry>& entries, const RowOrder& order) {
  std::vector<HostEntry> pinned;
  std::vector<RowGroup> groups;
  for (const HostEntry& e : entries) {
    if (e.entry.track.heading) {
      groups.push_back({e, {}, 0});
      const auto moved = order.offsets.find(e.processId);
      if (moved == order.offsets.end() || moved->second == 0) continue;
      const QString by = theme::Format().nanoseconds(reports::Nanoseconds(std::abs(moved->second)));
      groups.back().heading.entry.track.detail = (moved->second < 0 ? QStringLiteral("−") : QStringLiteral("+")) + by;
      continue;
    }
    if (order.hidden.contains(e.entry.id.value())) continue;
    if (order.pinned.contains(e.entry.id.value())) {
      pinned.push_back(e);
      continue;
    }
    if (groups.empty()) groups.emplace_back();
    groups.back().rows.push_back(e);
    groups.back().slices += e.slices;
  }
  // Processes that hold nothing but instants come last: they would fill the first screen with next to nothing.
  std::stable_partition(groups.begin(), groups.end(), [](const RowGroup& g) { return g.slices > 0; });
  if (order.byActivity) {
    std::stable_sort(groups.begin(), groups.end(), [](const RowGroup& a, const RowGroup& b) { return a.slices > b.slices; });
    for (RowGroup& g : groups)
      std::stable_sort(g.rows.begin(), g.rows.end(), [](const HostEntry& a, const HostEntry& b) { return a.slices > b.slices; });
  }
  if (!order.processes.empty())
    std::stable_sort(groups.begin(), groups.end(), [&](const RowGroup& a, const RowGroup& b) {
      return placeIn(order.processes, a.process()) < placeIn(order.processes, b.process());
    });
  for (RowGroup& g : groups) {
    if (order.threads.empty()) break;
    auto units = unitsOf(g.rows);
    std::stable_sort(units.begin(), units.end(), [&](const auto& a, const auto& b) {
      return placeIn(order.threads, a.front().entry.id.value()) < placeIn(order.threads, b.front().entry.id.value());
    });
    g.rows.clear();
    for (const auto& unit : units) g.rows.insert(g.rows.end(), unit.begin(), unit.end());
  }
  std::erase_if(groups, [](const RowGroup& g) { return g.rows.empty(); });
  return {std::move(pinned), std::move(groups)};
}

bool isRowOf(const HostEntry& row, uint32_t track) { return !row.isDevice && row.entry.id.value() == track; }

// Swaps an element with its neighbour; false where there is none.
template<class List> bool swapNeighbours(List& list, std::size_t at, int by) {
  const std::size_t to = at + std::size_t(by); // wraps below 0, and is then beyond the end
  if (at >= list.size() || to >= list.size()) return false;
  std::swap(list[at], list[to]);
  return true;
}

} // namespace

bool moveThread(const std::vector<HostEntry>& entries, RowOrder& order, uint32_t track, int by) {
  std::vector<uint32_t> all;
  bool moved = false;
  for (const RowGroup& group : orderedGroups(entries, order).groups) {
    auto units = unitsOf(group.rows);
    const auto found = std::find_if(units.begin(), units.end(), [&](const auto& unit) { return isRowOf(unit.front(), track); });
    moved |= swapNeighbours(units, std::size_t(found - units.begin()), by);
    for (const auto& unit : units) all.push_back(unit.front().entry.id.value());
  }
  if (moved) order.threads = std::move(all);
  return moved;
}

bool moveProcessOf(const std::vector<HostEntry>& entries, RowOrder& order, uint32_t track, int by) {
  std::vector<int64_t> all;
  std::size_t at = std::numeric_limits<std::size_t>::max();
  for (const RowGroup& group : orderedGroups(entries, order).groups) {
    if (std::any_of(group.rows.begin(), group.rows.end(), [&](const HostEntry& row) { return isRowOf(row, track); }))
      at = all.size();
    all.push_back(group.process());
  }
  if (at >= all.size() || !swapNeighbours(all, at, by)) return false;
  order.processes = std::move(all);
  return true;
}

std::vector<HostEntry> orderedEntries(const std::vector<HostEntry>& entries, const RowOrder& order) {
  auto [all, groups] = orderedGroups(entries, order);
  for (RowGroup& g : groups) {
    if (g.heading.entry.track.heading) all.push_back(g.heading);
    all.insert(all.end(), g.rows.begin(), g.rows.end());
  }
  return all;
}

std::shared_ptr<const tables::Tree> callTreeTable(const std::vector<analyser::host::CallNode>& nodes, const OpenHost& host,
                                                  bool dark) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {{QObject::tr("Slice"), Kind::Name, {}, 0, false},
                   {QObject::tr("Count"), Kind::Count, {}, 80, false},
                   {QObject::tr("Total"), Kind::Nanoseconds, QObject::tr("Within the visible range"), 100, true},
                   {QObject::tr("Self"), Kind::Nanoseconds, QObject::tr("Total less what slices inside it cover"), 100, true}};
  for (const auto& node : nodes) {
    tables::TreeRow row;
    row.id = int64_t(tree->rows.size());
    row.parent = node.parent;
    row.swatch = channelColour(node.channel, dark);
    row.cells = {reportText(host.session().text(node.name)), node.count, node.total.value(), node.self.value()};
    tree->rows.push_back(std::move(row));
  }
  return tree;
}

std::shared_ptr<const tables::Table> statisticsTable(const std::vector<analyser::host::LabelStatistics>& statistics) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Label"), Kind::Name, {}, 0, false},
                    {QObject::tr("Channel"), Kind::Text, {}, 0, false},
                    {QObject::tr("Count"), Kind::Count, {}, 80, false},
                    {QObject::tr("Total"), Kind::Nanoseconds, {}, 100, true},
                    {QObject::tr("Self"), Kind::Nanoseconds, QObject::tr("Total less what slices inside it cover"), 100, true},
                    {QObject::tr("Mean"), Kind::Nanoseconds, {}, 100, false},
                    {QObject::tr("Median"), Kind::Nanoseconds, {}, 100, false},
                    {QObject::tr("95 %"), Kind::Nanoseconds, QObject::tr("95 of 100 slices take no longer"), 100, false},
                    {QObject::tr("Shortest"), Kind::Nanoseconds, {}, 100, false},
                    {QObject::tr("Longest"), Kind::Nanoseconds, {}, 100, false}};
  for (const auto& s : statistics) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {reportText(s.label), reportText(s.channel), s.count,
                 s.total.value(),     s.self.value(),        int64_t(std::llround(s.mean())),
                 s.median.value(),    s.p95.value(),         s.min.value(),
                 s.max.value()};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::host
