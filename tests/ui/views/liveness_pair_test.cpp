// Liveness of two reports: one view, whose every control acts on both.
#include "analyser/compare/liveness_difference.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/table_view.h"
#include "ui/views/liveness/liveness_view.h"

#include <QComboBox>
#include <QTabWidget>

using namespace ui;
using analyser::liveness::Liveness;

class LivenessPairTest : public QObject {
  Q_OBJECT

  const tests::TinyReport m_other{{.ipus = 3, .tilesPerIpu = 8, .operations = 6, .scale = 4}};
  std::unique_ptr<tests::ViewWorld> m_world;
  shell::SessionPointer m_b;
  liveness::LivenessView* m_view = nullptr;

  plot::StepPlot& curve(const QString& name = "Memory alive per step of both reports") const {
    return *m_world->child<plot::StepPlot>(name);
  }
  static int64_t valueAt(const plot::StepPlot& plot, const QString& title, std::size_t step) {
    for (const auto& one : plot.scene().series.curves())
      if (one.title == title) return (*one.values)[step];
    return -1;
  }
  bool setField(const QString& id, const QString& value) const {
    m_view->fields().set({{id, value}});
    if (!m_world->settle()) return false;
    m_view->fields().setPositions({{id, value}});
    return m_world->settle() && m_view->fields().values().value(id) == value;
  }
  void click(plot::StepPlot& plot, int64_t step, Qt::KeyboardModifiers modifiers = {}) const {
    QTest::mouseClick(&plot, Qt::LeftButton, modifiers, QPoint(int(plot.pixelAt(double(step))), plot.axes().center().y()));
  }
  // The values of a row's columns, by the name of its variable.
  std::vector<int64_t> bytesOf(const QString& table, const QString& variable) const {
    const auto& rows = *m_world->child<tables::TableView>(table)->rows().table();
    std::vector<int64_t> values;
    for (const auto& row : rows.rows) {
      if (std::get<QString>(row.cells[0]) != variable) continue;
      for (const char* id : {"bytesA", "bytesB", "bytesChange"})
        for (std::size_t c = 0; c < rows.columns.size(); ++c)
          if (rows.columns[c].id == QLatin1String(id))
            values.push_back(std::holds_alternative<int64_t>(row.cells[c]) ? std::get<int64_t>(row.cells[c]) : -1);
      break;
    }
    return values;
  }

private slots:
  void init() {
    m_world = std::make_unique<tests::ViewWorld>();
    m_b = analyser::Session::open(m_other.path().string());
    m_view = &m_world->open<liveness::LivenessView>("liveness", m_b);
    QVERIFY(m_world->settle());
  }

  void bothCurvesAndBothPeaksAreThere() {
    const Liveness a = analyser::liveness::liveness(*m_world->session), b = analyser::liveness::liveness(*m_b);
    QCOMPARE(curve().scene().series.count(), int64_t(std::max(a.steps.size(), b.steps.size())));
    auto* legend = m_view->findChild<plot::Legend*>();
    legend->hide({});
    emit legend->shownChanged();
    QCOMPARE(valueAt(curve(), "A", 2), (a.curve.notAlwaysLive[2] + a.curve.alwaysLive).value());
    legend->hide({"always"});
    emit legend->shownChanged();
    QCOMPARE(valueAt(curve(), "A", 2), a.curve.notAlwaysLive[2].value());
    QCOMPARE(valueAt(curve(), "B", 2), b.curve.notAlwaysLive[2].value());
    QCOMPARE(m_view->selectedStep(), a.curve.peakStep);
    QCOMPARE(m_view->stepInOther(), b.curve.peakStep);
    QVERIFY2(m_view->verdict().startsWith("Always live "), qPrintable(m_view->verdict()));
  }

  void aStepOfAHasItsStepInB() {
    click(curve(), 1);
    QVERIFY(m_world->settle());
    const Liveness a = analyser::liveness::liveness(*m_world->session), b = analyser::liveness::liveness(*m_b);
    QCOMPARE(m_view->selectedStep(), int64_t(1));
    QCOMPARE(m_view->stepInOther(), analyser::compare::matchingStep(a, 1, b).value_or(-1));
    QVERIFY2(m_view->selectionText().startsWith("Step of A: 1, of B: "), qPrintable(m_view->selectionText()));
    std::map<std::string, std::vector<int64_t>> inA, inB; // bytes by name; a name may come again
    for (auto [session, step, into] :
         {std::tuple{m_world->session.get(), int64_t(1), &inA}, {m_b.get(), m_view->stepInOther(), &inB}}) {
      const auto alive = analyser::liveness::liveAt(*session, step);
      for (const auto* list : {&alive.notAlwaysLive, &alive.alwaysLive})
        for (const auto& v : *list) (*into)[v.name].push_back(v.bytes.value());
    }
    int checked = 0;
    for (const auto& [name, bytes] : inA) {
      if (bytes.size() != 1 || inB[name].size() != 1) continue;
      ++checked;
      const std::vector<int64_t> expected{bytes[0], inB[name][0], inB[name][0] - bytes[0]};
      const auto here = bytesOf("Variables alive at the step", QString::fromStdString(name));
      QCOMPARE(here.empty() ? bytesOf("Always-live variables", QString::fromStdString(name)) : here, expected);
    }
    QVERIFY(checked > 0);
  }

  void scopesActOnBoth() {
    QVERIFY(setField("scope", "ipu.1"));
    const Liveness a = analyser::liveness::liveness(*m_world->session, "ipu.1"), b = analyser::liveness::liveness(*m_b, "ipu.1");
    auto* legend = m_view->findChild<plot::Legend*>();
    legend->hide({"always"});
    emit legend->shownChanged();
    QCOMPARE(valueAt(curve(), "A", 3), a.curve.notAlwaysLive[3].value());
    QCOMPARE(valueAt(curve(), "B", 3), b.curve.notAlwaysLive[3].value());
    QVERIFY(setField("scope", "ipu.2")); // only B has it
    QVERIFY(m_world->child<plot::StepPlot>("Memory alive per step of both reports")->scene().series.curves()[0].values->empty());
  }

  void rangesAndSecondStepsActOnBoth() {
    QVERIFY(setField("selected", "1-4"));
    QCOMPARE(m_view->selectedRange(), (reports::Range<int64_t>{1, 5}));
    QVERIFY(m_world->child<tables::TableView>("Variables alive at the step")->rows().table()->rows.size() > 0);
    QVERIFY(setField("selected", ""));
    click(curve(), 1);
    QVERIFY(m_world->settle());
    click(curve(), 4, Qt::ShiftModifier);
    QVERIFY(m_world->settle());
    const auto& columns = m_world->child<tables::TableView>("Variables alive at only one of two steps")->rows().table()->columns;
    QCOMPARE(columns[1].id, QString("beforeA"));
    for (const char* tab : {"always", "lifetimes", "work", "shrink", "steps"}) QVERIFY2(setField("tab", tab), tab);
  }

  void curvesApartAreAreas() {
    QVERIFY(setField("picture", "apart"));
    auto &up = curve("Memory alive per program step, A"), &down = curve("Memory alive per program step, B");
    QVERIFY(up.isVisible() && down.isVisible());
    QCOMPARE(down.scene().series.layers().size(), std::size_t(2));
    click(down, 1);
    QCOMPARE(m_view->stepInOther(), int64_t(1));
    up.zoom(0.5);
    QCOMPARE(down.visible(), up.visible());
  }

  void oneReportIsAsBefore() {
    m_view->setSessions(nullptr, nullptr);
    m_view->setSessions(m_world->session, nullptr);
    QVERIFY(m_world->settle());
    auto& plot = curve("Memory alive per program step");
    QCOMPARE(plot.scene().series.layers().size(), std::size_t(2));
    QVERIFY(plot.scene().series.curves().empty());
    QVERIFY(!m_world->child<QComboBox>("Picture")->isVisible());
    QVERIFY2(m_view->selectionText().startsWith("Step "), qPrintable(m_view->selectionText()));
  }

  // Links of the difference before it was one view with Liveness.
  void linksOfTheDifferenceAreRead() {
    for (const char* picture : {"apart", "merged"}) QVERIFY(setField("picture", picture));
    QVERIFY(setField("hidden", "b"));
    QVERIFY(!curve().scene().series.isCurveShown(1));
    QVERIFY(!setField("tab", "alive")); // the first tab, as at first
    QCOMPARE(m_view->fields().values().value("tab"), QString("notAlways"));
    QVERIFY(setField("tab", "steps"));
    const shell::FieldValues old{{"tab", "alive"}, {"alive.filter", "o"}, {"alive.order", "up difference"}};
    m_view->fields().set(old);
    m_view->fields().setPositions(old);
    const auto shown = m_view->fields().values();
    QCOMPARE(shown.value("tab"), QString("notAlways"));
    QCOMPARE(shown.value("notAlways.filter"), QString("o"));
    QCOMPARE(shown.value("notAlways.order"), QString("up bytesChange"));
  }
};

TILESCOPE_TEST(LivenessPairTest)
#include "liveness_pair_test.moc"
