// The layers of every network, forward and backward, have the source line of the sample that created them.
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace simcore;

class SourceLocationsTest : public QObject {
  Q_OBJECT

  struct Count {
    int told = 0, all = 0;
  };
  // Counts the contexts of named things of the sample in this layer, below `pass` ("fwd", "bwd"; empty: anywhere).
  static Count countOf(const graph::Workload& load, const std::string& layer, const std::string& pass) {
    Count count;
    const auto& contexts = load.graph->contexts();
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      if (contexts[i].layer != layer) continue;
      const std::string path = load.graph->fullName(reports::DebugContextId(i));
      if (!pass.empty() && path.find("/" + pass + "/") == std::string::npos) continue;
      ++count.all;
      const auto details = nlohmann::json::parse(contexts[i].details, nullptr, false);
      if (!details.is_object() || !details.contains("source")) continue;
      const std::string file = details["source"]["file"];
      if (file.starts_with("simcore/samples/") && file != "simcore/samples/network.cpp") ++count.told;
    }
    return count;
  }

private slots:
  void layersOfNetworks() {
    for (const char* sample : {"bert", "resnet50", "mlp", "gpt2"}) {
      const graph::Workload load = tests::buildSample(sample, {});
      const bool trains = std::string(sample) != "resnet50";
      for (const char* pass : trains ? std::vector{"fwd", "bwd"} : std::vector{""}) {
        const Count count = countOf(load, "onnx", pass);
        QVERIFY2(count.all > 5, sample);
        QVERIFY2(count.told * 10 >= count.all * 8,
                 qPrintable(QStringLiteral("%1 %2: %3 of %4").arg(sample, pass).arg(count.told).arg(count.all)));
      }
    }
  }

  void graphsMadeByHand() {
    QCOMPARE(countOf(tests::buildSample("hello-tiles", {}), "user", "").told, 1);
    QCOMPARE(countOf(tests::buildSample("halo-exchange", {}), "model", "").told, 1);
  }
};

TILESCOPE_TEST(SourceLocationsTest)
#include "source_locations_test.moc"
