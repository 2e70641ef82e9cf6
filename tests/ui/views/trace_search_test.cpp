// The search of the trace: every match with its count and total; the other slices are dimmed.
#include "analyser/program/program_tree.h"
#include "analyser/session/debug_contexts.h"
#include "analyser/trace/execution_trace.h"
#include "reports/sqlite/reader.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/track_source.h"
#include "ui/tables/table_view.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTabWidget>

#include <numeric>

using namespace ui;

namespace {
std::optional<int64_t> parentOf(analyser::Session& session, int64_t context) {
  return session.reader().first<reports::DebugContextRow>("id = ?", {context})->parentId;
}
} // namespace

class TraceSearchTest : public QObject {
  Q_OBJECT

  static QString note(const tests::ViewWorld& world) {
    for (const auto* label : world.view->findChildren<QLabel*>())
      if (label->text().contains(" in all, ")) return label->text();
    return {};
  }

private slots:
  void matchesAreCountedAndListed() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    analyser::trace::ExecutionTrace trace(*world.session);
    int64_t count = 0;
    for (const auto& s : trace.statistics(trace.range(), "exchange")) count += s.count;
    QVERIFY(count > 1);
    world.child<QLineEdit>("Search for steps")->setText("exchange");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Matches");
    QCOMPARE(int64_t(table->rows().rowCount()), count);
    QVERIFY2(note(world).startsWith(theme::count(count)), qPrintable(note(world)));
    int64_t before = -1;
    for (const auto& row : table->rows().table()->rows) {
      QVERIFY(std::get<QString>(row.cells[0]).contains("xchange"));
      QVERIFY(std::get<int64_t>(row.cells[3]) >= before); // in the order of time
      before = std::get<int64_t>(row.cells[3]);
    }
    table->selectRow(1);
    QVERIFY(QTest::qWaitFor([&] { return world.view->selectionText().contains("xchange"); }));
    world.child<QLineEdit>("Search for steps")->clear();
    QVERIFY(world.settle());
    QCOMPARE(table->rows().rowCount(), 0);
  }

  // The user steps from match to match and sees its number, also in the list.
  void theMatchThatIsShownIsTold() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* field = world.child<QLineEdit>("Search for steps");
    field->setText("exchange");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Matches");
    const int all = table->rows().rowCount();
    QVERIFY(all > 2);
    const auto position = [&] {
      static const QRegularExpression told("^(\\d+) of " + QString::number(all) + "$");
      for (const auto* label : world.view->findChildren<QLabel*>())
        if (const auto match = told.match(label->text()); match.hasMatch()) return match.captured(1).toInt();
      return 0;
    };
    int before = 0; // what begins together on two IPUs is one stop
    for (int step = 0; step < 3; ++step) {
      QTest::keyClick(field, Qt::Key_Return);
      QVERIFY(QTest::qWaitFor([&] { return position() > before; }));
      before = position();
      QCOMPARE(table->selectedIds(), std::vector<int64_t>{before - 1});
    }
  }

  // Steps are found by their paths, too: slices are called by the last part alone.
  void anExpressionMayGoOverTheWholePath() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    const auto program = analyser::program::programTree(*world.session);
    const auto step = std::find_if(program.nodes.begin(), program.nodes.end(), [](const auto& n) {
      return n.children == 0 && n.executions > 0 && n.name.find('/') != std::string::npos;
    });
    QVERIFY(step != program.nodes.end());
    const int64_t count =
        std::accumulate(program.nodes.begin(), program.nodes.end(), int64_t(0), [&](int64_t sum, const auto& n) {
          return sum + (n.children == 0 && n.name == step->name ? n.executions : 0);
        });
    const QString name = QString::fromStdString(step->name);
    world.child<QLineEdit>("Search for steps")->setText("/^" + name.section('/', 0, 0) + ".*/" + name.section('/', -1) + "$/");
    QVERIFY(world.settle());
    QVERIFY2(world.child<tables::TableView>("Matches")->rows().rowCount() >= count, qPrintable(name));
  }

  void anExpressionIsOneOnlyIfAskedFor() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Matches");
    world.child<QLineEdit>("Search for steps")->setText("(exchange|compute)$");
    QVERIFY(world.settle());
    QCOMPARE(table->rows().rowCount(), 0);
    auto* expression = world.view->findChild<QCheckBox*>();
    expression->setChecked(true);
    QVERIFY(world.settle());
    QVERIFY(table->rows().rowCount() > 0);
    const int asked = table->rows().rowCount();
    expression->setChecked(false);
    world.child<QLineEdit>("Search for steps")->setText("/(exchange|compute)$/"); // as in the filter of a table
    QVERIFY(world.settle());
    QCOMPARE(table->rows().rowCount(), asked);
    world.child<QLineEdit>("Search for steps")->setText("/(exchange/");
    QVERIFY(world.settle());
    QVERIFY(QTest::qWaitFor([&] {
      for (const auto* label : world.view->findChildren<QLabel*>())
        if (label->text().contains("missing")) return true; // "missing closing parenthesis"
      return false;
    }));
    QCOMPARE(table->rows().rowCount(), 0); // the matches of the last text are gone
  }

  void aRunIsFoundByTheNameItIsShownWith() {
    tests::ViewWorld world;
    tests::tamper(world.report.path(), "UPDATE string SET text = 'step #0' WHERE text = 'init'"); // as simulated runs are called
    world.session = analyser::Session::open(world.report.path().string());
    world.open("trace");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Matches");
    world.child<QLineEdit>("Search for steps")->setText("Engine::run #0");
    QVERIFY(world.settle());
    const int shown = table->rows().rowCount();
    QVERIFY(shown > 0);
    world.child<QLineEdit>("Search for steps")->setText("step #0");
    QVERIFY(world.settle());
    QCOMPARE(table->rows().rowCount(), shown);
  }

  // Scopes show only the last part of their path. A search for more parts finds the outermost matching scope, not all inside it.
  void aPathFindsTheScopeThatHasIt() {
    tests::ViewWorld world;
    analyser::trace::Slices slices(*world.session, "ipu");
    const auto& track = slices.tracks().front();
    int looked = 0;
    for (int depth = 0; depth < track.depths; ++depth)
      slices.forEach(track.id, depth, slices.range(), {}, [&](const analyser::trace::Slice& s) {
        if (reports::Activity(s.category) != reports::Activity::Scope || s.ref < 0 || looked > 20) return;
        const auto chain = analyser::debugChain(*world.session, s.ref);
        if (chain.size() < 2) return;
        const auto meant = shell::meant(*world.session, {QString::fromStdString(chain[1].name + "/" + chain[0].name)}, false);
        QVERIFY(meant.has(s.name, s.category, s.ref));
        QVERIFY(!meant.contexts[std::size_t(*parentOf(*world.session, s.ref))]);
        const auto onHost = shell::meant(*world.session, {QString::fromStdString(chain[1].name + "/" + chain[0].name)}, true);
        QVERIFY(onHost.contexts.empty());
        ++looked;
      });
    QVERIFY(looked > 0);
  }

  void aMatchInsideAnotherCountsOnce() {
    tests::ViewWorld world;
    analyser::trace::Slices slices(*world.session, "ipu");
    const auto& track = slices.tracks().front();
    const auto all = shell::findAll(slices, {track.id}, [](const auto&) { return true; }, slices.range(), 5, {});
    QCOMPARE(all.count, track.slices);
    QCOMPARE(all.first.size(), std::size_t(5));
    int64_t outermost = 0;
    slices.forEach(track.id, 0, slices.range(), {}, [&](const auto& s) { outermost += s.duration(); });
    QCOMPARE(all.ticks, outermost);
  }

  // If the text changes before the count ends, only the matches of the new text are shown.
  void aNewTextReplacesTheSearch() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* table = world.child<ui::tables::TableView>("Matches");
    QLineEdit* field = nullptr;
    for (auto* candidate : world.view->findChildren<QLineEdit*>())
      if (candidate->placeholderText().contains("search", Qt::CaseInsensitive)) field = candidate;
    QVERIFY(table && field);
    field->setText("compute");
    field->setText("conv0");
    QVERIFY(world.settle());
    QVERIFY(table->rows().rowCount() > 0);
    for (int row = 0; row < table->rows().rowCount(); ++row) {
      const QString name = table->rows().index(row, 0).data().toString() + table->rows().index(row, 1).data().toString();
      QVERIFY2(name.contains("conv0"), qPrintable(name));
    }
    field->setText("no such step");
    QVERIFY(world.settle());
    QCOMPARE(table->rows().rowCount(), 0);
  }

  // The listed matches are the earliest of all tracks and depths, even those listed while the rest is still counted.
  void theEarliestMatchesAreListed() {
    tests::ViewWorld world;
    analyser::trace::Slices slices(*world.session, "ipu");
    std::vector<reports::TrackId> tracks;
    std::vector<int64_t> begins;
    for (const auto& track : slices.tracks()) {
      tracks.push_back(track.id);
      for (int depth = 0; depth < track.depths; ++depth)
        slices.forEach(track.id, depth, slices.range(), {}, [&](const auto& s) { begins.push_back(s.ticks.begin); });
    }
    QVERIFY(tracks.size() > 1);
    std::sort(begins.begin(), begins.end());
    begins.resize(40);
    const auto beginsOf = [](const shell::FoundAll& all) {
      std::vector<int64_t> own;
      for (const auto& found : all.first) own.push_back(found.slice.ticks.begin);
      return own;
    };
    const auto any = [](const auto&) { return true; };
    QCOMPARE(beginsOf(shell::findAll(slices, tracks, any, slices.range(), begins.size(), {})), begins);
    auto earliest = beginsOf(shell::findEarliest(slices, tracks, any, slices.range(), begins.size(), {}));
    QVERIFY(!earliest.empty());
    begins.resize(earliest.size());
    QCOMPARE(earliest, begins);
  }
};

TILESCOPE_TEST(TraceSearchTest)
#include "trace_search_test.moc"
