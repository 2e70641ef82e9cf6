#include "analyser/memory/tile_details.h"
#include "analyser/memory/verdict.h"
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace analyser;
using namespace analyser::memory;

class MemoryTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { m_session = Session::open(m_report.path().string()); }

  void partsSumToTheTotalOnEveryTile_data() {
    QTest::addColumn<int>("breakdown");
    QTest::newRow("region") << int(Breakdown::ByRegion);
    QTest::newRow("category") << int(Breakdown::ByCategory);
    QTest::newRow("liveness") << int(Breakdown::ByLiveness);
  }
  void partsSumToTheTotalOnEveryTile() {
    QFETCH(int, breakdown);
    const TileMemory m = tileMemory(*m_session, Breakdown(breakdown));
    QVERIFY(!m.parts.empty());
    for (std::size_t t = 0; t < m.total.values.size(); ++t) {
      Bytes sum;
      for (const auto& part : m.parts) {
        QVERIFY(part.values[t] >= Bytes());
        sum += part.values[t];
      }
      QCOMPARE(sum, m.total.values[t]);
      QVERIFY(m.totalWithGaps.values[t] >= m.total.values[t]);
    }
    for (std::size_t i = 1; i < m.parts.size(); ++i) QVERIFY(m.parts[i - 1].sum >= m.parts[i].sum);
  }
  void layoutHoldsEveryByteOnce() {
    const TileMemory m = tileMemory(*m_session);
    for (uint32_t t = 0; t < 16; ++t) {
      const TileLayout layout = tileLayout(*m_session, TileId(t));
      QCOMPARE(layout.used, m.total.values[t]);
      QCOMPARE(layout.usedWithGaps, m.totalWithGaps.values[t]);
      QCOMPARE(layout.used + layout.gaps, layout.usedWithGaps);
      Bytes end;
      for (const auto& v : layout.variables) {
        QVERIFY(v.address <= end || v.isGap); // nothing uncovered but by a gap
        if (v.isGap) QCOMPARE(v.address, end);
        end = std::max(end, v.address + v.size);
      }
    }
  }
  void detailsOfTilesSumToAllTiles() {
    const TileDetails all = tileDetails(*m_session, {});
    std::vector<TileId> tiles;
    for (std::size_t t = 0; t < 16; ++t) tiles.emplace_back(t);
    const TileDetails each = tileDetails(*m_session, tiles);
    QCOMPARE(each.columns.size(), tiles.size());
    QVERIFY(each.rows.back().isText); // after the others, which keep their positions when tiles are selected
    // After the rows that both tables have, the table of all tiles also has the data of vertices.
    const auto vertices =
        std::find_if(all.rows.begin(), all.rows.end(), [](const auto& r) { return r.title == "Vertex data by category"; });
    QVERIFY(vertices != all.rows.end());
    Bytes ofVertices;
    for (auto row = vertices + 1; row != all.rows.end(); ++row) ofVertices += row->values[0];
    QCOMPARE(ofVertices, vertices->values[0]);
    for (std::size_t r = 0; r < std::size_t(vertices - all.rows.begin()); ++r) {
      Bytes sum;
      for (const Bytes b : each.rows[r].values) sum += b;
      QCOMPARE(each.rows[r].title, all.rows[r].title);
      QCOMPARE(sum, all.rows[r].values[0]);
    }
  }
  // Overlapped and not overlapped bytes sum to the memory of the tile, and agree with the layout of the tile.
  void overlapSumsToTheTile() {
    std::vector<TileId> tiles{TileId(0), TileId(3)};
    const TileDetails details = tileDetails(*m_session, tiles);
    const auto rowOf = [&](const std::string& title) {
      return std::find_if(details.rows.begin(), details.rows.end(), [&](const DetailsRow& row) { return row.title == title; });
    };
    const auto sum = rowOf("By sharing of addresses"), alone = rowOf("Not overlapped"), sharing = rowOf("Overlapped"),
               memory = rowOf("Memory excluding gaps");
    QVERIFY(sum != details.rows.end() && alone != details.rows.end() && sharing != details.rows.end());
    QVERIFY(alone->isMeasured && memory->isMeasured);
    QCOMPARE(sum->mean, memory->mean);
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      QCOMPARE(sum->values[t], memory->values[t]);
      QCOMPARE(alone->values[t] + sharing->values[t], memory->values[t]);
      const TileLayout layout = tileLayout(*m_session, tiles[t]);
      const auto shared = sharedMemory(layout);
      Bytes expected;
      for (std::size_t i = 0; i < layout.variables.size(); ++i)
        if (!shared[i].empty()) expected += layout.variables[i].own;
      QCOMPARE(sharing->values[t], expected);
      QVERIFY(expected > Bytes());
    }
  }
  void aTileThatIsNearlyFullSaysHowMuchIsFree() {
    TileMemory m = tileMemory(*m_session);
    m.overflowTiles = 0, m.ipu = IpuId(0); // of this IPU all fits
    m.capacity = m.total.max + Bytes(36);
    const std::string few = fitVerdict(*m_session, m).text();
    QVERIFY2(few.find("(36 B free, gaps included)") != std::string::npos, few.c_str());
    m.capacity = m.total.max * 2;
    const std::string half = fitVerdict(*m_session, m).text();
    QVERIFY2(half.find("(50.0 %; ") != std::string::npos && half.find(" with gaps)") != std::string::npos &&
                 half.find("free") == std::string::npos,
             half.c_str());
  }
  // A program fits if its memory with gaps fits; the verdict also names the tile with the highest address if it is not the fullest.
  void theTileThatReachesFarthestIsNamed() {
    TileMemory m = tileMemory(*m_session);
    m.overflowTiles = 0, m.ipu = IpuId(0);
    m.capacity = m.total.max * 2;
    m.totalWithGaps.values[2] = m.totalWithGaps.max = m.totalWithGaps.max + m.total.max;
    m.totalWithGaps.maxTile = TileId(2);
    QVERIFY(m.total.maxTile != TileId(2));
    const std::string verdict = fitVerdict(*m_session, m).text();
    QVERIFY2(verdict.find("; with gaps ") != std::string::npos && verdict.find(" on tile 2)") != std::string::npos,
             verdict.c_str());
  }
  void variableSeriesSumToTheVariable() {
    const auto top = topVariables(*m_session, 3);
    QCOMPARE(top.size(), std::size_t(3));
    QVERIFY(top[0].total >= top[1].total);
    const TileSeries s = variableSeries(*m_session, top[0].variable);
    QCOMPARE(s.title, top[0].name);
    QCOMPARE(s.sum, top[0].total);
    QCOMPARE(s.max, top[0].maxTile);
  }
  void variablesOfATileAreThoseOfItsLayout() {
    const std::vector<TileId> selection{TileId(3)};
    const auto uses = topVariables(*m_session, 1000, selection);
    Bytes sum, sizes;
    for (const auto& u : uses) sum += u.total;
    const TileLayout layout = tileLayout(*m_session, TileId(3));
    for (const auto& v : layout.variables)
      if (!v.isGap) sizes += v.size;
    QCOMPARE(sum, sizes);
    const auto weights = std::find_if(uses.begin(), uses.end(), [](const auto& u) { return u.name == "model/conv0/weights"; });
    QVERIFY(weights != uses.end());
    QCOMPARE(weights->operation, std::string("model/conv0"));
    QVERIFY(weights->alwaysLive);
  }
  void verticesOfTilesSumToAll() {
    std::map<std::string, int64_t> all, sum;
    for (const auto& v : verticesByType(*m_session, {})) all[v.type] += v.vertices;
    QVERIFY(!all.empty());
    for (std::size_t t = 0; t < 16; ++t) {
      const std::vector<TileId> one{TileId(t)};
      for (const auto& v : verticesByType(*m_session, one)) sum[v.type] += v.vertices;
    }
    QCOMPARE(sum, all);
  }
  void physicalOrderIsAPermutation() {
    auto order = physicalOrder(m_session->machine());
    std::sort(order.begin(), order.end());
    for (std::size_t t = 0; t < 16; ++t) QCOMPARE(order[t], TileId(t));
  }
  void selectionsAreParsed() {
    const auto tiles = parseTileSelection(m_session->machine(), " 3, 0,5-7 ,3");
    const std::vector<TileId> expected{TileId(0), TileId(3), TileId(5), TileId(6), TileId(7)};
    QCOMPARE(tiles, expected);
    QVERIFY(parseTileSelection(m_session->machine(), "").empty());
    for (const char* bad : {"16", "x", "5-3", "-1", "1-", "1 2", "99999999999999999999"})
      QVERIFY_EXCEPTION_THROWN(parseTileSelection(m_session->machine(), bad), reports::Error);
  }

private:
  tests::TinyReport m_report;
  std::shared_ptr<Session> m_session;
};

TILESCOPE_TEST(MemoryTest)
#include "memory_test.moc"
