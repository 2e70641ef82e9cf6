#include "analyser/session/format.h"
#include "analyser/summary/peaks.h"
#include "reports/core/categories.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;
using summary::Summary;

class SummaryTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_session = Session::open(m_report.path().string());
    m_summary = summary::summarise(*m_session);
  }
  void cyclesAreTheSumOfTheRunsAndOfTheirParts() {
    Cycles total;
    m_session->reader().forEach<reports::RunRow>({}, {}, [&](const reports::RunRow& row) { total += Cycles(row.cycles); });
    QVERIFY(total > Cycles());
    QCOMPARE(m_summary.cycles.total, total);
    QCOMPARE(m_summary.cycles.parts(), total);
    QCOMPARE(m_summary.runs.size(), std::size_t(2));
    QCOMPARE(m_summary.seconds, double(total.value()) / double(m_summary.machine.clockHz));
  }
  void memoryIsTheSumOfItsCategories() {
    Bytes sum;
    for (const auto& c : m_summary.memory.byCategory) sum += c.bytes;
    QVERIFY(sum > Bytes());
    QCOMPARE(sum, m_summary.memory.total);
    QCOMPARE(m_summary.memory.nonInterleaved + m_summary.memory.interleaved, m_summary.memory.total);
  }
  void memoryAgreesWithTheLoweredVariables() {
    Bytes total, most;
    m_session->reader().forEach<reports::TileVariablesRow>({}, {}, [&](const reports::TileVariablesRow& row) {
      Bytes tile;
      for (const int64_t own : reports::unpackVarints(row.ownBytes, std::size_t(row.lowered), "own")) tile += Bytes(own);
      total += tile;
      most = std::max(most, tile);
    });
    QCOMPARE(m_summary.memory.total, total);
    QCOMPARE(m_summary.memory.fullestWithoutGaps.bytes, most);
  }
  void histogramHoldsEveryTileOnce() {
    int64_t tiles = 0;
    for (const auto& bin : m_summary.memory.histogram) tiles += bin.tiles;
    QCOMPARE(tiles, int64_t(m_summary.machine.tiles()));
    QVERIFY(m_summary.memory.histogram.size() <= 17);
    QVERIFY(m_summary.memory.histogram.back().tiles > 0);
  }
  void fullestTilesDescend() {
    const auto& tiles = m_summary.memory.fullestTiles;
    QCOMPARE(tiles.size(), std::size_t(5));
    for (std::size_t i = 1; i < tiles.size(); ++i) QVERIFY(tiles[i - 1].bytes >= tiles[i].bytes);
    QCOMPARE(tiles[0].tile, m_summary.memory.fullestWithoutGaps.tile);
  }
  void countsTheGraph() {
    QCOMPARE(m_summary.graph.variables, m_session->reader().count<reports::VariableRow>());
    int64_t vertices = 0;
    for (const auto& t : m_summary.vertexTypes) vertices += t.instances;
    QCOMPARE(m_summary.graph.vertices, vertices);
    QCOMPARE(m_summary.graph.operations, int64_t(3));
  }
  void cyclesByVertexTypeCountExecutions() {
    // Executions of the loop all cost one of three variants; variant 0 is what the compute sets record.
    int64_t sum = 0;
    for (const auto& t : m_summary.vertexTypes) sum += t.cycles.value();
    int64_t expected = 0;
    m_session->reader().forEach<reports::ComputeSetRow>({}, {}, [&](const reports::ComputeSetRow& set) {
      const auto step = m_session->reader().first<reports::ProgramStepRow>("compute_set_id = ?", {set.id});
      int64_t executions = 0;
      m_session->reader().forEach<reports::StepProfileRow>("program_step_id = ? AND ipu = 0", {step->id},
                                                           [&](const auto& p) { executions += p.executions; });
      expected += set.totalCycles * executions;
    });
    QVERIFY(expected > 0);
    QCOMPARE(sum, expected);
  }
  void plansNameTheirOperation() {
    QCOMPARE(m_summary.plans.size(), std::size_t(2));
    QCOMPARE(m_summary.plans[0].operation, std::string("model/conv0"));
    QCOMPARE(m_summary.plans[0].method, std::string("AMP"));
  }
  void verdictAnswersTheQuestion() {
    QVERIFY2(m_summary.verdict.text().starts_with("Fits: fullest tile "), m_summary.verdict.text().c_str());
    QVERIFY2(m_summary.verdict.text().find(" of 624 KiB (") != std::string::npos, m_summary.verdict.text().c_str());
    QVERIFY2(m_summary.timeVerdict.find("compute") != std::string::npos, m_summary.timeVerdict.c_str());
  }
  void peaksAndTheirShares() {
    const auto uses = summary::peakUses(*m_session, m_summary);
    const auto& machine = m_session->machine();
    const auto found = std::find_if(uses.begin(), uses.end(), [](const auto& use) { return use.name == "exchange"; });
    QVERIFY(found != uses.end() && found->share);
    QCOMPARE(found->peak, double(machine.tiles()) * machine.exchangeBytesPerCycle * double(machine.clockHz));
    double bytes = 0;
    m_session->reader().forEach<reports::OperationRow>({}, {}, [&](const auto& row) { bytes += double(row.exchangeBytes); });
    QVERIFY(bytes > 0 && std::abs(*found->share * found->peak * m_summary.seconds / bytes - 1) < 1e-9);
    // Over the time of the exchanges the share is larger, and at most the peak.
    QVERIFY(found->shareWhileBusy && *found->shareWhileBusy > *found->share && *found->shareWhileBusy <= 1);
    for (const auto& use : uses)
      if (use.shareWhileBusy) QVERIFY2(use.share && *use.shareWhileBusy >= *use.share * (1 - 1e-9), use.name.c_str());
    QCOMPARE(m_summary.peaks.size(), uses.size());
    const std::string text = summary::profileSummaryText(*m_session, m_summary, {});
    QVERIFY(text.find("  Exchange (peak):") != std::string::npos &&
            text.find("  Exchange, share of the peak:") != std::string::npos);
  }
  // A report of one of several replicas has one IPU and sums over links.
  void replicasOfOneIpuUseLinks() {
    const tests::TinyReport report({.ipus = 1});
    tests::tamper(report.path(), "INSERT INTO metadata (key, value) VALUES ('machine.link_bytes_per_second', '1e12')");
    const auto hasLinks = [&] {
      const auto session = Session::open(report.path().string());
      const auto uses = summary::peakUses(*session, summary::summarise(*session));
      const auto link = std::find_if(uses.begin(), uses.end(), [](const auto& use) { return use.name == "link"; });
      return link != uses.end() && link->share && *link->share > 0;
    };
    QVERIFY(!hasLinks());
    tests::tamper(report.path(),
                  "UPDATE program_step SET activity = 3 WHERE activity = 2"); // global instead of internal exchange
    QVERIFY(hasLinks());
  }
  void textHasPoplarsHeadingsInOrder() {
    const std::string text = summary::profileSummaryText(*m_session, m_summary, {true, true});
    std::size_t at = 0;
    for (const char* heading : {"Target:",
                                "  Number of IPUs:",
                                "  Tiles per IPU:",
                                "  Total Tiles:",
                                "  Memory Per-Tile:",
                                "  Total Memory:",
                                "  Clock Speed (approx):",
                                "Graph:",
                                "  Number of vertices:",
                                "  Number of edges:",
                                "  Number of variables:",
                                "  Number of compute sets:",
                                "Memory Usage:",
                                "  Total for all IPUs:",
                                "    Including Gaps:",
                                "    Excluding Gaps:",
                                "      By Memory Region:",
                                "        Non-interleaved:",
                                "        Interleaved:",
                                "        Overflowed:",
                                "      By Data Type:",
                                "      Vertex Data (",
                                "        By Category:",
                                "        By Type:",
                                "  By Tile (Excluding Gaps):",
                                "    Maximum (Including Gaps):",
                                "    Maximum (Excluding Gaps):",
                                "tile(s) out of memory",
                                "Host Memory Usage:",
                                "  Stream buffers:",
                                "  Remote buffers:",
                                "Execution:",
                                "  Total cycles:",
                                "  Tile average compute cycles (including idle threads):",
                                "  Tile average compute cycles (excluding idle threads):",
                                "  Tile average IPU exchange cycles:",
                                "  Tile average global exchange cycles:",
                                "  Tile average host exchange cycles:",
                                "  Tile average sync cycles:",
                                "  Cycles by vertex type:",
                                "  Execution steps:",
                                "OnTileExecute: model/conv0/compute",
                                "  Variable storage:"}) {
      const auto found = text.find(heading, at);
      QVERIFY2(found != std::string::npos, heading);
      at = found;
    }
  }
  // Every figure in the text equals that of the summary: sums and named tiles.
  void profileTextTellsTheFiguresOfTheSummary() {
    const std::string text = summary::profileSummaryText(*m_session, m_summary);
    const auto valueAfter = [&](const std::string& label) {
      const auto at = text.find(label + ":");
      if (at == std::string::npos) return int64_t(-1);
      int64_t value = -1;
      for (std::size_t i = at + label.size() + 1; i < text.size(); ++i) {
        if (std::isdigit(static_cast<unsigned char>(text[i])))
          value = std::max<int64_t>(value, 0) * 10 + (text[i] - '0');
        else if (value >= 0 && text[i] != ',')
          break;
        else if (text[i] == '\n')
          break;
      }
      return value;
    };
    const auto& m = m_summary.memory;
    const auto& g = m_summary.graph;
    QCOMPARE(valueAfter("Number of vertices"), g.vertices);
    QCOMPARE(valueAfter("Number of edges"), g.edges);
    QCOMPARE(valueAfter("Number of variables"), g.variables);
    QCOMPARE(valueAfter("Number of compute sets"), g.computeSets);
    QCOMPARE(valueAfter("Including Gaps"), m.totalWithGaps.value());
    QCOMPARE(valueAfter("Non-interleaved"), m.nonInterleaved.value());
    QCOMPARE(valueAfter("  Interleaved"), m.interleaved.value());
    QCOMPARE(valueAfter("Overflowed"), m.overflow.value());
    QCOMPARE(valueAfter("        Total"), m.total.value());
    int64_t sum = 0;
    for (const auto& c : m.byCategory) {
      const int64_t told = valueAfter("        " + std::string(reports::memoryCategoryTitle(c.category)));
      QVERIFY2(told == c.bytes.value(), std::string(reports::memoryCategoryTitle(c.category)).c_str());
      sum += told;
    }
    QCOMPARE(sum, m.total.value());
    const auto maximum = [](const char* label, Bytes bytes) {
      return "Maximum (" + std::string(label) + "): " + formatCount(bytes.value()) + " B";
    };
    for (const std::string& line :
         {maximum("Including Gaps", m.fullest.withGaps), maximum("Excluding Gaps", m.fullestWithoutGaps.bytes)})
      QVERIFY2(text.find(line) != std::string::npos, line.c_str());
    QVERIFY(text.find(") on tile " + std::to_string(m.fullest.tile.value()) + "\n") != std::string::npos);
    QVERIFY(text.find(") on tile " + std::to_string(m.fullestWithoutGaps.tile.value()) + "\n") != std::string::npos);
    QCOMPARE(valueAfter("Total cycles"), m_summary.cycles.total.value());
    QCOMPARE(valueAfter("Total FLOPs"), m_summary.flops.value());
    int64_t averages = 0;
    for (const char* kind : {"compute cycles (including idle threads)", "IPU exchange cycles", "global exchange cycles",
                             "host exchange cycles", "sync cycles"}) {
      const int64_t average = valueAfter("Tile average " + std::string(kind));
      QVERIFY2(average >= 0 && average <= m_summary.cycles.total.value(), kind);
      averages += average;
    }
    QVERIFY(averages > 0 && averages <= m_summary.cycles.total.value());
  }
  void overflowIsAFinding() {
    // A hundred times the tensors do not fit a tile of 624 KiB.
    const tests::TinyReport big({2, 8, 3, 0, 400});
    const auto session = Session::open(big.path().string());
    const Summary s = summary::summarise(*session);
    QVERIFY(s.memory.overflowTiles > 0);
    QVERIFY2(s.verdict.text().starts_with("Does not fit: "), s.verdict.text().c_str());
    QVERIFY(s.memory.fullest.fraction > 1);
  }

private:
  tests::TinyReport m_report;
  std::shared_ptr<Session> m_session;
  Summary m_summary;
};

TILESCOPE_TEST(SummaryTest)
#include "summary_test.moc"
