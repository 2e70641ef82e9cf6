// Chrome JSON to a report: 10^5 and 10^6 slices on 16 threads, nested up to six deep. `peak_MiB` is the largest size of the process so far,
// so that each size is best run alone (--benchmark_filter). The trace is made once, in a temporary folder.
#include "reports/exchange/import.h"
#include "reports/sqlite/writer.h"
#include "tests/support/temporary_folder.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <sys/resource.h>

#include <fstream>
#include <map>
#include <random>

namespace {

class TraceText {
public:
  explicit TraceText(std::ofstream& out) : m_out(out) {}
  // A slice and those within it; times in nanoseconds.
  void add(int tid, int depth, int64_t from, int64_t to, int64_t& left) {
    if (left-- <= 0) return;
    m_out << (m_first ? "" : ",\n")
          << fmt::format(R"({{"ph":"X","name":"/model/layer{}/op{}","cat":"c","pid":1,"tid":{},"ts":{}.{:03},"dur":{}.{:03}}})",
                         m_random() % 10, m_random() % 16, tid, from / 1000, from % 1000, (to - from) / 1000, (to - from) % 1000);
    m_first = false;
    if (depth == 5 || to - from < 400) return;
    const int64_t inside = int64_t(m_random() % 5), part = (to - from) / (inside + 1);
    for (int64_t i = 0; i < inside; ++i) add(tid, depth + 1, from + i * part + part / 8, from + (i + 1) * part - part / 8, left);
  }
  int64_t random(int64_t below) { return int64_t(m_random() % uint64_t(below)); }

private:
  std::ofstream& m_out;
  std::mt19937_64 m_random{7};
  bool m_first = true;
};

std::filesystem::path chromeTrace(int64_t slices) {
  static tests::TemporaryFolder folder;
  static std::map<int64_t, std::filesystem::path> made;
  auto& file = made[slices];
  if (!file.empty()) return file;
  file = folder / fmt::format("{}.json", slices);
  std::ofstream out(file, std::ios::binary);
  out << "{\"traceEvents\":[\n";
  TraceText text(out);
  for (int tid = 1; tid <= 16; ++tid) {
    int64_t left = slices / 16;
    for (int64_t now = 1000; left > 0;) {
      const int64_t duration = 2000 + text.random(200'000);
      text.add(tid, 0, now, now + duration, left);
      now += duration + text.random(3000);
    }
  }
  out << "\n]}\n";
  return file;
}

void importChromeJson(benchmark::State& state) {
  reports::exchange::ImportRequest request;
  request.files = {chromeTrace(state.range(0))};
  const tests::TemporaryFolder folder;
  int64_t slices = 0;
  for (auto _ : state) {
    reports::Writer writer(folder / "out.tsr");
    reports::NoProgress progress;
    slices = reports::exchange::importTraces(request, writer, progress, {}).total.slices;
    writer.commit();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.SetItemsProcessed(state.iterations() * slices);
  state.SetBytesProcessed(state.iterations() * int64_t(std::filesystem::file_size(request.files[0])));
  state.counters["peak_MiB"] = double(usage.ru_maxrss) / 1024;
}
BENCHMARK(importChromeJson)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

} // namespace
