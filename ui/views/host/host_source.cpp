#include "ui/views/host/host_source.h"

#include "analyser/host/arguments.h"
#include "analyser/host/host_columns.h"
#include "analyser/host/waits.h"
#include "analyser/session/debug_contexts.h"
#include "ui/tables/described_table.h"
#include "ui/tables/typed_pattern.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/tokens.h"

#include <QObject>

#include <algorithm>
#include <set>

namespace ui::host {

using tables::Kind;
using theme::reportText;

namespace {
constexpr int kMostIds = 100;  // most string ids that are displayed as one name
constexpr int kManyLanes = 12; // deeper threads are collapsed at first

constexpr std::size_t kOpenAmong = 4; // IPUs; if there are more, all are collapsed at first

// Threads and IPUs are numbered separately.
int64_t keyOf(reports::TrackId track, bool isDevice) { return 2 * int64_t(track.value()) + (isDevice ? 1 : 0); }

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
  row.entry = {
      thread.track,
      {reportText(thread.name), detail, lanes, false, lanes > kManyLanes, lanes - thread.depths, keyOf(thread.track, false)}};
  return row;
}
// "1.26 ms drawn over 6.99 s": a simulated run is as long in host time as its simulation took.
QString stretchOf(const analyser::host::DeviceRuns& device, const analyser::Session& session) {
  constexpr double kNano = 1e9;
  double seconds = 0, nanoseconds = 0;
  for (const analyser::host::LinkedRun& run : device.runs())
    seconds += session.machine().seconds(reports::Cycles(run.cycles.size())), nanoseconds += double(run.host.size());
  if (seconds > 0) return QObject::tr("%1 drawn over %2").arg(theme::seconds(seconds), theme::seconds(nanoseconds / kNano));
  return theme::plural(int64_t(device.runs().size()), QObject::tr("run of the device"), QObject::tr("runs of the device"));
}
} // namespace

OpenHost::OpenHost(std::shared_ptr<const analyser::Session> base, const std::stop_token& stop) : m_reader(std::move(base)) {
  m_reader.use([&](analyser::host::HostTimeline& timeline) { readTracks(timeline, stop); });
}

void OpenHost::readTracks(analyser::host::HostTimeline& timeline, const std::stop_token& stop) {
  m_range = timeline.range();
  m_values = analyser::host::valuesOf(timeline, stop);
  m_verdicts = verdictsOf(timeline, m_values, stop);
  m_hasFlows = timeline.hasFlows();
  m_isSampled = timeline.isSampled();
  m_hasWaits = analyser::host::waitsOf(timeline, stop).has_value();
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
    if (m_entries.size() == heading + 1) m_entries.pop_back(); // drops a process without content
    ++number;
  }
  m_charts = analyser::host::counterCharts(timeline.slices().session());
  m_heatmaps = analyser::host::heatmaps(timeline.slices().session());
  const std::set<std::string> ofSamples = analyser::host::sampleChannels(timeline, stop);
  std::set<int> used;
  for (const auto& s : analyser::trace::statisticsByName(timeline.slices(), {}, m_range, {}, stop, true)) used.insert(s.category);
  for (const int id : used) {
    m_channels.push_back({id, reportText(timeline.channel(uint8_t(id)))});
    const std::string& channel = timeline.channel(uint8_t(id));
    // Slices without a category, of samples and of the scheduler differ only by name.
    static const std::set<std::string_view> kOneForAll{"(no category)", "atrace", "scheduling", "thread state"};
    if (!timeline.hasName(uint8_t(id)) || kOneForAll.contains(channel) || ofSamples.contains(channel)) m_named.insert(id);
  }
}

std::vector<analyser::Sentence> OpenHost::verdictsOf(analyser::host::HostTimeline& timeline,
                                                     const std::vector<analyser::host::MeasuredValue>& values,
                                                     const std::stop_token& stop) {
  std::vector<analyser::Sentence> verdicts;
  for (std::size_t i = 0; i < values.size(); ++i) verdicts.push_back(timeline.verdict(values, i, stop));
  return verdicts;
}

// Adds the rows of the IPUs below the thread that started the first run.
void OpenHost::addDevice(analyser::host::HostTimeline& timeline, const HostEntry& thread) {
  auto& slices = timeline.device().slices();
  std::set<reports::Activity> occurring;
  for (const auto& track : slices.tracks()) {
    HostEntry row = thread; // a copy with the thread's number of slices, so that both are sorted together
    row.isDevice = true;
    row.depths = track.depths;
    row.instants = 0;
    const bool folded = slices.tracks().size() > kOpenAmong || track.depths > kManyLanes;
    row.entry = {track.id,
                 {shell::trackTitle(track), stretchOf(timeline.device(), session()), track.depths, false, folded, 0,
                  keyOf(track.id, true)}};
    m_entries.push_back(std::move(row));
    for (int depth = 0; depth < track.depths; ++depth) {
      const auto busy = slices.busyTicks(track.id, depth, slices.range());
      for (int a = 0; a < reports::kActivityCount; ++a)
        if (busy.ticks[std::size_t(a)] > 0) occurring.insert(reports::Activity(a));
    }
  }
  m_activities.assign(occurring.begin(), occurring.end());
}

const analyser::host::MeasuredValue* OpenHost::valueOf(reports::TrackId track) const {
  for (const auto& value : m_values)
    if (!value.isPlainTime() &&
        std::any_of(value.tracks.begin(), value.tracks.end(), [&](const auto& t) { return t.id == track; }))
      return &value;
  return nullptr;
}

const analyser::host::MeasuredValue* OpenHost::valueOf(uint8_t channel) const {
  for (const auto& value : m_values)
    if (!value.isPlainTime() && value.channels.contains(channel)) return &value;
  return nullptr;
}

std::vector<HostEntry> OpenHost::entriesFor(std::size_t value) const {
  if (value >= m_values.size()) return m_entries;
  const bool isInTime = m_values[value].isInTime;
  std::vector<HostEntry> shown;
  for (const HostEntry& entry : m_entries) {
    if (entry.entry.track.heading) {
      if (!shown.empty() && shown.back().entry.track.heading) shown.pop_back(); // none of its rows is shown
      shown.push_back(entry);
      continue;
    }
    const auto* own = valueOf(entry.entry.id);
    if (isInTime ? !own || own->isInTime : own && own->id == m_values[value].id) shown.push_back(entry);
  }
  if (!shown.empty() && shown.back().entry.track.heading) shown.pop_back();
  return shown;
}

reports::TickRange OpenHost::rangeFor(std::size_t value) const {
  return value < m_values.size() && !m_values[value].isInTime ? m_values[value].range : m_range;
}

void OpenHost::use(const std::function<void(analyser::trace::Slices&)>& f) {
  m_reader.use([&](analyser::host::HostTimeline& timeline) { f(timeline.slices()); });
}

void OpenHost::addArguments(shell::Meant& meant, analyser::Session& session, const shell::Wanted& wanted,
                            const std::stop_token& stop) const {
  using analyser::host::Argument;
  const std::string text = wanted.text.toStdString();
  const auto isAny = [](const std::string&) { return true; };
  if (wanted.isExpression) {
    const tables::TypedPattern expression(wanted.text);
    if (!expression.problem().isEmpty()) return; // meant() has already thrown the error for the user
    meant.details = analyser::host::detailsWith(
        session, isAny,
        [&](const Argument& a) {
          return a.isLeaf && (expression.matches(a.value) || expression.matches(a.path + '=' + a.value));
        },
        stop);
  } else if (const auto typed = analyser::host::typedArgument(text)) {
    meant.details = analyser::host::detailsWith(
        session, isAny, [&](const Argument& a) { return typed->matches(a); }, stop);
  } else {
    meant.details = analyser::host::detailsWith(
        session, isAny, [&](const Argument& a) { return a.isLeaf && analyser::containsText(a.value, text); }, stop);
  }
}

QStringList OpenHost::idsOf(const QString& name) const {
  QStringList ids;
  for (std::size_t id = 0; id < session().texts().size() && ids.size() < kMostIds; ++id)
    if (nameOf(reports::StringId(id)) == name) ids << QString::number(id);
  return ids;
}

QString OpenHost::nameOf(reports::StringId slice) const {
  const std::string& name = session().text(slice);
  return hasDevice() ? shell::sliceTitle(name) : reportText(name);
}

QString OpenHost::channelName(int id) const {
  for (const Channel& channel : m_channels)
    if (channel.id == id) return channel.name;
  return QObject::tr("no channel");
}

bool OpenHost::isByName(int channel) const {
  const Colours colours = m_colours;
  return colours == Colours::Name || (colours == Colours::Automatic && (m_channels.size() <= 1 || m_named.contains(channel)));
}

int OpenHost::colourOf(int channel, reports::StringId name) const {
  if (!isByName(channel) || !name.valid()) return channel;
  uint32_t hash = 2166136261u; // FNV-1a
  for (const char c : session().text(name))
    if (c < '0' || c > '9') hash = (hash ^ uint8_t(c)) * 16777619u;
  return kFirstName + channel * kNameHues + int((hash ^ hash >> 16) % kNameHues);
}

QColor channelColour(int channel, bool dark) {
  constexpr int kHues = 8; // activities have the first lightness of a hue, channels the second and, from the ninth on, the third
  const QColor colour = theme::seriesColour(kHues + channel % kHues, dark);
  return channel / kHues % 2 == 0 ? colour : theme::mix(colour, dark ? Qt::white : Qt::black, 0.4);
}

QColor hostColour(int colour, bool dark) {
  if (colour >= kFirstName) return theme::seriesColour((colour - kFirstName) % kNameHues, dark);
  if (colour < kFirstActivity) return channelColour(colour, dark);
  const auto activity = reports::Activity(colour - kFirstActivity);
  const QColor full = theme::activityColour(activity, dark);
  // Enclosing spans are paler, as in the execution trace.
  return activity == reports::Activity::Scope ? theme::mix(full, theme::tokens(dark).surface, 0.62) : full;
}

std::vector<QColor> channelPalette(bool dark) {
  std::vector<QColor> colours;
  for (int colour = 0; colour < kFirstName + kFirstActivity * kNameHues; ++colour) colours.push_back(hostColour(colour, dark));
  return colours;
}

std::shared_ptr<const tables::Tree> callTreeTable(const std::vector<analyser::trace::CallNode>& nodes, const OpenHost& host,
                                                  const analyser::host::MeasuredValue& value) {
  const Kind kind = analyser::host::kindOf(value);
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {{"slice", QObject::tr("Slice"), Kind::Name, {}, 0, false},
                   {"count", QObject::tr("Count"), Kind::Count, {}, 80, false},
                   {"total", QObject::tr("Total"), kind, QObject::tr("Within the visible range"), 100, true},
                   {"self", QObject::tr("Self"), kind, QObject::tr("Total minus that of the slices inside it"), 100, true}};
  for (const auto& node : nodes) {
    tables::TreeRow row;
    row.id = int64_t(tree->rows.size());
    row.parent = node.parent;
    row.swatch = tables::swatchOf([&](bool dark) { return hostColour(host.colourOf(node.category, node.name), dark); });
    row.cells = {host.nameOf(node.name), node.count, value.amount(node.total), value.amount(node.self)};
    tree->rows.push_back(std::move(row));
  }
  return tree;
}

std::shared_ptr<const tables::Table> statisticsTable(const std::vector<analyser::host::LabelStatistics>& statistics,
                                                     const analyser::host::MeasuredValue& value) {
  const tables::Look look{.bars = {"total", "self"},
                          .optional = {"channel", "cut", "mean", "longest", "median", "p95", "shortest"},
                          .widths = {{"count", 80}, {"total", 100}, {"self", 100}}};
  return tables::tableOf(analyser::host::labelColumns(value), statistics, look);
}

QString amountText(const analyser::host::MeasuredValue& value, int64_t ticks, const theme::Format& format) {
  using Unit = analyser::host::MeasuredValue::Unit;
  const int64_t amount = value.amount(ticks);
  return value.unit == Unit::Bytes   ? format.bytes(reports::Bytes(amount))
         : value.unit == Unit::Count ? theme::count(amount)
                                     : format.nanoseconds(reports::Nanoseconds(amount));
}

QString exactText(const analyser::host::MeasuredValue& value, int64_t ticks, const theme::Format& format) {
  using Unit = analyser::host::MeasuredValue::Unit;
  const int64_t amount = value.amount(ticks);
  return value.unit == Unit::Bytes ? format.bytesExact(reports::Bytes(amount))
                                   : theme::count(amount) + (value.unit == Unit::Time ? QStringLiteral(" ns") : QString());
}

} // namespace ui::host
