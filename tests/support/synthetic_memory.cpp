#include "tests/support/synthetic_memory.h"

#include "reports/core/units.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tests {

using namespace reports;

namespace {

enum class Place { Stacked, Message, OutputA, OutputB };

struct Variable {
  VariableRow row;
  std::string name;
  Place place = Place::Stacked;
  int firstLive = 0, endLive = 0; // if not always live
  std::function<int64_t(int)> bytes;
};

struct Lowered {
  int64_t variable, address, size, own;
};

int64_t aligned(int64_t bytes) { return roundUp(bytes, 8); }

class Memory {
public:
  Memory(ReportSink& sink, StringPool& strings, const SyntheticProgram& program)
      : m_sink(sink), m_strings(strings), m_program(program), m_tiles(program.tiles()), m_steps(program.livenessSteps().size()) {}

  std::vector<int64_t> write() {
    declareCode();
    for (std::size_t i = 0; i < m_program.operations().size(); ++i) declareOperation(int(i));
    declareStreams();
    writeVariables();
    writeUses();
    writeTiles();
    writeSeries();
    writeLiveness();
    return bytesByOperation();
  }

private:
  Variable& declare(const std::string& name, MemoryCategory category, std::function<int64_t(int)> bytes) {
    Variable v;
    v.row.id = int64_t(m_variables.size());
    v.row.category = int64_t(category);
    v.row.alwaysLive = 1;
    v.name = name;
    v.bytes = std::move(bytes);
    m_variables.push_back(std::move(v));
    return m_variables.back();
  }
  void live(Variable& v, Place place, int first, int end) {
    v.place = place;
    v.firstLive = first;
    v.endLive = end;
    v.row.alwaysLive = 0;
    v.row.liveIntervals = packDeltas(std::array<int64_t, 2>{first, end});
    v.row.liveIntervalCount = 1;
  }
  void declareCode() {
    const auto n = int64_t(m_program.operations().size()), steps = int64_t(m_program.steps().size());
    for (int64_t i = 0; i < std::min<int64_t>(n, 5); ++i)
      declare("vertexCode/" + m_program.operations()[std::size_t(i)].kind, MemoryCategory::VertexCode,
              [i](int) { return 64 + 32 * i; });
    declare("internalExchangeCode", MemoryCategory::InternalExchangeCode, [n](int tile) { return 16 * n + 8 * (tile % 2); });
    declare("controlCode", MemoryCategory::ControlCode, [steps](int) { return 8 * steps; });
    declare("stack", MemoryCategory::Stack, [](int) { return 1536; });
    declare("vertexInstanceState", MemoryCategory::VertexInstanceState, [n](int tile) { return 24 * n + 8 * (tile % 3); });
  }
  void declareOperation(int index) {
    const auto& op = m_program.operations()[std::size_t(index)];
    const int64_t scale = m_program.shape().scale;
    const int64_t perWeight = std::clamp<int64_t>(200'000 / int64_t(m_program.operations().size()), 16, 256);
    // Element counts that are not a multiple of the alignment, so that tiles have gaps.
    const auto elements = [this](Variable& v, const char* type, std::string shape) {
      v.row.elementType = type;
      v.row.shape = std::move(shape);
      for (int tile = 0; tile < m_tiles; ++tile) v.row.elements += v.bytes(tile) / 4;
    };
    auto& weights =
        declare(op.name + "/weights", MemoryCategory::Variable, [=](int tile) { return perWeight + 4 * ((tile + index) % 4); });
    weights.row.debugContextId = op.context;
    elements(weights, "float", std::to_string(m_tiles) + "x64");
    const auto& operations = m_program.operations();
    const bool last = index + 1 == int(operations.size());
    auto& output = declare(op.name + "/out", MemoryCategory::Variable,
                           [=](int tile) { return scale * (1024 + 256 * (index % 3) + 8 * (tile % 5)); });
    output.row.debugContextId = op.context;
    elements(output, "float", "16x" + std::to_string(m_tiles) + "x16");
    live(output, index % 2 ? Place::OutputB : Place::OutputA, op.firstLiveness,
         last ? op.endLiveness : operations[std::size_t(index) + 1].endLiveness);
    auto& message = declare(op.name + "/message", MemoryCategory::Message,
                            [=](int tile) { return scale * (64 + 32 * (index % 2) + 8 * (tile % 2)); });
    message.row.debugContextId = op.context + 1;
    live(message, Place::Message, op.firstLiveness, op.endLiveness);
    // As in the lifetimes: the first step writes the message and the output, and the last step reads the message and the previous
    // output.
    const int first = op.firstLiveness, end = op.endLiveness - 1;
    const int64_t id = message.row.id;
    m_uses[first].first.push_back(id - 2);
    m_uses[first].second.insert(m_uses[first].second.end(), {id - 1, id});
    if (index > 0) m_uses[end].first.push_back(id - 4);
    m_uses[end].first.push_back(id);
  }
  void declareStreams() {
    for (const auto* leaves : {&m_program.initSteps(), &m_program.beforeLoop(), &m_program.afterLoop()}) {
      const auto& step = m_program.steps()[std::size_t(leaves->at(1))];
      auto& v = declare(step.name + "/buffer", MemoryCategory::HostMessage,
                        [this, id = *step.row.exchangeId](int tile) { return m_program.exchangeBytes(id, tile); });
      const int ordinal = int(*step.row.livenessStep);
      live(v, Place::Message, ordinal - 1, ordinal + 2);
    }
  }

  // The context of operation i is 2i + 1, and that of the library call under it is 2i + 2.
  std::vector<int64_t> bytesByOperation() const {
    std::vector<int64_t> bytes(m_program.operations().size());
    for (const auto& v : m_variables)
      if (v.row.debugContextId) bytes[std::size_t((*v.row.debugContextId - 1) / 2)] += v.row.totalBytes;
    return bytes;
  }

  void writeVariables() {
    for (auto& v : m_variables) {
      v.row.nameId = m_strings.id(v.name);
      for (int tile = 0; tile < m_tiles; ++tile) {
        const int64_t bytes = v.bytes(tile);
        v.row.totalBytes += bytes;
        v.row.maxTileBytes = std::max(v.row.maxTileBytes, bytes);
        v.row.tiles += bytes > 0;
      }
      m_sink.add(v.row);
    }
  }

  void writeUses() {
    for (auto& [ordinal, uses] : m_uses) {
      auto& [reads, writes] = uses;
      std::sort(reads.begin(), reads.end());
      std::sort(writes.begin(), writes.end());
      m_sink.add(StepVariablesRow{m_program.steps()[std::size_t(m_program.livenessSteps()[std::size_t(ordinal)])].row.id,
                                  int64_t(reads.size()), packDeltas(reads), int64_t(writes.size()), packDeltas(writes)});
      if (!reads.empty() && !writes.empty()) // the source and target, as if the step were a copy
        m_sink.add(StepMoveRow{m_program.steps()[std::size_t(m_program.livenessSteps()[std::size_t(ordinal)])].row.id,
                               reads.front(), writes.front()});
    }
  }

  std::vector<Lowered> place(int tile) const {
    std::vector<Lowered> all;
    int64_t next = 0, messages = 0, outputA = 0;
    for (const auto& v : m_variables) {
      const int64_t bytes = v.bytes(tile);
      if (v.place == Place::Stacked) {
        all.push_back({v.row.id, next, bytes, 0});
        next += aligned(bytes);
      } else if (v.place == Place::Message) {
        messages = std::max(messages, aligned(bytes));
      } else if (v.place == Place::OutputA) {
        outputA = std::max(outputA, aligned(bytes));
      }
    }
    const int64_t outputs = std::max(next + messages, kSyntheticInterleavedStart);
    for (const auto& v : m_variables) {
      if (v.place == Place::Stacked) continue;
      const int64_t address = v.place == Place::Message ? next : v.place == Place::OutputA ? outputs : outputs + outputA;
      all.push_back({v.row.id, address, v.bytes(tile), 0});
    }
    std::stable_sort(all.begin(), all.end(), [](const Lowered& a, const Lowered& b) { return a.address < b.address; });
    int64_t covered = 0;
    for (auto& l : all) {
      const int64_t end = l.address + l.size;
      l.own = std::max<int64_t>(0, end - std::max(l.address, covered));
      covered = std::max(covered, end);
    }
    return all;
  }

  void writeTiles() {
    for (int tile = 0; tile < m_tiles; ++tile) {
      const auto all = place(tile);
      std::vector<int64_t> ids, addresses, sizes, own;
      for (const auto& l : all) {
        ids.push_back(l.variable);
        addresses.push_back(l.address);
        sizes.push_back(l.size);
        own.push_back(l.own);
        count(tile, l);
      }
      m_sink.add(TileVariablesRow{
          tile, int64_t(all.size()), packDeltas(ids), packDeltas(addresses), packVarints(sizes), packVarints(own), {}, {}});
    }
  }
  void count(int tile, const Lowered& l) {
    const auto t = std::size_t(tile);
    const auto& v = m_variables[std::size_t(l.variable)];
    const int64_t split = std::clamp<int64_t>(kSyntheticInterleavedStart - (l.address + l.size - l.own), 0, l.own);
    series("memory.total")[t] += l.own;
    auto& end = series("memory.total_with_gaps")[t];
    end = std::max(end, l.address + l.size);
    series("memory.region.non_interleaved")[t] += split;
    series("memory.region.interleaved")[t] += l.own - split;
    series("memory.category." + std::string(memoryCategoryName(MemoryCategory(v.row.category))))[t] += l.own;
    if (v.row.alwaysLive) series("memory.always_live")[t] += l.size;
  }

  std::vector<int64_t>& series(const std::string& name) {
    auto& values = m_series[name];
    values.resize(std::size_t(m_tiles));
    return values;
  }

  // Bytes alive beyond the always-live ones at each step, on tiles [begin, end).
  std::vector<int64_t> curve(int begin, int end) const {
    std::vector<int64_t> change(m_steps + 1);
    for (const auto& v : m_variables) {
      if (v.row.alwaysLive) continue;
      int64_t bytes = 0;
      for (int tile = begin; tile < end; ++tile) bytes += v.bytes(tile);
      change[std::size_t(v.firstLive)] += bytes;
      change[std::size_t(v.endLive)] -= bytes;
    }
    for (std::size_t i = 1; i < change.size(); ++i) change[i] += change[i - 1];
    change.resize(m_steps);
    return change;
  }

  void writeSeries() {
    for (int tile = 0; tile < m_tiles; ++tile) {
      const auto values = curve(tile, tile + 1);
      series("memory.peak_not_always_live")[std::size_t(tile)] = *std::max_element(values.begin(), values.end());
      series("memory.overflow")[std::size_t(tile)] =
          std::max<int64_t>(0, series("memory.total_with_gaps")[std::size_t(tile)] - kSyntheticTileBytes);
    }
    for (const auto& [name, values] : m_series) writeTileSeries(m_sink, name, "byte", values);
  }

public:
  static void writeTileSeries(ReportSink& sink, const std::string& name, const std::string& unit,
                              const std::vector<int64_t>& values) {
    TileSeriesRow row{name, unit, 0, 0, 0, int64_t(values.size()), packRuns(values)};
    for (const int64_t v : values) row.sum += v;
    const auto largest = std::max_element(values.begin(), values.end());
    row.max = *largest;
    row.maxTile = largest - values.begin();
    sink.add(row);
  }

private:
  void writeLiveness() {
    const auto& total = series("memory.total");
    const auto fullest = int(std::max_element(total.begin(), total.end()) - total.begin());
    const int perIpu = m_program.shape().tilesPerIpu;
    writeCurve("all", 0, m_tiles);
    for (int ipu = 0; ipu < m_program.shape().ipus; ++ipu)
      writeCurve("ipu." + std::to_string(ipu), ipu * perIpu, (ipu + 1) * perIpu);
    writeCurve("tile." + std::to_string(fullest), fullest, fullest + 1);
  }
  void writeCurve(const std::string& scope, int begin, int end) {
    const auto values = curve(begin, end);
    const auto peak = std::max_element(values.begin(), values.end());
    LivenessCurveRow row{scope, int64_t(values.size()), 0, *peak, peak - values.begin(), packDeltas(values)};
    const auto& always = series("memory.always_live");
    for (int tile = begin; tile < end; ++tile) row.alwaysLiveBytes += always[std::size_t(tile)];
    m_sink.add(row);
  }

  ReportSink& m_sink;
  StringPool& m_strings;
  const SyntheticProgram& m_program;
  int m_tiles;
  std::size_t m_steps;
  std::vector<Variable> m_variables;
  std::map<int, std::pair<std::vector<int64_t>, std::vector<int64_t>>> m_uses; // variables read and written, by liveness step
  std::map<std::string, std::vector<int64_t>> m_series;
};

} // namespace

std::vector<int64_t> writeSyntheticMemory(ReportSink& sink, StringPool& strings, const SyntheticProgram& program) {
  return Memory(sink, strings, program).write();
}

void writeSyntheticSeries(ReportSink& sink, const std::string& name, const std::string& unit,
                          const std::vector<int64_t>& values) {
  Memory::writeTileSeries(sink, name, unit, values);
}

} // namespace tests
