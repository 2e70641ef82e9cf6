// A link brings the controls of a view back, whatever was done to them since.
#include "ui/shell/view_controls.h"

#include "tests/support/test_main.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/step_plot.h"
#include "ui/shell/tile_field.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QSlider>
#include <QTabWidget>
#include <QTest>
#include <QVBoxLayout>

using namespace ui::shell;

class ViewControlsTest : public QObject {
  Q_OBJECT

  struct Controls {
    QWidget view;
    QComboBox* box = new QComboBox;
    QSlider *slider = new QSlider, *hidden = new QSlider;
    QLineEdit *filter = new QLineEdit, *tiles = new TileField;
    QTabWidget *tabs = new QTabWidget, *inner = new QTabWidget;
    QMenu* menu = new QMenu(&view);
    QAction *logarithmic = menu->addAction("Logarithmic scale"), *column = menu->addAction("Code"),
            *once = menu->addAction("Fit");

    Controls() {
      auto* layout = new QVBoxLayout(&view);
      for (QWidget* widget : std::initializer_list<QWidget*>{box, slider, hidden, filter, tiles, tabs, inner})
        layout->addWidget(widget);
      box->addItems({"All", "IPU 0", "IPU 1"});
      box->setAccessibleName("IPU");
      slider->setAccessibleName("Step"), slider->setRange(0, 20);
      hidden->setAccessibleName("Step of the map"), hidden->setRange(0, 20), hidden->hide();
      filter->setAccessibleName("Filter"), tiles->setAccessibleName("Tiles");
      for (auto* with : {tabs, inner})
        for (const char* title : {"First", "Second (12)", "Third"}) with->addTab(new QWidget, title);
      inner->setAccessibleName("Tables of the step");
      for (QAction* action : {logarithmic, column}) action->setCheckable(true);
      column->setProperty(kWish, true);
    }
  };

private slots:
  void whatWasSetComesBack() {
    Controls c;
    c.box->setCurrentIndex(2), c.slider->setValue(7), c.logarithmic->setChecked(true), c.column->setChecked(true);
    c.tabs->setCurrentIndex(1), c.inner->setCurrentIndex(2), c.filter->setText("conv");
    c.tiles->setText("7");
    const auto kept = controlsOf(c.view);
    QVERIFY(!kept.contains("Step of the map")); // nobody sees it
    c.box->setCurrentIndex(0), c.slider->setValue(12), c.logarithmic->setChecked(false), c.column->setChecked(false);
    c.tabs->setCurrentIndex(0), c.inner->setCurrentIndex(0), c.filter->clear();
    c.tiles->setText("463"); // as another view selects it
    bool told = false, restoring = false;
    connect(c.slider, &QSlider::valueChanged, this, [&] { told = true, restoring = isRestoring(c.view); });
    setControls(c.view, kept);
    QVERIFY(told && restoring && !isRestoring(c.view));
    QCOMPARE(controlsOf(c.view), kept);
    QCOMPARE(c.box->currentIndex(), 2);
    QCOMPARE(c.slider->value(), 7);
    QVERIFY(c.logarithmic->isChecked());
    QVERIFY(!c.column->isChecked()); // a wish of the user is none of the link
    QCOMPARE(c.tabs->currentIndex(), 1);
    QCOMPARE(c.inner->currentIndex(), 2);
    QCOMPARE(c.filter->text(), QString("conv"));
    QCOMPARE(c.tiles->text(), QString("463")); // selected tiles are of the window, not of the view
  }

  // A control that stood at its beginning goes back to it, too.
  void theBeginningComesBack() {
    Controls c;
    const auto kept = controlsOf(c.view);
    c.slider->setValue(5), c.tabs->setCurrentIndex(2), c.logarithmic->setChecked(true);
    setControls(c.view, kept);
    QCOMPARE(c.slider->value(), 0);
    QCOMPARE(c.tabs->currentIndex(), 0);
    QVERIFY(!c.logarithmic->isChecked());
  }

  void thePositionsOfAPlotComeBack() {
    QWidget view;
    ui::theme::Theme theme;
    auto* plot = new ui::plot::StepPlot(theme, "Memory per tile");
    (new QVBoxLayout(&view))->addWidget(new ui::plot::OverviewedPlot(theme, plot));
    plot->setAxes("Tile", 1000, "Memory", ui::plot::ValueKind::Bytes);
    const auto all = controlsOf(view);
    QVERIFY(all.isEmpty());
    plot->setVisible({200, 500});
    const auto kept = controlsOf(view);
    QCOMPARE(kept.value("Memory per tile"), QString("200-500"));
    setPositions(view, all);
    QCOMPARE(plot->visible(), (reports::Range<int64_t>{0, 1000}));
    setPositions(view, kept);
    QCOMPARE(plot->visible(), (reports::Range<int64_t>{200, 500}));
    for (const char* odd : {"", "5", "500-200", "a-b", "-"}) setPositions(view, {{"Memory per tile", odd}}); // shows all
    QCOMPARE(plot->visible(), (reports::Range<int64_t>{0, 1000}));
  }

  void olderLinksNameOneTabForAll() {
    Controls c;
    setControls(c.view, {{"Tab", "Third"}});
    QCOMPARE(c.tabs->currentIndex(), 2);
    QCOMPARE(c.inner->currentIndex(), 2);
  }

  void theMenuIsOfferedAsCommands() {
    Controls c;
    c.menu->addSeparator();
    c.column->setVisible(false);
    c.menu->addAction("Columns")->setEnabled(false);
    QCOMPARE(menuActionsOf(c.view), (QList<QAction*>{c.logarithmic, c.once}));
  }
};

TILESCOPE_TEST(ViewControlsTest)
#include "view_controls_test.moc"
