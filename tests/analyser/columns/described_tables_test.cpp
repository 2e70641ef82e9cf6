// Every table of the analyser keeps the rules of columns. Settings and links store the column ids.
#include "analyser/compare/comparison_columns.h"
#include "analyser/host/arguments.h"
#include "analyser/host/host_columns.h"
#include "analyser/host/slice_list.h"
#include "analyser/host/waits.h"
#include "analyser/insights/largest.h"
#include "analyser/liveness/liveness_columns.h"
#include "analyser/memory/memory_columns.h"
#include "analyser/operations/operation_columns.h"
#include "analyser/program/exchange_traffic.h"
#include "analyser/program/program_columns.h"
#include "analyser/trace/found_columns.h"
#include "analyser/trace/trace_columns.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cctype>
#include <set>

using namespace analyser;

namespace {
// Empty if the columns keep the rules. The id of a series is its name in the report, which contains points.
template<class Row> QString faultOf(const columns::Columns<Row>& described) {
  std::set<std::string> ids, titles;
  for (const auto& c : described) {
    const bool isCamel = !c.id.empty() && std::islower(static_cast<unsigned char>(c.id.front())) &&
                         std::all_of(c.id.begin(), c.id.end(), [](unsigned char x) { return std::isalnum(x) || x == '.'; });
    if (!isCamel) return QString("the id \"%1\" is not in lower camel case").arg(c.id.c_str());
    if (!ids.insert(c.id).second) return QString("two columns have the id %1").arg(c.id.c_str());
    if (c.title.empty()) return QString("%1 has no title").arg(c.id.c_str());
    if (c.meaning.ends_with('.')) return QString("the meaning of %1 ends with a full stop").arg(c.id.c_str());
    if (c.meaning == c.title) return QString("the meaning of %1 repeats its title").arg(c.id.c_str());
    if (c.sum == columns::Sum::Yes && !columns::isNumeric(c.kind)) return QString("words of %1 are added up").arg(c.id.c_str());
    if (!titles.insert(c.title).second && c.meaning.empty())
      return QString("another column is called like %1, and no meaning tells them apart").arg(c.id.c_str());
  }
  return described.empty() ? "the table has no columns" : QString();
}
} // namespace

class DescribedTablesTest : public QObject {
  Q_OBJECT
private slots:
  void rulesFindFaults() {
    using columns::Kind;
    const auto one = [](int) { return 1; };
    QVERIFY(!faultOf(columns::Columns<int>()).isEmpty());
    QVERIFY(!faultOf(columns::Columns<int>{{"Name", "Name", Kind::Name, "", one}}).isEmpty());
    QVERIFY(!faultOf(columns::Columns<int>{{"a", "A", Kind::Count, "", one}, {"a", "B", Kind::Count, "", one}}).isEmpty());
    QVERIFY(!faultOf(columns::Columns<int>{{"a", "A", Kind::Count, "", one}, {"b", "A", Kind::Count, "", one}}).isEmpty());
    QVERIFY(!faultOf(columns::Columns<int>{{"a", "A", Kind::Count, "Of it.", one}}).isEmpty());
    QVERIFY(faultOf(columns::Columns<int>{{"a", "A", Kind::Count, "Of it", one}}).isEmpty());
  }
  void columnsKeepTheRules_data() {
    QTest::addColumn<QString>("fault");
    QTest::newRow("operations") << faultOf(operations::operationColumns());
    QTest::newRow("steps of operations") << faultOf(operations::stepColumns());
    QTest::newRow("variables") << faultOf(memory::variableColumns());
    QTest::newRow("memory of a tile") << faultOf(memory::placedColumns());
    QTest::newRow("vertices") << faultOf(memory::vertexColumns());
    QTest::newRow("compute sets") << faultOf(memory::computeSetColumns());
    QTest::newRow("categories") << faultOf(memory::partColumns(Bytes(1)));
    QTest::newRow("exchanges") << faultOf(memory::exchangeColumns(false));
    QTest::newRow("exchanges by operation") << faultOf(memory::exchangeColumns(true));
    Machine machine;
    machine.ipus = 2;
    QTest::newRow("partners") << faultOf(memory::partnerColumns(machine, false));
    QTest::newRow("tiles as partners") << faultOf(memory::partnerColumns(machine, true));
    memory::TileMemory tiles;
    tiles.ipus = 2;
    auto& part = tiles.parts.emplace_back();
    part.name = "memory.category.variable", part.title = "Variables";
    const memory::TileMetricValues metric;
    QTest::newRow("tiles") << faultOf(memory::tileColumns(tiles, &metric));
    QTest::newRow("live variables") << faultOf(liveness::liveColumns());
    liveness::Shrink shrink;
    shrink.excess = Bytes(1);
    QTest::newRow("parts of the peak") << faultOf(liveness::shrinkColumns(shrink));
    QTest::newRow("difference of steps") << faultOf(liveness::differenceColumns("1", "2"));
    QTest::newRow("steps of liveness") << faultOf(liveness::stepColumns({}));
    QTest::newRow("program") << faultOf(program::nodeColumns({}));
    QTest::newRow("functions") << faultOf(program::rootColumns({}));
    QTest::newRow("vertices of a step") << faultOf(program::stepVertexColumns());
    QTest::newRow("pairs of an exchange") << faultOf(program::flowColumns({}, true));
    QTest::newRow("senders of an exchange") << faultOf(program::flowColumns({}, false));
    QTest::newRow("operands of an exchange") << faultOf(program::operandColumns());
    program::StepDetails step;
    step.bytesIn = step.bytesOut = Bytes(1);
    QTest::newRow("work of a step") << faultOf(program::workColumns(step));
    QTest::newRow("steps by name") << faultOf(trace::statisticsColumns());
    QTest::newRow("blocks") << faultOf(trace::blockColumns());
    QTest::newRow("stages") << faultOf(trace::stageColumns());
    QTest::newRow("wasted tile-cycles") << faultOf(trace::wasteColumns());
    trace::Proportions proportions;
    proportions.ipus.emplace_back();
    for (auto* traffic : {&proportions.ipus[0].internal, &proportions.ipus[0].global, &proportions.ipus[0].host})
      traffic->in = Bytes(1);
    QTest::newRow("shares of IPUs") << faultOf(trace::proportionColumns(proportions));
    QTest::newRow("slices found") << faultOf(trace::foundColumns(false));
    QTest::newRow("slices of a host found") << faultOf(trace::foundColumns(true));
    QTest::newRow("variables of a step") << faultOf(program::stepVariableColumns());
    QTest::newRow("largest parts") << faultOf(insights::largestColumns());
    memory::TileDetails details;
    details.columns = {"Tile 5"};
    QTest::newRow("memory of a tile") << faultOf(memory::detailsColumns(details, true, 1));
    QTest::newRow("variables of two reports") << faultOf(compare::variableColumns());
    QTest::newRow("labels of two reports") << faultOf(compare::labelColumns());
    QTest::newRow("findings of two reports") << faultOf(compare::insightColumns());
    compare::Comparison comparison;
    comparison.baseSamples.run = 1, comparison.otherSamples.run = 2;
    QTest::newRow("causes of a change") << faultOf(compare::findingColumns(comparison));
    compare::Figure figure;
    figure.base = 1, figure.basePerSample = 1, figure.otherPerSample = 2;
    QTest::newRow("figures of two reports") << faultOf(compare::figureColumns({figure}, "A.tsr", "B.tsr"));
    QTest::newRow("settings of two reports") << faultOf(compare::settingColumns("A.tsr", "B.tsr"));
    QTest::newRow("labels of the host") << faultOf(host::labelColumns());
    QTest::newRow("arguments of a slice") << faultOf(host::argumentColumns());
    QTest::newRow("groups of slices") << faultOf(host::groupColumns());
    QTest::newRow("waits of the device") << faultOf(host::waitColumns());
    host::SliceList slices;
    slices.keys = {"batch", "batch.", "name"};
    slices.rows.emplace_back().values.resize(slices.keys.size());
    QTest::newRow("slices of the host") << faultOf(host::sliceColumns(slices));
  }
  void columnsKeepTheRules() {
    QFETCH(QString, fault);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
  }
};

TILESCOPE_TEST(DescribedTablesTest)
#include "described_tables_test.moc"
