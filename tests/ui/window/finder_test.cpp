#include "ui/window/finder.h"

#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "ui/jobs/job_board.h"
#include "ui/state/view_state.h"
#include "ui/theme/theme.h"

#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>

using namespace ui::shell;

class FinderTest : public QObject {
  Q_OBJECT

  tests::TinyReport m_report;
  SessionPointer m_session = analyser::Session::open(m_report.path().string());

  static const Command* starting(const std::vector<Command>& list, const QString& detail) {
    for (const Command& command : list)
      if (command.detail.startsWith(detail)) return &command;
    return nullptr;
  }

private slots:
  void everyWordMustOccur() {
    ReportIndex index;
    for (const char* name : {"net/conv1/weights", "net/conv1/bias", "net/fc/weights"})
      index.push_back({NamedThing::Kind::Variable, name, "Variables", 1, {}, reports::VariableId(index.size()), {}});
    QCOMPARE(findNames(index, "WEIGHTS conv", 10).shown.size(), std::size_t(1));
    QCOMPARE(findNames(index, "variables", 10).shown.size(), std::size_t(3));
    QVERIFY(findNames(index, "conv2", 10).shown.empty() && findNames(index, "  ", 10).shown.empty());
    QCOMPARE(findNames(index, "/CONV\\d.*s$/", 10).shown.size(), std::size_t(2)); // an expression, over names
    QCOMPARE(findNames(index, "/variables/", 10).shown.size(), std::size_t(0));
    QVERIFY(findNames(index, "/conv(/", 10).shown.empty()); // not a valid expression
    const NamesFound some = findNames(index, "net", 2);
    QCOMPARE(some.shown.size(), std::size_t(2));
    QCOMPARE(some.left, std::size_t(1));
  }

  void theCostliestOfEachKindComesFirst() {
    const ReportIndex index = readIndex(*m_session, {});
    for (std::size_t i = 1; i < index.size(); ++i) {
      QVERIFY(index[i - 1].kind <= index[i].kind);
      if (index[i - 1].kind == index[i].kind) QVERIFY(index[i - 1].cost >= index[i].cost);
    }
    for (const auto kind : {NamedThing::Kind::Operation, NamedThing::Kind::Step, NamedThing::Kind::Variable})
      QVERIFY(std::any_of(index.begin(), index.end(), [&](const NamedThing& t) { return t.kind == kind && t.cost > 0; }));
  }

  void whatIsFoundIsSelectedAndShown() {
    ViewState state;
    ui::jobs::JobBoard board;
    Finder finder(state, board);
    QVERIFY(finder.find("operands").empty());
    finder.setSession(m_session);
    finder.prepare();
    QTRY_VERIFY(!finder.isReading());
    const ReportIndex index = readIndex(*m_session, {});
    const auto variable =
        std::find_if(index.begin(), index.end(), [](const NamedThing& t) { return t.kind == NamedThing::Kind::Variable; });
    QSignalSpy asked(&finder, &Finder::viewRequested);
    const auto found = finder.find(variable->name);
    const Command* command = starting(found, "variable");
    QVERIFY(command && command->title == variable->name);
    command->run();
    QCOMPARE(state.variable(), variable->variable);
    QCOMPARE(asked.takeFirst()[0].toString(), QString("memory"));

    const auto operations = finder.find(index.front().name);
    command = starting(operations, "operation");
    QVERIFY(command);
    command->run();
    QCOMPARE(state.step(), index.front().step);
    QVERIFY(state.operation().valid() && state.operation() == index.front().operation);
    QCOMPARE(asked.takeFirst()[0].toString(), QString("operations"));

    const auto tiles = finder.find("tiles 3, 5-6");
    QCOMPARE(tiles.size(), std::size_t(1));
    tiles.front().run();
    QCOMPARE(state.tiles(), (std::vector<reports::TileId>{reports::TileId(3), reports::TileId(5), reports::TileId(6)}));
    QVERIFY(finder.find("99999").empty()); // no such tile
    finder.setSession(nullptr);
    QVERIFY(finder.find(variable->name).empty() && finder.find("3").empty());
  }

  void aRangeOfCyclesIsTyped() {
    ViewState state;
    ui::jobs::JobBoard board;
    Finder finder(state, board);
    finder.setSession(m_session);
    QSignalSpy asked(&finder, &Finder::viewRequested);
    const auto list = finder.find("cycles 1,200 - 3400");
    const Command* range = starting(list, "show in Trace");
    QVERIFY(range);
    range->run();
    QCOMPARE(state.range(), (reports::TickRange{1200, 3400}));
    QCOMPARE(asked.last().first().toString(), QString("trace"));
    for (const char* other : {"2-5", "cycles 5", "cycles 9-3", "conv1"}) // tiles, half a range, none, a name
      QVERIFY2(!starting(finder.find(other), "show in Trace"), other);
    QVERIFY(starting(finder.find("120000..250000"), "show in Trace")); // no tiles
  }

  void thePaletteShowsThemBetweenExactAndLooseCommands() {
    ui::theme::Theme theme;
    QWidget window;
    window.resize(900, 700);
    CommandPalette palette(theme, &window);
    window.show();
    QString ran;
    const auto command = [&](const QString& title) { return Command{title, {}, "info", {}, [&ran, title] { ran = title; }}; };
    palette.open({command("Save picture"), command("Compare"), command("Map")}, [&](const QString& typed) {
      return std::vector<Command>{command("found " + typed), Command{"3 more", {}, "search", {}, {}}};
    });
    auto* input = palette.findChild<QLineEdit*>();
    auto* list = palette.findChild<QListWidget*>();
    QCOMPARE(list->count(), 3); // nothing typed: nothing looked for
    QTest::keyClicks(input, "map");
    QStringList titles;
    for (int i = 0; i < list->count(); ++i) titles.append(list->item(i)->text());
    QCOMPARE(titles.mid(0, 3), (QStringList{"Map", "found map", "3 more"}));
    list->setCurrentRow(2);
    QTest::keyClick(input, Qt::Key_Return); // says how many there are, and goes nowhere
    QVERIFY(palette.isVisible() && ran.isEmpty());
    list->setCurrentRow(1);
    QTest::keyClick(input, Qt::Key_Return);
    QCOMPARE(ran, QString("found map"));
    QVERIFY(!palette.isVisible());
  }
};

TILESCOPE_TEST(FinderTest)
#include "finder_test.moc"
