#include "ui/views/trace/pipeline_panel.h"

#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/tables/table_view.h"

#include <QTabWidget>

using reports::Cycles;

class PipelinePanelTest : public QObject {
  Q_OBJECT

private slots:
  void theSlowestStageIsNamed() {
    analyser::trace::Pipeline pipeline;
    pipeline.microBatches = 4;
    for (const int64_t busy : {100, 160, 100}) {
      analyser::trace::PipelineStage stage;
      stage.ipu = reports::IpuId(pipeline.stages.size());
      stage.busy = Cycles(busy), stage.waiting = Cycles(200 - busy), stage.perMicroBatch = Cycles(busy / 4);
      stage.bubble = double(200 - busy) / 200;
      pipeline.stages.push_back(stage);
    }
    pipeline.slowest = 1;
    const auto table = ui::trace::stageTable(pipeline, {{reports::IpuId(0), {"embeddings", "layer0", "layer1", "layer2"}}});
    QCOMPARE(table->rows.size(), std::size_t(3));
    QCOMPARE(std::get<QString>(table->rows[1].cells.front()), QString("IPU 1, slowest"));
    QCOMPARE(std::get<QString>(table->rows[0].cells.front()), QString("IPU 0"));
    QCOMPARE(std::get<int64_t>(table->rows[1].cells[3]), int64_t(40));
    QCOMPARE(std::get<QString>(table->rows[0].cells[1]), QString("embeddings, layer0 to layer2"));
    QCOMPARE(std::get<QString>(table->rows[2].cells[1]), QString());           // not known
    QVERIFY(qAbs(std::get<double>(table->rows[1].cells[4]) - 1.0 / 3) < 1e-9); // over the mean of 120
  }

  // A program without phases has no such tab.
  void withoutAPipelineThereIsNoTab() {
    tests::ViewWorld world;
    world.open("trace");
    QVERIFY(world.settle());
    const auto* tabs = world.view->findChild<QTabWidget*>();
    for (int i = 0; i < tabs->count(); ++i) QVERIFY(tabs->tabText(i) != "Pipeline" || !tabs->isTabVisible(i));
  }
};

TILESCOPE_TEST(PipelinePanelTest)
#include "pipeline_panel_test.moc"
