#include "ui/views/summary/summary_texts.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace ui::summary;

class SummaryTextsTest : public QObject {
  Q_OBJECT

private slots:
  void passesThatFiredAreCounted() {
    analyser::summary::Summary summary;
    QCOMPARE(firedPasses(summary), QString()); // a report of a sample names none
    summary.metadata = {{"pass.gelu", "0"}, {"precision", "fp32"}};
    QCOMPARE(firedPasses(summary), QString("nothing"));
    summary.metadata.push_back({"pass.conv-activation", "33"});
    summary.metadata.push_back({"pass.softmax", "2"});
    QCOMPARE(firedPasses(summary), QString("33 conv-activation, 2 softmax"));
  }

  void theVerdictCountsTheRuns() {
    analyser::summary::Summary summary;
    summary.verdict = "Fits.";
    QCOMPARE(verdictWithTime(summary).text(), std::string("Fits.")); // nothing ran
    summary.cycles.total = reports::Cycles(400), summary.cycles.compute = reports::Cycles(100);
    summary.runs.resize(1);
    QCOMPARE(verdictWithTime(summary).text(), std::string("Fits; runs in 400 cycles, 25.0 % of the run compute."));
    summary.runs.resize(4);
    QCOMPARE(verdictWithTime(summary).text(), std::string("Fits; 4 runs take 400 cycles, 25.0 % of the run compute."));
    summary.outOfMemory = true;
    summary.verdict = "Does not fit: 2 tiles are out of memory; fullest tile 0 needs 700 KiB; 60 % of the tile's bytes are code.";
    QCOMPARE(verdictWithTime(summary).text(),
             std::string("Does not fit: 2 tiles are out of memory; fullest tile 0 needs 700 KiB; 4 runs would take 400 cycles, "
                         "25.0 % of the run compute; 60 % of the tile's bytes are code."));
  }

  void keysHaveTheirPlace() {
    QCOMPARE(parameterName("parameter.batch").value(), QString("batch"));
    QVERIFY(!parameterName("precision"));
    QCOMPARE(tagName("tag.optimizer.lr").value(), QString("optimizer.lr"));
    QVERIFY(!tagName("parameter.batch") && !parameterName("tag.batch"));
    QCOMPARE(metadataTitle("tag.commit"), QString("Tag commit"));
    QCOMPARE(metadataTitle("model.ir_version"), QString("Model file: ir version"));
    QVERIFY(isLeftToOthers("parameter.layers", "0") && !isLeftToOthers("parameter.layers", "3"));
    QVERIFY(!isLeftToOthers("parameter.seed", "0") && !isLeftToOthers("layers", "0"));
    QVERIFY(isPass("pass.gelu") && !isPass("passes"));
    QVERIFY(isOfTheRun("offload") && isOfTheRun("micro_batches") && !isOfTheRun("tool_version"));
    QCOMPARE(metadataTitle("created_utc"), QString("Made"));
    QCOMPARE(metadataTitle("machine.exchange_bytes_per_second"), QString("Exchange bandwidth per IPU"));
    QCOMPARE(metadataText("machine.exchange_bytes_per_second", "7831040000000"), QString("7.83 TB/s"));
    QCOMPARE(metadataText("machine.host_bytes_per_second", "20083000000"), QString("20.1 GB/s"));
    QCOMPARE(metadataTitle("pipeline_stages"), QString("Pipeline stages"));
  }

  // Which layers are on which IPU, unless all share all IPUs.
  void theCutOverIpus() {
    using reports::IpuId;
    QVERIFY(cutFacts({}).empty());
    QVERIFY(cutFacts({{IpuId(0), {"a", "b"}}}).empty());
    LayersByIpu layers{{IpuId(0), {"embeddings", "layer0", "layer1", "layer2"}}, {IpuId(1), {"layer3", "head"}}};
    const auto facts = cutFacts(layers);
    QCOMPARE(facts.size(), std::size_t(2));
    QCOMPARE(facts[0].name, QString("On IPU 0"));
    QCOMPARE(facts[0].value, QString("embeddings, layer0 to layer2"));
    QCOMPARE(facts[1].value, QString("layer3, head"));
    for (std::size_t i = 2; i < 64; ++i) layers[IpuId(i)] = {"layer"};
    QCOMPARE(cutFacts(layers).size(), std::size_t(9));
    QVERIFY(cutFacts(layers).back().value.startsWith("56 IPUs"));
  }

  void peaksSayWhoseTheyAre() {
    analyser::summary::Summary summary;
    summary.machine.ipus = 4, summary.machine.tilesPerIpu = 1472;
    summary.peaks = {{"host", "Host", "B/s", 80e9, {}, {}}, {"link", "Links to a neighbour", "B/s", 58e9, {}, {}, true}};
    const auto valueOf = [&](const QString& name) {
      for (const auto& fact : machineFacts(summary, {}))
        if (fact.name == name) return fact.value;
      return QString();
    };
    QVERIFY2(valueOf("Host, peak").endsWith(" for all 4 IPUs"), qPrintable(valueOf("Host, peak")));
    QVERIFY2(valueOf("Links to a neighbour, peak").endsWith(" per IPU"), qPrintable(valueOf("Links to a neighbour, peak")));
    QCOMPARE(metadataTitle("machine.link_bytes_per_second"), QString("IPU-Link bandwidth to a neighbour"));
    summary.machine.ipus = 1;
    QVERIFY(!valueOf("Host, peak").contains("IPU"));
  }

  // A report of others may hold names and values of nothing but spaces.
  void rowsSaySomething() {
    std::vector<ui::shell::Fact> facts{
        {"Workload", "bert", {}, false}, {"Precision", "", {}, false}, {"Fused", " \n", {}, false}, {" ", "7 cycles", {}, false}};
    removeEmpty(facts);
    QCOMPARE(facts.size(), std::size_t(2));
    QCOMPARE(facts[0].value, QString("bert"));
    QCOMPARE(facts[1].name, QString("(no name)"));
    QCOMPARE(runTitle(""), QString("Run"));
    QCOMPARE(runTitle("step #3"), QString("Engine::run #3"));
  }

  void aListThatIsTooLongNamesTheQueryOfAll() {
    std::vector<ui::shell::Fact> facts(205, {"Seed", "7", {}, false});
    boundFacts(facts, "metadata");
    QCOMPARE(facts.size(), std::size_t(201));
    QCOMPARE(facts.back().value, QString("5 entries are not shown"));
    QCOMPARE(facts.back().tip, QString("The view Query lists all of them: SELECT * FROM metadata"));
  }

  void tilesNameTheirIpuWhereThereAreSeveral() {
    analyser::Machine machine;
    machine.ipus = 1, machine.tilesPerIpu = 1472;
    QCOMPARE(tileTitle(machine, reports::TileId(std::size_t(7))), QString("Tile 7"));
    machine.ipus = 2;
    QCOMPARE(tileTitle(machine, reports::TileId(std::size_t(1472))), QString("Tile 1472, IPU 1"));
  }
};

TILESCOPE_TEST(SummaryTextsTest)
#include "summary_texts_test.moc"
