// A sweep names parameters and options as the form's fields do: "machine", not --machine.
#include "ui/views/sweep/sweep_axes.h"

#include "tests/support/test_main.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/legend.h"
#include "ui/theme/theme.h"
#include "ui/views/sweep/sweep_plot.h"

#include <QComboBox>
#include <QTest>

using namespace ui::sweep;

class SweepAxesTest : public QObject {
  Q_OBJECT

  static analyser::sweep::SweepTable sweep() {
    analyser::sweep::SweepTable table;
    table.parameters = {"batch", "--available-memory", "--machine"};
    for (const char* machine : {"gc200", "bow"}) {
      analyser::sweep::Point point;
      point.configuration.values = {{"batch", "8"}, {"--available-memory", "0.6"}, {"--machine", machine}};
      table.points.push_back(point);
    }
    return table;
  }

private slots:
  void titlesAreThoseOfFields() {
    const auto table = sweep();
    QStringList axes;
    for (const Axis& axis : axesOf(table)) axes << axis.id + '=' + axis.title;
    QVERIFY2(axes.contains("parameter.batch=batch"), qPrintable(axes.join('|')));
    QVERIFY2(axes.contains("parameter.--available-memory=available-memory"), qPrintable(axes.join('|')));
    QCOMPARE(valuesText(table.points[1]), QString("batch 8, available-memory 0.6, machine bow"));
    QCOMPARE(parameterTitle("--machine"), QString("machine"));
  }

  // Links keep the id of an option, with its dashes.
  void thePlotOffersTheTitles() {
    ui::theme::Theme theme;
    QWidget owner;
    ui::shell::ViewFields fields(owner);
    SweepPlot plot(theme, fields);
    plot.show(std::make_shared<analyser::sweep::SweepTable>(sweep()), {});
    for (auto* box : plot.findChildren<QComboBox*>())
      for (int i = 0; i < box->count(); ++i) QVERIFY2(!box->itemText(i).contains("--"), qPrintable(box->itemText(i)));
    for (auto* box : plot.findChildren<QComboBox*>())
      if (box->accessibleName() == "Colour") {
        const int machine = box->findText("machine");
        QCOMPARE(box->itemData(machine).toString(), QString("--machine"));
      }
  }
};

TILESCOPE_TEST(SweepAxesTest)
#include "sweep_axes_test.moc"
