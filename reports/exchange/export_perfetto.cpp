#include "reports/exchange/export_rows.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/proto_writer.h"
#include "reports/exchange/text_sink.h"

#include <algorithm>
#include <map>

namespace reports::exchange {

namespace {

constexpr uint64_t kSequence = 1;
constexpr uint64_t kProcessUuid = uint64_t(1) << 40, kCounterUuid = uint64_t(2) << 40, kLaneUuid = uint64_t(3) << 40;

// Names of the public schema's fields that are written here (protos/perfetto/trace in Perfetto's sources).
namespace packet {
constexpr uint32_t kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInterned = 12, kFlags = 13, kDescriptor = 60,
                   kPerfSample = 66;
}
namespace interned {
constexpr uint32_t kEventNames = 2, kFunctions = 5, kFrames = 6, kStacks = 7, kPaths = 17, kMappings = 19;
}
namespace event {
constexpr uint32_t kAnnotation = 4, kType = 9, kNameIid = 10, kTrackUuid = 11, kCategory = 22, kCounter = 44, kFlow = 47,
                   kEndFlow = 48;
}
enum : uint64_t { kBegin = 1, kEnd = 2, kMark = 3, kValue = 4 };

class PerfettoExport {
public:
  PerfettoExport(Reader& reader, const ExportRequest& request, std::ostream& out) : m_rows(reader, request), m_text(out) {}

  ExportCounts write(Progress& progress, const std::stop_token& stop) {
    progress.phase("exporting");
    start();
    m_rows.forEachProcess([&](int64_t pid, const std::string& name) { processTrack(pid, name); });
    collectFlows();
    for (int64_t i = 0; i < m_rows.size(); ++i) {
      progress.update(double(i) / double(m_rows.size()));
      writeTrack(m_rows.track(i, stop));
    }
    if (m_rows.hasHost()) writeCounters(stop);
    m_text.finish();
    return m_rows.checked(m_counts);
  }

private:
  struct FlowEnd {
    int64_t flow = 0;
    bool ends = false;
  };
  using FlowKey = std::tuple<int64_t, int64_t, int64_t>; // track, depth (-1 for instants), number

  void addPacket(const ProtoWriter& p) {
    ProtoWriter top;
    top.bytes(1, p.message());
    m_text += top.message();
    m_text.pass();
  }

  // Clears the state of the sequence, and relates the clocks if Unix time is known.
  void start() {
    ProtoWriter p;
    p.number(packet::kSequenceId, kSequence);
    p.number(packet::kFlags, 1);
    if (const auto unix = m_rows.unixOffset()) {
      ProtoWriter snapshot, boot, real;
      boot.number(1, 6); // the boot clock, which is the default one
      boot.number(2, uint64_t(m_rows.base()));
      real.number(1, 1); // the wall clock
      real.number(2, uint64_t(m_rows.base() + *unix));
      snapshot.bytes(1, boot.message());
      snapshot.bytes(1, real.message());
      p.bytes(6, snapshot.message());
    }
    addPacket(p);
  }

  // A flow is written with the begin event of each slice that it joins. Perfetto ends a flow once, so each arrow of a flow with
  // several ends becomes a separate flow.
  void collectFlows() {
    const auto add = [&](const SlicePlace& at, bool ends) {
      m_flows[{at.track, at.isInstant ? -1 : at.depth, at.slice}].push_back({m_flowIds, ends});
    };
    for (const auto& flow : m_rows.flows()) {
      const auto& points = flow.points;
      const bool isChain = std::count_if(points.begin(), points.end(), [](const auto& p) { return !p.goesOn; }) == 1;
      if (isChain) ++m_flowIds;
      for (std::size_t i = isChain ? 0 : 1; i < points.size(); ++i) {
        if (!isChain) ++m_flowIds, add(points[points[i].from].slice, false);
        add(points[i].slice, !isChain || !points[i].goesOn);
      }
    }
  }

  uint64_t processTrack(int64_t pid, const std::string& name) {
    const uint64_t uuid = kProcessUuid + uint64_t(pid);
    if (!m_processes.emplace(pid, true).second) return uuid;
    ProtoWriter process, descriptor;
    process.number(1, uint64_t(pid));
    process.bytes(6, name);
    descriptor.number(1, uuid);
    descriptor.bytes(3, process.message());
    describe(descriptor);
    return uuid;
  }
  void describe(const ProtoWriter& descriptor) {
    ProtoWriter p;
    p.number(packet::kSequenceId, kSequence);
    p.bytes(packet::kDescriptor, descriptor.message());
    addPacket(p);
  }
  // The track of the thread; without a thread, a track below its process.
  uint64_t describeTrack(const ExportTrack& t, uint64_t uuid, bool isThread) {
    const uint64_t process = processTrack(t.pid, t.processName);
    ProtoWriter descriptor;
    descriptor.number(1, uuid);
    if (isThread) {
      ProtoWriter thread;
      thread.number(1, uint64_t(t.pid));
      thread.number(2, uint64_t(t.tid));
      thread.bytes(5, t.name);
      descriptor.bytes(4, thread.message());
    } else {
      descriptor.number(5, process);
      descriptor.bytes(2, t.name);
    }
    describe(descriptor);
    return uuid;
  }

  void writeTrack(const ExportTrack& t) {
    if (t.slices.empty() && t.instants.empty()) return;
    ++m_counts.tracks;
    if (t.kind == "sample" && !t.instants.empty()) return writeSamples(t);
    m_counts.slices += int64_t(t.slices.size());
    // Perfetto closes the innermost slice first: if slices do not nest, each depth becomes a separate track.
    const bool nests = !t.isAsync() && isNested(t.slices);
    const bool isThread = t.kind.empty() || t.isDevice || t.kind == "sample";
    const uint64_t uuid = describeTrack(t, 1 + uint64_t(t.trackId), isThread);
    std::map<int, uint64_t> lanes;
    struct Open {
      int64_t end;
      uint64_t track;
    };
    std::map<uint64_t, std::vector<Open>> open; // by uuid of the track
    for (const ExportSlice& s : t.slices) {
      uint64_t track = uuid;
      if (!nests && s.depth > 0) {
        auto lane = lanes.find(s.depth);
        if (lane == lanes.end()) lane = lanes.emplace(s.depth, describeTrack(t, kLaneUuid + ++m_lanes, false)).first;
        track = lane->second;
      }
      auto& stack = open[track];
      while (!stack.empty() && stack.back().end <= s.start) endSlice(stack.back().end, track), stack.pop_back();
      beginSlice(t, s, track);
      stack.push_back({s.end, track});
    }
    for (auto& [track, stack] : open)
      for (; !stack.empty(); stack.pop_back()) endSlice(stack.back().end, track);
    for (std::size_t n = 0; n < t.instants.size(); ++n) {
      const Instant& i = t.instants[n];
      ++m_counts.instants;
      ProtoWriter e;
      e.number(event::kType, kMark);
      e.number(event::kTrackUuid, uuid);
      addFlows(e, {t.trackId, -1, t.instantNumbers[n]});
      addNamed(e, i.name, m_rows.channel(i.category), i.tick, m_rows.details(i.details));
    }
  }

  // The slices of a track of samples were made from its instants, so samples with their stacks replace both.
  void writeSamples(const ExportTrack& t) {
    describeTrack(t, 1 + uint64_t(t.trackId), true);
    std::vector<const ExportSlice*> open;
    auto next = t.slices.begin();
    for (const Instant& sample : t.instants) {
      const auto closeAt = [&](int64_t time) {
        while (!open.empty() && open.back()->end <= time) open.pop_back();
      };
      for (; next != t.slices.end() && next->start <= sample.tick; ++next) {
        closeAt(next->start);
        open.push_back(&*next);
      }
      closeAt(sample.tick);
      std::vector<uint32_t> stack;
      for (const ExportSlice* frame : open) stack.push_back(frame->name);
      if (stack.empty()) stack.push_back(sample.name);
      writeSample(t, sample.tick, stack);
    }
  }

  void writeSample(const ExportTrack& t, int64_t time, const std::vector<uint32_t>& stack) {
    ++m_counts.samples;
    ProtoWriter interned, sample;
    const auto text = [&](uint32_t field, uint64_t id, std::string_view content) {
      ProtoWriter entry;
      entry.number(1, id);
      entry.bytes(2, content);
      interned.bytes(field, entry.message());
    };
    if (m_stacks.empty()) { // frames without a mapping would not be shown
      text(interned::kPaths, 1, "report");
      ProtoWriter mapping;
      mapping.number(1, 1);
      mapping.number(7, 1);
      interned.bytes(interned::kMappings, mapping.message());
    }
    const auto [id, isNew] = m_stacks.try_emplace(stack, m_stacks.size() + 1);
    if (isNew) {
      ProtoWriter frames;
      frames.number(1, id->second);
      for (const uint32_t name : stack) {
        frames.number(2, uint64_t(name) + 1);
        if (!m_frames.emplace(name, true).second) continue;
        text(interned::kFunctions, uint64_t(name) + 1, m_rows.reader().text(name));
        ProtoWriter frame;
        frame.number(1, uint64_t(name) + 1);
        frame.number(2, uint64_t(name) + 1);
        frame.number(3, 1);
        interned.bytes(interned::kFrames, frame.message());
      }
      interned.bytes(interned::kStacks, frames.message());
    }
    sample.number(2, uint64_t(t.pid));
    sample.number(3, uint64_t(t.tid));
    sample.number(4, id->second);
    addPacketAt(time, packet::kPerfSample, sample, &interned);
  }

  static bool isNested(const std::vector<ExportSlice>& slices) {
    std::vector<int64_t> ends;
    for (const ExportSlice& s : slices) {
      while (!ends.empty() && ends.back() <= s.start) ends.pop_back();
      if (!ends.empty() && ends.back() < s.end) return false;
      ends.push_back(s.end);
    }
    return true;
  }

  void addFlows(ProtoWriter& e, const FlowKey& key) {
    const auto found = m_flows.find(key);
    if (found == m_flows.end()) return;
    for (const FlowEnd& flow : found->second) {
      e.fixed(flow.ends ? event::kEndFlow : event::kFlow, uint64_t(flow.flow));
      m_counts.flows += flow.ends;
    }
  }
  void beginSlice(const ExportTrack& t, const ExportSlice& s, uint64_t track) {
    ProtoWriter e;
    e.number(event::kType, kBegin);
    e.number(event::kTrackUuid, track);
    addFlows(e, {t.trackId, s.depth, s.number});
    addNamed(e, s.name, m_rows.category(t, s.category), s.start, t.isDevice ? std::string() : m_rows.details(s.ref));
  }
  void endSlice(int64_t time, uint64_t track) {
    ProtoWriter e;
    e.number(event::kType, kEnd);
    e.number(event::kTrackUuid, track);
    addEvent(e, time, nullptr);
  }

  // Names are written once and referred to by number.
  void addNamed(ProtoWriter& e, uint32_t name, const std::string& category, int64_t time, const std::string& details) {
    e.number(event::kNameIid, uint64_t(name) + 1);
    if (!category.empty()) e.bytes(event::kCategory, category);
    if (!details.empty()) {
      const auto annotate = [&](std::string_view key, uint32_t field, std::string_view value) {
        ProtoWriter annotation;
        annotation.bytes(10, key);
        annotation.bytes(field, value);
        e.bytes(event::kAnnotation, annotation.message());
      };
      const bool object = forEachMember(details, [&](const JsonToken& key, const JsonToken& value) {
        if (value.kind == JsonToken::String)
          annotate(textOf(key), 6, textOf(value));
        else
          annotate(textOf(key), 9, value.text); // JSON, unchanged
      });
      if (!object) annotate("details", 9, details);
    }
    ProtoWriter interned;
    if (m_names.emplace(name, true).second) {
      ProtoWriter text;
      text.number(1, uint64_t(name) + 1);
      text.bytes(2, m_rows.reader().text(name));
      interned.bytes(interned::kEventNames, text.message());
    }
    addEvent(e, time, &interned);
  }
  void addEvent(const ProtoWriter& e, int64_t time, const ProtoWriter* interned) {
    addPacketAt(time, packet::kTrackEvent, e, interned);
  }
  void addPacketAt(int64_t time, uint32_t field, const ProtoWriter& content, const ProtoWriter* interned) {
    ProtoWriter p;
    p.number(packet::kTimestamp, uint64_t(std::max<int64_t>(0, time + m_rows.base())));
    p.number(packet::kSequenceId, kSequence);
    if (interned && !interned->message().empty()) p.bytes(packet::kInterned, interned->message());
    p.bytes(field, content.message());
    p.number(packet::kFlags, 2);
    addPacket(p);
  }

  void writeCounters(const std::stop_token& stop) {
    m_rows.reader().forEach<CounterSeriesRow>({}, {}, [&](const CounterSeriesRow& row) {
      const int64_t pid = m_rows.processPid(row.processId);
      ProtoWriter counter, descriptor;
      if (!row.unit.empty()) counter.bytes(6, row.unit);
      descriptor.number(1, kCounterUuid + uint64_t(row.id));
      descriptor.number(5, kProcessUuid + uint64_t(pid));
      const bool plain = row.name.empty() || row.name == "value";
      descriptor.bytes(2, plain ? row.graph : row.graph + " " + row.name);
      descriptor.bytes(8, counter.message());
      describe(descriptor);
    });
    m_rows.reader().forEach<CounterChunkRow>(
        {}, {},
        [&](const CounterChunkRow& chunk) {
          for (const CounterSample& s : decodeCounter(chunk)) {
            if (!m_rows.isInRange(s.tick, s.tick)) continue;
            ++m_counts.counterSamples;
            ProtoWriter e;
            e.number(event::kType, kValue);
            e.number(event::kTrackUuid, kCounterUuid + uint64_t(chunk.seriesId));
            e.real(event::kCounter, s.value);
            addEvent(e, s.tick, nullptr);
          }
        },
        stop);
  }

  ExportRows m_rows;
  ExportCounts m_counts;
  TextSink m_text;
  std::map<int64_t, bool> m_processes;
  std::map<uint32_t, bool> m_names, m_frames;         // names and frames already written
  std::map<std::vector<uint32_t>, uint64_t> m_stacks; // their numbers, by names of frames
  std::map<FlowKey, std::vector<FlowEnd>> m_flows;
  int64_t m_flowIds = 0;
  uint64_t m_lanes = 0;
};

} // namespace

ExportCounts exportPerfetto(Reader& reader, const ExportRequest& request, std::ostream& out, Progress& progress,
                            std::stop_token stop) {
  return PerfettoExport(reader, request, out).write(progress, stop);
}

} // namespace reports::exchange
