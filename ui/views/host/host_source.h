// The host's processes and threads as tracks of a timeline, in nanoseconds. Channels get the eight hues in their order.
#pragma once

#include "analyser/host/counters.h"
#include "analyser/host/heatmaps.h"
#include "analyser/host/host_timeline.h"
#include "analyser/trace/call_tree.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/track_source.h"
#include "ui/tables/table.h"

#include <atomic>
#include <memory>
#include <set>

namespace ui::theme {
class Format;
}

namespace ui::host {

using HostReader = shell::OnWorker<analyser::host::HostTimeline>;

// A row of the timeline: a thread, or the heading of a process.
struct HostEntry {
  shell::TrackEntry entry;
  int process = 0; // index
  int depths = 0;  // lanes of slices; one more lane follows if there are instants
  int64_t slices = 0, instants = 0;
  int64_t processId = 0; // host_process.id
  bool isDevice = false; // an IPU below the thread that runs it; its lanes are steps of the device
};

// Indices of colours: first channels, then activities of the device, then names in each channel.
inline constexpr int kFirstActivity = 256, kFirstName = kFirstActivity + reports::kActivityCount, kNameHues = 16;
inline bool isActivityColour(int colour) { return colour >= kFirstActivity && colour < kFirstName; }
inline int channelOf(int colour) { return colour < kFirstName ? colour : (colour - kFirstName) / kNameHues; }

enum class Colours {
  Automatic, // by channel; by name if channels do not distinguish slices: one for all, none, of samples, of the scheduler
  Channel,
  Name,
};

class OpenHost : public shell::SliceAccess {
public:
  // Call on a worker: counts slices by label.
  OpenHost(std::shared_ptr<const analyser::Session> base, const std::stop_token& stop);
  void use(const std::function<void(analyser::trace::Slices&)>& f) override;
  // "batch=17" means one argument; other texts are looked for in the values of all.
  void addArguments(shell::Meant& meant, analyser::Session& session, const shell::Wanted& wanted,
                    const std::stop_token& stop) const override;

  HostReader& reader() { return m_reader; }
  // Read once; range and verdict are read again when a process was moved.
  reports::TickRange range() const { return m_range; }
  struct Moved {
    reports::TickRange range;
    std::vector<analyser::host::MeasuredValue> values; // their events are at other times
    std::vector<analyser::Sentence> verdicts;
  };
  void setMoved(Moved moved) {
    m_range = moved.range, m_values = std::move(moved.values), m_verdicts = std::move(moved.verdicts);
  }
  const std::vector<analyser::host::MeasuredValue>& values() const { return m_values; }
  // The value that the slices of a track measure, or those of a channel; null: their time.
  const analyser::host::MeasuredValue* valueOf(reports::TrackId track) const;
  const analyser::host::MeasuredValue* valueOf(uint8_t channel) const;
  // The rows and the extent of the timeline for a value: values that are not in time are drawn alone, on an axis of their own.
  std::vector<HostEntry> entriesFor(std::size_t value) const;
  reports::TickRange rangeFor(std::size_t value) const;
  const analyser::Sentence& verdict(std::size_t value) const { return m_verdicts.at(value); }
  // On the worker: a line about each of the values.
  static std::vector<analyser::Sentence> verdictsOf(analyser::host::HostTimeline& timeline,
                                                    const std::vector<analyser::host::MeasuredValue>& values,
                                                    const std::stop_token& stop);
  const std::vector<HostEntry>& entries() const { return m_entries; }
  const std::vector<analyser::host::Chart>& charts() const { return m_charts; }
  const std::vector<analyser::host::Heatmap>& heatmaps() const { return m_heatmaps; }
  int threads() const { return m_threads; }      // with slices
  bool hasWaits() const { return m_hasWaits; }   // the trace has runs of a device, between which it waits
  bool isSampled() const { return m_isSampled; } // call stacks of a profiler, nothing else
  bool hasDevice() const { return !m_activities.empty(); }
  const std::vector<reports::Activity>& activities() const { return m_activities; } // activities of the device in linked runs
  // Channels in use, by number; a hidden one hides its slices.
  struct Channel {
    int id = 0;
    QString name;
  };
  const std::vector<Channel>& channels() const { return m_channels; }
  QString channelName(int id) const;
  QStringList idsOf(const QString& name) const;  // ids of the strings that are displayed as this name
  QString nameOf(reports::StringId slice) const; // the runs of a linked device have the same names as in the execution trace
  void setColours(Colours colours) { m_colours = colours; }
  bool isByName(int channel) const;
  // Index into channelPalette() of a slice of a thread. Names that differ only in numbers have the same colour.
  int colourOf(int channel, reports::StringId name) const;
  bool hasFlows() const { return m_hasFlows; }
  const analyser::Session& session() const { return m_reader.base(); } // for names

private:
  void readTracks(analyser::host::HostTimeline& timeline, const std::stop_token& stop);
  void addDevice(analyser::host::HostTimeline& timeline, const HostEntry& thread);
  HostReader m_reader;
  reports::TickRange m_range;
  bool m_hasFlows = false, m_isSampled = false, m_hasWaits = false;
  std::vector<analyser::host::MeasuredValue> m_values;
  std::vector<analyser::Sentence> m_verdicts; // of each value
  std::vector<HostEntry> m_entries;
  std::vector<analyser::host::Chart> m_charts;
  std::vector<analyser::host::Heatmap> m_heatmaps;
  std::vector<reports::Activity> m_activities;
  int m_threads = 0;
  std::vector<Channel> m_channels;
  std::set<int> m_named; // channels whose slices have colours by name
  std::atomic<Colours> m_colours = Colours::Automatic;
};

// Differs from the colours of the device's activities, because one plot shows both.
QColor channelColour(int channel, bool dark);
QColor hostColour(int colour, bool dark); // of any slice
std::vector<QColor> channelPalette(bool dark);

// In the unit of the value that the calls measure.
std::shared_ptr<const tables::Tree> callTreeTable(const std::vector<analyser::trace::CallNode>& nodes, const OpenHost& host,
                                                  const analyser::host::MeasuredValue& value);
// Row ids are indices of `statistics`.
std::shared_ptr<const tables::Table> statisticsTable(const std::vector<analyser::host::LabelStatistics>& statistics,
                                                     const analyser::host::MeasuredValue& value);
// Formats an amount that is given in ticks or events: "61.0 MiB", "1 500".
QString amountText(const analyser::host::MeasuredValue& value, int64_t ticks, const theme::Format& format);
QString exactText(const analyser::host::MeasuredValue& value, int64_t ticks, const theme::Format& format);

} // namespace ui::host
