#include "simcore/model/onnx/contrib_expansion.h"

#include "reports/core/error.h"

#include <map>
#include <optional>

namespace simcore::model {

using reports::Error;
using reports::ErrorCode;

namespace {

// Writes the standard nodes of one contrib node.
class NodeWriter {
public:
  NodeWriter(const onnx::NodeProto& node, std::string prefix) : m_node(node), m_prefix(std::move(prefix)) {}

  std::vector<onnx::NodeProto> take() { return std::move(m_nodes); }

  bool has(int i) const { return i < m_node.input_size() && !m_node.input(i).empty(); }
  std::string in(int i) const {
    if (has(i)) return m_node.input(i);
    throw Error(ErrorCode::InvalidInput, "input " + std::to_string(i) + " of " + m_node.op_type() + " is missing");
  }
  void refuse(int i) const {
    if (has(i))
      throw Error(ErrorCode::Unsupported, "input " + std::to_string(i) + " of " + m_node.op_type() + " is not supported");
  }
  int inputs() const { return m_node.input_size(); }
  bool wants(int i) const { return i < m_node.output_size() && !m_node.output(i).empty(); }

  const onnx::AttributeProto* attribute(const std::string& name) const {
    for (const auto& a : m_node.attribute())
      if (a.name() == name) return &a;
    return nullptr;
  }
  double real(const std::string& name, double standard) const {
    const auto* a = attribute(name);
    return a ? double(a->f()) : standard;
  }
  std::int64_t integer(const std::string& name, std::int64_t standard) const {
    const auto* a = attribute(name);
    return a ? a->i() : standard;
  }
  std::string text(const std::string& name) const {
    const auto* a = attribute(name);
    return a ? a->s() : std::string();
  }

  // A node with one output of its own name, returned; `last` names the output instead.
  onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& made = m_nodes.emplace_back();
    made.set_op_type(type);
    made.set_name(m_prefix + type + "_" + std::to_string(m_nodes.size()));
    for (const std::string& input : inputs) made.add_input(input);
    made.add_output(output);
    return made;
  }
  std::string add(const std::string& type, const std::vector<std::string>& inputs) {
    std::string output = m_prefix + std::to_string(m_values++);
    node(type, inputs, output);
    return output;
  }
  onnx::NodeProto& last() { return m_nodes.back(); }
  // The same, giving output `i` of the contrib node.
  void give(int i, const std::string& type, const std::vector<std::string>& inputs) { node(type, inputs, m_node.output(i)); }
  void give(int i, const std::string& value) { give(i, "Identity", {value}); }

  NodeWriter& set(const std::string& name, std::int64_t value) {
    auto* a = last().add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INT);
    a->set_i(value);
    return *this;
  }
  NodeWriter& setReal(const std::string& name, double value) {
    auto* a = last().add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::FLOAT);
    a->set_f(float(value));
    return *this;
  }
  NodeWriter& setText(const std::string& name, const std::string& value) {
    auto* a = last().add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::STRING);
    a->set_s(value);
    return *this;
  }
  NodeWriter& setList(const std::string& name, const std::vector<std::int64_t>& values) {
    auto* a = last().add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t v : values) a->add_ints(v);
    return *this;
  }
  // The contrib node's own attributes of these names.
  NodeWriter& keep(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (const auto* a = attribute(name)) *last().add_attribute() = *a;
    return *this;
  }

  std::string number(double value) {
    const std::string name = add("Constant", {});
    auto* a = last().add_attribute();
    a->set_name("value");
    a->set_type(onnx::AttributeProto::TENSOR);
    a->mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    a->mutable_t()->add_float_data(float(value));
    return name;
  }
  std::string integers(const std::vector<std::int64_t>& values) {
    const std::string name = add("Constant", {});
    auto* a = last().add_attribute();
    a->set_name("value");
    a->set_type(onnx::AttributeProto::TENSOR);
    a->mutable_t()->set_data_type(onnx::TensorProto::INT64);
    a->mutable_t()->add_dims(std::int64_t(values.size()));
    for (const std::int64_t v : values) a->mutable_t()->add_int64_data(v);
    return name;
  }
  std::string cast(const std::string& x, int type) {
    const std::string name = add("Cast", {x});
    set("to", type);
    return name;
  }
  std::string transposed(const std::string& x, const std::vector<std::int64_t>& order) {
    const std::string name = add("Transpose", {x});
    setList("perm", order);
    return name;
  }
  std::string swapped(const std::string& x) { // the last two dimensions
    const std::string name = add("Einsum", {x});
    setText("equation", "...ij->...ji");
    return name;
  }

private:
  const onnx::NodeProto& m_node;
  std::string m_prefix;
  std::vector<onnx::NodeProto> m_nodes;
  int m_values = 0;
};

std::vector<float> activationParameters(const NodeWriter& w) {
  const auto* a = w.attribute("activation_params");
  return a ? std::vector<float>(a->floats().begin(), a->floats().end()) : std::vector<float>();
}

void giveActivated(NodeWriter& w, const std::string& x) {
  const std::string kind = w.text("activation");
  const auto p = activationParameters(w);
  const auto parameter = [&](std::size_t i, double standard) { return i < p.size() ? double(p[i]) : standard; };
  if (kind.empty()) return w.give(0, x);
  if (kind == "Clip") return w.give(0, "Clip", {x, w.number(parameter(0, -3.4e38)), w.number(parameter(1, 3.4e38))});
  w.give(0, kind, {x});
  if (kind == "LeakyRelu") w.setReal("alpha", parameter(0, 0.01));
  if (kind == "HardSigmoid") w.setReal("alpha", parameter(0, 0.2)).setReal("beta", parameter(1, 0.5));
}

void fusedConv(NodeWriter& w) {
  std::vector<std::string> inputs{w.in(0), w.in(1)};
  if (w.has(2)) inputs.push_back(w.in(2));
  std::string y = w.add("Conv", inputs);
  w.keep({"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  if (w.has(3)) y = w.add("Add", {y, w.in(3)});
  giveActivated(w, y);
}

void fusedGemm(NodeWriter& w) {
  std::vector<std::string> inputs{w.in(0), w.in(1)};
  if (w.has(2)) inputs.push_back(w.in(2));
  const std::string y = w.add("Gemm", inputs);
  w.keep({"alpha", "beta", "transA", "transB"});
  w.give(0, w.text("activation").empty() ? "Identity" : w.text("activation"), {y});
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
  w.setText("approximate", "tanh");
}
void quickGelu(NodeWriter& w) {
  w.give(0, "Mul", {w.in(0), w.add("Sigmoid", {w.add("Mul", {w.in(0), w.number(w.real("alpha", 1.702))})})});
}

void giveNorm(NodeWriter& w, const std::string& x, int gamma, int beta, double epsilon) {
  std::vector<std::string> inputs{x, w.in(gamma)};
  if (w.has(beta)) inputs.push_back(w.in(beta));
  w.give(0, "LayerNormalization", inputs);
  w.set("axis", -1).setReal("epsilon", epsilon);
}
void giveRootMeanSquareNorm(NodeWriter& w, const std::string& x, const std::string& scale) {
  const std::string mean = w.add("ReduceMean", {w.add("Mul", {x, x}), w.integers({-1})});
  const std::string root = w.add("Sqrt", {w.add("Add", {mean, w.number(w.real("epsilon", 1e-5))})});
  w.give(0, "Mul", {w.add("Div", {x, root}), scale});
}
std::string skipSum(NodeWriter& w, int bias) {
  std::string x = w.add("Add", {w.in(0), w.in(1)});
  if (w.has(bias)) x = w.add("Add", {x, w.in(bias)});
  if (w.wants(3)) w.give(3, x);
  return x;
}
void skipNorm(NodeWriter& w) { giveNorm(w, skipSum(w, 4), 2, 3, w.real("epsilon", 1e-12)); }
void skipSimpleNorm(NodeWriter& w) { giveRootMeanSquareNorm(w, skipSum(w, 3), w.in(2)); }
void simpleNorm(NodeWriter& w) { giveRootMeanSquareNorm(w, w.in(0), w.in(1)); }

void embedNorm(NodeWriter& w) {
  w.refuse(7);
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

// [batch, length, heads x size] as [batch, heads, length, size].
std::string headsOf(NodeWriter& w, const std::string& x, std::int64_t heads, const std::vector<std::int64_t>& order) {
  return w.transposed(w.add("Reshape", {x, w.integers({0, 0, heads, -1})}), order);
}
void giveAttention(NodeWriter& w, const std::string& q, const std::string& k, const std::string& v, int mask, int addend,
                   bool isCausal) {
  const std::int64_t heads = w.integer("num_heads", 0);
  if (heads < 1) throw Error(ErrorCode::InvalidInput, "attribute 'num_heads' is missing");
  const std::string query = headsOf(w, q, heads, {0, 2, 1, 3});
  std::string scores = w.add("MatMul", {query, headsOf(w, k, heads, {0, 2, 3, 1})});
  if (const double scale = w.real("scale", 0); scale != 0) {
    scores = w.add("Mul", {scores, w.number(scale)});
  } else {
    const std::string size = w.add("Gather", {w.add("Shape", {query}), w.integers({3})});
    scores = w.add("Div", {scores, w.add("Sqrt", {w.cast(size, onnx::TensorProto::FLOAT)})});
  }
  const std::string low = w.number(w.real("mask_filter_value", -10000));
  if (isCausal) {
    const std::string ones = w.add("Add", {w.add("Mul", {scores, w.number(0)}), w.number(1)});
    const std::string below = w.add("Trilu", {ones});
    w.set("upper", 0);
    scores = w.add("Where", {w.cast(below, onnx::TensorProto::BOOL), scores, low});
  }
  if (w.has(mask)) { // [batch, length of the keys], 0 = do not look
    const std::string looks = w.cast(w.in(mask), onnx::TensorProto::BOOL);
    const std::string away = w.add("Sub", {w.number(1), w.cast(looks, onnx::TensorProto::FLOAT)});
    scores = w.add("Add", {scores, w.add("Mul", {w.add("Unsqueeze", {away, w.integers({1, 2})}), low})});
  }
  if (w.has(addend)) scores = w.add("Add", {scores, w.in(addend)});
  const std::string weights = w.add("Softmax", {scores});
  w.set("axis", 3);
  const std::string mixed = w.add("MatMul", {weights, headsOf(w, v, heads, {0, 2, 1, 3})});
  w.give(0, "Reshape", {w.transposed(mixed, {0, 2, 1, 3}), w.integers({0, 0, -1})});
}
std::vector<std::string> split(NodeWriter& w, const std::string& x, std::int64_t axis) {
  std::vector<std::string> parts{w.add("Split", {x})};
  w.set("axis", axis);
  for (int i = 1; i < 3; ++i) {
    parts.push_back(parts[0] + "_" + std::to_string(i));
    w.last().add_output(parts.back());
  }
  return parts;
}
void attention(NodeWriter& w) {
  for (const int i : {4, 6}) w.refuse(i);
  if (w.wants(1) || w.attribute("qkv_hidden_sizes") || w.integer("do_rotary", 0))
    throw Error(ErrorCode::Unsupported, "Attention with a past, other sizes of q, k and v, or rotary positions is not supported");
  std::string x = w.add("MatMul", {w.in(0), w.in(1)});
  if (w.has(2)) x = w.add("Add", {x, w.in(2)});
  const auto parts = split(w, x, 2);
  giveAttention(w, parts[0], parts[1], parts[2], 3, 5, w.integer("unidirectional", 0) != 0);
}
void multiHeadAttention(NodeWriter& w) {
  for (const int i : {6, 7}) w.refuse(i);
  if (w.wants(1)) throw Error(ErrorCode::Unsupported, "MultiHeadAttention with a past is not supported");
  std::string parts[3] = {w.in(0), w.in(1), w.in(2)};
  if (w.has(3)) {
    const auto biases = split(w, w.in(3), 0);
    for (int i = 0; i < 3; ++i) parts[i] = w.add("Add", {parts[i], biases[std::size_t(i)]});
  }
  giveAttention(w, parts[0], parts[1], parts[2], 4, 5, w.integer("unidirectional", 0) != 0);
}

// Quantised operators: their inputs as floats, the standard operator, and back.
std::string real(NodeWriter& w, int value, int scale, int zero) {
  std::vector<std::string> inputs{w.in(value), w.in(scale)};
  if (w.has(zero)) inputs.push_back(w.in(zero));
  return w.add("DequantizeLinear", inputs);
}
void giveQuantised(NodeWriter& w, const std::string& y, int scale, int zero) {
  std::vector<std::string> inputs{y, w.in(scale)};
  if (w.has(zero)) inputs.push_back(w.in(zero));
  w.give(0, "QuantizeLinear", inputs);
}
void quantisedBinary(NodeWriter& w, const char* type) {
  giveQuantised(w, w.add(type, {real(w, 0, 1, 2), real(w, 3, 4, 5)}), 6, 7);
}
void quantisedUnary(NodeWriter& w, const char* type, const std::vector<std::string>& attributes) {
  if (w.integer("channels_last", 0)) throw Error(ErrorCode::Unsupported, "channels_last is not supported");
  const std::string y = w.add(type, {real(w, 0, 1, 2)});
  w.keep(attributes);
  giveQuantised(w, y, 3, 4);
}
void quantisedConcat(NodeWriter& w) {
  std::vector<std::string> parts;
  for (int i = 2; i + 2 < w.inputs(); i += 3) parts.push_back(real(w, i, i + 1, i + 2));
  const std::string y = w.add("Concat", parts);
  w.keep({"axis"});
  giveQuantised(w, y, 0, 1);
}
void quantisedGemm(NodeWriter& w) {
  std::vector<std::string> inputs{real(w, 0, 1, 2), real(w, 3, 4, 5)};
  if (w.has(6)) { // in units of both scales
    const std::string scale = w.add("Mul", {w.in(1), w.in(4)});
    inputs.push_back(w.add("Mul", {w.cast(w.in(6), onnx::TensorProto::FLOAT), scale}));
  }
  const std::string y = w.add("Gemm", inputs);
  w.keep({"alpha", "transA", "transB"});
  if (w.has(7)) return giveQuantised(w, y, 7, 8);
  w.give(0, y);
}
// Integer products of a and b (with their zero points) in units of both scales.
void giveScaledProduct(NodeWriter& w, const std::vector<std::string>& operands, const std::string& a, const std::string& b,
                       int bias) {
  const std::string y = w.add("Mul", {w.cast(w.add("MatMulInteger", operands), onnx::TensorProto::FLOAT), w.add("Mul", {a, b})});
  if (w.has(bias)) return w.give(0, "Add", {y, w.in(bias)});
  w.give(0, y);
}
void matmulIntegerToFloat(NodeWriter& w) {
  const auto optional = [&](int i) { return w.has(i) ? w.in(i) : std::string(); };
  giveScaledProduct(w, {w.in(0), w.in(1), optional(4), optional(5)}, w.in(2), w.in(3), 6);
}
void dynamicMatmul(NodeWriter& w) {
  const std::string a = w.add("DynamicQuantizeLinear", {w.in(0)});
  const std::string scale = a + "_scale", zero = a + "_zero";
  w.last().add_output(scale);
  w.last().add_output(zero);
  giveScaledProduct(w, {a, w.in(1), zero, w.has(3) ? w.in(3) : std::string()}, scale, w.in(2), 4);
}

// The same operator as a standard one.
void renamed(NodeWriter& w, const onnx::NodeProto& node) {
  w.node(node.op_type(), {}, "") = node;
  w.last().set_domain("");
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
      {"Attention", attention},
      {"MultiHeadAttention", multiHeadAttention},
      {"QLinearAdd", [](NodeWriter& w) { quantisedBinary(w, "Add"); }},
      {"QLinearMul", [](NodeWriter& w) { quantisedBinary(w, "Mul"); }},
      {"QLinearSigmoid", [](NodeWriter& w) { quantisedUnary(w, "Sigmoid", {}); }},
      {"QLinearLeakyRelu", [](NodeWriter& w) { quantisedUnary(w, "LeakyRelu", {"alpha"}); }},
      {"QLinearSoftmax", [](NodeWriter& w) { quantisedUnary(w, "Softmax", {"axis"}); }},
      {"QLinearGlobalAveragePool", [](NodeWriter& w) { quantisedUnary(w, "GlobalAveragePool", {}); }},
      {"QLinearAveragePool",
       [](NodeWriter& w) {
         quantisedUnary(w, "AveragePool", {"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"});
       }},
      {"QLinearConcat", quantisedConcat},
      {"QGemm", quantisedGemm},
      {"MatMulIntegerToFloat", matmulIntegerToFloat},
      {"DynamicQuantizeMatMul", dynamicMatmul},
  };
  return all;
}

bool isStandardUnderOtherName(const std::string& type) {
  for (const char* name : {"DequantizeLinear", "GridSample", "LayerNormalization", "QuantizeLinear", "Range", "Trilu", "Unique"})
    if (type == name) return true;
  return false;
}

} // namespace

std::vector<onnx::NodeProto> expandContrib(const onnx::NodeProto& node, const std::string& prefix) {
  // ONNX Runtime's optimiser writes this one without a domain.
  if (node.domain() != "com.microsoft" && node.op_type() != "SimplifiedLayerNormalization") return {};
  NodeWriter writer(node, prefix);
  const auto rule = rules().find(node.op_type());
  if (rule != rules().end())
    rule->second(writer);
  else if (isStandardUnderOtherName(node.op_type()))
    renamed(writer, node);
  else
    return {};
  return writer.take();
}

} // namespace simcore::model
