// Memory of two reports: one view, whose every control acts on both.
#include "analyser/memory/tile_metrics.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/tile_map.h"
#include "ui/tables/table_view.h"
#include "ui/views/memory/memory_view.h"

#include <QComboBox>
#include <QSlider>
#include <QTabWidget>

using namespace ui;

class MemoryPairTest : public QObject {
  Q_OBJECT

  const tests::TinyReport m_other{{.ipus = 3, .tilesPerIpu = 8, .operations = 5, .scale = 4}};
  std::unique_ptr<tests::ViewWorld> m_world;
  shell::SessionPointer m_b;

  analyser::Session& a() const { return *m_world->session; }
  plot::StepPlot& curve() const { return *m_world->child<plot::StepPlot>("Memory per tile of both reports"); }
  static int64_t valueAt(const plot::StepPlot& plot, const QString& title, std::size_t tile) {
    for (const auto& curve : plot.scene().series.curves())
      if (curve.title == title) return (*curve.values)[tile];
    return -1;
  }
  // The cells of a row.
  static std::vector<tables::Cell> cells(const tables::TableView& view, std::initializer_list<const char*> columns,
                                         std::size_t row) {
    std::vector<tables::Cell> found;
    const auto& table = *view.rows().table();
    for (const char* id : columns)
      for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.columns[c].id == QLatin1String(id)) found.push_back(table.rows[row].cells[c]);
    return found;
  }
  bool setField(const QString& id, const QString& value) const {
    m_world->view->fields().set({{id, value}});
    return m_world->settle() && m_world->view->fields().values().value(id) == value;
  }

private slots:
  void init() {
    m_world = std::make_unique<tests::ViewWorld>();
    m_b = analyser::Session::open(m_other.path().string());
    m_world->open("memory", m_b);
    QVERIFY(m_world->settle());
  }

  void bothCurvesAreThere() {
    const auto inA = analyser::memory::tileMemory(a()), inB = analyser::memory::tileMemory(*m_b);
    QCOMPARE(curve().scene().series.count(), int64_t(24)); // the larger machine
    for (const std::size_t tile : {std::size_t(0), std::size_t(9)}) {
      QCOMPARE(valueAt(curve(), "A", tile), inA.total.values[tile].value());
      QCOMPARE(valueAt(curve(), "B", tile), inB.total.values[tile].value());
    }
    QVERIFY2(m_world->view->verdict().startsWith("The fullest tile holds "), qPrintable(m_world->view->verdict()));
  }

  // A hidden part counts in neither.
  void theLegendChoosesWhatCounts() {
    auto* legend = m_world->view->findChild<plot::Legend*>();
    const auto inA = analyser::memory::tileMemory(a(), analyser::memory::Breakdown::ByCategory);
    const auto& part = inA.parts.front();
    const int64_t whole = valueAt(curve(), "A", 2), wholeOfB = valueAt(curve(), "B", 2);
    legend->hide({QString::fromStdString(part.name)});
    emit legend->shownChanged();
    QCOMPARE(valueAt(curve(), "A", 2), whole - part.values[2].value());
    QVERIFY(valueAt(curve(), "B", 2) < wholeOfB);
    QVERIFY(setField("breakdown", "none"));
    QCOMPARE(valueAt(curve(), "A", 2), whole);
    QVERIFY(setField("breakdown", "region") && setField("breakdown", "liveness"));
  }

  void aFigureIsOfBoth() {
    QVERIFY(setField("figure", "received"));
    const auto inA = analyser::memory::tileMetric(a(), analyser::memory::TileMetric::BytesIn),
               inB = analyser::memory::tileMetric(*m_b, analyser::memory::TileMetric::BytesIn);
    for (const std::size_t tile : {std::size_t(1), std::size_t(7)}) {
      QCOMPARE(valueAt(curve(), "A", tile), inA.values[tile]);
      QCOMPARE(valueAt(curve(), "B", tile), inB.values[tile]);
    }
    // A step of A, and the step of B with its name.
    auto* step = m_world->child<QSlider>("Step of the picture");
    QVERIFY(step->isVisible() && step->maximum() > 0);
    step->setValue(1);
    QVERIFY(m_world->settle());
    QVERIFY(!m_world->view->verdict().isEmpty());
  }

  void orderIpuAndSwitchesActOnBoth() {
    QVERIFY(setField("order", "ipus"));
    QCOMPARE(curve().scene().series.count(), int64_t(3));
    const auto inB = analyser::memory::tileMemory(*m_b);
    int64_t sum = 0;
    for (std::size_t tile = 8; tile < 16; ++tile) sum += inB.total.values[tile].value();
    QCOMPARE(valueAt(curve(), "B", 1), sum);
    QVERIFY(setField("order", "software") && setField("ipu", "1"));
    QCOMPARE(valueAt(curve(), "B", 0), inB.total.values[8].value());
    QVERIFY(setField("ipu", "2")); // only B has it
    QCOMPARE(valueAt(curve(), "A", 0), int64_t(0));
    QVERIFY(setField("ipu", "all") && setField("gaps", "on") && setField("band", "on"));
    QVERIFY(valueAt(curve(), "With gaps, B", 3) >= valueAt(curve(), "B", 3));
    QVERIFY(valueAt(curve(), "Median, A", 3) > 0 && valueAt(curve(), "Median, B", 3) > 0);
  }

  void curvesApartAreStacked() {
    QVERIFY(setField("picture", "apart"));
    auto *up = m_world->child<plot::StepPlot>("Memory per tile, A"), *down = m_world->child<plot::StepPlot>("Memory per tile, B");
    QVERIFY(up->isVisible() && down->isVisible());
    QVERIFY(!up->scene().series.layers().empty());
    QCOMPARE(down->scene().series.layers().size(), up->scene().series.layers().size());
    up->zoom(0.5);
    QCOMPARE(down->visible(), up->visible());
  }

  void theMapShowsTheChange() {
    QVERIFY(setField("picture", "map"));
    auto* map = m_world->child<plot::TileMap>("Change in the memory of every tile");
    QVERIFY(map->isVisible());
    const auto table = map->table();
    const auto inA = analyser::memory::tileMemory(a()), inB = analyser::memory::tileMemory(*m_b);
    QCOMPARE(std::get<int64_t>(table.rows[5].back()), (inB.total.values[5] - inA.total.values[5]).value());
  }

  // The rows sum to the change of the tile, the largest first: not the sizes of variables that share addresses.
  void variablesOfATileSumToItsChange() {
    m_world->state.setTiles({reports::TileId(3)});
    QVERIFY(setField("tab", "variables"));
    auto* placed = m_world->child<tables::TableView>("Variables of the tile");
    const auto inA = analyser::memory::tileLayout(a(), reports::TileId(3)),
               inB = analyser::memory::tileLayout(*m_b, reports::TileId(3));
    int64_t wanted = 0;
    for (const auto& v : inA.variables) wanted -= v.isGap ? 0 : v.own.value();
    for (const auto& v : inB.variables) wanted += v.isGap ? 0 : v.own.value();
    QVERIFY(wanted != 0);
    QTRY_VERIFY(!cells(*placed, {"ownChange"}, 0).empty());
    int64_t sum = 0, last = std::numeric_limits<int64_t>::max();
    const auto& table = *placed->rows().table();
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const auto change = std::get<int64_t>(cells(*placed, {"ownChange"}, row).front());
      QVERIFY(std::abs(change) <= last);
      sum += change, last = std::abs(change);
    }
    QCOMPARE(sum, wanted);
    for (const auto& column : table.columns) {
      if (column.id == "ownChange") QVERIFY(column.total && column.bar && !column.isOptional);
      if (column.id == "sizeChange") QVERIFY(!column.total && column.isOptional);
    }
  }

  // The tables of a report, with A, B and the change.
  void tablesHaveBoth() {
    m_world->state.setTiles({reports::TileId(3)});
    QVERIFY(m_world->settle());
    auto* vertices = m_world->child<tables::TableView>("Vertices by type");
    const auto row = cells(*vertices, {"verticesA", "verticesB", "verticesChange"}, 0);
    QCOMPARE(row.size(), std::size_t(3));
    QCOMPARE(std::get<int64_t>(row[2]), std::get<int64_t>(row[1]) - std::get<int64_t>(row[0]));
    QVERIFY(setField("tab", "tiles"));
    auto* tiles = m_world->child<tables::TableView>("Memory of each tile");
    QTRY_COMPARE(tiles->rows().table()->rows.size(), std::size_t(24));
    const auto inA = analyser::memory::tileMemory(a()), inB = analyser::memory::tileMemory(*m_b);
    for (std::size_t at = 0; at < 24; ++at) {
      const auto tile = cells(*tiles, {"tile", "usedA", "usedB", "usedChange"}, at);
      const auto id = std::size_t(std::get<int64_t>(tile[0]));
      QCOMPARE(std::get<int64_t>(tile[2]), inB.total.values[id].value());
      QCOMPARE(std::get<int64_t>(tile[3]), inB.total.values[id].value() - (id < 16 ? inA.total.values[id].value() : 0));
    }
    QVERIFY(setField("tab", "exchanges") && setField("tab", "computeSets") && setField("tab", "histogram"));
    QVERIFY2(m_world->view->selectionText().startsWith("Tile 3: A "), qPrintable(m_world->view->selectionText()));
  }

  // Lines of the tree pair by their titles; several tiles are one column of each report. Tile 18 is only in B.
  void detailsHaveBoth() {
    const auto inA = analyser::memory::tileMemory(a()), inB = analyser::memory::tileMemory(*m_b);
    const auto whole = [&](std::vector<reports::TileId> tiles) {
      m_world->state.setTiles(std::move(tiles));
      std::vector<int64_t> values;
      if (!m_world->settle()) return values;
      const auto& tree = *m_world->child<tables::TreeView>("Memory of the selected tiles")->rows().tree();
      for (const auto& row : tree.rows)
        if (std::get<QString>(row.cells[0]) == "Memory excluding gaps")
          for (std::size_t c = 1; c < 4; ++c)
            values.push_back(std::holds_alternative<int64_t>(row.cells[c]) ? std::get<int64_t>(row.cells[c]) : -1);
      return values;
    };
    const auto at = [](const auto& memory, std::size_t tile) { return memory.total.values[tile].value(); };
    using reports::TileId;
    QCOMPARE(whole({TileId(2)}), (std::vector<int64_t>{at(inA, 2), at(inB, 2), at(inB, 2) - at(inA, 2)}));
    const int64_t bothA = at(inA, 2), bothB = at(inB, 2) + at(inB, 18);
    QCOMPARE(whole({TileId(2), TileId(18)}), (std::vector<int64_t>{bothA, bothB, bothB - bothA}));
    QCOMPARE(whole({TileId(18)}), (std::vector<int64_t>{-1, at(inB, 18), at(inB, 18)}));
    QCOMPARE(whole({}),
             (std::vector<int64_t>{inA.total.sum.value(), inB.total.sum.value(), inB.total.sum.value() - inA.total.sum.value()}));
  }

  // A picked variable has a curve in each, and both tiles are below each other in the map of addresses.
  void aVariableIsPickedInBoth() {
    const auto uses = analyser::memory::topVariables(a(), 1);
    m_world->state.setVariable(uses.front().variable);
    QVERIFY(m_world->settle());
    const QString name = QString::fromStdString(uses.front().name);
    QStringList curves;
    for (const auto& one : curve().scene().series.curves()) curves << one.title;
    QVERIFY2(curves.contains(name + ", A") && curves.contains(name + ", B"), qPrintable(curves.join('|')));
    QVERIFY(setField("tab", "variables"));
    QVERIFY(m_world->child<QWidget>("Memory map of the tile, B")->isVisible());
  }

  // The same window shows one report again.
  void oneReportIsAsBefore() {
    QVERIFY(setField("picture", "apart"));
    m_world->view->setSessions(nullptr, nullptr);
    m_world->view->setSessions(m_world->session, nullptr);
    QVERIFY(m_world->settle());
    QCOMPARE(m_world->view->fields().values().value("picture"), QString("curve"));
    auto* plot = m_world->child<plot::StepPlot>("Memory per tile");
    QVERIFY(plot && !plot->scene().series.layers().empty() && plot->scene().series.curves().empty());
    QVERIFY(!m_world->child<QWidget>("Memory map of the tile, B")->isVisible());
    QVERIFY(!setField("picture", "apart"));
  }

  // Links of the difference before it was one view with Memory.
  void linksOfTheDifferenceAreRead() {
    QVERIFY(!setField("picture", "both")); // the curve, as at first
    QCOMPARE(m_world->view->fields().values().value("picture"), QString("curve"));
    for (const char* picture : {"apart", "map"}) QVERIFY(setField("picture", picture));
    for (const char* tab : {"variables", "details"}) QVERIFY(setField("tab", tab));
    QVERIFY(setField("picture", "curve") && setField("hidden", "b"));
    QVERIFY(!curve().scene().series.isCurveShown(1));
    // Its table of variables, with filter and order; without them the tab is today's, with the map of a tile.
    const shell::FieldValues old{{"tab", "variables"}, {"variables.filter", "w"}, {"variables.order", "up difference"}};
    m_world->view->fields().set(old);
    m_world->view->fields().setPositions(old);
    const auto shown = m_world->view->fields().values();
    QCOMPARE(shown.value("tab"), QString("largest"));
    QCOMPARE(shown.value("largest.filter"), QString("w"));
    QCOMPARE(shown.value("largest.order"), QString("up difference"));
    QVERIFY(setField("tab", "variables"));
  }
};

TILESCOPE_TEST(MemoryPairTest)
#include "memory_pair_test.moc"
