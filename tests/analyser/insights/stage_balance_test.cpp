#include "analyser/insights/stage_balance.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;
using insights::StageWork;

class StageBalanceTest : public QObject {
  Q_OBJECT

  // Layers of 100 cycles each; an embedding of 50 in front, a head of 80 behind.
  static std::vector<StageWork> pipelineOf(const std::vector<int>& counts) {
    std::vector<StageWork> stages(counts.size());
    int number = 0;
    const auto add = [](StageWork& stage, std::string name, int64_t cycles) {
      stage.layers.push_back({std::move(name), Cycles(cycles)});
      stage.busy += Cycles(cycles);
    };
    add(stages.front(), "embeddings", 50);
    for (std::size_t s = 0; s < counts.size(); ++s)
      for (int i = 0; i < counts[s]; ++i) add(stages[s], "net/layer" + std::to_string(number++), 100);
    add(stages.back(), "head", 80);
    return stages;
  }

private slots:
  void theSlowestStageGetsFewerLayers() {
    const auto balance = insights::balancedStages(pipelineOf({1, 4, 2, 1}));
    QVERIFY(balance);
    QCOMPARE(balance->cut(), std::string("layers:2,2,2,2"));
    QCOMPARE(balance->longest, 280.0 / 400.0);
  }
  void otherTimeOfAStageIsSharedOut() {
    auto stages = pipelineOf({1, 4, 2, 1});
    for (StageWork& stage : stages) stage.busy = stage.busy * 3; // exchange and sync
    const auto balance = insights::balancedStages(stages);
    QVERIFY(balance);
    QCOMPARE(balance->longest, 280.0 / 400.0);
  }
  void noCutIsProposedWhereNoneHelps() {
    QVERIFY(!insights::balancedStages(pipelineOf({2, 2, 2, 2})));
    QVERIFY(!insights::balancedStages(pipelineOf({8})));
    QVERIFY(!insights::balancedStages({}));
    QVERIFY(!insights::balancedStages(pipelineOf({0, 1, 1}))); // fewer layers than stages
    auto twice = pipelineOf({1, 4, 2, 1});
    twice[3].layers.push_back({"net/layer1", Cycles(10)}); // a layer on two stages
    QVERIFY(!insights::balancedStages(twice));
  }
};

TILESCOPE_TEST(StageBalanceTest)
#include "stage_balance_test.moc"
