// Counts and keeps the events of a recording, and checks what a recorder promises: times of a thread never go back.
#pragma once

#include "reports/recording/recording_reader.h"

#include <map>
#include <set>
#include <string>
#include <vector>

struct RecordedEvents : reports::RecordingEvents {
  struct Slice {
    std::string label, channel, metadata;
    int64_t start = 0, end = -1;
    std::size_t depth = 0;
  };
  struct Thread {
    std::string name;
    std::vector<Slice> slices;
    std::vector<std::size_t> open;
    std::vector<Slice> instants;
    int64_t last = 0;
    Slice* latest = nullptr; // that metadata would be of
    std::size_t unmatched = 0;
  };
  std::map<uint32_t, Thread> threads;
  std::map<uint32_t, std::string> seriesNames;
  std::map<uint32_t, std::vector<double>> samples, edges;
  std::vector<std::vector<uint32_t>> histograms;
  bool isOrdered = true;

  std::size_t slices() const {
    std::size_t sum = 0;
    for (const auto& [number, thread] : threads) sum += thread.slices.size();
    return sum;
  }

  void thread(uint32_t number, int64_t) override { threads[number]; }
  void threadName(uint32_t number, std::string_view name) override { threads[number].name = name; }
  void begin(uint32_t number, int64_t time, std::string_view channel, std::string_view label) override {
    Thread& t = at(number, time);
    t.open.push_back(t.slices.size());
    t.slices.push_back({std::string(label), std::string(channel), {}, time, -1, t.open.size() - 1});
    t.latest = &t.slices.back();
  }
  void end(uint32_t number, int64_t time) override {
    Thread& t = at(number, time);
    if (t.open.empty()) {
      ++t.unmatched;
      return;
    }
    t.slices[t.open.back()].end = time;
    t.open.pop_back();
  }
  void endNamed(uint32_t number, int64_t time, std::string_view channel, std::string_view label) override {
    Thread& t = at(number, time);
    for (auto it = t.open.rbegin(); it != t.open.rend(); ++it)
      if (t.slices[*it].label == label && t.slices[*it].channel == channel) {
        t.slices[*it].end = time;
        t.open.erase(std::next(it).base());
        return;
      }
    ++t.unmatched;
  }
  void instant(uint32_t number, int64_t time, std::string_view channel, std::string_view label) override {
    Thread& t = at(number, time);
    t.instants.push_back({std::string(label), std::string(channel), {}, time, time});
    t.latest = &t.instants.back();
  }
  void metadata(uint32_t number, std::string_view json) override {
    if (Slice* latest = threads[number].latest) latest->metadata = json;
  }
  void series(uint32_t number, std::string_view graph, std::string_view unit, std::string_view name) override {
    seriesNames[number] = std::string(graph) + "|" + std::string(unit) + "|" + std::string(name);
  }
  void sample(uint32_t number, int64_t, double value) override { samples[number].push_back(value); }
  void heatmap(uint32_t number, std::string_view, std::string_view, const std::vector<double>& e) override { edges[number] = e; }
  void heatmapSample(uint32_t, int64_t, const std::vector<uint32_t>& counts) override { histograms.push_back(counts); }

private:
  Thread& at(uint32_t number, int64_t time) {
    Thread& t = threads[number];
    if (time < t.last) isOrdered = false;
    t.last = time;
    return t;
  }
};

inline RecordedEvents readBack(const std::string& file) {
  RecordedEvents events;
  reports::RecordingReader reader(file);
  reader.read(events);
  return events;
}
