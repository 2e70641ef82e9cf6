// The names of libpvti for programs that were written for it: they compile unchanged and record with tilescope_trace. Only names
// and their documented meaning are shared.
#pragma once

#include "tilescope_trace.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pvti {

class TraceChannel {
public:
  TraceChannel(std::string name, bool enabled = true)
      : m_channel(std::make_shared<tilescope_trace::Channel>(std::move(name), enabled)) {
    const std::lock_guard<std::mutex> lock(mutex());
    all()[m_channel->name()] = m_channel;
  }
  void enable() { m_channel->enable(true); }
  void disable() { m_channel->enable(false); }
  bool check() const { return m_channel->isActive(); }
  const tilescope_trace::Channel& channel() const { return *m_channel; }

  // Names of all channels made so far, with whether each is enabled.
  static std::map<std::string, bool> list() {
    const std::lock_guard<std::mutex> lock(mutex());
    std::map<std::string, bool> result;
    for (const auto& entry : all()) result[entry.first] = entry.second->isEnabled();
    return result;
  }

private:
  static std::mutex& mutex() {
    static std::mutex lock;
    return lock;
  }
  static std::map<std::string, std::shared_ptr<tilescope_trace::Channel>>& all() {
    static std::map<std::string, std::shared_ptr<tilescope_trace::Channel>> channels;
    return channels;
  }
  std::shared_ptr<tilescope_trace::Channel> m_channel;
};

inline void enableTraceChannel(TraceChannel& channel) { channel.enable(); }
inline void disableTraceChannel(TraceChannel& channel) { channel.disable(); }
inline bool checkTraceChannel(const TraceChannel& channel) { return channel.check(); }
inline std::map<std::string, bool> listTraceChannels() { return TraceChannel::list(); }
inline std::string getCurrentTraceFilename() { return tilescope_trace::fileName(); }
inline void closeTrace() { tilescope_trace::stop(); }

// JSON text that belongs to an event.
class Metadata {
public:
  Metadata() = default;
  explicit Metadata(std::string json) : m_json(std::move(json)) {}
  const std::string& json() const { return m_json; }

private:
  std::string m_json;
};
inline Metadata createJsonMetadata(const std::string& json) { return Metadata(json); }

class Tracepoint {
public:
  Tracepoint(TraceChannel* channel, const std::string& label) : m_scope(channel->channel(), label) {}
  Tracepoint(TraceChannel* channel, const char* label) : m_scope(channel->channel(), label) {}
  Tracepoint(TraceChannel* channel, const char* label, std::size_t bytes)
      : m_scope(channel->channel(), tilescope_trace::Text(label, bytes)) {}
  Tracepoint(TraceChannel* channel, const char* label, std::size_t bytes, const Metadata* metadata)
      : m_scope(channel->channel(), std::string(label, bytes), metadata ? metadata->json() : std::string()) {}
  Tracepoint(TraceChannel* channel, const std::string& label, const Metadata& metadata)
      : m_scope(channel->channel(), label, metadata.json()) {}

  static void begin(TraceChannel* channel, const std::string& label) { tilescope_trace::begin(channel->channel(), label); }
  static void begin(TraceChannel* channel, const std::string& label, const Metadata& metadata) {
    tilescope_trace::begin(channel->channel(), label, metadata.json());
  }
  static void end(TraceChannel* channel, const std::string& label) { tilescope_trace::end(channel->channel(), label); }
  static void event(TraceChannel* channel, const std::string& label) { tilescope_trace::instant(channel->channel(), label); }
  static void event(TraceChannel* channel, const std::string& label, const Metadata& metadata) {
    tilescope_trace::instant(channel->channel(), label, metadata.json());
  }

private:
  tilescope_trace::Scope m_scope;
};

class ThreadName {
public:
  explicit ThreadName(const std::string& name) { tilescope_trace::nameThread(name); }
};

// Kept for programs that hold one to keep the library alive.
class Client {};

class Series {
public:
  Series(tilescope_trace::Series series, bool enabled) : m_series(series), m_enabled(enabled) {}
  void add(double value) {
    if (m_enabled) m_series.add(value);
  }

private:
  tilescope_trace::Series m_series;
  bool m_enabled;
};

class Graph {
public:
  explicit Graph(const std::string& name, const std::string& unit = "", bool enable = true)
      : m_graph(name, unit), m_enabled(enable) {}
  Series addSeries(const std::string& name) { return Series(m_graph.addSeries(name), m_enabled); }

private:
  tilescope_trace::Graph m_graph;
  bool m_enabled;
};

class HeatmapDouble {
public:
  HeatmapDouble(const std::string& name, const std::vector<double>& edges, const std::string& unit = "")
      : m_heatmap(name, edges, unit) {}
  void add(const std::vector<double>& values) { m_heatmap.add(values); }

private:
  tilescope_trace::Heatmap m_heatmap;
};

} // namespace pvti
