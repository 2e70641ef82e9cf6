// Operators of ONNX Runtime's domain com.microsoft, which its optimiser and its quantiser write into files, as defined in ONNX
// Runtime's operator documentation. Most expansions do not know the rank: Reshape copies the dimensions of batch and channels.
// Operators that need the rank are expanded once types are known.
#include "simcore/model/graph/expansion.h"
#include "simcore/model/graph/graph_builder.h"

#include <limits>
#include <map>

namespace simcore::model {

namespace {

void giveActivated(NodeWriter& w, const std::string& x) {
  const std::string kind = w.text("activation");
  const auto p = w.attributes().reals("activation_params");
  const auto parameter = [&](std::size_t i, double standard) { return i < p.size() ? double(p[i]) : standard; };
  if (kind.empty()) return w.give(0, x);
  if (kind == "Clip") return w.give(0, "Clip", {x, w.number(parameter(0, -3.4e38)), w.number(parameter(1, 3.4e38))});
  w.give(0, kind, {x});
  if (kind == "LeakyRelu") w.setReal("alpha", parameter(0, 0.01));
  if (kind == "HardSigmoid") w.setReal("alpha", parameter(0, 0.2)).setReal("beta", parameter(1, 0.5));
}

void fusedConv(NodeWriter& w) {
  std::string y = w.add("Conv", w.withOptional({w.in(0), w.in(1)}, 2));
  w.keep({"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  if (w.has(3)) y = w.add("Add", {y, w.in(3)});
  giveActivated(w, y);
}

void fusedGemm(NodeWriter& w) {
  const std::string y = w.add("Gemm", w.withOptional({w.in(0), w.in(1)}, 2));
  w.keep({"alpha", "beta", "transA", "transB"});
  w.give(0, w.text("activation").empty() ? "Identity" : w.text("activation"), {y});
  for (const char* name : {"alpha", "beta", "gamma"}) // attributes of the activation
    if (const std::string own = std::string("activation_") + name; w.attributes().has(own)) w.setReal(name, w.real(own, 0));
}

void fusedMatmul(NodeWriter& w) {
  if (w.integer("transBatchA", 0) || w.integer("transBatchB", 0))
    throw Error(ErrorCode::Unsupported, "FusedMatMul with transposed batches is not supported");
  const std::string a = w.integer("transA", 0) ? w.swapped(w.in(0)) : w.in(0);
  const std::string b = w.integer("transB", 0) ? w.swapped(w.in(1)) : w.in(1);
  const double alpha = w.real("alpha", 1);
  if (alpha == 1) return w.give(0, "MatMul", {a, b});
  w.give(0, "Mul", {w.add("MatMul", {a, b}), w.number(alpha)});
}

void biasGelu(NodeWriter& w) { w.give(0, "Gelu", {w.add("Add", {w.in(0), w.in(1)})}); }
void fastGelu(NodeWriter& w) {
  w.give(0, "Gelu", {w.has(1) ? w.add("Add", {w.in(0), w.in(1)}) : w.in(0)});
  w.set("approximate", std::string("tanh"));
}
void quickGelu(NodeWriter& w) {
  w.give(0, "Mul", {w.in(0), w.add("Sigmoid", {w.add("Mul", {w.in(0), w.number(w.real("alpha", 1.702))})})});
}

void giveNorm(NodeWriter& w, const std::string& x, std::size_t gamma, std::size_t beta, double epsilon) {
  w.give(0, "LayerNormalization", w.withOptional({x, w.in(gamma)}, beta));
  w.set("axis", -1).setReal("epsilon", epsilon);
}
void giveRootMeanSquareNorm(NodeWriter& w, const std::string& x, const std::string& scale) {
  const std::string mean = w.add("ReduceMean", {w.add("Mul", {x, x}), w.integers({-1})});
  const std::string root = w.add("Sqrt", {w.add("Add", {mean, w.number(w.real("epsilon", 1e-5))})});
  w.give(0, "Mul", {w.add("Div", {x, root}), scale});
}
std::string skipSum(NodeWriter& w, std::size_t bias) {
  for (const std::size_t i : {1, 2}) w.refuseOutput(i);
  std::string x = w.add("Add", {w.in(0), w.in(1)});
  if (w.has(bias)) x = w.add("Add", {x, w.in(bias)});
  if (w.wants(3)) w.give(3, x);
  return x;
}
void skipNorm(NodeWriter& w) { giveNorm(w, skipSum(w, 4), 2, 3, w.real("epsilon", 1e-12)); }
void skipSimpleNorm(NodeWriter& w) { giveRootMeanSquareNorm(w, skipSum(w, 3), w.in(2)); }
void simpleNorm(NodeWriter& w) {
  w.refuseOutput(1);
  if (w.integer("axis", -1) != -1)
    throw Error(ErrorCode::Unsupported, "SimplifiedLayerNormalization over several axes is not supported");
  giveRootMeanSquareNorm(w, w.in(0), w.in(1));
}

void embedNorm(NodeWriter& w) {
  if (w.integer("mask_index_type", 0))
    throw Error(ErrorCode::Unsupported, "EmbedLayerNormalization with a mask_index_type is not supported");
  if (w.wants(1)) { // number of words per text that the mask keeps
    if (!w.has(7)) throw Error(ErrorCode::Unsupported, "EmbedLayerNormalization without a mask gives no output 1");
    const std::string looks =
        w.cast(w.add("Equal", {w.in(7), w.constant(HostTensor::full(ElementType::Int32, {}, 1))}), ElementType::Int32);
    w.give(1, "ReduceSum", {looks, w.integers({1})});
    w.set("keepdims", 0);
  }
  std::string x = w.add("Gather", {w.in(2), w.in(0)});
  if (w.has(8)) {
    x = w.add("Add", {x, w.add("Gather", {w.in(3), w.in(8)})});
  } else { // positions 0, 1 … of the sequence
    const std::string length = w.add("Slice", {w.add("Shape", {w.in(0)}), w.integers({1}), w.integers({2})});
    x = w.add("Add", {x, w.add("Slice", {w.in(3), w.integers({0}), length, w.integers({0})})});
  }
  if (w.has(1)) x = w.add("Add", {x, w.add("Gather", {w.in(4), w.in(1)})});
  giveNorm(w, x, 5, 6, w.real("epsilon", 1e-12));
  if (w.wants(2)) w.give(2, x);
}

// Attention and MultiHeadAttention. Their meaning depends on the rank of an input, so they are expanded after type inference.
// They follow the CPU kernels of ONNX Runtime; forms that these kernels lack are rejected.
class AttentionWriter {
public:
  AttentionWriter(NodeWriter& writer, const Call& call) : w(writer), m_call(call) {
    if (!w.attributes().has("num_heads")) throw Error(ErrorCode::InvalidInput, "attribute 'num_heads' is missing");
    m_heads = w.integer("num_heads", 0);
    if (m_heads < 1)
      throw Error(ErrorCode::InvalidInput, "attribute 'num_heads' is " + std::to_string(m_heads) + ", not at least 1");
  }

  void attention() {
    if (w.integer("do_rotary", 0)) refuse("do_rotary");
    if (w.integer("past_present_share_buffer", 0) || m_call.has(6)) refuse("past_present_share_buffer");
    requireRank(0, 3), requireRank(1, 2);
    const std::int64_t all = m_call.shape(1)[1];
    std::vector<std::int64_t> sizes{all / 3, all / 3, all / 3};
    if (w.attributes().has("qkv_hidden_sizes")) sizes = w.attributes().integers("qkv_hidden_sizes");
    if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != all || sizes[0] != sizes[1])
      throw Error(ErrorCode::InvalidInput,
                  std::to_string(all) + " columns of weights cannot be split into q, k and v (q and k of equal size) of sizes " +
                      numerics::toString(sizes));
    std::string x = w.add("MatMul", {w.in(0), w.in(1)});
    if (w.has(2)) x = w.add("Add", {x, w.in(2)});
    const auto parts = w.split(x, 2, sizes);
    m_batch = m_call.shape(0)[0], m_queries = m_keys = m_call.shape(0)[1];
    if (!m_call.has(4) && !w.wants(1)) return give(parts[0], headsOf(parts[1], {0, 2, 3, 1}), headsOf(parts[2], {0, 2, 1, 3}), 3);
    std::string key = headsOf(parts[1], {0, 2, 1, 3}), value = headsOf(parts[2], {0, 2, 1, 3});
    if (m_call.has(4)) { // [2, batch, heads, length, size]: keys and values
      requireRank(4, 5);
      const auto both = w.split(w.in(4), 0, {1, 1});
      const auto one = [&](const std::string& half) { return w.add("Squeeze", {half, w.integers({0})}); };
      key = behind(one(both[0]), key), value = behind(one(both[1]), value);
      lookBack(m_call.shape(4)[3]);
    }
    if (w.wants(1)) {
      if (sizes[0] != sizes[2]) refuse("an output 'present' with keys and values of different sizes");
      const auto one = [&](const std::string& now) { return w.add("Unsqueeze", {now, w.integers({0})}); };
      w.give(1, "Concat", {one(key), one(value)});
      w.set("axis", std::int64_t(0));
    }
    give(parts[0], w.transposed(key, {0, 1, 3, 2}), value, 3);
  }

  void multiHead() {
    if (m_call.has(6) != m_call.has(7))
      throw Error(ErrorCode::InvalidInput, "past keys and past values of MultiHeadAttention must be given together");
    if (m_call.has(8)) refuse("past_sequence_length");
    if (m_call.has(9)) refuse("cache_indirection");
    if (w.wants(3)) refuse("the output of its scores");
    if (m_call.shape(0).size() == 5) refuse("query with keys and values in it (5 dimensions)");
    requireRank(0, 3);
    if (!m_call.has(1)) throw Error(ErrorCode::InvalidInput, "input 1 of MultiHeadAttention is missing");
    if (m_call.shape(1).size() == 5) refuse("key with values in it (5 dimensions)");
    const bool hasHeads = m_call.shape(1).size() == 4; // [batch, heads, length, size], as in cross attention
    for (const std::size_t i : {1, 2}) requireRank(i, hasHeads ? 4 : 3);
    m_batch = m_call.shape(0)[0], m_queries = m_call.shape(0)[1], m_keys = m_call.shape(1)[hasHeads ? 2 : 1];
    const auto width = [&](std::size_t i) {
      return m_call.shape(i)[hasHeads && i > 0 ? 3 : 2] * (hasHeads && i > 0 ? m_heads : 1);
    };
    std::string parts[3] = {w.in(0), w.in(1), w.in(2)};
    if (w.has(3)) { // already included in keys and values that are split into heads
      const auto biases = w.split(w.in(3), 0, {width(0), width(1), width(2)});
      for (int i = 0; i < (hasHeads ? 1 : 3); ++i) parts[i] = w.add("Add", {parts[i], biases[std::size_t(i)]});
    }
    if (!m_call.has(6) && !w.wants(1) && !w.wants(2) && !hasHeads)
      return give(parts[0], headsOf(parts[1], {0, 2, 3, 1}), headsOf(parts[2], {0, 2, 1, 3}), 4);
    std::string key = hasHeads ? parts[1] : headsOf(parts[1], {0, 2, 1, 3});
    std::string value = hasHeads ? parts[2] : headsOf(parts[2], {0, 2, 1, 3});
    if (m_call.has(6)) { // [batch, heads, length, size]
      requireRank(6, 4), requireRank(7, 4);
      key = behind(w.in(6), key), value = behind(w.in(7), value);
      lookBack(m_call.shape(6)[2]);
    }
    if (w.wants(1)) w.give(1, key);
    if (w.wants(2)) w.give(2, value);
    give(parts[0], w.transposed(key, {0, 1, 3, 2}), value, 4);
  }

private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::Unsupported, m_call.node().opType + " with " + what + " is not supported");
  }
  void requireRank(std::size_t input, std::size_t rank) const {
    if (m_call.shape(input).size() != rank)
      throw Error(ErrorCode::InvalidInput, "input " + std::to_string(input) + " of " + m_call.node().opType + " has " +
                                               std::to_string(m_call.shape(input).size()) + " dimensions, not " +
                                               std::to_string(rank));
  }

  // Keys or values of [batch, heads, length, size], with earlier ones in front.
  std::string behind(const std::string& earlier, const std::string& now) {
    const std::string all = w.add("Concat", {earlier, now});
    w.set("axis", std::int64_t(2));
    return all;
  }
  void lookBack(std::int64_t length) { m_past = length, m_keys += length; }

  // [batch, length, heads x size] as [batch, heads, length, size], or in another order.
  std::string headsOf(const std::string& x, const std::vector<std::int64_t>& order) {
    return w.transposed(w.add("Reshape", {x, w.integers({0, 0, m_heads, -1})}), order);
  }

  // Attention mask: true for the keys that a query may read, as Bool that broadcasts to [batch, heads, queries, keys].
  std::string looks(std::size_t mask) {
    const auto& shape = m_call.shape(mask);
    const auto zero = [&] { return w.constant(HostTensor::full(m_call.elementType(mask), {}, 0)); };
    if (shape.size() == 2) return w.add("Unsqueeze", {w.add("Greater", {w.in(mask), zero()}), w.integers({1, 2})});
    if (shape.size() == 3) return w.add("Unsqueeze", {w.add("Greater", {w.in(mask), zero()}), w.integers({1})});
    const std::int64_t count = shape.size() == 1 ? shape[0] : -1;
    const bool hasStarts = count == 2 * m_batch, hasSums = count == 3 * m_batch + 2; // hasSums: for packed batches
    if (count != m_batch && !hasStarts && !hasSums) refuse("a mask of shape " + numerics::toString(shape));
    std::vector<std::int64_t> positions(std::size_t(m_keys), 0);
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = std::int64_t(i);
    const std::string at = w.constant(HostTensor::vector(positions).cast(m_call.elementType(mask)));
    const auto column = [&](const std::string& x) { return w.add("Reshape", {x, w.integers({m_batch, 1, 1, 1})}); };
    if (hasSums) return w.add("Less", {at, column(w.split(w.in(mask), 0, {m_batch, 2 * m_batch + 2})[0])});
    if (!hasStarts) return w.add("Less", {at, column(w.in(mask))}); // lengths
    const auto ends = w.split(w.in(mask), 0, {m_batch, m_batch});
    return w.add("And", {w.add("Less", {at, column(ends[0])}), w.add("GreaterOrEqual", {at, column(ends[1])})});
  }

  // True for keys up to the query's own position, which comes after the past keys. The last query reads all keys.
  std::string past(const std::string& scores) {
    if (m_queries == m_keys) {
      const std::string ones = w.add("Add", {w.add("Mul", {scores, w.number(0)}), w.number(1)});
      const std::string below = w.add("Trilu", {ones});
      w.set("upper", 0);
      return w.cast(below, ElementType::Bool);
    }
    std::vector<std::int64_t> looks;
    for (std::int64_t q = 0; q < m_queries; ++q)
      for (std::int64_t k = 0; k < m_keys; ++k) looks.push_back(k <= m_past + q || q + 1 == m_queries);
    return w.constant(HostTensor::vector(looks).cast(ElementType::Bool).reshaped({m_queries, m_keys}));
  }

  // `key` as [batch, heads, size, keys], `value` as [batch, heads, keys, size].
  void give(const std::string& q, const std::string& key, const std::string& value, std::size_t mask) {
    const std::string query = headsOf(q, {0, 2, 1, 3});
    std::string scores = w.add("MatMul", {query, key});
    if (const double scale = w.real("scale", 0); scale != 0) {
      scores = w.add("Mul", {scores, w.number(scale)});
    } else {
      const std::string size = w.add("Gather", {w.add("Shape", {query}), w.integers({3})});
      scores = w.add("Div", {scores, w.add("Sqrt", {w.cast(size, ElementType::Float)})});
    }
    if (w.has(mask)) {
      const std::string low = w.number(w.real("mask_filter_value", -10000));
      const std::string away = w.add("Sub", {w.number(1), w.cast(looks(mask), ElementType::Float)});
      scores = w.add("Add", {scores, w.add("Mul", {away, low})});
    }
    if (w.has(5)) scores = w.add("Add", {scores, w.in(5)});
    if (w.integer("unidirectional", 0))
      scores = w.add("Where", {past(scores), scores, w.number(double(std::numeric_limits<float>::lowest()))});
    const std::string weights = w.add("Softmax", {scores});
    w.set("axis", 3);
    const std::string mixed = w.add("MatMul", {weights, value});
    w.give(0, "Reshape", {w.transposed(mixed, {0, 2, 1, 3}), w.integers({0, 0, -1})});
  }

  NodeWriter& w;
  const Call& m_call;
  std::int64_t m_heads = 0, m_batch = 0, m_queries = 0, m_keys = 0, m_past = 0;
};

// Input `value` as floats, for quantised operators: these dequantise, apply the standard operator, and quantise.
std::string real(NodeWriter& w, std::size_t value, std::size_t scale, std::size_t zero) {
  return w.add("DequantizeLinear", w.withOptional({w.in(value), w.in(scale)}, zero));
}
void giveQuantised(NodeWriter& w, const std::string& y, std::size_t scale, std::size_t zero) {
  w.give(0, "QuantizeLinear", w.withOptional({y, w.in(scale)}, zero));
}
void quantisedBinary(NodeWriter& w, const char* type) {
  giveQuantised(w, w.add(type, {real(w, 0, 1, 2), real(w, 3, 4, 5)}), 6, 7);
}
void quantisedUnary(NodeWriter& w, const char* type, const std::vector<std::string>& attributes) {
  if (w.integer("channels_last", 0)) throw Error(ErrorCode::Unsupported, "channels_last is not supported");
  const std::string y = w.add(type, {real(w, 0, 1, 2)});
  w.keep(attributes);
  // The form of the given opset: before 13 everything from `axis` on is one dimension.
  if (w.attributes().has("opset")) w.last().opset = int(w.integer("opset", 0));
  giveQuantised(w, y, 3, 4);
}
// QLinearAveragePool adds the zero point before it rounds, so an odd zero point changes how halves are rounded.
void quantisedAverage(NodeWriter& w) {
  if (w.integer("channels_last", 0)) throw Error(ErrorCode::Unsupported, "channels_last is not supported");
  if (w.integer("ceil_mode", 0) && w.integer("count_include_pad", 0)) // windows over the edge would have another divisor
    throw Error(ErrorCode::Unsupported, "QLinearAveragePool with ceil_mode and count_include_pad is not supported");
  const std::string y = w.add("AveragePool", {real(w, 0, 1, 2)});
  w.keep({"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"});
  if (!w.has(4)) return giveQuantised(w, y, 3, 4);
  const std::string zero = w.cast(w.in(4), ElementType::Float);
  const std::string rounded = w.add("Round", {w.add("Add", {w.add("Div", {y, w.in(3)}), zero})});
  w.give(0, "QuantizeLinear", {w.add("Sub", {rounded, zero}), w.number(1), w.in(4)});
}
void quantisedConcat(NodeWriter& w) {
  std::vector<std::string> parts;
  for (std::size_t i = 2; i + 2 < w.inputs(); i += 3) parts.push_back(real(w, i, i + 1, i + 2));
  const std::string y = w.add("Concat", parts);
  w.keep({"axis"});
  giveQuantised(w, y, 0, 1);
}
void quantisedGemm(NodeWriter& w) {
  std::vector<std::string> inputs{real(w, 0, 1, 2), real(w, 3, 4, 5)};
  w.last().attributes.set("axis",
                          w.integer("transB", 0) ? std::int64_t(0) : std::int64_t(1)); // one scale per column of the product
  if (w.has(6)) { // the addend is in units of both scales and alpha
    const std::string scale = w.add("Mul", {w.add("Mul", {w.in(1), w.in(4)}), w.number(w.real("alpha", 1))});
    inputs.push_back(w.add("Mul", {w.cast(w.in(6), ElementType::Float), scale}));
  }
  const std::string y = w.add("Gemm", inputs);
  w.keep({"alpha", "transA", "transB"});
  if (w.has(7)) return giveQuantised(w, y, 7, 8);
  w.give(0, y);
}
// Integer products of a and b (with their zero points) in units of both scales.
void giveScaledProduct(NodeWriter& w, const std::vector<std::string>& operands, const std::string& a, const std::string& b,
                       std::size_t bias) {
  const std::string y = w.add("Mul", {w.cast(w.add("MatMulInteger", operands), ElementType::Float), w.add("Mul", {a, b})});
  if (w.has(bias)) return w.give(0, "Add", {y, w.in(bias)});
  w.give(0, y);
}
void matmulIntegerToFloat(NodeWriter& w) {
  const auto optional = [&](std::size_t i) { return w.has(i) ? w.in(i) : std::string(); };
  giveScaledProduct(w, {w.in(0), w.in(1), optional(4), optional(5)}, w.in(2), w.in(3), 6);
}
void dynamicMatmul(NodeWriter& w) {
  const std::string a = w.add("DynamicQuantizeLinear", {w.in(0)});
  const std::string scale = a + "_scale", zero = a + "_zero";
  w.last().outputs.push_back(scale);
  w.last().outputs.push_back(zero);
  giveScaledProduct(w, {a, w.in(1), zero, w.has(3) ? w.in(3) : std::string()}, scale, w.in(2), 4);
}

// Values are in the order of first occurrence. The standard operator has one more output between the first two.
void unique(NodeWriter& w) {
  w.give(0, "Unique", {w.in(0)});
  w.set("sorted", std::int64_t(0));
  const auto output = [&](std::size_t i) { return w.wants(i) ? w.output(i) : std::string(); };
  w.last().outputs = {output(0), "", output(1), output(2)};
}

void range(NodeWriter& w) { // the step may be left out
  if (w.has(2)) return w.rename();
  const std::string one = w.add("CastLike", {w.number(1), w.in(0)});
  w.give(0, "Range", {w.in(0), w.in(1), one});
}

using Rule = void (*)(NodeWriter&);
const std::map<std::string, Rule>& rules() {
  static const std::map<std::string, Rule> all{
      {"FusedConv", fusedConv},
      {"FusedGemm", fusedGemm},
      {"FusedMatMul", fusedMatmul},
      {"BiasGelu", biasGelu},
      {"FastGelu", fastGelu},
      {"QuickGelu", quickGelu},
      {"SkipLayerNormalization", skipNorm},
      {"SkipSimplifiedLayerNormalization", skipSimpleNorm},
      {"SimplifiedLayerNormalization", simpleNorm},
      {"EmbedLayerNormalization", embedNorm},
      {"QLinearAdd", [](NodeWriter& w) { quantisedBinary(w, "Add"); }},
      {"QLinearMul", [](NodeWriter& w) { quantisedBinary(w, "Mul"); }},
      {"QLinearSigmoid", [](NodeWriter& w) { quantisedUnary(w, "Sigmoid", {}); }},
      {"QLinearLeakyRelu", [](NodeWriter& w) { quantisedUnary(w, "LeakyRelu", {"alpha"}); }},
      {"QLinearSoftmax", [](NodeWriter& w) { quantisedUnary(w, "Softmax", {"axis"}); }},
      {"QLinearGlobalAveragePool", [](NodeWriter& w) { quantisedUnary(w, "GlobalAveragePool", {}); }},
      {"QLinearAveragePool", quantisedAverage},
      {"QLinearConcat", quantisedConcat},
      {"QGemm", quantisedGemm},
      {"MatMulIntegerToFloat", matmulIntegerToFloat},
      {"DynamicQuantizeMatMul", dynamicMatmul},
      {"Range", range},
      {"Unique", unique},
  };
  return all;
}

// Operators that both domains have, with the same inputs, outputs and attributes.
bool isStandardUnderOtherName(const std::string& type) {
  for (const char* name : {"DequantizeLinear", "GridSample", "QuantizeLinear", "Trilu"})
    if (type == name) return true;
  return false;
}

} // namespace

bool waitsForTypes(const Node& node) {
  if (isLanguageOperator(node) || isTreeEnsemble(node)) return true;
  return node.domain == "com.microsoft" && (node.opType == "Attention" || node.opType == "MultiHeadAttention");
}

std::vector<Node> expandWithTypes(const Call& call) {
  if (isLanguageOperator(call.node())) return expandLanguageOperator(call);
  if (isTreeEnsemble(call.node())) return expandTreeEnsemble(call);
  NodeWriter writer(call.node(), call.node().opset);
  AttentionWriter attention(writer, call);
  call.node().opType == "Attention" ? attention.attention() : attention.multiHead();
  return writer.take();
}

std::vector<Node> expandContrib(const Node& node, const std::string& prefix, int opset) {
  // ONNX Runtime's optimiser writes this operator without a domain.
  if (node.domain != "com.microsoft" && node.domain != kLearningDomain && node.opType != "SimplifiedLayerNormalization")
    return {};
  NodeWriter writer(node, prefix, opset);
  const auto rule = rules().find(node.opType);
  if (rule != rules().end())
    rule->second(writer);
  else if (isStandardUnderOtherName(node.opType))
    writer.rename();
  else if (waitsForTypes(node)) {
    Node waiting = node;
    waiting.opset = opset;
    return {waiting};
  } else
    return {};
  return writer.take();
}

} // namespace simcore::model
