// Models on several IPUs: the same numbers as on one, and stages that overlap.
#include "reports/core/error.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/placement/parallelism.h"
#include "simcore/placement/sharding.h"
#include "simcore/run/simulate.h"
#include "tests/simcore/model/model_files.h"
#include "tests/simcore/model/tracks.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using numerics::HostTensor;
using tests::Outcome;
using tests::overlap;
using tests::simulate;
using tests::Track;
using tests::trackOf;

namespace {

void addWeights(onnx::GraphProto* graph, const std::string& name, int n) {
  auto* weight = graph->add_initializer();
  weight->set_name(name);
  weight->set_data_type(onnx::TensorProto::FLOAT);
  weight->add_dims(n);
  weight->add_dims(n);
  for (int i = 0; i < n * n; ++i) weight->add_float_data(float(i % 7 - 3) / float(n));
}

model::Model parsed(const onnx::ModelProto& proto) {
  model::Model model = model::parseOnnx(proto.SerializeAsString(), "m", {});
  model::bindShapes(model, {});
  model::resolveTypes(model);
  return model;
}

// `layers` products in a row, all with one weight.
model::Model chain(int rows, int n, int layers) {
  onnx::ModelProto proto = tests::emptyModel(13);
  auto* graph = proto.mutable_graph();
  tests::addValue(graph->add_input(), "x", {rows, n});
  tests::addValue(graph->add_output(), "h" + std::to_string(layers), {rows, n});
  addWeights(graph, "w", n);
  for (int i = 0; i < layers; ++i)
    tests::addNode(graph, "MatMul", {i ? "h" + std::to_string(i) : "x", "w"}, {"h" + std::to_string(i + 1)});
  return parsed(proto);
}

// All difficult transfers between stages: a skip over several stages, a view, an input read late, a weight read twice, an
// activation that would be computed in place, an output of an early stage.
model::Model branching() {
  onnx::ModelProto proto = tests::emptyModel(13);
  auto* graph = proto.mutable_graph();
  tests::addValue(graph->add_input(), "x", {8, 16});
  tests::addValue(graph->add_output(), "a", {8, 16});
  tests::addValue(graph->add_output(), "y", {16, 8});
  addWeights(graph, "w", 16);
  tests::addNode(graph, "MatMul", {"x", "w"}, {"a"});
  tests::addNode(graph, "Relu", {"a"}, {"b"});
  tests::addNode(graph, "MatMul", {"b", "w"}, {"c"});
  tests::addNode(graph, "Relu", {"c"}, {"d"});
  tests::addNode(graph, "Add", {"d", "b"}, {"e"});
  tests::addNode(graph, "Sigmoid", {"e"}, {"f"});
  tests::addNode(graph, "Add", {"f", "x"}, {"g"});
  tests::addNode(graph, "Transpose", {"g"}, {"t"});
  tests::addNode(graph, "Flatten", {"t"}, {"u"});
  tests::addNode(graph, "Relu", {"u"}, {"y"});
  return parsed(proto);
}

HostTensor input(int rows, int n, int seed) {
  std::vector<float> values;
  for (int i = 0; i < rows * n; ++i) values.push_back(float((i * 31 + seed * 17) % 23 - 11) / 11);
  return HostTensor::vector(values).reshaped({rows, n});
}

} // namespace

class PipelineTest : public QObject {
  Q_OBJECT
private slots:
  void shardingKeepsTheNumbers() {
    const model::Model model = branching();
    auto one = model::lower(model, arch::tinyMachine(8));
    one.inputs["x"] = {input(8, 16, 1)};
    Outcome expected;
    simulate(one, expected);
    for (const int ipus : {2, 4, 8}) {
      model::LoweringOptions options;
      options.ipuOfNode = model::shard(model, arch::tinyMachine(8, ipus), ipus, options).ipuOfNode;
      QCOMPARE(options.ipuOfNode.back(), ipus - 1);
      auto load = model::lower(model, arch::tinyMachine(8, ipus), options);
      load.inputs["x"] = {input(8, 16, 1)};
      Outcome got;
      simulate(load, got);
      for (const char* name : {"a", "y"})
        QVERIFY(got.result.outputs.at(name).at(0).identicalTo(expected.result.outputs.at(name).at(0)));
      // Without a pipeline one IPU computes at a time.
      for (int i = 1; i < ipus; ++i) QCOMPARE(overlap(trackOf(got.rows, i - 1), trackOf(got.rows, i)), int64_t(0));
    }
  }

  void theCutBalancesCyclesAndFollowsTheOrder() {
    const model::Model model = chain(64, 256, 12);
    const auto machine = arch::tinyMachine(4, 4);
    const auto s = model::shard(model, machine, 4, {});
    QVERIFY(std::is_sorted(s.ipuOfNode.begin(), s.ipuOfNode.end()));
    for (int ipu = 0; ipu < 4; ++ipu) QCOMPARE(std::count(s.ipuOfNode.begin(), s.ipuOfNode.end(), ipu), std::ptrdiff_t(3));
    for (const auto cycles : s.cycles) QVERIFY(cycles > 0 && std::abs(double(cycles) / double(s.cycles[0]) - 1) < 0.1);
    QCOMPARE(s.weightBytes[0], std::int64_t(256 * 256 * 4));
    QVERIFY_THROWS_EXCEPTION(reports::Error, model::shard(model, arch::tinyMachine(4, 16), 16, {}));
  }

  void cutsCanBeNamed() {
    const model::Model model = branching();
    QCOMPARE(model::shardAt(model, {"node_c", "g"}).ipuOfNode, (std::vector<int>{0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
    QVERIFY_THROWS_EXCEPTION(reports::Error, model::shardAt(model, {"g", "node_c"}));
    QVERIFY_THROWS_EXCEPTION(reports::Error, model::shardAt(model, {"a"}));
  }

  void aPipelineKeepsTheNumbersOfEveryMicroBatch() {
    const model::Model model = branching();
    constexpr int kMicroBatches = 7;
    std::vector<HostTensor> batches;
    for (int m = 0; m < kMicroBatches; ++m) batches.push_back(input(8, 16, m));
    struct Cut {
      int ipus;
      std::vector<int> ipuOfStage; // empty: a stage on each
    };
    for (const Cut& cut : {Cut{1, {}}, Cut{2, {}}, Cut{4, {}}, Cut{5, {}}, Cut{2, {0, 1, 0}}, Cut{3, {0, 1, 2, 1, 0}}}) {
      model::LoweringOptions options;
      const int stages = cut.ipuOfStage.empty() ? cut.ipus : int(cut.ipuOfStage.size());
      options.ipuOfNode = model::shard(model, arch::tinyMachine(8, stages), stages, options).ipuOfNode;
      if (!cut.ipuOfStage.empty()) {
        options.stageOfNode = options.ipuOfNode;
        for (int& ipu : options.ipuOfNode) ipu = cut.ipuOfStage[std::size_t(ipu)];
      }
      auto load = model::lowerPipeline(model, arch::tinyMachine(8, cut.ipus), options, kMicroBatches);
      load.inputs["x"] = batches;
      Outcome got;
      simulate(load, got);
      for (const char* name : {"a", "y"}) {
        QCOMPARE(got.result.outputs.at(name).size(), std::size_t(kMicroBatches));
        for (std::size_t m = 0; m < batches.size(); ++m) {
          auto one = model::lower(model, arch::tinyMachine(8));
          one.inputs["x"] = {batches[m]};
          Outcome expected;
          simulate(one, expected);
          QVERIFY(got.result.outputs.at(name)[m].identicalTo(expected.result.outputs.at(name).at(0)));
        }
      }
    }
  }

  void balancedStagesAreBusyAsTheFormulaSays() {
    constexpr int kStages = 4;
    const model::Model model = chain(64, 512, 4 * kStages);
    const auto machine = arch::tinyMachine(4, kStages);
    model::LoweringOptions options;
    options.ipuOfNode = model::shard(model, machine, kStages, options).ipuOfNode;
    for (const int microBatches : {4, 8, 24}) {
      auto load = model::lowerPipeline(model, machine, options, microBatches);
      Outcome got;
      simulate(load, got, false);
      QVERIFY(got.result.fits);
      const double formula = double(microBatches) / double(microBatches + kStages - 1);
      for (int ipu = 0; ipu < kStages; ++ipu) {
        const Track track = trackOf(got.rows, ipu);
        const double utilisation = double(track.busy) / double(got.result.cycles);
        QVERIFY2(std::abs(utilisation / formula - 1) < 0.03,
                 (std::to_string(utilisation) + " instead of " + std::to_string(formula)).c_str());
      }
    }
  }

  void theTraceShowsStagesThatOverlapAndThePhases() {
    constexpr int kStages = 4, kMicroBatches = 8;
    const model::Model model = chain(64, 256, 2 * kStages);
    const auto machine = arch::tinyMachine(4, kStages);
    model::LoweringOptions options;
    options.ipuOfNode = model::shard(model, machine, kStages, options).ipuOfNode;
    Outcome got;
    simulate(model::lowerPipeline(model, machine, options, kMicroBatches), got, false);
    std::vector<Track> tracks;
    for (int ipu = 0; ipu < kStages; ++ipu) tracks.push_back(trackOf(got.rows, ipu));
    // Adjacent stages overlap in all micro-batches but one, the first and the last stage in all but three.
    const auto busy = [](const Track& t) {
      int64_t sum = 0;
      for (const auto& r : t.compute) sum += r.size();
      return double(sum);
    };
    QVERIFY(double(overlap(tracks[1], tracks[2])) > 0.8 * busy(tracks[1]) * (kMicroBatches - 1) / kMicroBatches);
    QVERIFY(double(overlap(tracks[0], tracks[3])) > 0.8 * busy(tracks[0]) * (kMicroBatches - 3) / kMicroBatches);
    QVERIFY(tracks[0].compute.front().begin < tracks[3].compute.front().begin);
    QCOMPARE(tracks[0].phases, (std::vector<std::string>{"fill", "main", "flush"}));
  }

  void tooFewMicroBatchesAreRefused() {
    const model::Model model = chain(4, 8, 4);
    model::LoweringOptions options;
    options.ipuOfNode = {0, 1, 2, 3};
    QVERIFY_THROWS_EXCEPTION(reports::Error, model::lowerPipeline(model, arch::tinyMachine(4, 4), options, 3));
    options.ipuOfNode = {0, 1, 0, 3}; // without stages of their own
    QVERIFY_THROWS_EXCEPTION(reports::Error, model::lowerPipeline(model, arch::tinyMachine(4, 4), options, 8));
  }

  void replicasAndStagesMustUseAllIpus() {
    const auto machine = arch::tinyMachine(4, 8);
    QCOMPARE(arch::replicaOf(machine, 4, 2).ipus, 2);
    QCOMPARE(arch::replicaOf(machine, 4, 0).replicas, 4);
    QVERIFY_THROWS_EXCEPTION(reports::Error, arch::replicaOf(machine, 2, 2));
    QVERIFY_THROWS_EXCEPTION(reports::Error, arch::replicaOf(machine, 3, 0));
  }
};

TILESCOPE_TEST(PipelineTest)
#include "pipeline_test.moc"
