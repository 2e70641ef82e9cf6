#include "tests/support/synthetic_report.h"

#include "reports/core/units.h"
#include "reports/sqlite/writer.h"
#include "tests/support/synthetic_memory.h"
#include "tests/support/synthetic_program.h"
#include "tests/support/synthetic_run.h"

#include <cmath>

namespace tests {

using namespace reports;

namespace {

void writeMachine(ReportSink& sink, const ReportShape& shape) {
  MachineRow m;
  m.name = shape.tilesPerIpu == 1472 ? "gc200" : "tiny";
  m.title = shape.tilesPerIpu == 1472 ? "GC200" : "Tiny machine";
  m.architecture = "gc200";
  m.ipus = shape.ipus;
  m.tilesPerIpu = shape.tilesPerIpu;
  m.ioTiles = shape.ioTiles;
  m.workersPerTile = 6;
  m.memoryPerTileBytes = kSyntheticTileBytes;
  m.interleavedStartBytes = kSyntheticInterleavedStart;
  m.elementBytes = 16384;
  m.clockHz = 1'330'000'000;
  m.exchangeBytesPerCycle = 4;
  m.peakFp16FlopsPerSecond = double(shape.tilesPerIpu) * 128 * 1.33e9;
  m.peakFp32FlopsPerSecond = double(shape.tilesPerIpu) * 32 * 1.33e9;
  m.gridColumns = int64_t(std::ceil(std::sqrt(double(shape.tilesPerIpu))));
  m.gridRows = ceilDiv(shape.tilesPerIpu, m.gridColumns);
  std::vector<int64_t> columns, rows;
  for (int64_t tile = 0; tile < shape.tilesPerIpu; ++tile) {
    rows.push_back(tile / m.gridColumns);
    columns.push_back(tile % m.gridColumns);
  }
  m.tileColumns = packDeltas(columns);
  m.tileRows = packDeltas(rows);
  sink.add(m);
}

void writeMetadata(ReportSink& sink, const ReportShape& shape) {
  const std::pair<const char*, std::string> facts[] = {
      {"title", shape.title},
      {"workload", "synthetic"},
      {"command_line", "make-synthetic-report"},
      {"created_utc", "2026-01-02T03:04:05Z"},
      {"tool", "make-synthetic-report"},
      {"tool_version", "0.1.0"},
      {"provenance", "simulated"},
      {"state", "fits"},
      {"seed", "1"},
      {"precision", "fp32"},
      {"has_numbers", "0"},
      {"clock_note", "cycles are made up"},
  };
  for (const auto& [key, value] : facts) sink.add(MetadataRow{key, value});
  sink.add(EngineOptionRow{"autoReport.all", "true", 0});
  sink.add(EngineOptionRow{"debug.allowOutOfMemory", "true", 0});
  sink.add(EngineOptionRow{"target.syncReplicasIndependently", "false", 1});
  sink.add(ReportIssueRow{0, "notice", "node conv0", "attribute auto_pad is deprecated; taken as NOTSET", "", 1});
}

} // namespace

void writeSyntheticReport(ReportSink& sink, const ReportShape& shape) {
  writeMetadata(sink, shape);
  writeMachine(sink, shape);
  StringPool strings(sink);
  SyntheticProgram program(sink, strings, shape);
  const auto bytes = writeSyntheticMemory(sink, strings, program);
  writeSyntheticRun(sink, strings, program, bytes);
}

void writeSyntheticReport(const std::filesystem::path& file, const ReportShape& shape) {
  Writer writer(file);
  writeSyntheticReport(static_cast<ReportSink&>(writer), shape);
  writer.commit();
}

TinyReport::TinyReport(const ReportShape& shape) : m_path(m_folder / (std::string(shape.title) + ".tsr")) {
  writeSyntheticReport(m_path, shape);
}

} // namespace tests
