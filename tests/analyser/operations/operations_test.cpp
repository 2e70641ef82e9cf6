#include "analyser/operations/ipu_layers.h"
#include "analyser/operations/rollup.h"
#include "analyser/operations/sums.h"
#include "analyser/operations/tile_profile.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>
#include <numeric>

using namespace analyser;
using namespace analyser::operations;

class OperationsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_session = Session::open(m_report.path().string());
    m_all = operations::operations(*m_session);
  }

  void layersThatFollowEachOtherAreOneSpan() {
    using operations::layerWords;
    QCOMPARE(layerWords({}), std::string());
    QCOMPARE(layerWords({"layer17", "layer18"}), std::string("layer17, layer18"));
    QCOMPARE(layerWords({"embeddings", "layer0", "layer1", "layer2", "head"}), std::string("embeddings, layer0 to layer2, head"));
    QCOMPARE(layerWords({"conv9", "conv10", "conv11"}), std::string("conv9 to conv11"));
    QCOMPARE(layerWords({"a", "b", "c", "d", "e", "f"}), std::string("a, b, c, d and 2 more"));
  }
  // The name of a vertex type begins with its kind, and ends with template arguments.
  void theHeadlineNamesAKindOnce() {
    Operations types;
    types.rows.resize(1);
    types.rows[0].name = "poplin::ConvPartial1x1Out<half,float>", types.rows[0].kind = "poplin::ConvPartial1x1Out";
    types.rows[0].compute = types.rows[0].total = Cycles(10);
    finish(*m_session, types, "vertex types");
    QVERIFY2(types.verdict.text().starts_with("Slowest: poplin::ConvPartial1x1Out<half,float> (100 %)"),
             types.verdict.text().c_str());
    types.rows[0].name = "n44";
    finish(*m_session, types, "vertex types");
    QVERIFY2(types.verdict.text().starts_with("Slowest: n44 (poplin::ConvPartial1x1Out, "), types.verdict.text().c_str());
  }
  void totalsAreSums() {
    QCOMPARE(m_all.rows.size(), std::size_t(7));
    Cycles total;
    Flops flops;
    double share = 0;
    for (const Operation& o : m_all.rows) {
      QCOMPARE(o.total, o.compute + o.exchange + o.sync + o.host);
      QVERIFY(o.flopUtilisation >= 0 && o.flopUtilisation <= 1);
      total += o.total;
      flops += o.flops;
      share += o.share;
    }
    QCOMPARE(m_all.totals.total, total);
    QCOMPARE(m_all.totals.flops, flops);
    QVERIFY(std::abs(share - 1) < 1e-9);
    QVERIFY(m_all.totals.total <= m_all.runCycles * int64_t(m_session->machine().ipus)); // sums over the IPUs
    QCOMPARE(m_all.rows[0].layer, std::string("onnx"));
  }
  void groupsSumToTheTotals() {
    for (const GroupBy by : {GroupBy::Kind, GroupBy::Layer}) {
      const auto groups = group(m_all, by);
      Cycles total;
      int64_t count = 0;
      for (std::size_t i = 0; i < groups.size(); ++i) {
        total += groups[i].totals.total;
        count += groups[i].operations;
        if (i) QVERIFY(groups[i - 1].totals.total >= groups[i].totals.total);
      }
      QCOMPARE(total, m_all.totals.total);
      QCOMPARE(count, int64_t(7));
    }
    QCOMPARE(group(m_all, GroupBy::Kind).size(), std::size_t(5));
    const auto layer = group(m_all, GroupBy::Layer);
    QCOMPARE(layer.size(), std::size_t(1));
    QVERIFY(std::abs(layer[0].totals.flopUtilisation - m_all.totals.flopUtilisation) < 1e-12);
  }
  void searchesNamesAndKinds() {
    QCOMPARE(search(m_all, "RELU").size(), std::size_t(2));
    QCOMPARE(search(m_all, "").size(), std::size_t(7));
    QVERIFY(search(m_all, "nothing").empty());
  }
  void tileCyclesOfOperationsAreThoseOfTheirSteps() {
    trace::TileCycles all;
    for (const Operation& o : m_all.rows) {
      all += o.tileCycles;
      for (const int64_t part : o.tileCycles.parts) QVERIFY(part >= 0);
      QVERIFY(o.tiles <= o.tilesAvailable);
    }
    QCOMPARE(m_all.totals.tileCycles, all);
    QVERIFY(all[trace::TileTime::Busy] > 0);
    QVERIFY(m_all.verdict.text().find("wastes most, ") != std::string::npos);
  }
  // A step that computes or exchanges used a part of the peak of its kind, and the table has it.
  void stepsHaveTheirShareOfThePeak() {
    double exchanged = 0;
    int computing = 0;
    for (const OperationStep& step : operationSteps(*m_session, m_all)) {
      QVERIFY2(step.used <= step.usable * (1 + 1e-9) || step.usable == 0, step.node.name.c_str());
      if (step.node.activity == reports::Activity::InternalExchange) exchanged += step.used;
      computing += step.node.activity == reports::Activity::Compute && step.used > 0 && step.usable > 0;
    }
    QVERIFY(computing > 0 && exchanged > 0);
    double bytes = 0;
    for (const Operation& o : m_all.rows) bytes += double(o.exchangeBytes.value());
    QVERIFY2(std::abs(exchanged - bytes) <= 0.01 * bytes, std::to_string(exchanged / bytes).c_str());
  }
  // An operation has the sum of its steps: bytes over links, and bytes that the peak allows. No way carries more than its peak.
  void waysOfOperationsAreThoseOfTheirSteps() {
    // Of the exchanges of operations, half use links, and the last one sends to the host and receives nothing.
    const tests::TinyReport report;
    tests::tamper(report.path(), "INSERT INTO metadata (key, value) VALUES ('machine.link_bytes_per_second', '1e15'), "
                                 "('machine.host_bytes_per_second', '1e15')");
    tests::tamper(report.path(), "UPDATE program_step SET activity = 3 WHERE activity = 2 AND id % 2 = 0");
    const std::string last = "(SELECT max(id) FROM program_step WHERE kind = 'DoExchange')";
    tests::tamper(report.path(), "UPDATE program_step SET activity = " + std::to_string(int(reports::Activity::HostStream)) +
                                     " WHERE id = " + last);
    tests::tamper(report.path(), "UPDATE stream_copy SET program_step_id = " + last + " WHERE stream_id = 2");
    tests::tamper(report.path(), "UPDATE step_profile SET bytes_in = 0 WHERE program_step_id = " + last);
    const auto session = Session::open(report.path().string());
    const Operations all = operations::operations(*session);
    std::vector<Operation::Way> sums(all.rows.size());
    for (const OperationStep& step : operationSteps(*session, all))
      if (step.node.activity == reports::Activity::GlobalExchange) {
        Operation::Way& sum = sums[std::size_t(step.operation)];
        sum.bytes += double(step.node.bytes.value()), sum.possible += step.usable;
      }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Operation& o = all.rows[i];
      QVERIFY2(std::abs(o.overLinks.bytes - sums[i].bytes) <= 1e-6 * (1 + sums[i].bytes), o.name.c_str());
      QVERIFY2(std::abs(o.overLinks.possible - sums[i].possible) <= 1e-6 * (1 + sums[i].possible), o.name.c_str());
      for (const Operation::Way& way : {o.withHost, o.withStreamingMemory})
        QVERIFY2(way.possible == 0 || way.bytes <= way.possible * (1 + 1e-9), o.name.c_str());
    }
    QVERIFY(all.totals.overLinks.bytes > 0 && all.totals.overLinks.possible > 0 && all.totals.withHost.possible > 0);
    double sent = 0, used = 0;
    session->reader().forEach<reports::StepProfileRow>("program_step_id = " + last, {}, [&](const reports::StepProfileRow& row) {
      sent += double(row.bytesOut) * double(row.executions);
    });
    for (const OperationStep& step : operationSteps(*session, all))
      if (step.node.activity == reports::Activity::HostStream) used += step.used;
    QVERIFY(sent > 0);
    QVERIFY(std::abs(all.totals.withHost.bytes - sent) <= 1e-6 * sent);
    QVERIFY(std::abs(used - sent) <= 1e-6 * sent);
    // A layer of the software has the same.
    const Operations layer = operationsOfLayer(*session, "onnx").operations;
    QVERIFY(std::abs(layer.totals.withHost.bytes - sent) <= 1e-6 * sent);
  }
  // The tiles of an operation sum up to its total.
  void tilesOfAnOperationSumUpToIt() {
    const auto steps = operationSteps(*m_session, m_all);
    int64_t computing = 0;
    for (std::size_t i = 0; i < m_all.rows.size(); ++i) {
      const int one[] = {int(i)};
      const TileProfile p = tileProfile(*m_session, steps, one);
      QCOMPARE(p.compute.size(), std::size_t(m_session->machine().tiles()));
      Cycles sum;
      for (const Cycles c : p.compute) sum += c;
      QCOMPARE(sum.value(), m_all.rows[i].tileCycles[trace::TileTime::Busy]);
      QCOMPARE(p.active > 0, p.slowest.valid());
      if (!p.slowest.valid()) continue;
      ++computing;
      QCOMPARE(p.compute[p.slowest.value()], *std::max_element(p.compute.begin(), p.compute.end()));
      const std::string named = "tile " + std::to_string(p.slowest.value());
      const std::string words = tileVerdict(p, TileMeasure::Cycles).text();
      QVERIFY2(words.find(named) != std::string::npos, words.c_str());
    }
    QVERIFY(computing > 1);
  }
  void nameTreeSumsUp() {
    const auto tree = nameTree(m_all);
    Cycles roots;
    std::vector<Cycles> below(tree.size());
    int64_t leaves = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      QVERIFY(tree[i].parent < int(i));
      if (tree[i].parent < 0)
        roots += tree[i].totals.total;
      else
        below[std::size_t(tree[i].parent)] += tree[i].totals.total;
      if (tree[i].operation >= 0) {
        ++leaves;
        QCOMPARE(tree[i].totals.name, m_all.rows[std::size_t(tree[i].operation)].name);
      }
    }
    QCOMPARE(roots, m_all.totals.total);
    QCOMPARE(leaves, int64_t(m_all.rows.size()));
    for (std::size_t i = 0; i < tree.size(); ++i)
      if (tree[i].operation < 0) QCOMPARE(below[i], tree[i].totals.total);
  }
  void anOperationThatIsAFolderHasARowOfItsOwn() {
    Operations all;
    for (const char* name : {"a/b", "a/b/c", "a/b/c", "d"}) {
      all.rows.emplace_back();
      all.rows.back().name = name;
      all.rows.back().compute = all.rows.back().total = Cycles(10);
      all.totals.total += Cycles(10);
    }
    const auto tree = nameTree(all);
    std::vector<std::string> titles;
    for (const TreeRow& row : tree) titles.push_back(std::string(std::size_t(row.depth), ' ') + row.title);
    QCOMPARE(titles, (std::vector<std::string>{"a/b", " (b itself)", " c", "  (c itself)", "  c", "d"}));
    QCOMPARE(tree[0].totals.total, Cycles(30));
  }
  // One root per set of IPUs that computes, under its own name; operations that only move data come last.
  void ipusAreTheRootsOfTheirOperations() {
    Operations all;
    const auto add = [&](const char* name, std::vector<int> ipus, int64_t compute) {
      all.rows.emplace_back();
      Operation& o = all.rows.back();
      o.name = name, o.ipus = std::move(ipus);
      o.compute = Cycles(compute), o.exchange = Cycles(1), o.total = o.compute + o.exchange;
      all.totals.total += o.total;
    };
    add("m/fwd/b", {1}, 10);
    add("m/fwd/a", {0}, 20);
    add("m/copies", {0, 1}, 0);
    add("m/bwd/a", {0}, 40);
    add("m/late", {0}, 0); // a copy within an IPU that computes belongs to it
    add("m/alone", {2}, 5);
    add("m/never", {}, 0);
    const auto tree = ipuTree(all);
    std::vector<std::string> titles;
    for (const TreeRow& row : tree) titles.push_back(std::string(std::size_t(row.depth), ' ') + row.title);
    QCOMPARE(titles, (std::vector<std::string>{"IPU 0", " fwd/a", " bwd/a", " late", "IPU 1", " b", "IPU 2", " alone",
                                               "Between IPUs", " copies", "No IPU", " never"}));
    QCOMPARE(tree[0].totals.total, Cycles(63));
    QCOMPARE(tree[0].operations, int64_t(3));
    QCOMPARE(tree[1].totals.name, std::string("m/fwd/a")); // names of operations do not begin with their IPU
    QCOMPARE(tree[0].totals.name, std::string("IPU 0"));
    QCOMPARE(ipusTitle({}), std::string());
    QCOMPARE(ipusTitle({0, 1}), std::string("IPUs 0 and 1"));
    QCOMPARE(ipusTitle({2, 3, 4}), std::string("IPUs 2 to 4"));
    QCOMPARE(ipusTitle({0, 2, 5}), std::string("IPUs 0, 2 and 5"));
  }
  void operationsSayWhereTheyRunAndWhatTheirExchangeCodeIs() {
    Bytes exchangeCode;
    for (const Operation& o : m_all.rows) {
      QVERIFY(!o.ipus.empty() && o.ipus.back() < m_session->machine().ipus);
      QVERIFY(o.exchangeCodeBytes <= o.codeBytes);
      exchangeCode += o.exchangeCodeBytes;
    }
    QVERIFY(exchangeCode > Bytes());
    QCOMPARE(m_all.totals.exchangeCodeBytes, exchangeCode);
    // Steps have control code, in this report eight bytes on each tile, and the code of their exchange.
    std::map<int, Bytes> ofSteps;
    for (const OperationStep& step : operationSteps(*m_session, m_all))
      ofSteps[step.operation] += step.node.codeBytes - Bytes(8 * m_session->machine().tiles());
    for (std::size_t i = 0; i < m_all.rows.size(); ++i) QCOMPARE(ofSteps[int(i)], m_all.rows[i].exchangeCodeBytes);
  }
  // All debug layers have the same steps.
  void layersAddUpToTheSameSteps() {
    const auto layers = layersOf(*m_session);
    QCOMPARE(layers.back(), std::string(kVertexTypes));
    QCOMPARE(layers.front(), std::string(kModelLayers));
    const Operations model = operationsOfLayer(*m_session, std::string(kModelLayers)).operations;
    QVERIFY(model.totals.flops >= m_all.totals.flops &&
            model.totals.tileCycles[trace::TileTime::Busy] >= m_all.totals.tileCycles[trace::TileTime::Busy]);
    QVERIFY(std::any_of(model.rows.begin(), model.rows.end(), [](const Operation& o) { return o.name == "conv0"; }));
    const Operations onnx = operationsOfLayer(*m_session, "onnx").operations;
    QCOMPARE(onnx.rows.size(), m_all.rows.size());
    QCOMPARE(onnx.totals.flops, m_all.totals.flops);
    QCOMPARE(onnx.totals.tileCycles, m_all.totals.tileCycles);
    const Operations types = operationsOfLayer(*m_session, std::string(kVertexTypes)).operations;
    QVERIFY(!types.rows.empty());
    // The verdict uses the right noun for the rows.
    QVERIFY2(types.rows.size() == 1 || types.verdict.text().find(" vertex types take ") != std::string::npos,
             types.verdict.text().c_str());
    QVERIFY(onnx.stepCycles >= onnx.totals.total && types.stepCycles == onnx.stepCycles);
    const bool isPart = types.verdict.text().find(" of all steps") != std::string::npos; // exchanges have no vertices
    QVERIFY2(isPart, types.verdict.text().c_str());
    QVERIFY2(onnx.verdict.text().find(" ONNX nodes take ") != std::string::npos, onnx.verdict.text().c_str());
    QVERIFY(types.totals.flops >= m_all.totals.flops); // steps without an operation have vertices too
    QVERIFY(types.totals.tileCycles[trace::TileTime::Busy] >= m_all.totals.tileCycles[trace::TileTime::Busy]);
    QVERIFY(operationsOfLayer(*m_session, "no such layer").operations.rows.empty());
  }
  // Every row of every layer has steps, and their cycles sum to the row's.
  void rowsOfALayerAreMadeOfSteps() {
    for (const std::string& name : layersOf(*m_session)) {
      const Layer layer = operationsOfLayer(*m_session, name);
      std::vector<Cycles> cycles(layer.operations.rows.size()), largest(cycles.size());
      for (const OperationStep& step : layer.steps) {
        const auto row = std::size_t(step.operation);
        cycles.at(row) += step.node.cycles;
        if (largest[row] < step.node.cycles) largest[row] = step.node.cycles;
      }
      for (std::size_t i = 0; i < cycles.size(); ++i) {
        const int64_t off = (cycles[i] - layer.operations.rows[i].total).value();
        QVERIFY2(std::abs(off) <= 2, (name + ": " + layer.operations.rows[i].name + " is off by " + std::to_string(off)).c_str());
        if (layer.operations.rows[i].total == Cycles()) continue;
        const auto isCostliest = [&](const OperationStep& step) { // steps may cost the same
          return step.operation == int(i) && step.node.id == layer.operations.rows[i].costliestStep &&
                 std::abs((step.node.cycles - largest[i]).value()) <= 1;
        };
        QVERIFY2(std::any_of(layer.steps.begin(), layer.steps.end(), isCostliest), layer.operations.rows[i].name.c_str());
      }
    }
  }
  // Bytes, FLOPs, vertices and code per tile sum to the totals of all operations.
  void tilesOfAllOperationsSumUpToTheTotals() {
    const auto steps = operationSteps(*m_session, m_all);
    std::vector<int> everyone(m_all.rows.size());
    std::iota(everyone.begin(), everyone.end(), 0);
    const TileProfile p = tileProfile(*m_session, steps, everyone);
    const auto sum = [](const std::vector<int64_t>& values) { return std::accumulate(values.begin(), values.end(), int64_t(0)); };
    QCOMPARE(sum(p.received), m_all.totals.exchangeBytes.value());
    QVERIFY(sum(p.sent) > 0 && sum(p.code) > 0);
    QCOMPARE(sum(p.vertices), m_all.totals.vertices);
    const int64_t off = std::abs(sum(p.flops) - m_all.totals.flops.value());
    QVERIFY2(off <= m_session->machine().tiles(), std::to_string(off).c_str()); // rounded by tile
    for (const TileMeasure measure :
         {TileMeasure::Cycles, TileMeasure::Bytes, TileMeasure::Flops, TileMeasure::Vertices, TileMeasure::Code}) {
      const std::string words = tileVerdict(p, measure).text();
      QVERIFY2(words.find("ile ") != std::string::npos, words.c_str());
      QVERIFY(tileVerdict({}, measure).empty());
    }
  }
  void verdictNamesTheCostliest() {
    const auto top =
        std::max_element(m_all.rows.begin(), m_all.rows.end(), [](const auto& a, const auto& b) { return a.total < b.total; });
    QVERIFY2(m_all.verdict.text().find(top->name) != std::string::npos, m_all.verdict.text().c_str());
  }

private:
  tests::TinyReport m_report{tests::ReportShape{2, 8, 7}};
  std::shared_ptr<Session> m_session;
  Operations m_all;
};

TILESCOPE_TEST(OperationsTest)
#include "operations_test.moc"
