#include "analyser/memory/compute_set_uses.h"
#include "analyser/memory/excess.h"
#include "analyser/memory/exchange_uses.h"
#include "analyser/memory/tile_details.h"
#include "analyser/memory/verdict.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace analyser;
using namespace analyser::memory;

class ExcessTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { m_session = Session::open(m_report.path().string()); }

  void partsAreDifferencesToTheMedianOfTheirCategory() {
    TileMemory m;
    m.total.values = {Bytes(100), Bytes(20), Bytes(30), Bytes(25), Bytes(28)};
    m.median = Bytes(28);
    TileSeries code{.name = "code",
                    .title = "Vertex code",
                    .category = reports::MemoryCategory::VertexCode,
                    .values = {Bytes(70), Bytes(10), Bytes(10), Bytes(10), Bytes(10)},
                    .sum = {},
                    .max = {},
                    .maxTile = {}};
    TileSeries rest{.name = "rest",
                    .title = "Variables",
                    .category = reports::MemoryCategory::Variable,
                    .values = {Bytes(30), Bytes(10), Bytes(20), Bytes(15), Bytes(18)},
                    .sum = {},
                    .max = {},
                    .maxTile = {}};
    m.parts = {rest, code};
    const Excess e = excessOf(m, TileId(0));
    QCOMPARE(e.difference, Bytes(72));
    QCOMPARE(e.parts.size(), std::size_t(2));
    QCOMPARE(e.parts[0].title, std::string("Vertex code"));
    QCOMPARE(e.parts[0].difference, Bytes(60));
    QCOMPARE(e.parts[1].difference, Bytes(12));
    QCOMPARE(excessSentence(e).text(),
             std::string("Tile 0 holds 100 B, 72 B more than the median tile: +60 B vertex code, +12 B variables."));
    QVERIFY(excessSentence(excessOf(m, TileId(1))).text().find("less than the median") != std::string::npos);
    QVERIFY(excessOf(m, TileId(99)).parts.empty());
  }
  // Other IPUs hold other stages of a program, so a tile is compared with the tiles of its own IPU.
  void aTileIsMeasuredAgainstItsOwnIpu() {
    TileMemory m;
    m.ipus = 2, m.tilesPerIpu = 3;
    m.total.values = {Bytes(100), Bytes(90), Bytes(80), Bytes(10), Bytes(40), Bytes(10)};
    m.median = Bytes(80);
    QCOMPARE(excessOf(m, TileId(0)).difference, Bytes(10));
    QCOMPARE(excessOf(m, TileId(4)).difference, Bytes(30));
    QCOMPARE(excessSentence(excessOf(m, TileId(4))).text(),
             std::string("Tile 4 holds 40 B, 30 B more than the median tile of IPU 1."));
    QCOMPARE(mediansByIpu(m), (std::vector<Bytes>{Bytes(90), Bytes(10)}));
  }

  // The named exchange is the one whose code on this tile most exceeds the median of that code over the tiles of the IPU, whatever
  // its code on the tile with median memory.
  void exchangesAreMeasuredAgainstTheirOwnMedian() {
    constexpr std::size_t kTile = 3;
    const tests::TinyReport report{tests::ReportShape{1, 8, 5}};
    TileMemory m;
    std::vector<int64_t> ids; // of internal exchanges
    {
      const auto session = Session::open(report.path().string());
      m = tileMemory(*session, Breakdown::ByCategory);
      session->reader().forEach<reports::ExchangeRow>("kind = 'internal'", {},
                                                      [&](const reports::ExchangeRow& row) { ids.push_back(row.id); });
    }
    QVERIFY(ids.size() >= 2);
    for (TileSeries& part : m.parts)
      if (part.category == reports::MemoryCategory::InternalExchangeCode) part.values[kTile] += Bytes(1200);
    m.total.values[kTile] += Bytes(1200);
    const Bytes median = excessOf(m, TileId(kTile)).median;
    const auto usual = std::size_t(std::find(m.total.values.begin(), m.total.values.end(), median) - m.total.values.begin());
    QVERIFY(usual != kTile);
    const auto codeOf = [&](int64_t id, int64_t onTile, int64_t onUsual) {
      std::vector<int64_t> code(8, 16);
      code[kTile] = onTile, code[usual] = onUsual;
      std::string hex;
      for (const uint8_t byte : reports::packRuns(code)) {
        constexpr char kDigits[] = "0123456789ABCDEF";
        hex += kDigits[byte >> 4], hex += kDigits[byte & 15];
      }
      tests::tamper(report.path(), "UPDATE exchange SET code_by_tile = x'" + hex + "', code_bytes = " +
                                       std::to_string(96 + onTile + onUsual) + " WHERE id = " + std::to_string(id));
    };
    codeOf(ids[0], 600, 0);   // 600 more than the usual tile, 584 more than the median
    codeOf(ids[1], 650, 600); // 50 and 634
    const auto session = Session::open(report.path().string());
    const Excess e = excessOf(*session, m, TileId(kTile));
    QCOMPARE(e.parts.front().category, std::optional(reports::MemoryCategory::InternalExchangeCode));
    QCOMPARE(e.exchange.difference, Bytes(634));
    const auto step = session->reader().first<reports::ProgramStepRow>("exchange_id = ?", {ids[1]});
    QCOMPARE(int64_t(e.exchange.step.value()), step->id);
    Excess alone = e; // it adds more than all of them together
    alone.parts.front().difference = Bytes(100);
    QVERIFY(excessSentence(alone).text(std::string::npos).find(e.exchange.name + ", less of others)") != std::string::npos);
    QVERIFY(excessSentence(e).text(std::string::npos).find("(of it +634 B " + e.exchange.name + ")") != std::string::npos);
  }

  // The excess names variables, each with the bytes that it adds to this tile compared with the median tile.
  void theVariablesOfTheDifferenceAreNamed() {
    const TileMemory m = tileMemory(*m_session, Breakdown::ByCategory);
    bool named = false;
    for (std::size_t t = 0; t < m.total.values.size(); ++t) {
      const Excess e = excessOf(*m_session, m, TileId(t));
      const auto text = excessSentence(e).text(std::string::npos);
      QCOMPARE(e.difference, excessOf(m, TileId(t)).difference);
      if (e.exchange.step.valid()) {
        const ExcessPart& code = e.parts[e.exchange.part];
        QVERIFY(e.exchange.difference > Bytes() && code.category && isExchangeCode(*code.category));
        QVERIFY(e.exchange.difference <= e.held);
        QVERIFY2(text.find(e.exchange.name) != std::string::npos, text.c_str());
        const bool isPart = e.exchange.difference <= code.difference;
        QCOMPARE(text.find(e.exchange.name + (isPart ? ")" : ", less of others)")) != std::string::npos, true);
        QCOMPARE(text.find("(of it ") != std::string::npos, isPart);
      }
      if (e.difference <= Bytes()) {
        QVERIFY(e.variables.empty());
        continue;
      }
      Bytes own;
      for (const PlacedVariable& placed : tileLayout(*m_session, TileId(t)).variables)
        if (!e.variables.empty() && placed.variable == e.variables.front().variable) own += placed.own;
      for (const PlacedVariable& placed : tileLayout(*m_session, TileId(t)).variables)
        if (reports::isCode(placed.category))
          for (const ExcessVariable& v : e.variables) QVERIFY(v.variable != placed.variable);
      for (std::size_t i = 1; i < e.variables.size(); ++i)
        QVERIFY(e.variables[i - 1].difference >= e.variables[i].difference && e.variables[i].difference > Bytes());
      if (e.variables.empty()) continue;
      QVERIFY(e.variables.front().difference <= own);
      // A tile about as full as the median is explained by the parts that both have.
      const bool isAlike = e.difference * 10 < e.held;
      QVERIFY2(text.find(isAlike ? "; the largest variables there: " + e.largest.front().name + " ("
                                 : e.variables.front().name) != std::string::npos,
               text.c_str());
      for (std::size_t i = 1; i < e.largest.size(); ++i) QVERIFY(e.largest[i - 1].difference >= e.largest[i].difference);
      named = true;
    }
    QVERIFY(named);
  }

  void computeSetsOfTilesSumToAll() {
    const auto all = computeSetsOn(*m_session, {});
    QVERIFY(!all.empty());
    int64_t vertices = 0, byTile = 0;
    for (const ComputeSetUse& use : all) vertices += use.vertices;
    for (std::size_t t = 0; t < 16; ++t) {
      const std::vector<TileId> one{TileId(t)};
      for (const ComputeSetUse& use : computeSetsOn(*m_session, one)) {
        byTile += use.vertices;
        QCOMPARE(use.tiles, int64_t(1));
        QVERIFY(!use.types.empty() && use.step.valid());
      }
    }
    QCOMPARE(byTile, vertices);
  }
  void detailsHaveMeanAndMedianWhateverIsSelected() {
    const std::vector<TileId> both{TileId(3), TileId(12)}, one{TileId(12)};
    const TileDetails all = tileDetails(*m_session, {}), of = tileDetails(*m_session, both);
    QVERIFY(!all.ipu && !of.ipu);
    for (std::size_t r = 0; r < all.rows.size(); ++r) {
      if (!all.rows[r].isMeasured) continue; // of all tiles together
      QCOMPARE(all.rows[r].title, of.rows[r].title);
      QCOMPARE(all.rows[r].mean, of.rows[r].mean);
      QCOMPARE(all.rows[r].median, of.rows[r].median);
      QCOMPARE(all.rows[r].mean, all.rows[r].values[0] / 16);
    }
    // Tiles of one IPU are compared with that IPU, both in the columns and in the sentence above them.
    const TileDetails second = tileDetails(*m_session, one), ipu = ipuDetails(*m_session, IpuId(1));
    QCOMPARE(second.ipu, std::optional(IpuId(1)));
    QCOMPARE(second.rows[1].title, std::string("Memory excluding gaps"));
    QCOMPARE(second.rows[1].mean, ipu.rows[1].mean);
    QCOMPARE(second.rows[1].median, excessOf(tileMemory(*m_session, Breakdown::ByCategory), TileId(12)).median);
    QCOMPARE(second.rows.back().title, std::string("Place on the die (IPU, column, row)"));
  }

private:
  tests::TinyReport m_report{tests::ReportShape{2, 8, 5}};
  std::shared_ptr<Session> m_session;
};

TILESCOPE_TEST(ExcessTest)
#include "excess_test.moc"
