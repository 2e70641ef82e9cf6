// Operators of language models against plain loops: heads of keys shared by several heads of queries, cached keys, positions as
// rotations, weights of a few bits.
#include "tests/simcore/model/expanded_models.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>

using namespace tests::expanded;

namespace {

struct Sizes {
  int batch, queries, keys, heads, kept, size;
};

// Values by batch, head, place and element.
using At = std::function<double(int, int, int, int)>;

// Scores allowed by `looks`, softmax, weighted values: [batch, queries, heads x size].
std::vector<double> attendedByLoops(const Sizes& s, const At& q, const At& k, const At& v,
                                    const std::function<bool(int, int, int)>& looks, double scale) {
  std::vector<double> y;
  for (int b = 0; b < s.batch; ++b)
    for (int i = 0; i < s.queries; ++i)
      for (int h = 0; h < s.heads; ++h) {
        const int kept = h / (s.heads / s.kept);
        std::vector<double> weights(std::size_t(s.keys), 0.0);
        double sum = 0;
        for (int j = 0; j < s.keys; ++j) {
          if (!looks(b, i, j)) continue;
          double score = 0;
          for (int e = 0; e < s.size; ++e) score += q(b, h, i, e) * k(b, kept, j, e);
          sum += weights[std::size_t(j)] = std::exp(score * scale);
        }
        for (int e = 0; e < s.size; ++e) {
          double mixed = 0;
          for (int j = 0; j < s.keys; ++j) mixed += weights[std::size_t(j)] / sum * v(b, kept, j, e);
          y.push_back(mixed);
        }
      }
  return y;
}

// Of [batch, length, heads x size].
At rowsOf(HostTensor x, int heads, int size) {
  return [x = std::move(x), heads, size](int b, int h, int i, int e) {
    const auto length = int(x.shape()[1]);
    return x.at(((b * length + i) * heads + h) * size + e);
  };
}

At turnedByLoops(const At& x, int pairs, bool interleaved, const std::function<int(int, int)>& place) {
  return [=](int b, int h, int i, int e) {
    const int pair = interleaved ? e / 2 : e % pairs;
    if (e >= 2 * pairs) return x(b, h, i, e);
    const bool isFirst = interleaved ? e % 2 == 0 : e < pairs;
    const double angle = double(place(b, i)) * std::pow(0.5, pair);
    const double a = x(b, h, i, interleaved ? 2 * pair : pair), c = x(b, h, i, interleaved ? 2 * pair + 1 : pair + pairs);
    return isFirst ? a * std::cos(angle) - c * std::sin(angle) : a * std::sin(angle) + c * std::cos(angle);
  };
}

void addFloats(onnx::GraphProto* graph, const std::string& name, const Shape& shape, const std::vector<float>& values) {
  auto* tensor = graph->add_initializer();
  tensor->set_name(name), tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const auto dim : shape) tensor->add_dims(dim);
  for (const float v : values) tensor->add_float_data(v);
}
void addWords(onnx::GraphProto* graph, const std::string& name, const Shape& shape, const std::vector<int>& values,
              int type = onnx::TensorProto::INT32) {
  auto* tensor = graph->add_initializer();
  tensor->set_name(name), tensor->set_data_type(type);
  for (const auto dim : shape) tensor->add_dims(dim);
  for (const int v : values)
    if (type == onnx::TensorProto::INT64)
      tensor->add_int64_data(v);
    else
      tensor->add_int32_data(v);
}
void addAngles(onnx::GraphProto* graph, int places, int pairs) {
  std::vector<float> cosine, sine;
  for (int p = 0; p < places; ++p)
    for (int i = 0; i < pairs; ++i) {
      cosine.push_back(float(std::cos(p * std::pow(0.5, i))));
      sine.push_back(float(std::sin(p * std::pow(0.5, i))));
    }
  addFloats(graph, "cosine", {places, pairs}, cosine), addFloats(graph, "sine", {places, pairs}, sine);
}
void setReal(onnx::NodeProto* node, const std::string& name, float value) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name), attribute->set_type(onnx::AttributeProto::FLOAT), attribute->set_f(value);
}
onnx::ModelProto ofOpset(int opset, onnx::ModelProto model) {
  model.mutable_opset_import(0)->set_version(opset);
  return model;
}

std::string differences(const HostTensor& y, const std::vector<double>& expected) {
  if (std::size_t(y.count()) != expected.size()) return "another number of elements";
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(y.at(std::int64_t(i)) - expected[i]) < 1e-5))
      return "element " + std::to_string(i) + ": " + std::to_string(y.at(std::int64_t(i))) + ", not " +
             std::to_string(expected[i]);
  return {};
}
#define QSAME(tensor, expected) QVERIFY2(differences(tensor, expected).empty(), differences(tensor, expected).c_str())

} // namespace

class LanguageExpansionsTest : public QObject {
  Q_OBJECT
private slots:
  // Many files have nodes without a name, or several with the same: their parts must not be confused.
  void nodesWithoutANameStayApart() {
    for (const char* name : {"", "same"}) {
      auto model = ofOpset(24, contribModel({4}, {"a", "y"}));
      auto* graph = model.mutable_graph();
      for (const auto& [in, out, alpha] : {std::tuple("x", "a", 2.0f), std::tuple("a", "y", 0.5f)}) {
        auto* node = tests::addNode(graph, "Swish", {in}, {out});
        node->set_name(name);
        auto* attribute = node->add_attribute();
        attribute->set_name("alpha"), attribute->set_type(onnx::AttributeProto::FLOAT), attribute->set_f(alpha);
      }
      const HostTensor x = sineWave({4}, 0.7f);
      const auto y = runExpanded(model, x);
      const auto swish = [](double v, double alpha) { return v / (1 + std::exp(-alpha * v)); };
      for (std::int64_t i = 0; i < 4; ++i) {
        QVERIFY(std::abs(y[0].at(i) - swish(x.at(i), 2)) < 1e-6);
        QVERIFY(std::abs(y[1].at(i) - swish(swish(x.at(i), 2), 0.5)) < 1e-6);
      }
    }
  }

  // The second text is shorter by two: its new key is two positions earlier, and later positions are 0 and not read.
  void cachedKeysAreContinued() {
    const Sizes s{2, 1, 4, 4, 2, 4};
    for (const bool interleaved : {false, true}) {
      auto model = contribModel({2, 1, 16}, {"y", "keys", "values"});
      auto* graph = model.mutable_graph();
      addWave(graph, "k", {2, 1, 8}, 0.4f), addWave(graph, "v", {2, 1, 8}, 0.6f);
      addWave(graph, "oldK", {2, 2, 3, 4}, 0.3f), addWave(graph, "oldV", {2, 2, 3, 4}, 0.8f);
      addWords(graph, "ends", {2}, {3, 1}), addWords(graph, "total", {}, {4});
      addAngles(graph, 8, 2);
      auto* node = addContrib(graph, "GroupQueryAttention", {"x", "k", "v", "oldK", "oldV", "ends", "total", "cosine", "sine"},
                              {"y", "keys", "values"});
      setNumber(node, "num_heads", 4), setNumber(node, "kv_num_heads", 2), setNumber(node, "do_rotary", 1);
      if (interleaved) setNumber(node, "rotary_interleaved", 1);
      const HostTensor x = sineWave({2, 1, 16}, 0.9f), oldK = sineWave({2, 2, 3, 4}, 0.3f), oldV = sineWave({2, 2, 3, 4}, 0.8f);
      const auto end = [](int b, int) { return 3 - 2 * b; };
      const At q = turnedByLoops(rowsOf(x, 4, 4), 2, interleaved, end);
      const At newK = turnedByLoops(rowsOf(sineWave({2, 1, 8}, 0.4f), 2, 4), 2, interleaved, end);
      const At newV = rowsOf(sineWave({2, 1, 8}, 0.6f), 2, 4);
      const auto cached = [&](const HostTensor& old, const At& fresh) {
        return At([&, fresh](int b, int h, int j, int e) {
          if (j == end(b, 0)) return fresh(b, h, 0, e);
          return j < end(b, 0) ? old.at(((b * 2 + h) * 3 + j) * 4 + e) : 0.0;
        });
      };
      const At k = cached(oldK, newK), v = cached(oldV, newV);
      const auto y = runExpanded(model, x);
      QCOMPARE(y[0].shape(), (Shape{2, 1, 16}));
      QSAME(y[0], attendedByLoops(
                      s, q, k, v, [&](int b, int, int j) { return j <= end(b, 0); }, 0.5));
      std::vector<double> keys;
      for (int i = 0; i < 2 * 2 * 4 * 4; ++i) keys.push_back(k(i / 32, i / 16 % 2, i / 4 % 4, i % 4));
      QSAME(y[1], keys);
      QCOMPARE(y[2].shape(), (Shape{2, 2, 4, 4}));
    }
  }

  // Queries, keys and values in one input; a query sees its own key and the window's two before it, as in ONNX Runtime 1.20.
  void promptsLookBackThroughAWindow() {
    const Sizes s{1, 4, 4, 4, 2, 4};
    auto model = contribModel({1, 4, 32}, {"y"});
    auto* graph = model.mutable_graph();
    addWords(graph, "ends", {1}, {3}), addWords(graph, "total", {}, {4});
    auto* node = addContrib(graph, "GroupQueryAttention", {"x", "", "", "", "", "ends", "total"}, {"y"});
    setNumber(node, "num_heads", 4), setNumber(node, "kv_num_heads", 2), setNumber(node, "local_window_size", 2);
    setReal(node, "scale", 0.3f);
    const HostTensor x = sineWave({1, 4, 32}, 0.7f);
    const auto part = [&](int first) {
      return At([&x, first](int, int h, int i, int e) { return x.at(i * 32 + first + h * 4 + e); });
    };
    QSAME(runExpanded(model, x)[0],
          attendedByLoops(
              s, part(0), part(16), part(24), [](int, int i, int j) { return j <= i && j >= i - 2; }, double(0.3f)));
  }

  void formsOfCachesThatAreNotKnownAreRefused() {
    const auto why = [](const std::vector<std::string>& inputs) {
      auto model = contribModel({1, 1, 8}, {"y"});
      auto* graph = model.mutable_graph();
      addWave(graph, "old", {1, 2, 3, 4}, 0.3f), addWords(graph, "ends", {1}, {3}), addWords(graph, "total", {}, {4});
      addWave(graph, "sink", {2}, 1);
      auto* node = addContrib(graph, "GroupQueryAttention", inputs, {"y"});
      setNumber(node, "num_heads", 2), setNumber(node, "kv_num_heads", 2);
      return whyNotExpanded(model, sineWave({1, 1, 8}, 1));
    };
    QVERIFY(why({"x", "x", "x", "old", "old", "ends", "total", "", "", "", "", "sink"}).find("a sink of heads") !=
            std::string::npos);
    QCOMPARE(why({"x", "x", "x", "old", "old", "ends", "total"}), std::string());
  }

  void attentionOfOpset23() {
    const Sizes s{2, 3, 5, 4, 2, 4};
    auto model = ofOpset(23, contribModel({2, 3, 16}, {"y", "keys"}));
    auto* graph = model.mutable_graph();
    addWave(graph, "k", {2, 3, 8}, 0.4f), addWave(graph, "v", {2, 3, 8}, 0.6f);
    addWave(graph, "oldK", {2, 2, 2, 4}, 0.3f), addWave(graph, "oldV", {2, 2, 2, 4}, 0.8f);
    std::vector<int> mask;
    for (int i = 0; i < 15; ++i) mask.push_back(i % 4 != 2);
    addWords(graph, "mask", {3, 5}, mask, onnx::TensorProto::BOOL);
    auto* node = tests::addNode(graph, "Attention", {"x", "k", "v", "mask", "oldK", "oldV"}, {"y", "keys"});
    setNumber(node, "q_num_heads", 4), setNumber(node, "kv_num_heads", 2);
    const HostTensor x = sineWave({2, 3, 16}, 0.9f);
    const auto continued = [](float old, float fresh) {
      return At([past = sineWave({2, 2, 2, 4}, old), row = rowsOf(sineWave({2, 3, 8}, fresh), 2, 4)](int b, int h, int j, int e) {
        return j < 2 ? past.at(((b * 2 + h) * 2 + j) * 4 + e) : row(b, h, j - 2, e);
      });
    };
    const auto y = runExpanded(model, x);
    QSAME(y[0], attendedByLoops(
                    s, rowsOf(x, 4, 4), continued(0.3f, 0.4f), continued(0.8f, 0.6f),
                    [&](int, int i, int j) { return mask[std::size_t(i * 5 + j)] != 0; }, 0.5));
    QCOMPARE(y[1].shape(), (Shape{2, 2, 5, 4}));
    setNumber(node, "is_causal", 1); // to the left of which key?
    QVERIFY(whyNotExpanded(model, x).find("is_causal together with past keys") != std::string::npos);
  }

  void causalAttentionWithHeadsOfItsOwn() {
    const Sizes s{2, 3, 3, 2, 2, 4};
    auto model = ofOpset(23, contribModel({2, 2, 3, 4}, {"y"}));
    auto* node = tests::addNode(model.mutable_graph(), "Attention", {"x", "x", "x"}, {"y"});
    setNumber(node, "is_causal", 1), setReal(node, "scale", 0.25f);
    const HostTensor x = sineWave({2, 2, 3, 4}, 0.9f);
    const At at = [&](int b, int h, int i, int e) { return x.at(((b * 2 + h) * 3 + i) * 4 + e); };
    const auto rows = attendedByLoops(
        s, at, at, at, [](int, int i, int j) { return j <= i; }, 0.25);
    std::vector<double> byHead;
    for (int i = 0; i < 48; ++i) byHead.push_back(rows[std::size_t(((i / 24 * 3 + i / 4 % 3) * 2 + i / 12 % 2) * 4 + i % 4)]);
    QSAME(runExpanded(model, x)[0], byHead);
  }

  void positionsAreRotations_data() {
    QTest::addColumn<bool>("standard");
    QTest::addColumn<bool>("interleaved");
    for (const bool standard : {false, true})
      for (const bool interleaved : {false, true})
        QTest::addRow("%s, %s", standard ? "opset 23" : "com.microsoft", interleaved ? "neighbours" : "halves")
            << standard << interleaved;
  }
  void positionsAreRotations() {
    QFETCH(bool, standard);
    QFETCH(bool, interleaved);
    auto model = ofOpset(standard ? 23 : 17, contribModel({2, 3, 12}, {"y"}));
    auto* graph = model.mutable_graph();
    addAngles(graph, 8, 2); // of the first four of six elements
    addWords(graph, "places", {2, 3}, {0, 1, 2, 5, 6, 7}, onnx::TensorProto::INT64);
    auto* node = standard ? tests::addNode(graph, "RotaryEmbedding", {"x", "cosine", "sine", "places"}, {"y"})
                          : addContrib(graph, "RotaryEmbedding", {"x", "places", "cosine", "sine"}, {"y"});
    setNumber(node, "num_heads", 2), setNumber(node, "rotary_embedding_dim", 4);
    if (interleaved) setNumber(node, "interleaved", 1);
    const HostTensor x = sineWave({2, 3, 12}, 0.9f);
    const At turned = turnedByLoops(rowsOf(x, 2, 6), 2, interleaved, [](int b, int i) { return 5 * b + i; });
    std::vector<double> expected;
    for (int i = 0; i < 72; ++i) expected.push_back(turned(i / 36, i / 6 % 2, i / 12 % 3, i % 6));
    QSAME(runExpanded(model, x)[0], expected);
  }

  void normsWithoutAMean() {
    auto model = ofOpset(23, contribModel({2, 3, 4}, {"y"}));
    auto* graph = model.mutable_graph();
    addWave(graph, "scale", {3, 4}, 0.4f);
    auto* node = tests::addNode(graph, "RMSNormalization", {"x", "scale"}, {"y"});
    setNumber(node, "axis", 1);
    const HostTensor x = sineWave({2, 3, 4}, 0.9f), scale = sineWave({3, 4}, 0.4f);
    std::vector<double> expected;
    for (int b = 0; b < 2; ++b) {
      double squares = 0;
      for (int i = 0; i < 12; ++i) squares += x.at(b * 12 + i) * x.at(b * 12 + i);
      for (int i = 0; i < 12; ++i) expected.push_back(x.at(b * 12 + i) / std::sqrt(squares / 12 + 1e-5) * scale.at(i));
    }
    QSAME(runExpanded(model, x)[0], expected);
  }

  // Rows of 20 weights in blocks of 16: the second block is longer than the rest of the row.
  void weightsOfFewBits_data() {
    QTest::addColumn<int>("bits");
    QTest::addColumn<bool>("hasZeros");
    for (const int bits : {2, 4, 8})
      for (const bool hasZeros : {false, true})
        QTest::addRow("%d bits, %s", bits, hasZeros ? "zero points" : "none") << bits << hasZeros;
  }
  void weightsOfFewBits() {
    QFETCH(int, bits);
    QFETCH(bool, hasZeros);
    constexpr int kRows = 3, kColumns = 20, kBlock = 16, kBlocks = 2;
    const int range = 1 << bits, each = 8 / bits;
    const auto value = [&](int row, int column) { return (row * 7 + column * 5 + 3) % range; };
    const auto zero = [&](int row, int block) { return hasZeros ? (row * 3 + block + 1) % range : range / 2; };
    std::vector<int> bytes, zeros;
    for (int row = 0; row < kRows; ++row) {
      for (int column = 0; column < kBlock * kBlocks; column += each) {
        int byte = 0;
        for (int i = 0; i < each; ++i) byte |= value(row, column + i) << (i * bits);
        bytes.push_back(byte);
      }
      for (int block = 0; block < kBlocks; block += each) {
        int byte = 0;
        for (int i = 0; i < each && block + i < kBlocks; ++i) byte |= zero(row, block + i) << (i * bits);
        zeros.push_back(byte);
      }
    }
    auto model = contribModel({2, kColumns}, {"y"});
    auto* graph = model.mutable_graph();
    addWords(graph, "b", {kRows, kBlocks, kBlock / each}, bytes, onnx::TensorProto::UINT8);
    addWave(graph, "scales", {kRows, kBlocks}, 0.6f), addWave(graph, "bias", {kRows}, 0.2f);
    addWords(graph, "zeros", {std::int64_t(zeros.size())}, zeros, onnx::TensorProto::UINT8);
    auto* node = addContrib(graph, "MatMulNBits", {"x", "b", "scales", hasZeros ? "zeros" : "", "", "bias"}, {"y"});
    setNumber(node, "K", kColumns), setNumber(node, "N", kRows), setNumber(node, "bits", bits),
        setNumber(node, "block_size", kBlock);
    const HostTensor x = sineWave({2, kColumns}, 0.9f), scales = sineWave({kRows, kBlocks}, 0.6f), bias = sineWave({kRows}, 0.2f);
    std::vector<double> expected;
    for (int i = 0; i < 2; ++i)
      for (int row = 0; row < kRows; ++row) {
        double sum = bias.at(row);
        for (int column = 0; column < kColumns; ++column)
          sum += x.at(i * kColumns + column) * (value(row, column) - zero(row, column / kBlock)) *
                 scales.at(row * kBlocks + column / kBlock);
        expected.push_back(sum);
      }
    const HostTensor y = runExpanded(model, x)[0];
    for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(std::abs(y.at(std::int64_t(i)) - expected[i]) < 2e-5 * range);
  }

  void bitsAreCombined() {
    auto model = ofOpset(18, contribModel({4}, {"and", "or", "xor"}));
    auto* graph = model.mutable_graph();
    addWords(graph, "a", {2, 1}, {12, -1}, onnx::TensorProto::INT64),
        addWords(graph, "b", {2}, {10, 5}, onnx::TensorProto::INT64);
    for (const char* kind : {"And", "Or", "Xor"}) {
      std::string name = kind;
      name[0] = char(std::tolower(name[0]));
      tests::addNode(graph, std::string("Bitwise") + kind, {"a", "b"}, {name});
    }
    const auto y = runExpanded(model, sineWave({4}, 1));
    QCOMPARE(y[0].toDoubles(), (std::vector<double>{8, 4, 10, 5}));
    QCOMPARE(y[1].toDoubles(), (std::vector<double>{14, 13, -1, -1}));
    QCOMPARE(y[2].toDoubles(), (std::vector<double>{6, 9, -11, -6}));
  }

  void swish() {
    auto model = ofOpset(24, contribModel({4}, {"y"}));
    setReal(tests::addNode(model.mutable_graph(), "Swish", {"x"}, {"y"}), "alpha", 1.5f);
    const HostTensor x = sineWave({4}, 1);
    std::vector<double> expected;
    for (int i = 0; i < 4; ++i) expected.push_back(x.at(i) / (1 + std::exp(-1.5 * x.at(i))));
    QSAME(runExpanded(model, x)[0], expected);
  }
};

TILESCOPE_TEST(LanguageExpansionsTest)
#include "language_expansions_test.moc"
