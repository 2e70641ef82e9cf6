// Program of two reports: one view, whose every control acts on both.
#include "analyser/compare/program_difference.h"
#include "analyser/program/program_tree.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/fact_list.h"
#include "ui/plot/flame_graph.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/table_view.h"
#include "ui/views/program/program_view.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>

using namespace ui;
using analyser::program::Program;

class ProgramPairTest : public QObject {
  Q_OBJECT

  const tests::TinyReport m_other{{.ipus = 3, .tilesPerIpu = 8, .operations = 6, .scale = 4}};
  std::unique_ptr<tests::ViewWorld> m_world;
  shell::SessionPointer m_b;

  tables::TreeView& tree() const { return *m_world->child<tables::TreeView>("Program"); }
  const plot::FlameGraph& flames() const { return *m_world->child<plot::FlameGraph>("Difference flame graph"); }
  analyser::compare::ProgramDifference aligned() const {
    return analyser::compare::programDifference(analyser::program::programTree(*m_world->session),
                                                analyser::program::programTree(*m_b));
  }
  template<class T> static int columnOf(const T& table, const char* id) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].id == QLatin1String(id)) return int(c);
    return -1;
  }
  template<class T> static tables::Cell cell(const T& table, std::size_t row, const char* id) {
    const int column = columnOf(table, id);
    return column < 0 ? tables::Cell(QString("no column")) : table.rows[row].cells[std::size_t(column)];
  }
  static tables::Cell cellOf(std::optional<int64_t> value) { return value ? tables::Cell(*value) : tables::Cell(); }
  bool setField(const QString& id, const QString& value) const {
    m_world->view->fields().set({{id, value}});
    return m_world->settle() && m_world->view->fields().values().value(id) == value;
  }
  QString facts(const QString& name) const { return m_world->child<shell::FactList>("Facts about the step")->valueOf(name); }
  // A row that both have, with tiles that compute.
  int sharedRow(const char* kind) const {
    const auto steps = aligned();
    for (std::size_t row = 0; row < steps.nodes.size(); ++row)
      if (steps.nodes[row].kind == kind && steps.nodes[row].inBase >= 0 && steps.nodes[row].inOther >= 0) return int(row);
    return -1;
  }

private slots:
  void init() {
    m_world = std::make_unique<tests::ViewWorld>();
    m_b = analyser::Session::open(m_other.path().string());
    m_world->open("program", m_b);
    QVERIFY(m_world->settle());
  }

  // Each row has the figures of its step in A, in B, and the change; every column of one report is there.
  void theTreeHasBoth() {
    const Program a = analyser::program::programTree(*m_world->session), b = analyser::program::programTree(*m_b);
    const auto steps = aligned();
    const auto& shown = *tree().rows().tree();
    QCOMPARE(shown.rows.size(), steps.nodes.size());
    int both = 0, alone = 0;
    for (std::size_t row = 0; row < shown.rows.size(); ++row) {
      const auto& node = steps.nodes[row];
      QCOMPARE(shown.rows[row].parent, node.parent);
      const auto cyclesIn = [](const Program& program, int at) -> std::optional<int64_t> {
        if (at < 0) return {};
        const auto& n = program.nodes[std::size_t(at)];
        return n.children == 0 || n.inclusive.value() > 0 ? std::optional(n.inclusive.value()) : std::nullopt;
      };
      const auto inA = cyclesIn(a, node.inBase), inB = cyclesIn(b, node.inOther);
      QCOMPARE(cell(shown, row, "cyclesA"), cellOf(inA));
      QCOMPARE(cell(shown, row, "cyclesB"), cellOf(inB));
      if (inA || inB) QCOMPARE(cell(shown, row, "cyclesChange"), tables::Cell(inB.value_or(0) - inA.value_or(0)));
      const QString name = std::get<QString>(shown.rows[row].cells.front());
      QCOMPARE(name.endsWith("(only in A)"), node.inOther < 0);
      QCOMPARE(name.endsWith("(only in B)"), node.inBase < 0);
      (node.inBase >= 0 && node.inOther >= 0 ? both : alone)++;
    }
    QVERIFY(both > 5 && alone > 0);
    for (const char* id : {"ownA", "ownB", "ownChange", "shareA", "shareB", "executionsA", "idB"})
      QVERIFY2(columnOf(shown, id) > 0, id);
    const QString verdict = m_world->view->verdict(); // steps of three IPUs run at the same time
    QVERIFY2(verdict.startsWith("Added up, the steps of B take ") && verdict.endsWith(" only in B."), qPrintable(verdict));
  }

  void flamesAreOfBothAndTheirSwitchIsAField() {
    QVERIFY(flames().isVisible());
    const auto boxes = flames().table().rows.size();
    QVERIFY(boxes > 3);
    // Swapped, B's own steps have vanished.
    m_world->view->setSessions(nullptr, nullptr);
    m_world->view->setSessions(m_b, m_world->session);
    QVERIFY(m_world->settle());
    const auto left = flames().table().rows.size();
    QVERIFY(setField("vanished", "on"));
    QVERIFY(flames().table().rows.size() > left);
  }

  // With the values of both reports they have a tab of their own, which leaves the height to the plot; those of one report are above it.
  void factsOfBothAreATab() {
    const auto node = aligned().nodes[std::size_t(sharedRow("OnTileExecute"))];
    m_world->state.setStep(analyser::program::programTree(*m_world->session).nodes[std::size_t(node.inBase)].id);
    QVERIFY(m_world->settle());
    const auto* facts = m_world->child<shell::FactList>("Facts about the step");
    const auto* tabs = m_world->child<QTabWidget>("Tables of the step");
    const auto title = [&] {
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->widget(i)->isAncestorOf(facts)) return tabs->isTabVisible(i) ? tabs->tabText(i) : QString("hidden");
      return QString("above");
    };
    QCOMPARE(title(), QString("Facts"));
    QVERIFY(setField("tab", "facts") && facts->isVisible());
    m_world->view->setSessions(m_world->session, nullptr);
    QVERIFY(m_world->settle());
    QCOMPARE(title(), QString("above"));
    QVERIFY(facts->isVisible());
  }

  void aStepShowsBoth() {
    const int row = sharedRow("OnTileExecute");
    QVERIFY(row >= 0);
    const auto node = aligned().nodes[std::size_t(row)];
    const auto idA = analyser::program::programTree(*m_world->session).nodes[std::size_t(node.inBase)].id,
               idB = analyser::program::programTree(*m_b).nodes[std::size_t(node.inOther)].id;
    m_world->state.setStep(idA); // another view's step is A's
    QVERIFY(m_world->settle());
    QCOMPARE(tree().currentId(), int64_t(row));
    QVERIFY2(m_world->view->selectionText().contains(": A ") && m_world->view->selectionText().contains("; B "),
             qPrintable(m_world->view->selectionText()));
    const auto a = analyser::program::stepDetails(*m_world->session, idA), b = analyser::program::stepDetails(*m_b, idB);
    QCOMPARE(facts("Kind"), QString("OnTileExecute")); // equal: once
    QCOMPARE(facts("Tiles active"), a.activeTiles == b.activeTiles ? QString::number(a.activeTiles)
                                                                   : QString("A %1, B %2").arg(a.activeTiles).arg(b.activeTiles));
    QVERIFY2(facts("One execution").startsWith("A "), qPrintable(facts("One execution")));
    const auto& curves = m_world->child<plot::StepPlot>("Cycles per tile")->scene().series.curves();
    QCOMPARE(curves.size(), std::size_t(2));
    const int64_t first = std::min(a.firstTile.value(), b.firstTile.value());
    QCOMPARE((*curves[0].values)[std::size_t(int64_t(a.firstTile.value()) - first)], a.cyclesByTile.front().value());
    QCOMPARE((*curves[1].values)[std::size_t(int64_t(b.firstTile.value()) - first)], b.cyclesByTile.front().value());
    const auto& vertices = *m_world->child<tables::TableView>("Vertices of the step")->rows().table();
    QCOMPARE(cell(vertices, 0, "verticesA"), tables::Cell(a.vertices.front().vertices));
    QCOMPARE(cell(vertices, 0, "verticesChange"), tables::Cell(b.vertices.front().vertices - a.vertices.front().vertices));
    const auto& variables = *m_world->child<tables::TreeView>("Variables of the step")->rows().tree();
    QVERIFY(columnOf(variables, "bytesChange") > 0);
  }

  void anExchangeHasBothDirectionsOfBoth() {
    const Program a = analyser::program::programTree(*m_world->session);
    const auto steps = aligned();
    for (const auto& node : steps.nodes) {
      if (node.inBase < 0 || node.inOther < 0 || !a.nodes[std::size_t(node.inBase)].exchange.valid()) continue;
      m_world->state.setStep(a.nodes[std::size_t(node.inBase)].id);
      QVERIFY(m_world->settle());
      auto* legend = m_world->view->findChild<plot::Legend*>();
      const auto& series = m_world->child<plot::StepPlot>("Exchanged bytes per tile")->scene().series;
      QCOMPARE(series.curves().size(), std::size_t(4));
      legend->hide({"sentInB"});
      emit legend->shownChanged();
      QVERIFY(series.isCurveShown(0) && !series.isCurveShown(3));
      return;
    }
    QFAIL("no exchange in both");
  }

  // A step that only B has can be selected, but the other views keep the step of A.
  void aStepOfBAlone() {
    const auto steps = aligned();
    const auto only = std::find_if(steps.nodes.begin(), steps.nodes.end(),
                                   [](const auto& n) { return n.inBase < 0 && n.kind == "OnTileExecute"; });
    QVERIFY(only != steps.nodes.end());
    const auto before = m_world->state.step();
    emit tree().idSelected(only - steps.nodes.begin());
    QVERIFY(m_world->settle());
    QCOMPARE(m_world->state.step(), before);
    QVERIFY2(m_world->view->selectionText().contains("A not there; B "), qPrintable(m_world->view->selectionText()));
    QVERIFY2(facts("Kind").startsWith("A –, B "), qPrintable(facts("Kind")));
    const auto& variables = *m_world->child<tables::TreeView>("Variables of the step")->rows().tree();
    QVERIFY(columnOf(variables, "bytesB") > 0);
  }

  void theSearchCountsBoth() {
    m_world->child<QLineEdit>("Search for steps")->setText("/conv\\d+.*COMPUTE$/");
    QString note;
    for (const auto* label : m_world->view->findChildren<QLabel*>())
      if (label->text().contains("match")) note = label->text();
    const QRegularExpression wanted("conv\\d+.*compute$", QRegularExpression::CaseInsensitiveOption);
    int found = 0;
    for (const auto& node : aligned().nodes) found += QString::fromStdString(node.name).contains(wanted);
    QVERIFY(found > 1);
    QVERIFY2(note.startsWith(theme::plural(found, "match", "matches") + ", A: ") && note.contains("; B: "), qPrintable(note));
    QTest::keyClick(m_world->child<QLineEdit>("Search for steps"), Qt::Key_Return);
    QVERIFY(m_world->settle());
    QVERIFY2(m_world->view->selectionText().contains("compute"), qPrintable(m_world->view->selectionText()));
  }

  void functionsAndColoursAreOfBoth() {
    QVERIFY(setField("list", "functions") && setField("functions.filter", "o"));
    const auto& roots = *m_world->child<tables::TableView>("Programs and functions")->rows().table();
    const auto steps = aligned();
    const auto count = std::count_if(steps.nodes.begin(), steps.nodes.end(), [](const auto& n) { return n.parent < 0; });
    QCOMPARE(int64_t(roots.rows.size()), int64_t(count));
    for (std::size_t row = 0; row < roots.rows.size(); ++row) {
      const auto& node = steps.nodes[std::size_t(roots.rows[row].id)];
      QCOMPARE(node.parent, -1);
      if (node.inBase >= 0) QCOMPARE(cell(roots, row, "cyclesA"), tables::Cell(node.base.value()));
      if (node.inOther >= 0) QCOMPARE(cell(roots, row, "cyclesB"), tables::Cell(node.other.value()));
    }
    QVERIFY(setField("colour", "layer"));
    QVERIFY(columnOf(*tree().rows().tree(), "layer") > 0);
    QVERIFY(setField("colour", "type"));
  }

  // The same window shows one report again.
  void oneReportIsAsBefore() {
    m_world->view->setSessions(nullptr, nullptr);
    m_world->view->setSessions(m_world->session, nullptr);
    QVERIFY(m_world->settle());
    QVERIFY(!flames().isVisible());
    QVERIFY(!m_world->view->fields().values().contains("vanished"));
    const auto& shown = *tree().rows().tree();
    QVERIFY(columnOf(shown, "cycles") > 0 && columnOf(shown, "cyclesA") < 0);
    QVERIFY2(!m_world->view->selectionText().contains(": A "), qPrintable(m_world->view->selectionText()));
  }
};

TILESCOPE_TEST(ProgramPairTest)
#include "program_pair_test.moc"
