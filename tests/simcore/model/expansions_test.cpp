// Nodes that are replaced by others before types are inferred: operators of ONNX Runtime's own domain and sequences of tensors.
#include "reports/core/error.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/onnx/onnx_file.h"
#include "tests/simcore/model/expanded_models.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <functional>

using namespace simcore;
using numerics::HostTensor;
using numerics::Shape;

using namespace tests::expanded;

class ExpansionsTest : public QObject {
  Q_OBJECT
private slots:
  // Both forms in one file give the same.
  void fusedOperatorsAreWhatTheyWereMadeOf() {
    auto model = contribModel({1, 2, 5, 5}, {"a", "b"});
    auto* graph = model.mutable_graph();
    addWave(graph, "w", {3, 2, 3, 3}, 0.7f);
    auto* fused = addContrib(graph, "FusedConv", {"x", "w"}, {"a"});
    auto* activation = fused->add_attribute();
    activation->set_name("activation");
    activation->set_type(onnx::AttributeProto::STRING);
    activation->set_s("Relu");
    tests::addNode(graph, "Conv", {"x", "w"}, {"c"});
    tests::addNode(graph, "Relu", {"c"}, {"b"});
    const auto y = runExpanded(model, sineWave({1, 2, 5, 5}, 0.3f));
    QVERIFY(y[0].identicalTo(y[1]));
    QVERIFY(y[0].at(0) != y[0].at(1));
  }

  void aSkipIsAddedBeforeTheNorm() {
    auto model = contribModel({2, 3, 8}, {"a", "b", "sum"});
    auto* graph = model.mutable_graph();
    addWave(graph, "skip", {2, 3, 8}, 0.9f);
    addWave(graph, "scale", {8}, 0.4f);
    addContrib(graph, "SkipLayerNormalization", {"x", "skip", "scale"}, {"a", "", "", "sum"});
    tests::addNode(graph, "Add", {"x", "skip"}, {"s"});
    auto* norm = tests::addNode(graph, "LayerNormalization", {"s", "scale"}, {"b"});
    auto* epsilon = norm->add_attribute();
    epsilon->set_name("epsilon");
    epsilon->set_type(onnx::AttributeProto::FLOAT);
    epsilon->set_f(1e-12f);
    const auto y = runExpanded(model, sineWave({2, 3, 8}, 0.3f));
    QVERIFY(tests::compare(y[0], y[1], 1e-5, 1e-6).same);
    QVERIFY(y[2].at(5) != 0);
  }

  // One token looks at itself only: attention is then its value, the last third of x W.
  void attentionToOneTokenIsItsValue() {
    auto model = contribModel({2, 1, 8}, {"a", "qkv"});
    auto* graph = model.mutable_graph();
    addWave(graph, "w", {8, 24}, 0.7f);
    setNumber(addContrib(graph, "Attention", {"x", "w"}, {"a"}), "num_heads", 2);
    tests::addNode(graph, "MatMul", {"x", "w"}, {"qkv"});
    const auto y = runExpanded(model, sineWave({2, 1, 8}, 0.3f));
    QCOMPARE(y[0].shape(), (Shape{2, 1, 8}));
    for (std::int64_t batch = 0; batch < 2; ++batch)
      for (std::int64_t i = 0; i < 8; ++i) QVERIFY(std::abs(y[0].at(batch * 8 + i) - y[1].at(batch * 24 + 16 + i)) < 1e-5);
  }

  // The rank of a mask determines its meaning: lengths, ends and starts, a mask of keys, or of queries and keys. Against a loop.
  void theRankOfAMaskDecides() {
    constexpr int kBatch = 2, kLength = 3, kWidth = 4, kHeads = 2, kSize = kWidth / kHeads;
    struct Masked {
      Shape shape;
      std::vector<std::int64_t> values;
      std::function<bool(int, int, int)> looks; // batch, query, key
      bool isCausal = false, hasHeads = false;
    };
    const std::vector<std::int64_t> raw{1, 0, 1, 0, 1, 1}, whole{1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0};
    const auto all = [](int, int, int) { return true; };
    const std::vector<Masked> cases{
        {{}, {}, all},
        {{}, {}, all, true},
        {{}, {}, all, false, true},
        {{2}, {2, 3}, [](int b, int, int k) { return k < 2 + b; }},
        {{4}, {2, 3, 0, 1}, [](int b, int, int k) { return k < 2 + b && k >= b; }},
        {{8}, {1, 2, 0, 3, 6, 0, 3, 6}, [](int b, int, int k) { return k < 1 + b; }},
        {{2, 3}, raw, [&](int b, int, int k) { return raw[std::size_t(b * 3 + k)] != 0; }, false, true},
        {{2, 3, 3}, whole, [&](int b, int q, int k) { return whole[std::size_t(b * 9 + q * 3 + k)] != 0; }}};
    const HostTensor x = sineWave({kBatch, kLength, kWidth}, 0.9f);
    for (const Masked& masked : cases) {
      auto model = contribModel({kBatch, kLength, kWidth}, {"y"});
      auto* graph = model.mutable_graph();
      std::string key = "x";
      if (masked.hasHeads) { // keys and values of cross attention
        tests::addIntegers(graph, "heads", {kBatch, kLength, kHeads, kSize}, false);
        tests::addNode(graph, "Reshape", {"x", "heads"}, {"split"});
        auto* turn = tests::addNode(graph, "Transpose", {"split"}, {"turned"})->add_attribute();
        turn->set_name("perm"), turn->set_type(onnx::AttributeProto::INTS);
        for (const int axis : {0, 2, 1, 3}) turn->add_ints(axis);
        key = "turned";
      }
      std::vector<std::string> inputs{"x", key, key};
      if (!masked.values.empty()) {
        auto* mask = graph->add_initializer();
        mask->set_name("mask"), mask->set_data_type(onnx::TensorProto::INT32);
        for (const auto size : masked.shape) mask->add_dims(size);
        for (const auto value : masked.values) mask->add_int32_data(std::int32_t(value));
        inputs.insert(inputs.end(), {"", "mask"});
      }
      auto* node = addContrib(graph, "MultiHeadAttention", inputs, {"y"});
      setNumber(node, "num_heads", kHeads);
      if (masked.isCausal) setNumber(node, "unidirectional", 1);
      const HostTensor y = runExpanded(model, x)[0];
      const auto at = [&](int b, int row, int h, int i) { return x.at((b * kLength + row) * kWidth + h * kSize + i); };
      for (int b = 0; b < kBatch; ++b)
        for (int h = 0; h < kHeads; ++h)
          for (int q = 0; q < kLength; ++q) {
            double weights[kLength], sum = 0;
            for (int k = 0; k < kLength; ++k) {
              double score = 0;
              for (int i = 0; i < kSize; ++i) score += at(b, q, h, i) * at(b, k, h, i);
              const bool looks = masked.looks(b, q, k) && (!masked.isCausal || k <= q);
              sum += weights[k] = looks ? std::exp(score / std::sqrt(double(kSize))) : 0;
            }
            for (int i = 0; i < kSize && sum > 0; ++i) {
              double expected = 0;
              for (int k = 0; k < kLength; ++k) expected += weights[k] / sum * at(b, k, h, i);
              QVERIFY(std::abs(y.at((b * kLength + q) * kWidth + h * kSize + i) - expected) < 1e-5);
            }
          }
    }
  }

  // Each query also reads the past keys: of equal scores it takes the mean of their values and those up to its own.
  void pastKeysComeBeforeTheNewOnes() {
    auto model = contribModel({1, 2, 2}, {"y", "present"});
    auto* graph = model.mutable_graph();
    auto* w = graph->add_initializer(); // queries and keys of zero; values are the input
    w->set_name("w"), w->set_data_type(onnx::TensorProto::FLOAT), w->add_dims(2), w->add_dims(6);
    for (const float v : {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}) w->add_float_data(v);
    auto* past = graph->add_initializer();
    past->set_name("past"), past->set_data_type(onnx::TensorProto::FLOAT);
    for (const int dim : {2, 1, 1, 1, 2}) past->add_dims(dim);
    for (const float v : {0, 0, 9, 3}) past->add_float_data(v);
    auto* node = addContrib(graph, "Attention", {"x", "w", "", "", "past"}, {"y", "present"});
    setNumber(node, "num_heads", 1), setNumber(node, "unidirectional", 1);
    const auto y = runExpanded(model, HostTensor::of<float>({1, 2, 2}, {1, 5, 2, 4}));
    const auto expected = HostTensor::of<float>({1, 2, 2}, {5, 4, 4, 4});
    QVERIFY(tests::compare(y[0], expected, 1e-6, 1e-6).same);
    QCOMPARE(y[1].shape(), (Shape{2, 1, 1, 3, 2}));
    QCOMPARE(y[1].at(6), 9.0);
    QCOMPARE(y[1].at(11), 4.0);
  }

  // A mean of 2.5 units and a zero point of 5 are 7.5, which goes to 8; rounded first, it would be 2 + 5.
  void aQuantisedAverageRoundsWithItsZeroPoint() {
    auto model = contribModel({1, 1, 1, 2}, {"y"});
    auto* graph = model.mutable_graph();
    for (const auto& [name, value] : {std::pair("zeroOfX", 10), std::pair("zeroOfY", 5)}) {
      auto* zero = graph->add_initializer();
      zero->set_name(name), zero->set_data_type(onnx::TensorProto::UINT8), zero->add_int32_data(value);
    }
    auto* scale = graph->add_initializer();
    scale->set_name("scale"), scale->set_data_type(onnx::TensorProto::FLOAT), scale->add_float_data(0.5f);
    setNumber(tests::addNode(graph, "Cast", {"x"}, {"bytes"}), "to", onnx::TensorProto::UINT8);
    auto* pool = addContrib(graph, "QLinearAveragePool", {"bytes", "scale", "zeroOfX", "scale", "zeroOfY"}, {"y"});
    auto* kernel = pool->add_attribute();
    kernel->set_name("kernel_shape"), kernel->set_type(onnx::AttributeProto::INTS), kernel->add_ints(1), kernel->add_ints(2);
    QCOMPARE(runExpanded(model, HostTensor::of<float>({1, 1, 1, 2}, {12, 13}))[0].at(0), 8.0);
  }

  // com.microsoft.Unique keeps the order in which values occur, and has no output of their first positions.
  void uniqueValuesKeepTheirOrder() {
    const auto computed = [](const onnx::ModelProto& proto, const HostTensor& x) { // the shapes follow from the values
      return model::evaluate(model::parseOnnx(proto.SerializeAsString(), "unique.onnx", {}), {{"x", x}});
    };
    auto model = contribModel({6}, {"y", "places", "counts"});
    addContrib(model.mutable_graph(), "Unique", {"x"}, {"y", "places", "counts"});
    const auto y = computed(model, HostTensor::of<float>({6}, {2, 1, 1, 3, 4, 3}));
    QCOMPARE(y[0].toIntegers(), (std::vector<std::int64_t>{2, 1, 3, 4}));
    QCOMPARE(y[1].toIntegers(), (std::vector<std::int64_t>{0, 1, 1, 2, 3, 2}));
    QCOMPARE(y[2].toIntegers(), (std::vector<std::int64_t>{1, 2, 2, 1}));
    auto counted = contribModel({4}, {"counts"});
    addContrib(counted.mutable_graph(), "Unique", {"x"}, {"", "", "counts"});
    QCOMPARE(computed(counted, HostTensor::of<float>({4}, {5, 2, 5, 5}))[0].toIntegers(), (std::vector<std::int64_t>{3, 1}));
  }

  void aRangeWithoutAStepTakesOnes() {
    auto model = contribModel({1}, {"y"});
    auto* graph = model.mutable_graph();
    tests::addIntegers(graph, "from", {2}, true), tests::addIntegers(graph, "to", {5}, true);
    addContrib(graph, "Range", {"from", "to"}, {"whole"});
    auto* cast = tests::addNode(graph, "Cast", {"whole"}, {"numbers"});
    setNumber(cast, "to", onnx::TensorProto::FLOAT);
    tests::addNode(graph, "Add", {"x", "numbers"}, {"y"});
    QCOMPARE(runExpanded(model, HostTensor::of<float>({1}, {10}))[0].toIntegers(), (std::vector<std::int64_t>{12, 13, 14}));
  }

  // Only operators that the domain has: this one is a standard operator.
  void operatorsOfAnotherDomainAreRefused() {
    auto model = contribModel({2, 8}, {"y"});
    addWave(model.mutable_graph(), "scale", {8}, 0.4f);
    addContrib(model.mutable_graph(), "LayerNormalization", {"x", "scale"}, {"y"});
    const std::string why = whyNotExpanded(model, sineWave({2, 8}, 1));
    QVERIFY2(why.find("com.microsoft.LayerNormalization") != std::string::npos, why.c_str());
  }

  // Unsupported forms are refused by name; none is confused with another.
  void formsThatAreNotBuiltAreRefused() {
    const auto why = [](const std::string& type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                        const std::vector<std::pair<std::string, int>>& attributes = {}) {
      auto model = contribModel({2, 3, 4}, {"y"});
      auto* graph = model.mutable_graph();
      addWave(graph, "w", {4, 12}, 0.1f), addWave(graph, "mask", {5}, 1), addWave(graph, "four", {2, 1, 3, 3}, 1);
      auto* node = addContrib(graph, type, inputs, outputs);
      for (const auto& [name, value] : attributes) setNumber(node, name, value);
      return whyNotExpanded(model, sineWave({2, 3, 4}, 0.3f));
    };
    const std::vector<std::pair<std::string, int>> heads{{"num_heads", 2}};
    QVERIFY(why("Attention", {"x", "w", "", "mask"}, {"y"}, heads).find("a mask of shape 5 is not supported") !=
            std::string::npos);
    QVERIFY(why("Attention", {"x", "w", "", "four"}, {"y"}, heads).find("a mask of shape") != std::string::npos);
    QVERIFY(why("Attention", {"x", "w", "", "", "", "", "mask"}, {"y"}, heads).find("past_present_share_buffer") !=
            std::string::npos);
    QVERIFY(why("Attention", {"x", "w"}, {"y"}, {{"num_heads", 2}, {"do_rotary", 1}}).find("do_rotary") != std::string::npos);
    const std::string scores = why("MultiHeadAttention", {"x", "x", "x"}, {"y", "", "", "scores"}, heads);
    QVERIFY2(scores.find("node_y") != std::string::npos && scores.find("the output of its scores") != std::string::npos,
             scores.c_str());
    QVERIFY(why("QLinearAveragePool", {"x", "w", "w", "w", "w"}, {"y"}, {{"ceil_mode", 1}, {"count_include_pad", 1}})
                .find("ceil_mode and count_include_pad") != std::string::npos);
    QVERIFY(why("SkipLayerNormalization", {"x", "x", "mask"}, {"y", "mean"}).find("output 1") != std::string::npos);
    QVERIFY(why("EmbedLayerNormalization", {"x", "", "w", "w", "", "w", "w"}, {"y", "counts"}).find("without a mask") !=
            std::string::npos);
  }

  void unknownOperatorsAreNamed() {
    auto model = contribModel({2, 8}, {"y"});
    addContrib(model.mutable_graph(), "QAttention", {"x"}, {"y"});
    const std::string why = whyNotExpanded(model, sineWave({2, 8}, 1));
    QVERIFY2(why.find("node 'node_y'") != std::string::npos && why.find("com.microsoft.QAttention") != std::string::npos,
             why.c_str());
  }

  // The parts of a split in reverse order, joined again.
  void sequencesOfKnownLengthAreLists() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {3, 2});
    for (const char* name : {"y", "n"}) graph->add_output()->set_name(name);
    tests::addIntegers(graph, "one", {1}, true);
    tests::addIntegers(graph, "front", {0}, true);
    setNumber(tests::addNode(graph, "SplitToSequence", {"x", "one"}, {"parts"}), "axis", 0);
    tests::addNode(graph, "SequenceAt", {"parts", "front"}, {"first"});
    tests::addNode(graph, "SequenceErase", {"parts", "front"}, {"rest"});
    tests::addNode(graph, "SequenceInsert", {"rest", "first"}, {"turned"});
    tests::addNode(graph, "SequenceLength", {"turned"}, {"n"});
    setNumber(tests::addNode(graph, "ConcatFromSequence", {"turned"}, {"y"}), "axis", 0);
    const HostTensor x = HostTensor::of({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
    const auto y = runExpanded(model, x);
    QCOMPARE(y[0].toDoubles(), (std::vector<double>{3, 4, 5, 6, 1, 2}));
    QCOMPARE(y[1].integerAt(0), std::int64_t(3));
    graph->mutable_node(1)->set_op_type("Relu"); // of a sequence
    graph->mutable_node(1)->mutable_input()->RemoveLast();
    QVERIFY(whyNotExpanded(model, x).find("sequence 'parts'") != std::string::npos);
  }

  // The same numbers every time, in the requested range.
  void randomNumbersAreTheNodesOwn() {
    onnx::ModelProto model = tests::emptyModel(13);
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {64, 64});
    for (const char* name : {"a", "b"}) graph->add_output()->set_name(name);
    tests::addNode(graph, "RandomNormalLike", {"x"}, {"a"});
    tests::addNode(graph, "RandomNormalLike", {"x"}, {"b"});
    const HostTensor x = sineWave({64, 64}, 1);
    const auto y = runExpanded(model, x), again = runExpanded(model, x);
    QVERIFY(y[0].identicalTo(again[0]) && !y[0].identicalTo(y[1]));
    double sum = 0, squares = 0;
    for (const double v : y[0].toDoubles()) {
      sum += v / 4096;
      squares += v * v / 4096;
    }
    QVERIFY2(std::abs(sum) < 0.1 && std::abs(squares - 1) < 0.1, qPrintable(QString("%1 %2").arg(sum).arg(squares)));
  }
};

TILESCOPE_TEST(ExpansionsTest)
#include "expansions_test.moc"
