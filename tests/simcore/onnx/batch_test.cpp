// A model file with a static batch, run with another one, gives each part of the batch what the file gives it.
#include "tests/simcore/model/model_files.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include "reports/core/progress.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/prepare/prepare.h"

#include <QTest>

#include <fstream>

using simcore::model::Model;
using simcore::numerics::HostTensor;
using simcore::numerics::Shape;

namespace {

onnx::AttributeProto* batchAttribute(onnx::NodeProto* node, const char* name) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  return attribute;
}
void setBatchInteger(onnx::NodeProto* node, const char* name, std::int64_t value) {
  auto* attribute = batchAttribute(node, name);
  attribute->set_type(onnx::AttributeProto::INT), attribute->set_i(value);
}
void setOrder(onnx::NodeProto* node, const std::vector<std::int64_t>& order) {
  auto* attribute = batchAttribute(node, "perm");
  attribute->set_type(onnx::AttributeProto::INTS);
  for (const auto axis : order) attribute->add_ints(axis);
}

} // namespace

class BatchTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  // A graph of input x and output y, written like torch writes it.
  struct Net {
    onnx::ModelProto model = tests::emptyModel(16);
    onnx::GraphProto* graph = model.mutable_graph();
    int count = 0;

    explicit Net(const Shape& shape) {
      tests::addValue(graph->add_input(), "x", shape);
      graph->add_output()->set_name("y");
    }
    std::string name() { return "v" + std::to_string(count++); }
    std::string node(const char* type, const std::vector<std::string>& inputs, const char* output = nullptr) {
      const std::string result = output ? output : name();
      tests::addNode(graph, type, inputs, {result});
      return result;
    }
    onnx::NodeProto* last() { return graph->mutable_node(graph->node_size() - 1); }
    std::string integers(const std::vector<std::int64_t>& values) {
      const std::string result = name();
      tests::addIntegers(graph, result, values);
      return result;
    }
    std::string reshape(const std::string& x, const std::vector<std::int64_t>& shape) {
      return node("Reshape", {x, integers(shape)});
    }
    std::string transpose(const std::string& x, const std::vector<std::int64_t>& order) {
      const std::string result = node("Transpose", {x});
      setOrder(last(), order);
      return result;
    }
    // Equal along `same`, else a wave.
    std::string constant(const Shape& shape, int same = -1) {
      auto* tensor = graph->add_initializer();
      tensor->set_name(name()), tensor->set_data_type(onnx::TensorProto::FLOAT);
      std::int64_t inside = 1;
      for (std::size_t i = shape.size(); i-- > 0;)
        if (int(i) > same) inside *= shape[i];
      for (const auto dim : shape) tensor->add_dims(dim);
      for (std::int64_t i = 0; i < simcore::numerics::elementCount(shape); ++i)
        tensor->add_float_data(float(std::sin(1 + double(same < 0 ? i : i % inside))));
      return tensor->name();
    }
    std::string concat(const std::vector<std::string>& parts, std::int64_t axis) {
      const std::string result = node("Concat", parts);
      setBatchInteger(last(), "axis", axis);
      return result;
    }
    void finish(const std::string& value) { node("Identity", {value}, "y"); }
  };

  Model read(const Net& net) const {
    const std::string file = (m_folder / "model.onnx").string();
    std::ofstream(file, std::ios::binary) << net.model.SerializeAsString();
    return simcore::model::readOnnx(file);
  }
  static HostTensor ran(const Model& file, const HostTensor& x, std::optional<std::int64_t> batch) {
    simcore::model::ModelRequest request;
    request.batch = batch;
    request.given = {{"x", x}};
    reports::NoProgress progress;
    const auto resolved = simcore::model::resolveModel(file, request, {}, progress);
    return simcore::model::evaluate(resolved.model, {{"x", x}}).at(0);
  }
  static HostTensor wave(const Shape& shape, std::int64_t skipped = 0) {
    std::vector<float> values(std::size_t(simcore::numerics::elementCount(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(std::sin(0.7 * double(i + std::size_t(skipped))));
    return HostTensor::of(shape, values);
  }
  // Runs the file as often as its batch goes into `times` batches, and once with all of them.
  void compare(const Net& net, Shape shape, std::int64_t times, std::size_t outputAxis = 0) const {
    const Model file = read(net);
    const std::int64_t one = simcore::numerics::elementCount(shape);
    std::vector<HostTensor> parts;
    for (std::int64_t t = 0; t < times; ++t) parts.push_back(ran(file, wave(shape, t * one), {}));
    shape[0] *= times;
    const HostTensor all = ran(file, wave(shape), shape[0]);
    Shape expected = parts[0].shape();
    std::int64_t inside = 1;
    for (std::size_t i = outputAxis; i < expected.size(); ++i) inside *= expected[i];
    expected[outputAxis] *= times;
    QCOMPARE(all.shape(), expected);
    double worst = 0;
    for (std::int64_t i = 0; i < all.count(); ++i) {
      const std::int64_t row = i / (inside * times), part = i / inside % times;
      worst = std::max(worst, std::abs(all.at(i) - parts[std::size_t(part)].at(row * inside + i % inside)));
    }
    QVERIFY2(worst < 1e-5, qPrintable(QString::number(worst)));
  }
  void refuses(const Net& net, const Shape& x, std::int64_t batch, const std::vector<std::string>& words) const {
    const Model file = read(net);
    Shape shape = x;
    shape[0] = batch;
    const std::string text = tests::errorOf([&] { ran(file, wave(shape), batch); });
    for (const std::string& word : words) QVERIFY2(text.find(word) != std::string::npos, text.c_str());
  }

  // torch.nn.MultiheadAttention with batch_first: [batch, steps, 4], two heads.
  static std::string attention(Net& n, const std::string& x, std::int64_t batch, std::int64_t steps) {
    const std::string byStep = n.transpose(x, {1, 0, 2}), weight = n.constant({4, 4});
    const std::string q = n.node("MatMul", {byStep, weight});
    const std::string heads = n.transpose(n.reshape(q, {steps, batch * 2, 2}), {1, 0, 2});
    const std::string scores = n.node("Softmax", {n.node("MatMul", {heads, n.transpose(heads, {0, 2, 1})})});
    const std::string mixed = n.transpose(n.node("MatMul", {scores, heads}), {1, 0, 2});
    const std::string flat = n.reshape(mixed, {steps * batch, 4});
    const std::string projected = n.node("Gemm", {flat, n.constant({4, 4}), n.constant({4})});
    return n.node("Add", {n.transpose(n.reshape(projected, {steps, batch, 4}), {1, 0, 2}), x});
  }

private slots:
  void attentionWithItsBatchInside_data() {
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("times");
    for (const int batch : {1, 2, 3, 4})
      for (const int steps : {5, 8, batch > 1 ? batch : 2})
        for (const int times : {2, 3}) QTest::addRow("%d of %d steps, %d times", batch, steps, times) << batch << steps << times;
  }
  void attentionWithItsBatchInside() {
    QFETCH(int, batch);
    QFETCH(int, steps);
    QFETCH(int, times);
    Net n({batch, steps, 4});
    n.finish(attention(n, "x", batch, steps));
    compare(n, {batch, steps, 4}, times);
  }

  // Windows of 2 x 2 pixels, as swin transformers cut them: [batch * windows, 4, channels] and back.
  void windows() {
    for (const std::int64_t batch : {1, 2, 3}) {
      Net n({batch, 4, 4, 3});
      const std::string cut = n.transpose(n.reshape("x", {batch, 2, 2, 2, 2, 3}), {0, 1, 3, 2, 4, 5});
      const std::string rows = n.node("MatMul", {n.reshape(cut, {batch * 4, 4, 3}), n.constant({3, 3})});
      const std::string masked = n.node("Add", {n.reshape(rows, {batch, 4, 4, 3}), n.constant({4, 4, 3})});
      const std::string back = n.transpose(n.reshape(masked, {batch, 2, 2, 2, 2, 3}), {0, 1, 3, 2, 4, 5});
      n.finish(n.reshape(back, {batch, 16, 3}));
      compare(n, {batch, 4, 4, 3}, 2);
    }
  }

  void constantsOfTheOldBatch() {
    for (const std::int64_t batch : {1, 2, 4}) {
      Net n({batch, 3, 4});
      const std::string token = n.constant({batch, 1, 4}, 0);
      const std::string all = n.concat({token, "x"}, 1);
      n.finish(n.node("Add", {all, n.constant({batch, 4, 4}, 0)}));
      compare(n, {batch, 3, 4}, 3);
    }
    Net apart({2, 3, 4}); // its rows differ: only a multiple repeats them
    apart.finish(apart.node("Add", {"x", apart.constant({2, 3, 4})}));
    compare(apart, {2, 3, 4}, 2);
    refuses(apart, {2, 3, 4}, 5,
            {"{option batch} 5", "node 'node_v1'", "differs between the elements of the batch", "dynamic_axes"});
  }

  // Shapes that the file computes from its input follow by themselves; others follow beside them.
  void computedShapes() {
    for (const std::int64_t batch : {1, 2, 3}) {
      Net n({batch, 4, 6});
      const std::string count = n.node("Gather", {n.node("Shape", {"x"}), n.integers({0})});
      const std::string split = n.node("Reshape", {"x", n.concat({count, n.integers({4, 2, -1})}, 0)});
      const std::string limit = n.node("Slice", {split, n.integers({0}), count, n.integers({0})});
      n.finish(n.reshape(n.transpose(limit, {0, 2, 1, 3}), {batch * 2, 12}));
      compare(n, {batch, 4, 6}, 2);
    }
  }

  // Of 4 to 6 and 2: zeros are as long as needed.
  void firstStatesOfAnyBatch() {
    for (const std::int64_t to : {2, 6}) {
      Net n({4, 3, 2});
      const std::string steps = n.transpose("x", {1, 0, 2});
      const std::string shape = n.node("Shape", {steps});
      const std::string count = n.node("Gather", {shape, n.integers({1})});
      const std::string state =
          n.node("Expand", {n.constant({1, 4, 3}, 1), n.concat({n.integers({1}), count, n.integers({3})}, 0)});
      const std::string weights = n.constant({1, 9, 2}), again = n.constant({1, 9, 3}), bias = n.constant({1, 18});
      const std::string all = n.node("GRU", {steps, weights, again, bias, "", state});
      setBatchInteger(n.last(), "hidden_size", 3);
      n.finish(n.transpose(n.reshape(all, {3, 4, 3}), {1, 0, 2}));
      const Model file = read(n);
      const HostTensor few = ran(file, wave({4, 3, 2}), {}), other = ran(file, wave({to, 3, 2}), to);
      QCOMPARE(other.shape(), (Shape{to, 3, 3}));
      for (std::int64_t i = 0; i < std::min(few.count(), other.count()); ++i) QVERIFY(std::abs(few.at(i) - other.at(i)) < 1e-6);
    }
  }

  void whatTheFileDoesNotTellIsRefused() {
    Net joined({2, 6});
    joined.finish(joined.reshape("x", {3, 4}));
    refuses(joined, {2, 6}, 4, {"{option batch} 4", "node 'node_v1'", "does not tell where the batch", "dynamic_axes"});
    Net numbered({1, 6});
    numbered.finish(numbered.node("Gather", {"x", numbered.integers({0})}));
    refuses(numbered, {1, 6}, 4, {"{option batch} 4", "selects elements of the batch", "dynamic_axes"});
    Net cut({2, 6});
    cut.finish(cut.node("Slice", {"x", cut.integers({0}), cut.integers({2}), cut.integers({0})}));
    refuses(cut, {2, 6}, 4, {"{option batch} 4", "selects elements of the batch", "dynamic_axes"});
    Net squared({2, 6});
    squared.finish(squared.node("MatMul", {"x", squared.transpose("x", {1, 0})}));
    refuses(squared, {2, 6}, 4, {"output 'y' changes from 2x2 to 4x4", "dynamic_axes"});
    Net split({2, 6});
    tests::addNode(split.graph, "Split", {"x", split.integers({1, 1})}, {"a", "b"});
    split.finish(split.node("Add", {"a", "b"}));
    refuses(split, {2, 6}, 4, {"{option batch} 4 cannot be applied", "node_a", "dynamic_axes"});
  }
};

TILESCOPE_TEST(BatchTest)
#include "batch_test.moc"
