// The cost of writing and opening a report: slices per second, bytes per slice, time to the first overview, time to decode all.
// The trace: 16 tracks of 3 depths, durations of 1 to 1000 ticks, 200 names, 4 categories; 10^6 and 10^7 slices.
#include "reports/rows/slice_decode.h"
#include "reports/rows/slice_track.h"
#include "reports/sqlite/query.h"
#include "reports/sqlite/schema.h"
#include "reports/sqlite/writer.h"
#include "tests/support/temporary_folder.h"

#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <map>
#include <stdexcept>

using namespace reports;

namespace {

constexpr int kTracks = 16;
constexpr int kDepths = 3;
constexpr int64_t kPixels = 2000;

// Cheap pseudo-random numbers: the generator must not dominate the measured time.
struct Random {
  uint64_t state = 88172645463325252ull;
  uint64_t operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
};

void writeTrace(const std::filesystem::path& file, int64_t slices) {
  Writer writer(file);
  Random random;
  const int64_t perDepth = slices / (kTracks * kDepths);
  for (int track = 0; track < kTracks; ++track) {
    TrackRow header;
    header.id = track;
    header.kind = "ipu";
    header.name = "IPU " + std::to_string(track);
    header.tickUnit = "cycle";
    header.provenance = "simulated";
    SliceTrackBuilder builder(writer, header);
    for (int depth = 0; depth < kDepths; ++depth) {
      int64_t at = 0;
      for (int64_t i = 0; i < perDepth; ++i) {
        const uint64_t r = random();
        const auto name = int64_t(r % 200);
        const int64_t duration = 1 + int64_t(r >> 20) % 1000;
        at += (r >> 40) % 8 == 0 ? int64_t(r >> 44) % 200 : 0;
        builder.add(depth, at, duration, name, uint8_t(name % 4), name);
        at += duration;
      }
    }
    builder.finish();
  }
  for (int64_t id = 0; id < 200; ++id) writer.add(StringRow{id, "operation/step " + std::to_string(id)});
  writer.commit();
}

const std::filesystem::path& traceOf(int64_t slices) {
  static tests::TemporaryFolder folder;
  static std::map<int64_t, std::filesystem::path> files;
  auto& file = files[slices];
  if (file.empty()) {
    file = folder / (std::to_string(slices) + ".tsr");
    writeTrace(file, slices);
  }
  return file;
}

void write(benchmark::State& state) {
  const tests::TemporaryFolder folder;
  for (auto _ : state) writeTrace(folder / "a.tsr", state.range(0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_slice"] = double(std::filesystem::file_size(folder / "a.tsr")) / double(state.range(0));
}

void execute(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(db));
}

// The same trace without checksums in its pages, which is read unverified. Copied table by table: VACUUM keeps the room for them.
const std::filesystem::path& uncheckedTraceOf(int64_t slices) {
  static tests::TemporaryFolder folder;
  static std::map<int64_t, std::filesystem::path> files;
  auto& file = files[slices];
  if (!file.empty()) return file;
  file = folder / (std::to_string(slices) + ".tsr");
  sqlite3* db = nullptr;
  if (sqlite3_open(file.c_str(), &db) != SQLITE_OK) throw std::runtime_error("no file for the unchecked trace");
  execute(db, "PRAGMA page_size = 4096; PRAGMA application_id = " + std::to_string(kApplicationId) + "; PRAGMA user_version = " +
                  std::to_string(kSchemaVersion) + "; ATTACH '" + traceOf(slices).string() + "' AS checked; BEGIN");
  std::vector<std::pair<std::string, std::string>> entries; // name of a table, or empty; its SQL
  const auto keep = [](void* list, int, char** values, char**) {
    static_cast<decltype(entries)*>(list)->emplace_back(values[0], values[1]);
    return 0;
  };
  sqlite3_exec(
      db, "SELECT iif(type = 'table', name, ''), sql FROM checked.sqlite_schema WHERE sql NOT NULL ORDER BY type = 'table' DESC",
      keep, &entries, nullptr);
  for (const auto& [table, sql] : entries) {
    execute(db, sql);
    if (!table.empty()) execute(db, "INSERT INTO main." + quotedName(table) + " SELECT * FROM checked." + quotedName(table));
  }
  execute(db, "DELETE FROM metadata WHERE key = '" + std::string(kChecksumKey) + "'; COMMIT"); // or the reader misses them
  sqlite3_close(db);
  return file;
}

// The traces to read, with and without checksums: the difference is the cost of verifying every page.
using Traces = const std::filesystem::path& (*)(int64_t slices);

void open(benchmark::State& state, Traces traces) {
  const auto& file = traces(state.range(0));
  for (auto _ : state) {
    Reader reader(file);
    benchmark::DoNotOptimize(reader.fileBytes());
  }
}

// For each (track, depth): the coarsest level that still has a bucket per pixel.
int64_t readOverview(Reader& reader, int64_t pixels) {
  int64_t buckets = 0;
  for (const auto& track : reader.rows<TrackRow>())
    for (int64_t depth = 0; depth < track.depths; ++depth) {
      const auto row = reader.first<SliceLevelRow>(
          "track_id = ? AND depth = ? AND (buckets >= ? OR level = 0) ORDER BY level DESC LIMIT 1", {track.id, depth, pixels});
      buckets += int64_t(decodeLevel(*row).buckets.size());
    }
  return buckets;
}

void openToOverview(benchmark::State& state, Traces traces) {
  const auto& file = traces(state.range(0));
  int64_t buckets = 0;
  for (auto _ : state) {
    Reader reader(file);
    buckets = readOverview(reader, kPixels);
  }
  state.counters["buckets"] = double(buckets);
}

void viewMiddle(benchmark::State& state) {
  Reader reader(traceOf(state.range(0)));
  const auto tracks = reader.rows<TrackRow>();
  int64_t slices = 0;
  for (auto _ : state) {
    slices = 0;
    for (const auto& track : tracks) {
      const int64_t middle = track.endTick / 2, end = middle + track.endTick / 1000;
      for (int64_t depth = 0; depth < track.depths; ++depth)
        reader.forEach<SliceChunkRow>("track_id = ? AND depth = ? AND first_tick < ? AND end_tick > ?",
                                      {track.id, depth, end, middle},
                                      [&](const SliceChunkRow& row) { slices += int64_t(decodeChunk(row).size()); });
    }
  }
  state.counters["decoded"] = double(slices);
}

void openAndDecodeAll(benchmark::State& state, Traces traces) {
  const auto& file = traces(state.range(0));
  for (auto _ : state) {
    Reader reader(file);
    SliceColumns all;
    all.reserve(std::size_t(state.range(0)));
    reader.forEach<SliceChunkRow>({}, {}, [&](const SliceChunkRow& row) { appendChunk(row, all); });
    benchmark::DoNotOptimize(all.starts.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void sqlOverSlices(benchmark::State& state) {
  Reader reader(traceOf(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(runQuery(reader, "SELECT category, sum(duration_ticks) FROM slice GROUP BY category"));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void quickCheck(benchmark::State& state) {
  Reader reader(traceOf(state.range(0)));
  for (auto _ : state) reader.quickCheck();
  state.SetBytesProcessed(state.iterations() * reader.fileBytes());
}

void smallAndLarge(benchmark::internal::Benchmark* b) { b->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond); }

} // namespace

BENCHMARK(write)->Apply(smallAndLarge)->Iterations(3);
BENCHMARK_CAPTURE(open, checked, traceOf)->Apply(smallAndLarge);
BENCHMARK_CAPTURE(open, unchecked, uncheckedTraceOf)->Apply(smallAndLarge);
BENCHMARK_CAPTURE(openToOverview, checked, traceOf)->Apply(smallAndLarge);
BENCHMARK_CAPTURE(openToOverview, unchecked, uncheckedTraceOf)->Apply(smallAndLarge);
BENCHMARK_CAPTURE(openAndDecodeAll, checked, traceOf)->Apply(smallAndLarge);
BENCHMARK_CAPTURE(openAndDecodeAll, unchecked, uncheckedTraceOf)->Apply(smallAndLarge);
BENCHMARK(viewMiddle)->Apply(smallAndLarge);
BENCHMARK(sqlOverSlices)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(quickCheck)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
