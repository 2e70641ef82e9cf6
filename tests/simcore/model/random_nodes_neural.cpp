#include "tests/simcore/model/random_nodes.h"

#include <algorithm>

namespace tests {

namespace {

// Reductions, orders.

void reduction(Draw& d) {
  const Shape s = d.shape(0, 5, false);
  const char* type = d.word({"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                             "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"});
  const std::string word = type;
  const bool ofIntegers = word == "ReduceSum" || word == "ReduceMax" || word == "ReduceMin";
  const ElementType elements = ofIntegers ? d.arithmetic() : d.floating();
  const std::string x = d.number("x", s, elements, ofIntegers ? -9 : 0.7, ofIntegers ? 9 : 1.3);
  model::Attributes a = attributes({{"keepdims", d.flag()}});
  const Integers axes = d.axes(s.size(), true);
  if (word != "ReduceSum") {
    if (!axes.empty()) a.set("axes", axes);
    return d.net().out(type, {x}, a);
  }
  if (d.chance(0.3)) a.set("noop_with_empty_axes", d.flag());
  std::vector<std::string> inputs{x};
  if (!axes.empty()) inputs.push_back(d.net().builder.integers(axes));
  d.net().out(type, inputs, a);
}

void softmax(Draw& d) {
  const Shape s = d.shape(1, 4);
  const ElementType elements = d.floating();
  d.net().out(d.word({"Softmax", "LogSoftmax", "Hardmax"}), {d.number("x", s, elements, -3, 3)}, axis(d.axis(s.size())));
}

void ordering(Draw& d) {
  const Shape s = d.shape(1, 4, false);
  const std::int64_t at = d.axis(s.size()), dim = s[numerics::normaliseAxis(at, s.size())];
  const ElementType elements = d.arithmetic();
  const std::string kind = d.word({"TopK", "ArgMax", "ArgMin", "CumSum"});
  // Few different numbers, so that some are equal.
  const std::string x = d.chance(0.3) ? d.operand("x", d.net().whole(s, 0, 4).cast(elements)) : d.number("x", s, elements, -9, 9);
  if (kind == "TopK")
    return d.net().outs(kind, {x, d.net().builder.integers({d.integer(1, dim)})},
                        attributes({{"axis", at}, {"largest", d.flag()}}), 2);
  if (kind == "CumSum")
    return d.net().out(kind, {x, d.scalar("axis", at)}, attributes({{"exclusive", d.flag()}, {"reverse", d.flag()}}));
  d.net().out(kind, {x}, attributes({{"axis", at}, {"keepdims", d.flag()}, {"select_last_index", d.flag()}}));
}

// Windows.

struct RandomWindow {
  Integers kernel, strides, dilations, pads, outputs;
  Shape in;
};
// One in which at least one window fits; `padsInside`: smaller than the kernel.
RandomWindow randomWindow(Draw& d, std::size_t dimensions, bool dilates, bool padsInside) {
  RandomWindow w;
  w.pads.assign(2 * dimensions, 0);
  for (std::size_t i = 0; i < dimensions; ++i) {
    w.kernel.push_back(d.oneOf(Integers{1, 2, 3, 3, 4, 5}));
    w.strides.push_back(d.oneOf(Integers{1, 1, 2, 3}));
    w.dilations.push_back(dilates ? d.oneOf(Integers{1, 1, 2, 3}) : 1);
    const std::int64_t span = (w.kernel[i] - 1) * w.dilations[i] + 1;
    for (const std::size_t side : {i, i + dimensions})
      if (d.chance(0.5)) w.pads[side] = d.integer(0, padsInside ? w.kernel[i] - 1 : 2);
    w.in.push_back(std::max<std::int64_t>(d.size(dimensions == 3 ? 6 : dimensions == 2 ? 13 : 61), 1));
    w.in.back() = std::max(w.in.back(), span - w.pads[i] - w.pads[i + dimensions]);
    if (padsInside) w.in.back() = std::max(w.in.back(), span);
    w.outputs.push_back((w.in[i] + w.pads[i] + w.pads[i + dimensions] - span) / w.strides[i] + 1);
  }
  return w;
}
void setWindow(Draw& d, model::Attributes& a, const RandomWindow& w, bool dilates, bool automatic) {
  a.set("kernel_shape", w.kernel);
  if (d.chance(0.9)) a.set("strides", w.strides);
  if (dilates) a.set("dilations", w.dilations);
  if (automatic)
    a.set("auto_pad", std::string(d.word({"SAME_UPPER", "SAME_LOWER"})));
  else
    a.set("pads", w.pads);
}
std::size_t fieldDimensions(Draw& d) { return d.oneOf(std::vector<std::size_t>{1, 2, 2, 2, 3}); }

void convolution(Draw& d) {
  const RandomWindow w = randomWindow(d, fieldDimensions(d), true, false);
  const std::int64_t groups = d.oneOf(Integers{1, 1, 1, 2, 3, 5}), in = d.chance(0.3) ? 1 : d.size(17),
                     out = d.chance(0.3) ? 1 : d.size(17);
  Shape x{d.oneOf(Integers{1, 1, 2, 3}), groups * in}, k{groups * out, in};
  x.insert(x.end(), w.in.begin(), w.in.end());
  k.insert(k.end(), w.kernel.begin(), w.kernel.end());
  model::Attributes a = attributes({{"group", groups}});
  setWindow(d, a, w, true, d.chance(0.15));
  std::vector<std::string> inputs{d.real("x", x), d.real("w", k)};
  if (d.chance(0.5)) inputs.push_back(d.real("b", {groups * out}));
  d.net().out("Conv", inputs, a);
}

void convolutionGradients(Draw& d) {
  const RandomWindow w = randomWindow(d, fieldDimensions(d), true, false);
  const std::int64_t groups = d.oneOf(Integers{1, 1, 1, 2, 3}), in = d.size(13), out = d.size(13);
  Shape x{d.oneOf(Integers{1, 2}), groups * in}, k{groups * out, in}, y{x[0], groups * out};
  x.insert(x.end(), w.in.begin(), w.in.end());
  k.insert(k.end(), w.kernel.begin(), w.kernel.end());
  y.insert(y.end(), w.outputs.begin(), w.outputs.end());
  model::Attributes a = attributes(
      {{"group", groups}, {"kernel_shape", w.kernel}, {"strides", w.strides}, {"dilations", w.dilations}, {"pads", w.pads}});
  const bool ofWeights = d.chance(0.5);
  a.set("shape", ofWeights ? k : x);
  const std::string dy = d.real("dy", y);
  d.net().out(ofWeights ? d.net().builder.addOwn("ConvWeightsGrad", {d.real("x", x), dy}, a)
                        : d.net().builder.addOwn("ConvDataGrad", {dy, d.real("w", k)}, a));
}

void transposedConvolution(Draw& d) {
  const std::size_t dimensions = fieldDimensions(d);
  const RandomWindow w = randomWindow(d, dimensions, true, false);
  const std::int64_t groups = d.oneOf(Integers{1, 1, 2, 3}), in = d.size(11), out = d.size(11);
  Shape x{d.oneOf(Integers{1, 2}), groups * in}, k{groups * in, out};
  Integers pads = w.pads, more;
  const bool fills = d.chance(0.5);
  for (std::size_t i = 0; i < dimensions; ++i) {
    x.push_back(d.size(dimensions == 3 ? 4 : 7));
    k.push_back(w.kernel[i]);
    more.push_back(fills ? d.integer(0, std::max(w.strides[i], w.dilations[i]) - 1) : 0);
    const std::int64_t full = (x.back() - 1) * w.strides[i] + (w.kernel[i] - 1) * w.dilations[i] + 1 + more[i];
    if (full - pads[i] - pads[i + dimensions] < 1) pads[i] = pads[i + dimensions] = 0;
  }
  model::Attributes a =
      attributes({{"group", groups}, {"kernel_shape", w.kernel}, {"strides", w.strides}, {"dilations", w.dilations}});
  if (d.chance(0.2)) {
    a.set("auto_pad", std::string(d.word({"SAME_UPPER", "SAME_LOWER"})));
  } else {
    a.set("pads", pads);
    if (fills) a.set("output_padding", more);
  }
  std::vector<std::string> inputs{d.real("x", x), d.real("w", k)};
  if (d.chance(0.5)) inputs.push_back(d.real("b", {groups * out}));
  d.net().out("ConvTranspose", inputs, a);
}

void pooling(Draw& d) {
  const std::string type = d.word({"MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"});
  const std::size_t dimensions = fieldDimensions(d);
  const bool dilates = type == "MaxPool" && d.chance(0.4);
  const RandomWindow w = randomWindow(d, dimensions, dilates, true);
  Shape x{d.oneOf(Integers{1, 2}), d.size(17)};
  x.insert(x.end(), w.in.begin(), w.in.end());
  model::Attributes a;
  const bool automatic = d.chance(0.15);
  setWindow(d, a, w, dilates, automatic);
  if (type != "LpPool" && !automatic && d.chance(0.4)) a.set("ceil_mode", std::int64_t(1));
  if (type == "AveragePool" && d.chance(0.5)) a.set("count_include_pad", d.flag());
  if (type == "LpPool" && d.chance(0.5)) a.set("p", d.integer(1, 3));
  const std::string in = d.real("x", x);
  if (type != "MaxPool" || d.chance(0.5)) return d.net().out(type, {in}, a);
  if (d.chance(0.4)) a.set("storage_order", std::int64_t(1));
  d.net().outs(type, {in}, a, 2);
}

void globalPooling(Draw& d) {
  d.net().out(d.word({"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"}), {d.real("x", d.shape(3, 5, false))});
}

// Products.

void product(Draw& d) {
  const ElementType elements = d.floating();
  const std::int64_t m = d.size(), k = d.size(), n = d.size();
  const Shape batch = d.shape(0, 2, true, 8), other = d.broadcastable(batch);
  const auto with = [](Shape s, std::int64_t rows, std::int64_t columns) {
    s.insert(s.end(), {rows, columns});
    return s;
  };
  Shape a = with(batch, m, k), b = with(other, k, n);
  if (d.chance(0.3)) a = with(other, m, k), b = with(batch, k, n);
  if (d.chance(0.1)) a = {k};
  if (d.chance(0.1)) b = {k};
  d.net().out("MatMul", {d.number("a", a, elements, -1, 1), d.number("b", b, elements, -1, 1)});
}

void gemm(Draw& d) {
  const std::int64_t m = d.size(), k = d.size(), n = d.size(), ta = d.flag(), tb = d.flag();
  std::vector<std::string> inputs{d.real("a", ta ? Shape{k, m} : Shape{m, k}), d.real("b", tb ? Shape{n, k} : Shape{k, n})};
  if (d.chance(0.7)) inputs.push_back(d.real("c", d.broadcastable({m, n})));
  model::Attributes a = attributes({{"transA", ta}, {"transB", tb}});
  if (d.chance(0.4)) a.set("alpha", 0.75f);
  if (d.chance(0.4)) a.set("beta", d.oneOf(std::vector{0.5f, 0.0f, -1.0f}));
  d.net().out("Gemm", inputs, a);
}

void einsum(Draw& d) {
  // Einsum letters with sizes; every operand has some of them, the result some of those.
  const std::string letters = "abcde";
  Shape sizes;
  for (std::size_t i = 0; i < letters.size(); ++i) sizes.push_back(d.size(7));
  std::vector<std::string> inputs;
  std::string equation, used;
  for (std::int64_t i = 0, count = d.integer(1, 3); i < count; ++i) {
    if (i) equation += ',';
    Shape shape;
    for (const std::int64_t at : d.axes(letters.size(), false)) {
      const std::size_t letter = numerics::normaliseAxis(at, letters.size());
      if (shape.size() == 3) break;
      equation += letters[letter];
      used += letters[letter];
      shape.push_back(sizes[letter]);
    }
    inputs.push_back(d.real("x" + std::to_string(i), shape));
  }
  if (d.chance(0.8)) {
    equation += "->";
    for (const std::int64_t at : d.axes(letters.size(), true)) {
      const char letter = letters[numerics::normaliseAxis(at, letters.size())];
      if (used.find(letter) != std::string::npos) equation += letter;
    }
  }
  d.net().out("Einsum", inputs, attributes({{"equation", equation}}));
}

void integerProduct(Draw& d) {
  const auto bytes = [&](const char* name, const Shape& s) {
    return d.operand(name, d.net().whole(s, 0, 255, ElementType::UInt8));
  };
  if (d.chance(0.5)) {
    const std::int64_t m = d.size(), k = d.size(), n = d.size();
    const Shape batch = d.shape(0, 1, false, 3);
    Shape a = batch, b;
    a.insert(a.end(), {m, k});
    b = d.chance(0.5) ? Shape{} : batch;
    b.insert(b.end(), {k, n});
    std::vector<std::string> inputs{bytes("a", a), bytes("b", b)};
    if (d.chance(0.7)) inputs.push_back(bytes("za", {}));
    if (inputs.size() > 2 && d.chance(0.7)) inputs.push_back(bytes("zb", d.chance(0.5) ? Shape{n} : Shape{}));
    return d.net().out("MatMulInteger", inputs);
  }
  const RandomWindow w = randomWindow(d, d.oneOf(std::vector<std::size_t>{1, 2, 3}), true, false);
  const std::int64_t groups = d.integer(1, 2), in = d.size(7), out = d.size(7);
  Shape x{1, groups * in}, k{groups * out, in};
  x.insert(x.end(), w.in.begin(), w.in.end());
  k.insert(k.end(), w.kernel.begin(), w.kernel.end());
  model::Attributes a = attributes({{"group", groups}});
  setWindow(d, a, w, true, false);
  std::vector<std::string> inputs{bytes("x", x), bytes("w", k)};
  if (d.chance(0.7)) inputs.push_back(bytes("zx", {}));
  if (inputs.size() > 2 && d.chance(0.5)) inputs.push_back(bytes("zw", d.chance(0.5) ? Shape{groups * out} : Shape{}));
  d.net().out("ConvInteger", inputs, a);
}

void quantising(Draw& d) {
  const Shape s = d.shape(1, 4);
  const bool perChannel = d.chance(0.5);
  const std::int64_t at = d.axis(s.size());
  const Shape scales = perChannel ? Shape{s[numerics::normaliseAxis(at, s.size())]} : Shape{};
  const ElementType type = d.oneOf(std::vector{ElementType::UInt8, ElementType::Int8});
  const std::int64_t low = type == ElementType::Int8 ? -20 : 100;
  if (d.chance(0.2)) return d.net().outs("DynamicQuantizeLinear", {d.real("x", d.shape(0, 4, false), -1, 3)}, {}, 3);
  const bool backwards = d.chance(0.5);
  std::vector<std::string> inputs{backwards ? d.whole("x", s, low, low + 99, type) : d.real("x", s, -2, 2),
                                  d.real("s", scales, 0.01, 0.02)};
  if (d.chance(0.7)) inputs.push_back(d.whole("z", scales, low, low + 40, type));
  d.net().out(backwards ? "DequantizeLinear" : "QuantizeLinear", inputs, perChannel ? axis(at) : model::Attributes{});
}

// Normalisations, losses, recurrences.

void normalisation(Draw& d) {
  const std::string type = d.word({"BatchNormalization", "InstanceNormalization", "GroupNormalization", "LayerNormalization",
                                   "LRN", "MeanVarianceNormalization", "LpNormalization"});
  const bool channels = type != "LayerNormalization" && type != "LpNormalization";
  Shape s = d.shape(type == "BatchNormalization" ? 2 : channels ? 3 : 1, channels ? 5 : 4, false);
  model::Attributes a;
  if (type == "MeanVarianceNormalization") {
    a.set("axes", d.axes(s.size(), false));
    return d.net().out(type, {d.real("x", s)}, a);
  }
  if (type == "LpNormalization")
    return d.net().out(type, {d.real("x", s)}, attributes({{"axis", d.axis(s.size())}, {"p", d.integer(1, 2)}}));
  if (type == "LRN") {
    a = attributes({{"size", d.oneOf(Integers{1, 3, 5})}, {"alpha", 0.3f}, {"beta", 0.6f}, {"bias", 1.5f}});
    return d.net().out(type, {d.real("x", s)}, a);
  }
  if (d.chance(0.5)) a.set("epsilon", 0.01f);
  if (type == "LayerNormalization") {
    const std::int64_t at = d.axis(s.size());
    const Shape part(s.begin() + std::ptrdiff_t(numerics::normaliseAxis(at, s.size())), s.end());
    a.set("axis", at);
    std::vector<std::string> inputs{d.real("x", s), d.real("s", part)};
    if (d.chance(0.6)) inputs.push_back(d.real("b", part));
    return d.net().outs(type, inputs, a, d.chance(0.4) ? 3 : 1);
  }
  std::int64_t groups = d.integer(1, 3);
  if (type == "GroupNormalization") {
    s[1] = groups * d.size(5);
    a.set("num_groups", groups);
  }
  std::vector<std::string> inputs{d.real("x", s), d.real("s", {s[1]}), d.real("b", {s[1]})};
  if (type == "GroupNormalization") return d.net().out(type, inputs, a, "ai.graphcore");
  if (type == "InstanceNormalization") return d.net().out(type, inputs, a);
  inputs.push_back(d.real("m", {s[1]}));
  inputs.push_back(d.real("v", {s[1]}, 0.5, 1.5));
  if (d.chance(0.6)) return d.net().out(type, inputs, a);
  a.set("training_mode", std::int64_t(1));
  d.net().outs(type, inputs, a, d.chance(0.3) ? 1 : 3);
}

void loss(Draw& d) {
  const char* type = d.word({"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"});
  const Shape s = d.shape(2, 4, false);
  Shape rows = s;
  rows.erase(rows.begin() + 1);
  std::vector<std::string> inputs{d.real("x", s, -2, 2), d.whole("t", rows, 0, s[1])};
  if (d.chance(0.4)) inputs.push_back(d.real("w", {s[1]}, 0.5, 1.5));
  model::Attributes a = attributes({{"reduction", std::string(d.word({"none", "sum", "mean"}))}});
  if (d.chance(0.3)) a.set("ignore_index", d.integer(0, 2));
  d.net().outs(type, inputs, a, *type == 'S' && d.chance(0.4) ? 2 : 1);
}

void recurrence(Draw& d) {
  const std::string type = d.word({"LSTM", "GRU", "RNN"});
  const std::string direction = d.word({"forward", "reverse", "bidirectional"});
  const std::int64_t n = direction == "bidirectional" ? 2 : 1,
                     gates = type == "LSTM"  ? 4
                             : type == "GRU" ? 3
                                             : 1,
                     steps = d.integer(1, 5), batch = d.integer(1, 4), in = d.size(17), hidden = d.size(17);
  std::vector<std::string> inputs{d.real("x", {steps, batch, in}), d.real("w", {n, gates * hidden, in}, -0.5, 0.5),
                                  d.real("r", {n, gates * hidden, hidden}, -0.3, 0.3)};
  model::Attributes a = attributes({{"hidden_size", hidden}, {"direction", direction}});
  if (d.chance(0.6)) {
    inputs.push_back(d.chance(0.5) ? d.real("b", {n, 2 * gates * hidden}) : "");
    inputs.push_back(d.chance(0.5) ? d.whole("lengths", {batch}, 1, steps + 1, ElementType::Int32) : "");
    inputs.push_back(d.chance(0.5) ? d.real("h", {n, batch, hidden}) : "");
    if (type == "LSTM") {
      inputs.push_back(d.chance(0.5) ? d.real("c", {n, batch, hidden}) : "");
      if (d.chance(0.5)) inputs.push_back(d.real("p", {n, 3 * hidden}, -0.5, 0.5));
    }
  }
  if (type == "GRU" && d.chance(0.5)) a.set("linear_before_reset", std::int64_t(1));
  if (type == "LSTM" && d.chance(0.2)) a.set("input_forget", std::int64_t(1));
  if (d.chance(0.3)) a.set("clip", 0.7f);
  if (d.chance(0.3)) {
    std::vector<std::string> activations;
    for (std::int64_t i = 0; i < n * (gates == 4 ? 3 : gates == 3 ? 2 : 1); ++i)
      activations.push_back(d.word({"Tanh", "Sigmoid", "Relu", "HardSigmoid", "Softsign", "LeakyRelu", "ScaledTanh", "Elu"}));
    a.set("activations", activations);
  }
  d.net().outs(type, inputs, a, type == "LSTM" ? 3 : 2);
}

// Signals and maps.

void transform(Draw& d) {
  if (d.chance(0.3)) {
    Shape s = d.shape(0, 2, false, 20);
    const std::int64_t n = d.size(13);
    s.insert(s.end(), {n, n});
    return d.net().out("Det", {d.real("x", s)});
  }
  if (d.chance(0.4)) {
    const std::int64_t samples = d.size() + 3, length = d.integer(1, samples);
    const bool window = d.chance(0.6);
    return d.net().out("STFT",
                       {d.real("x", d.chance(0.5) ? Shape{d.integer(1, 3), samples} : Shape{2, samples, 1}),
                        d.scalar("step", d.integer(1, 9)), window ? d.real("w", {length}, 0, 1) : "", d.scalar("length", length)},
                       attributes({{"onesided", d.flag()}}));
  }
  Shape s = d.shape(1, 3, false, 400);
  s.push_back(d.integer(1, 2));
  const std::int64_t at = d.integer(0, std::int64_t(s.size()) - 2), inverse = d.flag();
  std::vector<std::string> inputs{d.real("x", s)};
  if (d.chance(0.4)) inputs.push_back(d.scalar("length", d.size(61)));
  d.net().out("DFT", inputs,
              attributes({{"axis", at}, {"inverse", inverse}, {"onesided", s.back() == 1 && !inverse ? d.flag() : 0}}));
}

void sampling(Draw& d) {
  const Shape x{d.integer(1, 2), d.size(5), d.size(11), d.size(11)}, grid{x[0], d.size(7), d.size(7), 2};
  d.net().out("GridSample", {d.real("x", x), d.real("g", grid, -1.3, 1.3)},
              attributes({{"mode", std::string(d.word({"bilinear", "nearest", "bicubic"}))},
                          {"padding_mode", std::string(d.word({"zeros", "border", "reflection"}))},
                          {"align_corners", d.flag()}}));
}

void choosing(Draw& d) {
  const Shape s = d.shape(1, 3, false, 300);
  if (d.chance(0.4))
    return d.net().observed("NonZero", {d.net().value("x", d.net().whole(s, 0, 3).cast(d.arithmetic()))}, {}, {"places"});
  if (d.chance(0.5)) {
    const std::int64_t at = d.axis(s.size());
    const bool flat = d.chance(0.3);
    HostTensor flags = d.net().whole({flat ? numerics::elementCount(s) : s[numerics::normaliseAxis(at, s.size())]}, 0, 2);
    return d.net().out("Compress", {d.real("x", s), d.net().builder.constant("c", flags.cast(ElementType::Bool))},
                       flat ? model::Attributes{} : axis(at));
  }
  model::Attributes a = attributes({{"sorted", d.flag()}});
  if (d.chance(0.5)) a.set("axis", d.axis(s.size()));
  d.net().observed("Unique", {d.net().value("x", d.net().whole(s, 0, 5).cast(d.arithmetic()))}, a,
                   {"values", "first", "inverse", "counts"});
}

} // namespace

std::vector<RandomFamily> randomSelections() { return {reduction, reduction, softmax, ordering, ordering, choosing}; }

std::vector<RandomFamily> randomNeural() {
  return {convolution,
          convolution,
          convolution,
          convolutionGradients,
          transposedConvolution,
          transposedConvolution,
          pooling,
          pooling,
          pooling,
          globalPooling,
          product,
          product,
          gemm,
          einsum,
          integerProduct,
          quantising,
          normalisation,
          normalisation,
          loss,
          recurrence,
          transform,
          sampling};
}

} // namespace tests
