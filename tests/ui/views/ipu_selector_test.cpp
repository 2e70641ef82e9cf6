// The chosen IPU applies to all figures, not only to the plot: verdict, legend and tables are those of the chosen IPU, and the
// IPUs sum to the total.
#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/memory/tile_metrics.h"
#include "analyser/trace/execution_trace.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/legend.h"
#include "ui/tables/table_view.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QTabWidget>

#include <numeric>

using namespace ui;

namespace {

int64_t sumOfColumn(const tables::Table& table, std::size_t column) {
  int64_t sum = 0;
  for (const auto& row : table.rows)
    if (const auto* value = std::get_if<int64_t>(&row.cells[column])) sum += *value;
  return sum;
}

} // namespace

class IpuSelectorTest : public QObject {
  Q_OBJECT

private slots:
  void memoryOfTheIpusIsTheWhole() {
    tests::ViewWorld world;
    using namespace analyser::memory;
    const auto whole = tileMemory(*world.session, Breakdown::ByCategory);
    reports::Bytes sum, most;
    for (const std::size_t ipu : {0, 1}) {
      const auto own = tileMemoryOf(*world.session, reports::IpuId(ipu), Breakdown::ByCategory);
      reports::Bytes parts;
      for (const auto& part : own.parts) parts += part.sum;
      QCOMPARE(parts, own.total.sum);
      QCOMPARE(world.session->machine().ipuOf(own.total.maxTile), reports::IpuId(ipu));
      QVERIFY2(own.verdict.text().starts_with("IPU " + std::to_string(ipu) + " fits"), own.verdict.text().c_str());
      sum += own.total.sum, most = std::max(most, own.total.max);
    }
    QCOMPARE(sum, whole.total.sum);
    QCOMPARE(most, whole.total.max);
  }

  void memoryShowsTheChosenIpu() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Largest variables");
    const QString before = world.view->verdict();
    const int64_t all = sumOfColumn(*table->rows().table(), 1);
    int64_t apart = 0;
    for (const int ipu : {1, 2}) { // after "All IPUs"
      world.child<QComboBox>("IPU")->setCurrentIndex(ipu);
      QVERIFY(world.settle());
      QVERIFY2(world.view->verdict().startsWith(QString("IPU %1 fits").arg(ipu - 1)), qPrintable(world.view->verdict()));
      apart += sumOfColumn(*table->rows().table(), 1);
      const auto tree = world.child<tables::TreeView>("Memory of the selected tiles")->rows().tree();
      QCOMPARE(tree->columns[1].title, QString("IPU %1").arg(ipu - 1));
    }
    QCOMPARE(apart, all);
    world.child<QComboBox>("IPU")->setCurrentIndex(0);
    QVERIFY(world.settle());
    QCOMPARE(world.view->verdict(), before);
  }

  // A view limited to one IPU shows the tile that another view requests.
  void whatIsAskedForIsSeen() {
    tests::ViewWorld world;
    const auto fullest =
        analyser::memory::fullestTile(analyser::memory::tileMemory(*world.session, analyser::memory::Breakdown::None));
    const int other = world.session->machine().ipuOf(fullest) == reports::IpuId(0) ? 2 : 1; // after "All IPUs"
    world.open("memory");
    QVERIFY(world.settle());
    world.view->show();
    world.child<QComboBox>("IPU")->setCurrentIndex(other);
    QVERIFY(world.settle());
    world.state.setView("memory");
    QEvent shown(QEvent::Show);
    QApplication::sendEvent(world.view.get(), &shown);
    world.state.messages().send(shell::ShowAll{"liveness"}); // not this view's
    QCOMPARE(world.child<QComboBox>("IPU")->currentIndex(), other);
    world.state.messages().send(shell::ShowAll{"memory"});
    world.state.messages().send(shell::ShowFullestTile{});
    QVERIFY(world.settle());
    QCOMPARE(world.child<QComboBox>("IPU")->currentIndex(), 0);
    QCOMPARE(world.state.tiles(), std::vector<reports::TileId>{fullest});
    QVERIFY(world.state.messages().take<shell::ShowAll>("memory"));
    QVERIFY(!world.state.messages().take<shell::ShowAll>("memory")); // once
  }

  // The legend of a figure sums the tiles that are shown.
  void theLegendOfAFigureIsOfTheChosenIpu() {
    tests::ViewWorld world;
    world.open("memory");
    QVERIFY(world.settle());
    auto* figure = world.child<QComboBox>("Figure");
    QVERIFY(figure);
    figure->setCurrentIndex(1);
    QVERIFY(world.settle());
    const auto metric = analyser::memory::tileMetric(*world.session, analyser::memory::TileMetric::Cycles);
    const int tiles = world.session->machine().tilesPerIpu;
    for (const int ipu : {1, 0}) {
      world.child<QComboBox>("IPU")->setCurrentIndex(ipu + 1);
      QVERIFY(world.settle());
      const auto first = metric.values.begin() + ipu * tiles;
      const reports::Cycles sum(std::accumulate(first, first + tiles, int64_t(0)));
      QStringList entries;
      for (auto* chip : world.child<plot::Legend>("Legend")->findChildren<QAbstractButton*>()) entries << chip->accessibleName();
      QVERIFY2(entries.filter(", " + world.state.format().cycles(sum)).size() == 1, qPrintable(entries.join(" | ")));
    }
  }

  void theTraceCountsTheChosenIpu() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Proportions of the visible range");
    QCOMPARE(table->rows().rowCount(), 2);
    auto* tabs = world.view->findChild<QTabWidget*>();
    tabs->setCurrentIndex(2);
    QVERIFY(world.settle());
    auto* statistics = world.child<tables::TableView>("Statistics by name");
    const int64_t all = sumOfColumn(*statistics->rows().table(), 2);
    int64_t apart = 0;
    auto* box = world.child<QComboBox>("IPU");
    for (const int ipu : {1, 2}) {
      box->setCurrentIndex(ipu);
      emit box->activated(ipu);
      QVERIFY(world.settle());
      QCOMPARE(table->rows().rowCount(), 1);
      QVERIFY2(world.view->verdict().contains(QString("IPU %1").arg(ipu - 1)), qPrintable(world.view->verdict()));
      apart += sumOfColumn(*statistics->rows().table(), 2);
    }
    QCOMPARE(apart, all);
  }

  void livenessListsWhatLiesOnTheChosenIpu() {
    tests::ViewWorld world;
    using namespace analyser::liveness;
    const auto whole = liveAt(*world.session, 3);
    reports::Bytes always, notAlways;
    for (const char* scope : {"ipu.0", "ipu.1"}) {
      const auto own = liveAt(*world.session, 3, scopeBytes(*world.session, scope));
      always += own.alwaysLiveBytes, notAlways += own.notAlwaysLiveBytes;
    }
    QCOMPARE(always, whole.alwaysLiveBytes);
    QCOMPARE(notAlways, whole.notAlwaysLiveBytes);
    world.open("liveness");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Always-live variables");
    const int64_t all = sumOfColumn(*table->rows().table(), 1);
    auto* box = world.child<QComboBox>("Scope");
    box->setCurrentIndex(1);
    emit box->activated(1);
    QVERIFY(world.settle());
    const int64_t one = sumOfColumn(*table->rows().table(), 1);
    QVERIFY2(one > 0 && one < all, qPrintable(QString("%1 of %2").arg(one).arg(all)));
  }
};

TILESCOPE_TEST(IpuSelectorTest)
#include "ipu_selector_test.moc"
