// A range of steps in Liveness: selected with a drag or with keys, in words and as a table, and kept by a link.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/table_view.h"
#include "ui/views/liveness/liveness_view.h"

#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTest>

using namespace ui;

class LivenessRangeTest : public QObject {
  Q_OBJECT

  static void drag(QWidget* plot, const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers) {
    QTest::mousePress(plot, Qt::LeftButton, modifiers, from);
    for (const QPoint& at : {(from + to) / 2, to}) {
      QMouseEvent move(QEvent::MouseMove, QPointF(at), plot->mapToGlobal(QPointF(at)), Qt::NoButton, Qt::LeftButton, modifiers);
      QCoreApplication::sendEvent(plot, &move);
    }
    QTest::mouseRelease(plot, Qt::LeftButton, modifiers, to);
  }
  static void picture(QWidget& view, theme::Theme& theme, const QString& name) {
    const QString folder = qEnvironmentVariable("TILESCOPE_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    for (const bool dark : {false, true}) {
      theme.setScheme(dark ? theme::Scheme::Dark : theme::Scheme::Light);
      QCoreApplication::processEvents();
      view.grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, name, dark ? "dark" : "light"));
    }
  }

private slots:
  void aRangeIsASelection() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 8, .operations = 8});
    auto& view = world.open<liveness::LivenessView>("liveness");
    QVERIFY(world.settle());
    auto* curve = world.child<plot::StepPlot>("Memory alive per program step");
    auto* table = world.child<tables::TableView>("Variables alive at the step");
    auto* tabs = view.findChild<QTabWidget*>();
    const QRect axis = curve->axes();
    drag(curve, {axis.left() + axis.width() / 4, axis.center().y()}, {axis.left() + 3 * axis.width() / 4, axis.center().y()},
         Qt::ShiftModifier);
    QVERIFY(world.settle());
    const auto range = view.selectedRange();
    QVERIFY(range.size() > 4);
    QVERIFY(range.contains(view.selectedStep())); // the step with most memory alive
    QTRY_VERIFY(tabs->tabText(0).startsWith("Live in the range ("));
    QCOMPARE(tabs->tabText(0), QString("Live in the range (%1)").arg(table->rows().shownRows()));
    const QString words = view.selectionText();
    QVERIFY2(words.startsWith(QString("%1 steps, %2 to %3: ").arg(range.size()).arg(range.begin).arg(range.end - 1)),
             qPrintable(words));
    QCOMPARE(curve->scene().selection, (std::vector<reports::Range<int64_t>>{range}));
    picture(view, world.theme, "liveness-range");

    // A condition on a column of the range: what lives for all of it and is large.
    auto* filter = static_cast<tables::FilteredTable*>(table->parentWidget());
    filter->filter().setText(QString("from <= %1 and until >= %2").arg(range.begin).arg(range.end - 1));
    const auto all = table->rows().table();
    const auto numberOf = [&](const tables::Row& row, const QString& id) {
      for (std::size_t c = 0; c < all->columns.size(); ++c)
        if (all->columns[c].id == id) return std::get<int64_t>(row.cells[c]);
      return int64_t(-1);
    };
    const auto whole = std::count_if(all->rows.begin(), all->rows.end(), [&](const tables::Row& row) {
      return numberOf(row, "from") <= range.begin && numberOf(row, "until") >= range.end - 1;
    });
    QVERIFY(whole < std::ptrdiff_t(all->rows.size()));
    QCOMPARE(table->rows().shownRows(), int(whole));
    filter->filter().clear();

    // The link has it, and gives it back after another step was selected.
    const auto values = view.fields().values();
    QCOMPARE(values["selected"], QString("%1-%2").arg(range.begin).arg(range.end - 1));
    QTest::mouseClick(curve, Qt::LeftButton, {}, {axis.left() + axis.width() / 8, axis.center().y()});
    QVERIFY(world.settle());
    QVERIFY(view.selectedRange().empty() && !view.fields().values().contains("selected"));
    QTRY_VERIFY(tabs->tabText(0).startsWith("Not always live ("));
    view.fields().set(values);
    view.fields().setPositions(values);
    QVERIFY(world.settle());
    QCOMPARE(view.selectedRange(), range);
    QTRY_VERIFY(tabs->tabText(0).startsWith("Live in the range ("));
  }

  void keysMoveTheEndOfARange() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 8, .operations = 8});
    auto& view = world.open<liveness::LivenessView>("liveness");
    QVERIFY(world.settle());
    auto* curve = world.child<plot::StepPlot>("Memory alive per program step");
    curve->setFocus();
    const int64_t step = view.selectedStep();
    QTest::keyClick(curve, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(curve, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(view.selectedRange(), (reports::Range<int64_t>{step, step + 3}));
    QTest::keyClick(curve, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(view.selectedRange(), (reports::Range<int64_t>{step, step + 2}));
    // Over the first step to its other side.
    QTest::keyClick(curve, Qt::Key_Left, Qt::ShiftModifier | Qt::ControlModifier);
    QCOMPARE(view.selectedRange(), (reports::Range<int64_t>{std::max<int64_t>(0, step - 9), step + 1}));
    QVERIFY(world.settle());
    // Another view selects another step: the range ends.
    const int64_t first = view.selectedRange().begin;
    QTest::keyClick(curve, Qt::Key_Escape);
    QVERIFY(view.selectedRange().empty());
    QCOMPARE(view.selectedStep(), first);
    QVERIFY(world.settle());
  }
};

TILESCOPE_TEST(LivenessRangeTest)
#include "liveness_range_test.moc"
