// The text of Poplar's profile summary. Headings and their order are Poplar's, so that people and scripts find the lines they
// know; two spaces per level, numbers right-aligned.
#include "analyser/summary/summary.h"

#include "analyser/session/format.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <fmt/format.h>

#include <cstdlib>

namespace analyser::summary {

namespace {

constexpr int kWidth = 58; // column where numbers begin

class Text {
public:
  void heading(int level, const std::string& title) { m_text += std::string(std::size_t(level) * 2, ' ') + title + ":\n"; }
  void line(int level, const std::string& title, const std::string& value) {
    const std::string left = std::string(std::size_t(level) * 2, ' ') + title + ":";
    m_text += fmt::format("{:<{}}{:>18}\n", left, kWidth, value);
  }
  void bytes(int level, const std::string& title, Bytes b) { line(level, title, formatCount(b.value()) + " B"); }
  void raw(const std::string& text) { m_text += text + "\n"; }
  std::string take() { return std::move(m_text); }

private:
  std::string m_text;
};

bool isVertexData(reports::MemoryCategory category) {
  return category == reports::MemoryCategory::VertexInstanceState || category == reports::MemoryCategory::VertexFieldData ||
         category == reports::MemoryCategory::CopyDescriptor || category == reports::MemoryCategory::VectorListDescriptor;
}

std::string kibibytes(double bytes) { return fmt::format("{:.1f}", bytes / 1024); }

void target(Text& t, const Machine& m, const std::vector<PeakUse>& peaks) {
  t.heading(0, "Target");
  t.line(1, "Number of IPUs", formatCount(m.ipus));
  t.line(1, "Tiles per IPU", formatCount(m.tilesPerIpu));
  t.line(1, "Total Tiles", formatCount(m.tiles()));
  t.line(1, "Memory Per-Tile", kibibytes(double(m.memoryPerTile.value())) + " KiB");
  t.line(1, "Total Memory", kibibytes(double(m.totalMemory().value()) / 1024) + " MiB");
  t.line(1, "Clock Speed (approx)", fmt::format("{:.1f} MHz", double(m.clockHz) / 1e6));
  for (const PeakUse& p : peaks) t.line(1, p.title + " (peak)", formatRate(p.peak, p.unit));
  t.raw("");
}

// For a language model that decodes: means over the runs of the program that makes one token per sequence.
void tokens(Text& t, const Summary& s) {
  std::string program;
  double batch = 0, cycles = 0, steps = 0;
  for (const auto& [key, value] : s.metadata) {
    if (key == "token_program") program = value + " #";
    if (key == "batch_size") batch = std::atof(value.c_str());
  }
  for (const Run& run : s.runs)
    if (!program.empty() && run.name.starts_with(program)) {
      cycles += double(run.cycles.total.value());
      steps += double(std::max<int64_t>(1, run.foldedIterations));
    }
  if (steps <= 0 || cycles <= 0) return;
  t.line(1, "Cycles per token step", formatCount(int64_t(cycles / steps)));
  t.line(1, "Tokens per second", fmt::format("{:.0f}", batch * steps * double(s.machine.clockHz) / cycles));
}

// The used share of each peak that the report knows, over the whole time of all runs.
void shares(Text& t, const std::vector<PeakUse>& peaks) {
  for (const PeakUse& p : peaks) {
    if (p.share) t.line(1, p.title + ", share of the peak", formatPercent(*p.share));
    if (p.shareWhileBusy) t.line(1, p.title + ", share of the peak while its steps run", formatPercent(*p.shareWhileBusy));
  }
}

void graph(Text& t, const GraphCounts& g) {
  t.heading(0, "Graph");
  t.line(1, "Number of vertices", formatCount(g.vertices));
  const std::string absent = "not in this file";
  t.line(1, "Number of edges", g.knowsEdges ? formatCount(g.edges) : absent);
  t.line(1, "Number of variables", g.knowsVariables ? formatCount(g.variables) : absent);
  t.line(1, "Number of compute sets", formatCount(g.computeSets));
  t.raw("");
}

struct VertexBytes {
  int64_t state = 0, pointers = 0, descriptors = 0;
};

void vertexData(Text& t, Session& session, const Summary& s) {
  VertexBytes v;
  session.reader().forEach<reports::ComputeSetVerticesRow>({}, {}, [&](const reports::ComputeSetVerticesRow& row) {
    v.state += row.stateBytes;
    v.pointers += row.edgePointerBytes;
    v.descriptors += row.descriptorBytes;
  });
  if (v.state + v.descriptors == 0) return; // an imported report, or a program without vertices
  // Vertices of on-tile copies are not in a compute set.
  int64_t ofCopies = -(v.state + v.descriptors);
  for (const CategoryBytes& c : s.memory.byCategory)
    if (isVertexData(c.category)) ofCopies += c.bytes.value();
  ofCopies = std::max<int64_t>(0, ofCopies);
  t.heading(3, "Vertex Data (" + formatCount(v.state + v.descriptors + ofCopies) + " B)");
  t.heading(4, "By Category");
  t.bytes(5, "Internal vertex state", Bytes(v.state - v.pointers));
  t.bytes(5, "Edge pointers", Bytes(v.pointers));
  t.bytes(5, "Descriptors", Bytes(v.descriptors));
  if (ofCopies > 0) t.bytes(5, "Of copies within a tile", Bytes(ofCopies));
  t.heading(4, "By Type");
  std::vector<VertexTypeCycles> types = s.vertexTypes;
  std::stable_sort(types.begin(), types.end(),
                   [](const VertexTypeCycles& a, const VertexTypeCycles& b) { return a.stateBytes > b.stateBytes; });
  for (const VertexTypeCycles& type : types) t.bytes(5, printable(type.name), type.stateBytes);
}

void byTile(Text& t, const MemoryTotals& m) {
  t.heading(1, "By Tile (Excluding Gaps)");
  t.raw("    Range (KB)           Histogram (Excluding Gaps)                 Count (tiles)");
  int64_t most = 1;
  for (const HistogramBin& bin : m.histogram) most = std::max(most, bin.tiles);
  for (const HistogramBin& bin : m.histogram) {
    if (bin.tiles == 0) continue;
    const auto stars = static_cast<std::size_t>(std::max<int64_t>(1, bin.tiles * 40 / most));
    t.raw(fmt::format("    {:>8} - {:<8}  {:<40}  {:>14}", kibibytes(double(bin.begin.value())),
                      kibibytes(double(bin.end.value())), std::string(stars, '*'), formatCount(bin.tiles)));
  }
  const auto maximum = [&](const char* what, Bytes bytes, TileId tile) {
    t.raw(fmt::format("    Maximum ({}): {} B ({} KiB) on tile {}", what, formatCount(bytes.value()),
                      kibibytes(double(bytes.value())), tile.value()));
  };
  if (!m.histogram.empty()) {
    maximum("Including Gaps", m.fullest.withGaps, m.fullest.tile);
    maximum("Excluding Gaps", m.fullestWithoutGaps.bytes, m.fullestWithoutGaps.tile);
  }
  t.raw("    " + formatCount(m.overflowTiles) + " tile(s) out of memory");
}

// Lists the five fullest tiles if memory is unbalanced, as Poplar does: here if the fullest tile holds a fifth more than the
// median.
void fullestTiles(Text& t, const MemoryTotals& m) {
  if (double(m.fullestWithoutGaps.bytes.value()) <= 1.2 * m.median) return;
  for (const TileBytes& tile : m.fullestTiles) {
    t.heading(1, "Tile # " + std::to_string(tile.tile.value()) + " memory usage");
    t.bytes(2, "Including Gaps", tile.withGaps);
    t.bytes(2, "Excluding Gaps", tile.bytes);
    t.bytes(2, "Overflowed", tile.overflow);
  }
}

void memory(Text& t, Session& session, const Summary& s) {
  const MemoryTotals& m = s.memory;
  t.heading(0, "Memory Usage");
  if (const std::string missing = missingFigure(s, "memory.total_bytes"); !missing.empty()) {
    t.raw("  " + missing);
    t.raw("");
    return;
  }
  t.heading(1, "Total for all IPUs");
  t.bytes(2, "Including Gaps", m.totalWithGaps);
  t.heading(2, "Excluding Gaps");
  if (m.nonInterleaved + m.interleaved > Bytes()) { // unknown for imported reports
    t.heading(3, "By Memory Region");
    t.bytes(4, "Non-interleaved", m.nonInterleaved);
    t.bytes(4, "Interleaved", m.interleaved);
    t.bytes(4, "Overflowed", m.overflow);
  }
  t.heading(3, "By Data Type");
  for (const CategoryBytes& c : m.byCategory) t.bytes(4, std::string(reports::memoryCategoryTitle(c.category)), c.bytes);
  t.bytes(4, "Total", m.total);
  vertexData(t, session, s);
  t.raw("");
  byTile(t, m);
  fullestTiles(t, m);
  t.raw("");
}

// Memory of the program on the host: buffers of streams, and remote buffers (streaming memory).
void hostMemory(Text& t, Session& session, const std::stop_token& stop) {
  Bytes streams, remote;
  int64_t buffers = 0;
  session.reader().forEach<reports::StreamRow>(
      {}, {},
      [&](const reports::StreamRow& row) {
        const bool isRemote = row.direction == "remote_buffer";
        (isRemote ? remote : streams) += Bytes(row.hostBytes);
        buffers += isRemote;
      },
      stop);
  if (streams == Bytes() && remote == Bytes()) return; // unknown for imported reports
  t.heading(0, "Host Memory Usage");
  t.bytes(1, "Stream buffers", streams);
  t.bytes(1, "Remote buffers", remote);
  t.line(1, "Number of remote buffers", formatCount(buffers));
  t.raw("");
}

void execution(Text& t, const Summary& s, const std::vector<PeakUse>& peaks) {
  t.heading(0, "Execution");
  if (s.runs.empty()) {
    t.raw("  No execution in this report" + std::string(s.outOfMemory ? ": the program does not fit." : "."));
    return;
  }
  std::string names;
  for (const Run& run : s.runs) {
    // The name used in the window and in the host's timeline.
    const std::string name = printable(run.name.starts_with("step #") ? "Engine::run " + run.name.substr(5) : run.name);
    if ((", " + names + ", ").find(", " + name + ", ") == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  t.raw("  Programs executed: " + names);
  t.raw(fmt::format("  {:<{}}{:>18} (approx {})", "Total cycles:", kWidth - 2, formatCount(s.cycles.total.value()),
                    formatSeconds(s.seconds)));
  const auto average = [&](const std::string& title, Cycles cycles) {
    const double part = s.cycles.total > Cycles() ? 100 * ratio(cycles, s.cycles.total) : 0;
    t.raw(fmt::format("  {:<{}}{:>18} ({:.1f}% of total)", "Tile average " + title + ":", kWidth - 2, formatCount(cycles.value()),
                      part));
  };
  const TileAverages& a = s.tileAverages;
  average("compute cycles (including idle threads)", a.computeWithIdleThreads);
  average("compute cycles (excluding idle threads)", a.computeWithoutIdleThreads);
  average("IPU exchange cycles", a.exchange);
  average("global exchange cycles", a.globalExchange);
  average("host exchange cycles", a.hostExchange);
  average("sync cycles", a.sync);
  t.raw(fmt::format("  {:<{}}{:>18}", "Total FLOPs:", kWidth - 2, formatCount(s.flops.value())));
  shares(t, peaks);
  tokens(t, s);
  t.raw("");
  t.heading(1, "Cycles by vertex type");
  for (const VertexTypeCycles& type : s.vertexTypes)
    t.raw(fmt::format("    {:<{}} ({} instances): {:>14}", printable(type.name), kWidth - 4, formatCount(type.instances),
                      formatCount(type.cycles.value())));
}

// Steps in tree order; parents as headings.
void executionSteps(Text& t, Session& session, const std::stop_token& stop) {
  t.raw("");
  t.heading(1, "Execution steps");
  std::unordered_map<int64_t, reports::StepProfileRow> first;
  std::unordered_map<int64_t, int64_t> most; // cycles, of steps whose executions differ
  session.reader().forEach<reports::StepProfileRow>(
      {}, {},
      [&](reports::StepProfileRow& row) {
        const auto [found, isNew] = first.try_emplace(row.programStepId, row);
        reports::StepProfileRow& kept = found->second;
        if (isNew || row.ipu != kept.ipu || row.executions == 0) return;
        if (kept.executions == 0) {
          kept = std::move(row);
          return;
        }
        auto& highest = most.try_emplace(row.programStepId, kept.cycles).first->second;
        highest = std::max(highest, row.cycles);
        kept.executions = reports::addAmounts(kept.executions, row.executions, "table step_profile, executions");
        kept.cycles = std::min(kept.cycles, row.cycles);
      },
      stop);
  std::unordered_map<int64_t, int> depth;
  session.reader().forEach<reports::ProgramStepRow>(
      "1 ORDER BY id", {},
      [&](const reports::ProgramStepRow& row) {
        const int level = row.parentId && depth.contains(*row.parentId) ? std::min(40, depth[*row.parentId] + 1) : 2;
        depth[row.id] = level;
        std::string text = std::string(std::size_t(level) * 2, ' ') + row.kind + ": " + printable(session.text(row.nameId));
        if (row.repeatCount) text += " (repeat " + formatCount(*row.repeatCount) + ")";
        if (const auto p = first.find(row.id); p != first.end()) {
          const double whole = double(p->second.cycles) * double(p->second.activeTiles);
          const auto highest = most.find(row.id);
          text += "; " + formatCycles(Cycles(p->second.cycles));
          const bool differs = highest != most.end() && highest->second > p->second.cycles;
          if (differs) text += " to " + formatCycles(Cycles(highest->second));
          text += fmt::format(", {} executions, {} active tiles", formatCount(p->second.executions),
                              formatCount(p->second.activeTiles));
          if (whole > 0 && !differs)
            text += fmt::format(", balance {:.1f}%", 100 * std::min(1.0, double(p->second.busyCycles) / whole));
          if (p->second.bytesIn) text += ", " + formatCount(p->second.bytesIn) + " bytes";
        }
        t.raw(text);
      },
      stop);
}

void variableStorage(Text& t, Session& session, const std::stop_token& stop) {
  t.raw("");
  t.heading(1, "Variable storage");
  session.reader().forEach<reports::VariableRow>(
      "1 ORDER BY total_bytes DESC, id", {},
      [&](const reports::VariableRow& row) {
        t.raw(fmt::format("    {:<{}}{:>18} {}", printable(session.text(row.nameId)), kWidth - 4,
                          formatCount(row.totalBytes) + " B", row.alwaysLive ? "always live" : "not always live"));
      },
      stop);
}

} // namespace

std::string profileSummaryText(Session& session, const Summary& summary, const ProfileTextOptions& options,
                               std::stop_token stop) {
  Text t;
  const std::vector<PeakUse>& peaks = summary.peaks;
  target(t, summary.machine, peaks);
  graph(t, summary.graph);
  memory(t, session, summary);
  hostMemory(t, session, stop);
  reports::throwIfStopped(stop);
  execution(t, summary, peaks);
  if (options.showExecutionSteps) executionSteps(t, session, stop);
  if (options.showVarStorage) variableStorage(t, session, stop);
  return t.take();
}

} // namespace analyser::summary
