// A workload with several programs: some run once before or after the iterations; all are in the report.
#include "simcore/run/simulate.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;
using tests::HostWorld;

class SimulateOrderTest : public QObject {
  Q_OBJECT
private slots:
  void programsRunAroundTheIterations() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {1}, "x"), kept = w.variable(ElementType::Float, {1}, "kept");
    const StreamId weights = w.graph->addHostToDeviceFifo("weights", ElementType::Float, 1);
    Workload load;
    load.name = "order";
    load.graph = w.graph;
    load.programs = {{"step", w.addOne(x)}, {"fromHost", program::copy(weights, x)}, {"toHost", program::copy(x, kept)}};
    load.before = {1};
    load.after = {2};
    load.inputs["weights"] = {numerics::HostTensor::vector<float>({10})};
    load.variables = {{"x", x}, {"kept", kept}};
    run::SimulateOptions options;
    options.iterations = 3;
    tests::RowCollector rows;
    run::HostTimeline timeline("order");
    reports::NoProgress quiet;
    const auto result = run::simulate(load, options, rows, timeline, {}, quiet);
    QCOMPARE(result.variables.at("kept").at(0), 13.0);
    std::vector<std::string> names;
    for (const auto& r : rows.rows<reports::RunRow>()) names.push_back(r.name);
    QCOMPARE(names, (std::vector<std::string>{"fromHost", "step #0", "step #1", "step #2", "toHost"}));
    // The host's calls are recorded like the runs.
    const auto strings = rows.rows<reports::StringRow>();
    const auto isCalled = [&](const std::string& text) {
      return std::any_of(strings.begin(), strings.end(), [&](const auto& row) { return row.text == text; });
    };
    QVERIFY(isCalled("Engine::run #1") && isCalled("Engine::run fromHost") && !isCalled("Engine::run step #1"));
  }
};

TILESCOPE_TEST(SimulateOrderTest)
#include "simulate_order_test.moc"
