// A link restores the fields of a view, whatever happened to its controls since.
#include "ui/parts/view_fields.h"

#include "tests/support/test_main.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QSlider>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTest>
#include <QVBoxLayout>

using namespace ui::shell;

namespace {

enum class Scope { All, First, Second };

struct Controls {
  QWidget view;
  QComboBox* box = new QComboBox;
  QSlider *slider = new QSlider, *hidden = new QSlider;
  QLineEdit* filter = new QLineEdit;
  QTabWidget *tabs = new QTabWidget, *inner = new QTabWidget;
  QMenu* menu = new QMenu(&view);
  QAction *logarithmic = menu->addAction("Logarithmic scale"), *column = menu->addAction("Code");
  Scope scope = Scope::All;
  bool isLogarithmic = false;
  ViewFields fields{view};

  Controls() {
    auto* layout = new QVBoxLayout(&view);
    for (QWidget* widget : std::initializer_list<QWidget*>{box, slider, hidden, filter, tabs, inner}) layout->addWidget(widget);
    box->setAccessibleName("IPU");
    slider->setAccessibleName("Step"), slider->setRange(0, 20);
    hidden->setAccessibleName("Step of the map"), hidden->setRange(0, 20), hidden->hide();
    filter->setAccessibleName("Filter");
    for (auto* with : {tabs, inner})
      for (const char* title : {"First", "Second (12)", "Third"}) with->addTab(new QWidget, title);
    inner->setAccessibleName("Tables of the step");
    column->setCheckable(true);
    fields.choice<Scope>("ipu", *box, scope,
                         {{Scope::All, "all", "All"}, {Scope::First, "0", "IPU 0"}, {Scope::Second, "1", "IPU 1"}});
    fields.flagOfReport("logarithmic", *logarithmic, isLogarithmic);
    fields.text("filter", *filter);
    fields.number("step", *slider);
    fields.number("mapStep", *hidden);
    fields.tabs("tab", *tabs, {{tabs->widget(0), "first"}, {tabs->widget(1), "second"}, {tabs->widget(2), "third"}});
    fields.tabs("inner", *inner, {{inner->widget(0), "first"}, {inner->widget(1), "second"}, {inner->widget(2), "third"}});
  }
  void useOtherWords() {
    for (int i = 0; i < box->count(); ++i) box->setItemText(i, "x");
    for (auto* with : {tabs, inner})
      for (int i = 0; i < with->count(); ++i) with->setTabText(i, "x");
    for (QWidget* widget : std::initializer_list<QWidget*>{box, slider, filter, inner}) widget->setAccessibleName("x");
    logarithmic->setText("x");
  }
};

} // namespace

class ViewFieldsTest : public QObject {
  Q_OBJECT

private slots:
  void whatWasSetComesBack() {
    Controls c;
    c.box->setCurrentIndex(2), c.slider->setValue(7), c.logarithmic->setChecked(true), c.column->setChecked(true);
    c.tabs->setCurrentIndex(1), c.inner->setCurrentIndex(2), c.filter->setText("conv");
    QVERIFY(c.scope == Scope::Second && c.isLogarithmic);
    const FieldValues kept = c.fields.values();
    QCOMPARE(kept, (FieldValues{{"ipu", "1"},
                                {"logarithmic", "on"},
                                {"filter", "conv"},
                                {"step", "7"},
                                {"tab", "second"},
                                {"inner", "third"}})); // not the hidden slider, nor the column choice
    c.box->setCurrentIndex(0), c.slider->setValue(12), c.logarithmic->setChecked(false), c.column->setChecked(false);
    c.tabs->setCurrentIndex(0), c.inner->setCurrentIndex(0), c.filter->clear();
    bool told = false, restoring = false;
    connect(c.slider, &QSlider::valueChanged, this, [&] { told = true, restoring = c.fields.isRestoring(); });
    c.useOtherWords();
    c.fields.set(kept);
    QVERIFY(told && restoring && !c.fields.isRestoring());
    QCOMPARE(c.fields.values(), kept);
    QVERIFY(c.scope == Scope::Second && c.isLogarithmic);
    QCOMPARE(c.box->currentIndex(), 2);
    QCOMPARE(c.slider->value(), 7);
    QCOMPARE(c.tabs->currentIndex(), 1);
    QCOMPARE(c.inner->currentIndex(), 2);
    QCOMPARE(c.filter->text(), QString("conv"));
  }

  // A control at its initial value is restored, too. A switch that follows the report is not reset for another report.
  void theBeginningComesBack() {
    Controls c;
    const FieldValues kept = c.fields.values(), first = c.fields.values(ViewFields::Which::First);
    c.slider->setValue(5), c.tabs->setCurrentIndex(2), c.logarithmic->setChecked(true);
    c.fields.set(first);
    QCOMPARE(c.slider->value(), 0);
    QCOMPARE(c.tabs->currentIndex(), 0);
    QVERIFY(c.isLogarithmic);
    c.fields.set(kept);
    QVERIFY(!c.isLogarithmic);
  }

  // A value that a control does not offer, or does not offer now, changes nothing.
  void valuesThatAreNotOfferedAreLeftOut() {
    Controls c;
    static_cast<QStandardItemModel*>(c.box->model())->item(2)->setEnabled(false);
    c.tabs->setTabVisible(2, false);
    c.logarithmic->setEnabled(false);
    const FieldValues before = c.fields.values();
    for (const char* odd : {"1", "9", "All", "x", "off"})
      c.fields.set({{"ipu", odd}, {"tab", "third"}, {"logarithmic", "on"}, {"other", odd}, {"inner", odd}, {"step", odd}});
    c.slider->setValue(0);
    QCOMPARE(c.fields.values(), before);
  }

  // Links of earlier builds contain the texts of the window.
  void olderLinksAreRead() {
    Controls c;
    c.fields.set({{"IPU", "IPU 1"},
                  {"Switched on", "Logarithmic scale\nCode"},
                  {"Filter", "conv"},
                  {"Step", "7"},
                  {"Tab", "Second"},
                  {"Tab Tables of the step", "Third"}});
    QCOMPARE(c.fields.values(),
             (FieldValues{
                 {"ipu", "1"}, {"logarithmic", "on"}, {"filter", "conv"}, {"step", "7"}, {"tab", "second"}, {"inner", "third"}}));
    c.fields.set({{"Switched on", "Code"}});
    QVERIFY(!c.isLogarithmic);
    c.fields.set({{"Tab", "First"}}); // one tab for all
    QCOMPARE(c.tabs->currentIndex(), 0);
    QCOMPARE(c.inner->currentIndex(), 0);
  }

  void thePositionsOfAPlotComeBack() {
    QWidget view;
    ui::theme::Theme theme;
    auto* plot = new ui::plot::StepPlot(theme, "Memory per tile");
    auto* overviewed = new ui::plot::OverviewedPlot(theme, plot);
    (new QVBoxLayout(&view))->addWidget(overviewed);
    plot->setAxes("Tile", 1000, "Memory", ui::plot::ValueKind::Bytes);
    ViewFields fields(view);
    fields.range("tiles", *overviewed);
    const auto all = fields.values();
    QVERIFY(all.isEmpty());
    plot->setVisible({200, 500});
    const auto kept = fields.values();
    QCOMPARE(kept.value("tiles"), QString("200-500"));
    fields.setPositions(all);
    QCOMPARE(plot->visible(), (reports::Range<int64_t>{0, 1000}));
    fields.setPositions(kept);
    QCOMPARE(plot->visible(), (reports::Range<int64_t>{200, 500}));
    fields.setPositions(all);
    fields.setPositions({{"Memory per tile", "200-500"}}); // as an older link has it
    QCOMPARE(plot->visible(), (reports::Range<int64_t>{200, 500}));
    for (const char* odd : {"", "5", "500-200", "a-b", "-"}) fields.setPositions({{"tiles", odd}}); // shows all
    QCOMPARE(plot->visible(), (reports::Range<int64_t>{0, 1000}));
  }
};

TILESCOPE_TEST(ViewFieldsTest)
#include "view_fields_test.moc"
