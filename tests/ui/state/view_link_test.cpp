#include "ui/state/view_link.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace ui::shell;
using reports::TileId;

class ViewLinkTest : public QObject {
  Q_OBJECT

private slots:
  void aLinkSurvivesBeingText() {
    ViewLink link;
    link.reports = {"/reports/a b/ünï & co=50%+.tsr", "/data/b?c#d.tsr"};
    link.place.view = "trace";
    link.place.range = {1'000'000'000'000, 1'000'000'000'500};
    link.place.measured = {7, 9};
    link.place.tiles = {TileId(0), TileId(5), TileId(6), TileId(7), TileId(1471)};
    link.place.step = reports::ProgramStepId(12);
    link.place.operation = reports::OperationId(7);
    link.place.variable = reports::VariableId(0);
    link.place.beside = {reports::VariableId(7), reports::VariableId(3)};
    link.place.shown = Shown::Difference;
    link.fields = {{"IPU", "IPU 1"}, {"Search for steps", "a&b=c\n100 %"}, {"Hidden", "Sync\nHost stream"}};
    const QString text = linkText(link);
    QVERIFY2(text.startsWith("tilescope:?") && !text.contains(' ') && !text.contains('\n'), qPrintable(text));
    QVERIFY2(text.contains("tiles=0,5-7,1471"), qPrintable(text));
    const auto read = parseLink(" " + text + "\n"); // as it is pasted
    QVERIFY(read);
    QVERIFY2(*read == link, qPrintable(linkText(*read)));
  }

  void otherTextIsNone() {
    for (const char* text : {"", "conv weights", "tilescope", "tilescope:", "http://a?view=trace", "12"})
      QVERIFY(!parseLink(text));
  }

  // Compare of the last version had pages of the programs and the operations.
  void aPageThatMovedIsFound() {
    const auto programs = parseLink("tilescope:?view=compare&set.tab=program&set.causes.filter=x");
    QVERIFY(programs->place.view == "program" && programs->place.shown == Shown::Difference && programs->fields.isEmpty());
    const auto operations =
        parseLink("tilescope:?view=compare&set.tab=operations&set.operations.filter=conv&set.causes.filter=x");
    QVERIFY(operations->place.view == "operations" && operations->place.shown == Shown::Difference);
    QCOMPARE(operations->fields, (FieldValues{{"operations.filter", "conv"}, {"rows", "all"}, {"tab", "operations"}}));
    const auto difference = parseLink("tilescope:?view=operations&shown=difference&set.operations.filter=conv");
    QCOMPARE(difference->fields, (FieldValues{{"operations.filter", "conv"}, {"rows", "all"}}));
    const auto chosen = parseLink("tilescope:?view=operations&shown=difference&set.operations.filter=conv&set.rows=kind");
    QCOMPARE(chosen->fields.value("rows"), QString("kind"));
    QCOMPARE(parseLink("tilescope:?view=compare&set.tab=trace")->place.view, QString("compare"));
  }

  // A link from a stranger may contain anything: invalid parts are ignored.
  void partsWithoutSenseAreLeftOut() {
    const auto link = parseLink(
        "tilescope:?view=memory&range=9-3&ruler=-5-2&tiles=5,x,8-6,4294967295-1,3&step=-1&operation=-2&variable=abc&new=1");
    QVERIFY(link);
    QCOMPARE(link->place.view, QString("memory"));
    QVERIFY(link->place.range.empty() && link->place.measured.empty());
    QCOMPARE(link->place.tiles, (std::vector<TileId>{TileId(3), TileId(5)}));
    QVERIFY(!link->place.step.valid() && !link->place.operation.valid() && !link->place.variable.valid());
    QVERIFY(parseLink("tilescope:?tiles=0-4000000000")->place.tiles.empty());                          // more than a machine has
    QCOMPARE(parseLink("tilescope:?tiles=4294967294-4294967295")->place.tiles.size(), std::size_t(0)); // no tile's number
    std::mt19937 random(7);
    for (int i = 0; i < 500; ++i) {
      QString noise = "tilescope:?";
      for (int k = 0; k < 80; ++k) noise += QChar(ushort(random() % 128));
      (void)parseLink(noise);
    }
  }

  void aLinkIsNamedForPeople() {
    const auto link = parseLink("tilescope:?report=/a/run.tsr&view=trace&range=100-2200&tiles=4");
    QString title = linkTitle(*link);
    title.replace(QChar(0x202F), ' ').replace(QChar(0xA0), ' ');
    QCOMPARE(title, QString("Trace of run.tsr, cycles 100 to 2 200, tile 4"));
  }
};

TILESCOPE_TEST(ViewLinkTest)
#include "view_link_test.moc"
