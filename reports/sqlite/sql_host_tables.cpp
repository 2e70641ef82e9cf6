#include "reports/sqlite/sql_host_tables.h"

#include "reports/rows/host_decode.h"
#include "reports/sqlite/sql_packed_rows.h"

#include <unordered_map>

namespace reports {

namespace {

// Names of channels by number.
class ChannelNames {
public:
  explicit ChannelNames(Reader& reader) {
    RowCursor<ChannelRow> channels(reader);
    for (ChannelRow row; channels.next(row);) m_names[row.id] = row.name;
  }
  SqlCell operator()(uint8_t number) const {
    const auto found = m_names.find(number);
    return found == m_names.end() ? SqlCell() : SqlCell(std::string_view(found->second));
  }

private:
  std::unordered_map<int64_t, std::string> m_names;
};

class InstantRows final : public PackedRows<InstantChunkRow> {
public:
  InstantRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : PackedRows(reader, where + " ORDER BY track_id, first_tick", parameters), m_channels(reader) {}
  SqlCell cell(int column) const override {
    const Instant& instant = m_instants[m_index];
    switch (column) {
    case 0: return m_row.trackId;
    case 1: return instant.tick;
    case 2: return name(instant.name);
    case 3: return m_channels(instant.category);
    case 4: return int64_t(instant.scope);
    default: return instant.details < 0 ? SqlCell() : SqlCell(int64_t(instant.details));
    }
  }

private:
  std::size_t unpack() override {
    m_instants = decodeInstants(m_row);
    return m_instants.size();
  }
  std::vector<Instant> m_instants;
  ChannelNames m_channels;
};

class CounterRows final : public PackedRows<CounterChunkRow> {
public:
  CounterRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : PackedRows(reader, where + " ORDER BY series_id, first_tick", parameters) {}
  SqlCell cell(int column) const override {
    if (column == 0) return m_row.seriesId;
    return column == 1 ? SqlCell(m_samples[m_index].tick) : SqlCell(m_samples[m_index].value);
  }

private:
  std::size_t unpack() override {
    m_samples = decodeCounter(m_row);
    return m_samples.size();
  }
  std::vector<CounterSample> m_samples;
};

class HistogramRows final : public PackedRows<HeatmapChunkRow> {
public:
  HistogramRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : PackedRows(reader, where + " ORDER BY heatmap_id, first_tick", parameters) {
    RowCursor<HeatmapRow> heatmaps(reader);
    for (HeatmapRow row; heatmaps.next(row);) m_edges[row.id] = heatmapEdges(row);
  }
  SqlCell cell(int column) const override {
    const auto bin = m_index % m_bins;
    const Histogram& histogram = m_histograms[m_index / m_bins];
    switch (column) {
    case 0: return m_row.heatmapId;
    case 1: return histogram.tick;
    case 2: return (*m_now)[bin];
    case 3: return (*m_now)[bin + 1];
    default: return histogram.counts[bin];
    }
  }

private:
  std::size_t unpack() override {
    const auto edges = m_edges.find(m_row.heatmapId);
    if (edges == m_edges.end()) return 0;
    m_now = &edges->second;
    m_bins = m_now->size() - 1;
    m_histograms = decodeHeatmap(m_row, int64_t(m_bins));
    return m_histograms.size() * m_bins;
  }
  std::unordered_map<int64_t, std::vector<double>> m_edges;
  const std::vector<double>* m_now = nullptr;
  std::size_t m_bins = 1;
  std::vector<Histogram> m_histograms;
};

class FlowRows final : public PackedRows<FlowChunkRow> {
public:
  FlowRows(Reader& reader, const std::string& where, const SqlParameters& parameters)
      : PackedRows(reader, where, parameters), m_channels(reader) {}
  SqlCell cell(int column) const override {
    const Flow& flow = m_flows[m_index];
    switch (column) {
    case 0: return name(flow.name);
    case 1: return m_channels(flow.category);
    case 2: return flow.from.track;
    case 3: return flow.from.depth;
    case 4: return flow.from.slice;
    case 5: return flow.fromTick;
    case 6: return flow.to.track;
    case 7: return flow.to.depth;
    case 8: return flow.to.slice;
    case 9: return flow.toTick;
    case 10: return flow.number ? SqlCell(*flow.number) : SqlCell();
    case 11: return int64_t(flow.from.isInstant);
    default: return int64_t(flow.to.isInstant);
    }
  }

private:
  std::size_t unpack() override {
    m_flows = decodeFlows(m_row);
    return m_flows.size();
  }
  std::vector<Flow> m_flows;
  ChannelNames m_channels;
};

class DetailsRows final : public PackedRows<DetailsChunkRow> {
public:
  using PackedRows::PackedRows;
  SqlCell cell(int column) const override {
    return column == 0 ? SqlCell(m_row.firstId + int64_t(m_index)) : SqlCell(std::string_view(m_texts[m_index]));
  }

private:
  std::size_t unpack() override {
    m_texts = decodeDetails(m_row);
    return m_texts.size();
  }
  std::vector<std::string> m_texts;
};

} // namespace

std::vector<SqlTable> hostSqlTables() {
  return {
      packedTable<InstantRows>("instant", "Instant events one by one. scope: 0 of the thread, 1 of the process, 2 of the trace.",
                               "track_id INTEGER, tick INTEGER, name TEXT, category TEXT, scope INTEGER, details_id INTEGER",
                               {{0, "=", "track_id = ?"}, {1, "=<", "first_tick <= ?"}, {1, ">", "last_tick >= ?"}}),
      packedTable<CounterRows>("counter_sample", "counter_chunk, one row per sample.",
                               "series_id INTEGER, tick INTEGER, value REAL",
                               {{0, "=", "series_id = ?"}, {1, "=<", "first_tick <= ?"}, {1, ">", "last_tick >= ?"}}),
      packedTable<HistogramRows>("histogram_bin", "heatmap_chunk, one row per bin of a histogram.",
                                 "heatmap_id INTEGER, tick INTEGER, from_edge REAL, to_edge REAL, count INTEGER",
                                 {{0, "=", "heatmap_id = ?"}, {1, "=<", "first_tick <= ?"}, {1, ">", "last_tick >= ?"}}),
      packedTable<FlowRows>(
          "flow", "flow_chunk, one row per arrow. If from_instant or to_instant is 1, that end of the arrow is an instant.",
          "name TEXT, category TEXT, from_track_id INTEGER, from_depth INTEGER, from_slice INTEGER, from_tick "
          "INTEGER, to_track_id INTEGER, to_depth INTEGER, to_slice INTEGER, to_tick INTEGER, number INTEGER, "
          "from_instant INTEGER, to_instant INTEGER",
          {{5, "=<", "first_tick <= ?"}, {9, ">", "last_tick >= ?"}}),
      packedTable<DetailsRows>("details", "details_chunk, one row per JSON text.", "id INTEGER, json TEXT",
                               {{0, "=", "first_id = (SELECT max(first_id) FROM details_chunk WHERE first_id <= ?)"},
                                {0, "<", "first_id <= ?"},
                                {0, ">", "first_id + texts > ?"}}),
  };
}

} // namespace reports
