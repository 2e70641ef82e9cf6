// The fields of every view: links of this release are read for ever, and no word of the window is part of one.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/tile_field.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/legend.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/timeline.h"
#include "ui/state/view_link.h"
#include "ui/tables/table_view.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSet>
#include <QSlider>
#include <QTabWidget>
#include <QTranslator>

using namespace ui;

namespace {

// A window in a language of one word.
class OtherWords : public QTranslator {
public:
  bool isEmpty() const override { return false; }
  QString translate(const char*, const char*, const char*, int) const override { return QStringLiteral("x"); }
};

const QStringList kViews{"summary", "insights", "memory", "liveness", "program", "operations", "trace", "host", "query"};

bool setFields(tests::ViewWorld& world, const shell::FieldValues& values) {
  world.view->fields().set(values);
  if (!world.settle()) return false;
  world.view->fields().setPositions(values);
  return world.settle();
}

// Changes every control from its current value, as far as possible.
void moveAll(shell::View& view) {
  for (QComboBox* box : view.findChildren<QComboBox*>())
    for (int i = box->count() - 1; i >= 0; --i)
      if (i != box->currentIndex() && box->model()->index(i, 0).flags() & Qt::ItemIsEnabled) {
        box->setCurrentIndex(i);
        emit box->activated(i);
        break;
      }
  for (QTabWidget* tabs : view.findChildren<QTabWidget*>())
    for (int i = tabs->count() - 1; i > 0; --i)
      if (tabs->isTabVisible(i)) {
        tabs->setCurrentIndex(i);
        break;
      }
  for (QAction* action : view.menuActions())
    if (action->isCheckable() && !action->isChecked()) action->trigger();
  for (plot::Legend* legend : view.findChildren<plot::Legend*>())
    if (legend->shown().size() > 1) legend->setShown(1, false);
}

} // namespace

class ViewFieldsOfViewsTest : public QObject {
  Q_OBJECT

  static void addViews() {
    QTest::addColumn<QString>("id");
    for (const QString& id : kViews) QTest::newRow(qPrintable(id)) << id;
  }

private slots:
  // Every control that a user can change and that has a name is a field; the exceptions (settings for all reports) are listed here.
  void everyControlIsAField_data() { addViews(); }
  void everyControlIsAField() {
    QFETCH(QString, id);
    tests::ViewWorld world;
    world.open(id);
    QVERIFY(world.settle());
    const auto fields = world.view->fields().controls();
    QSet<const QObject*> known(fields.begin(), fields.end());
    for (const auto* box : world.view->findChildren<QComboBox*>())
      QVERIFY2(known.contains(box), qPrintable(box->accessibleName()));
    for (const auto* tabs : world.view->findChildren<QTabWidget*>())
      QVERIFY2(known.contains(tabs) || tabs->count() == 0, qPrintable(tabs->accessibleName()));
    for (const auto* table : world.view->findChildren<tables::TableView*>())
      QVERIFY2(known.contains(table), qPrintable(table->accessibleName()));
    for (const auto* text : world.view->findChildren<QPlainTextEdit*>())
      QVERIFY2(known.contains(text) || text->isReadOnly(), qPrintable(text->accessibleName()));
    for (const auto* legend : world.view->findChildren<plot::Legend*>()) QVERIFY(known.contains(legend));
    for (const auto* plot : world.view->findChildren<plot::OverviewedPlot*>()) QVERIFY(known.contains(plot));
    // The rows of a query follow the lanes; their query is a field.
    for (const auto* timeline : world.view->findChildren<plot::Timeline*>())
      QVERIFY(known.contains(timeline) || timeline->accessibleName() == "Rows of a query");
    for (const auto* slider : world.view->findChildren<QSlider*>()) QVERIFY(known.contains(slider));
    for (const auto* field : world.view->findChildren<QLineEdit*>()) {
      const bool isOther = qobject_cast<const shell::TileField*>(field) || field->accessibleName() == "Filter of the tree" ||
                           field->accessibleName().isEmpty(); // of all views; has the text of a field; inside another control
      QVERIFY2(known.contains(field) || isOther, qPrintable(field->accessibleName()));
    }
  }

  // Ids are not titles: they begin with a lower-case letter and contain no blank.
  void idsAreNoWords_data() { addViews(); }
  void idsAreNoWords() {
    QFETCH(QString, id);
    tests::ViewWorld world;
    world.open(id);
    QVERIFY(world.settle());
    moveAll(*world.view);
    QVERIFY(world.settle());
    const auto values = world.view->fields().values();
    for (auto value = values.begin(); value != values.end(); ++value)
      QVERIFY2(value.key()[0].isLower() && !value.key().contains(' '), qPrintable(value.key()));
  }

  // A link copied in one window shows the same in a window in another language.
  void linksOutliveTheWords_data() { addViews(); }
  void linksOutliveTheWords() {
    QFETCH(QString, id);
    shell::FieldValues values, atFirst;
    {
      tests::ViewWorld world;
      world.open(id);
      QVERIFY(world.settle());
      atFirst = world.view->fields().values();
      moveAll(*world.view);
      QVERIFY(world.settle());
      values = world.view->fields().values();
      values.remove("plot.up"), values.remove("plot.across"); // columns of a result: a link runs no query
      if (id != "summary") QVERIFY(values != atFirst);
    }
    OtherWords words;
    QVERIFY(QCoreApplication::installTranslator(&words));
    tests::ViewWorld world;
    world.open(id);
    QVERIFY(world.settle());
    QVERIFY(setFields(world, values));
    QCOMPARE(world.view->fields().values(), values);
    QCoreApplication::removeTranslator(&words);
  }

  // Links of earlier releases and the state that they restore: a new field adds a line; existing lines never change.
  void linksOfEarlierReleases_data() {
    QTest::addColumn<QString>("link");
    const auto add = [](const char* name, const char* fields) {
      QTest::newRow(name) << QStringLiteral("tilescope:?view=%1&%2").arg(QString(name).section(' ', 0, 0), QLatin1String(fields));
    };
    add("memory 2026-12",
        "set.picture=curve&set.figure=cycles&set.breakdown=region&set.order=ipus&set.ipu=1&set.band=on&set.logarithmic=on&"
        "set.tab=histogram&set.exchanges.by=partner&set.largest.filter=a&set.step=0");
    add("memory map 2026-12", "set.picture=map&set.figure=memory&set.breakdown=liveness&set.perIpu=on&set.limit=on&set.gaps=on&"
                              "set.hidden=memory.always_live&set.tab=tiles&set.tileRows.filter=1");
    add("liveness 2026-12", "set.limit=on&set.tab=lifetimes&set.always.filter=w&set.hidden=always");
    add("liveness compared 2026-12", "set.compared=2&set.tab=difference");
    add("program 2026-12", "set.list=functions&set.tab=vertices&set.colour=layer&set.functions.filter=a");
    add("operations 2026-12", "set.picture=graph&set.rows=kind&set.colour=waste&set.levels=2&set.tab=tiles&set.tiles.measure="
                              "flops&set.stepRows.filter=a");
    add("trace 2026-12", "set.ipu=1&set.grouped=on&set.tiles=off&set.tileOrder=idle&set.tab=flames&set.flames.order=bottomUp&"
                         "set.hidden=sync&set.statistics.filter=a&set.search=op");
    add("insights 2026-12", "set.kind=memory&set.list=largest&set.largest.scope=fullest");
    add("query 2026-12", "set.sql=select%201&set.result=plot&set.plot.style=bars");
    add("summary 2026-12", "set.options.filter=a");
    add("host 2026-12", "set.tab=calls&set.busiestFirst=on&set.areas=off&set.derived=off&set.flames.order=within");
    add("host slices 2026-12", "set.tab=slices&set.colours=name&set.slices.group=%3Dthread&set.measured=1000-2500");
    add("query timeline 2026-12", "set.sql=select%201&set.result=timeline");
  }
  void linksOfEarlierReleases() {
    QFETCH(QString, link);
    const auto parsed = shell::parseLink(link);
    QVERIFY(parsed && !parsed->fields.isEmpty());
    tests::ViewWorld world;
    world.open(parsed->place.view);
    QVERIFY(world.settle());
    QVERIFY(setFields(world, parsed->fields));
    const auto shown = world.view->fields().values();
    for (auto field = parsed->fields.begin(); field != parsed->fields.end(); ++field)
      QVERIFY2(shown.value(field.key()) == field.value(),
               qPrintable(field.key() + ": " + shown.value(field.key()) + " instead of " + field.value()));
  }

  // Links of the builds before had words: those of one version back are read.
  void linksWithWordsAreRead() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    QVERIFY(setFields(world, {{"Picture", "Curve"},
                              {"Figure", "Memory"},
                              {"Breakdown", "By region"},
                              {"Order of tiles", "Physical order"},
                              {"IPU", "IPU 1"},
                              {"Switched on", "Logarithmic scale\nShow the curve with gaps"},
                              {"Tab", "Histogram"},
                              {"Rows of exchanges", "By operation"},
                              {"Memory per tile", "2-6"},
                              {"Hidden", "With gaps"}}));
    const auto shown = world.view->fields().values();
    const shell::FieldValues wanted{
        {"breakdown", "region"}, {"order", "physical"}, {"ipu", "1"},         {"logarithmic", "on"},
        {"gaps", "on"},          {"band", "off"},       {"tab", "histogram"}, {"exchanges.by", "operation"},
        {"tiles", "2-6"},        {"hidden", "withGaps"}};
    for (auto field = wanted.begin(); field != wanted.end(); ++field) QCOMPARE(shown.value(field.key()), field.value());
  }
};

TILESCOPE_TEST(ViewFieldsOfViewsTest)
#include "view_fields_of_views_test.moc"
