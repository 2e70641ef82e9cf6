// Recording: eight threads record 10^7 events together, and the file is read back. `median_ns` and `p99_ns` are of batches of 1000 events,
// in processor time of the thread that records them, so that eight threads on fewer cores do not count their waiting. An event is a
// begin or an end; a batch is 500 slices. `lost` and `missing` are 0 if every event is in the file.
#include "reports/recording/recording_reader.h"
#include "reports/recording/tilescope_trace.h"
#include "tests/support/temporary_folder.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>

namespace trace = tilescope_trace;

namespace {

constexpr int kThreads = 8, kBatches = 1250, kSlicesPerBatch = 500;
constexpr int64_t kEvents = int64_t(kThreads) * kBatches * kSlicesPerBatch * 2;

struct EventCount : reports::RecordingEvents {
  int64_t events = 0;
  void begin(uint32_t, int64_t, std::string_view, std::string_view) override { ++events; }
  void end(uint32_t, int64_t) override { ++events; }
  void thread(uint32_t, int64_t) override {}
  void threadName(uint32_t, std::string_view) override {}
  void endNamed(uint32_t, int64_t, std::string_view, std::string_view) override {}
  void instant(uint32_t, int64_t, std::string_view, std::string_view) override {}
  void metadata(uint32_t, std::string_view) override {}
  void series(uint32_t, std::string_view, std::string_view, std::string_view) override {}
  void sample(uint32_t, int64_t, double) override {}
  void heatmap(uint32_t, std::string_view, std::string_view, const std::vector<double>&) override {}
  void heatmapSample(uint32_t, int64_t, const std::vector<uint32_t>&) override {}
};

double threadNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

// Records the batches of one thread; nanoseconds an event, of each batch.
template<class Label> std::vector<double> recordBatches(const Label& label) {
  static trace::Channel channel("bench");
  std::vector<double> costs;
  for (int batch = 0; batch < kBatches; ++batch) {
    const double from = threadNanoseconds();
    for (int i = 0; i < kSlicesPerBatch; ++i) const trace::Scope scope(channel, label(i));
    costs.push_back((threadNanoseconds() - from) / (2 * kSlicesPerBatch));
  }
  return costs;
}

template<class Label> void record(benchmark::State& state, const Label& label) {
  std::vector<double> costs;
  int64_t missing = 0;
  uint64_t lost = 0;
  for (auto _ : state) {
    const tests::TemporaryFolder folder;
    trace::Options options;
    options.directory = folder.path().string();
    options.file = "bench.tsrec";
    if (!trace::start(options)) return state.SkipWithError("the recording could not be opened");
    std::array<std::vector<double>, kThreads> own;
    std::vector<std::thread> threads;
    for (auto& result : own) threads.emplace_back([&] { result = recordBatches(label); });
    for (std::thread& thread : threads) thread.join();
    const std::string file = trace::fileName();
    lost += trace::lostEvents();
    trace::stop();
    state.PauseTiming();
    for (const auto& result : own) costs.insert(costs.end(), result.begin(), result.end());
    EventCount count;
    reports::RecordingReader(file).read(count);
    missing += kEvents - count.events;
    state.ResumeTiming();
  }
  std::sort(costs.begin(), costs.end());
  state.SetItemsProcessed(state.iterations() * kEvents);
  state.counters["median_ns"] = costs[costs.size() / 2];
  state.counters["p99_ns"] = costs[costs.size() * 99 / 100];
  state.counters["lost"] = double(lost);
  state.counters["missing"] = double(missing);
}

void eightThreadsOneLabel(benchmark::State& state) {
  record(state, [](int) { return std::string_view("step"); });
}
// Labels that are composed each time: the same buffer holds different texts.
void eightThreadsManyLabels(benchmark::State& state) {
  record(state, [](int i) { return "layer " + std::to_string(i % 100); });
}
// Labels from a table of the program: each has its own address.
void eightThreadsLabelsInMemory(benchmark::State& state) {
  std::vector<std::string> labels;
  for (int i = 0; i < 100; ++i) labels.push_back("layer " + std::to_string(i));
  record(state, [&](int i) { return std::string_view(labels[std::size_t(i) % labels.size()]); });
}
BENCHMARK(eightThreadsOneLabel)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(eightThreadsManyLabels)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(eightThreadsLabelsInMemory)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
