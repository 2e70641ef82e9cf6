// Operations of two reports: one view, whose every control acts on both.
#include "analyser/operations/operations.h"
#include "reports/sqlite/connection.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/elided_label.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/table_view.h"
#include "ui/views/operations/roofline.h"

#include <QComboBox>
#include <QPushButton>
#include <QStandardItemModel>

#include <climits>
#include <numeric>

using namespace ui;
using analyser::operations::Operations;

class OperationsPairTest : public QObject {
  Q_OBJECT

  const tests::TinyReport m_other{{.ipus = 2, .tilesPerIpu = 8, .operations = 6, .scale = 4}};
  std::unique_ptr<tests::ViewWorld> m_world;
  shell::SessionPointer m_b;

  Operations a() const { return analyser::operations::operations(*m_world->session); }
  Operations b() const { return analyser::operations::operations(*m_b); }
  tables::TableView& table() const { return *m_world->child<tables::TableView>("Operations"); }
  template<class T> static int columnOf(const T& table, const char* id) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].id == QLatin1String(id)) return int(c);
    return -1;
  }
  template<class T> static tables::Cell cell(const T& table, std::size_t row, const char* id) {
    const int column = columnOf(table, id);
    return column < 0 ? tables::Cell(QString("no column")) : table.rows[row].cells[std::size_t(column)];
  }
  bool setField(const QString& id, const QString& value) const {
    m_world->view->fields().set({{id, value}});
    return m_world->settle() && m_world->view->fields().values().value(id) == value;
  }
  void select(int64_t row) const {
    emit table().idsSelected({row});
    QVERIFY(m_world->settle());
  }

private slots:
  void init() {
    m_world = std::make_unique<tests::ViewWorld>();
    m_b = analyser::Session::open(m_other.path().string());
    m_world->open("operations", m_b);
    QVERIFY(m_world->settle());
  }

  // Each row has the figures of its operation in A, in B, and the change; the largest change is first.
  void theTableHasBoth() {
    const Operations inA = a(), inB = b();
    const auto& shown = *table().rows().table();
    QCOMPARE(shown.rows.size(), std::max(inA.rows.size(), inB.rows.size()));
    int64_t before = INT64_MAX;
    int alone = 0;
    for (std::size_t row = 0; row < shown.rows.size(); ++row) {
      const auto at = std::size_t(shown.rows[row].id);
      const QString name = std::get<QString>(shown.rows[row].cells.front());
      QVERIFY(at < inB.rows.size() && name.startsWith(QString::fromStdString(inB.rows[at].name)));
      const int64_t cyclesB = inB.rows[at].total.value(), cyclesA = at < inA.rows.size() ? inA.rows[at].total.value() : 0;
      QCOMPARE(cell(shown, row, "cyclesA"), at < inA.rows.size() ? tables::Cell(cyclesA) : tables::Cell());
      QCOMPARE(cell(shown, row, "cyclesB"), tables::Cell(cyclesB));
      QCOMPARE(cell(shown, row, "cyclesChange"), tables::Cell(cyclesB - cyclesA));
      QCOMPARE(name.endsWith("(only in B)"), at >= inA.rows.size());
      alone += at >= inA.rows.size();
      QVERIFY(std::abs(cyclesB - cyclesA) <= before);
      before = std::abs(cyclesB - cyclesA);
    }
    QCOMPARE(alone, 2);
    const QString verdict = m_world->view->verdict();
    int slower = 0, faster = 0;
    for (std::size_t at = 0; at < inB.rows.size(); ++at) {
      const int64_t was = at < inA.rows.size() ? inA.rows[at].total.value() : 0, now = inB.rows[at].total.value();
      slower += now > was, faster += now < was;
    }
    QVERIFY2(verdict.startsWith(QString("6 of 6 operations differ: %1 slower, %2 faster").arg(slower).arg(faster)),
             qPrintable(verdict));
  }

  // The sums of folders and kinds are those of the reports.
  void groupsSumBoth() {
    for (const char* rows : {"kind", "tree"}) {
      QVERIFY2(setField("rows", rows), rows);
      const auto& tree = m_world->child<tables::TreeView>("Operations by name")->rows();
      int64_t cyclesA = 0, cyclesB = 0;
      const auto add = [&](const auto& shown) {
        for (std::size_t row = 0; row < shown.rows.size(); ++row) {
          if constexpr (requires { shown.rows[row].parent; })
            if (shown.rows[row].parent >= 0) continue;
          if (const auto inA = cell(shown, row, "cyclesA"); inA != tables::Cell()) cyclesA += std::get<int64_t>(inA);
          if (const auto inB = cell(shown, row, "cyclesB"); inB != tables::Cell()) cyclesB += std::get<int64_t>(inB);
        }
      };
      QString(rows) == "kind" ? add(*table().rows().table()) : add(*tree.tree());
      QCOMPARE(cyclesA, a().totals.total.value());
      QCOMPARE(cyclesB, b().totals.total.value());
    }
  }

  void layersAreOfBoth() {
    const auto* rows = m_world->child<QComboBox>("Rows");
    QVERIFY(rows->count() > 4);
    QVERIFY(setField("rows", rows->itemData(4).toString()));
    const auto& shown = *table().rows().table();
    QVERIFY(!shown.rows.empty() && columnOf(shown, "cyclesChange") > 0);
    const QString verdict = m_world->view->verdict(); // names the rows
    QVERIFY2(verdict.contains(" differ: ") && !verdict.contains(" rows "), qPrintable(verdict));
  }

  // A bar is B's, with A as a tick and the change as its text.
  void barsShowTheChange() {
    const auto& bars = *m_world->child<plot::BarList>("Costliest operations");
    const auto firstRow = [&] {
      QString all;
      const auto list = bars.table();
      for (const auto& cell : list.rows.front())
        if (const auto* text = std::get_if<QString>(&cell)) all += *text + ' ';
      return all;
    };
    QCOMPARE(bars.table().rows.size(), std::size_t(6));
    QVERIFY2(firstRow().contains('+'), qPrintable(firstRow()));
    QVERIFY(setField("picture", "waste"));
    QVERIFY2(firstRow().contains('+'), qPrintable(firstRow()));
  }

  // The roofline has both; the graph is of one report, and comes back with it.
  void plotsThatOneReportHasComeBack() {
    QVERIFY(setField("picture", "roofline"));
    QVERIFY(!m_world->view->findChild<operations::Roofline*>()->placeOf(0).isNull());
    auto* pictures = m_world->child<QComboBox>("Picture");
    QVERIFY(!static_cast<QStandardItemModel*>(pictures->model())->item(3)->isEnabled());
    m_world->view->setSessions(m_world->session, nullptr);
    QVERIFY(m_world->settle() && setField("picture", "graph"));
    m_world->view->setSessions(m_world->session, m_b);
    QVERIFY(m_world->settle());
    QCOMPARE(m_world->view->fields().values().value("picture"), QString("cycles"));
    m_world->view->setSessions(m_world->session, nullptr);
    QVERIFY(m_world->settle());
    QCOMPARE(m_world->view->fields().values().value("picture"), QString("graph"));
  }

  void stepsAndTilesAreOfBoth() {
    select(1);
    QVERIFY2(m_world->view->selectionText().contains(": A ") && m_world->view->selectionText().contains("; B "),
             qPrintable(m_world->view->selectionText()));
    QCOMPARE(m_world->state.operation(), a().rows[1].id); // other views show A's
    const auto& steps = *m_world->child<tables::TableView>("Program steps of the operation")->rows().table();
    QVERIFY(!steps.rows.empty() && columnOf(steps, "cyclesChange") > 0);
    QVERIFY(setField("tab", "tiles"));
    const auto& curves = m_world->child<plot::StepPlot>("The operation per tile")->scene().series.curves();
    QCOMPARE(curves.size(), std::size_t(2));
    const auto sum = [](const plot::Curve& curve) {
      return std::accumulate(curve.values->begin(), curve.values->end(), int64_t(0));
    };
    QVERIFY(sum(curves[0]) > 0 && sum(curves[1]) > sum(curves[0])); // B computes four times as much
    const QString words = m_world->child<shell::ElidedLabel>("The operation's tiles in a sentence")->whole();
    QVERIFY2(words.startsWith("A: ") && words.contains("B: "), qPrintable(words));
    for (const char* measure : {"bytes", "flops", "vertices", "exchangeCode"})
      QVERIFY2(setField("tiles.measure", measure), measure);
  }

  // An operation that only B has is shown, but other views keep that of A.
  void anOperationOfBAlone() {
    select(1);
    const auto before = m_world->state.operation();
    select(5);
    QCOMPARE(m_world->state.operation(), before);
    QVERIFY2(m_world->view->selectionText().contains("A not there; B "), qPrintable(m_world->view->selectionText()));
    QVERIFY(m_world->child<tables::TreeView>("Debug information of the operation")->model()->rowCount() > 0);
  }

  // The difference of the last version had a table of its own columns.
  void linksOfTheLastVersionOpen() {
    auto& view = *m_world->view;
    view.fields().set({{"operations.filter", "cyclesDifference > 0"}});
    view.fields().setPositions({{"operations.order", "down memoryDifference"}});
    QVERIFY(m_world->settle());
    QCOMPARE(view.fields().values().value("operations.filter"), QString("cyclesChange > 0"));
    QCOMPARE(table().orderText(), QString("down memoryChange"));
    const auto shownBy = [&](const char* filter) {
      view.fields().set({{"operations.filter", filter}});
      return m_world->settle() ? table().rows().shownRows() : -1;
    };
    const auto& rows = *table().rows().table();
    int more = 0;
    for (std::size_t row = 0; row < rows.rows.size(); ++row)
      if (const auto change = cell(rows, row, "memoryChange"); change != tables::Cell()) more += std::get<int64_t>(change) > 0;
    QVERIFY(more > 0);
    QCOMPARE(shownBy("memoryDifference > 0"), more);
    QCOMPARE(shownBy("in = \"only B\""), 2);
  }

  void oneReportIsAsBefore() {
    m_world->view->setSessions(m_world->session, nullptr);
    QVERIFY(m_world->settle());
    const auto& shown = *table().rows().table();
    QVERIFY(columnOf(shown, "cycles") > 0 && columnOf(shown, "cyclesA") < 0);
    QVERIFY(!m_world->view->selectionText().contains(": A "));
    int buttons = 0;
    for (const auto* button : m_world->view->findChildren<QPushButton*>())
      if (button->text() == "Keep apart") {
        ++buttons;
        QVERIFY(!button->isVisible());
      }
    QCOMPARE(buttons, 1);
  }
};

TILESCOPE_TEST(OperationsPairTest)
#include "operations_pair_test.moc"
