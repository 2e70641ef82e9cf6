// Problems for operators whose gradients are written in other operators: rare activations, recurrent layers, subgraphs,
// interpolation.
#pragma once

#include "tests/simcore/model/gradient_cases.h"

namespace tests {

inline Build layerOver(const char* type, std::int64_t gates, model::Attributes a, int outputs, std::vector<int> optional = {}) {
  return [=](Problem& p) {
    p.isSingle = true; // the kernel of recurrent layers is float
    const bool both = a.text("direction", "") == "bidirectional";
    const bool batchFirst = a.integer("layout", 0) != 0;
    const std::int64_t d = both ? 2 : 1, t = 3, b = 2, in = 2, h = 2;
    model::Attributes all = a;
    all.set("hidden_size", h);
    std::vector<std::string> inputs{p.input("x", batchFirst ? Shape{b, t, in} : Shape{t, b, in}),
                                    p.input("w", {d, gates * h, in}), p.input("r", {d, gates * h, h})};
    const Shape state = batchFirst ? Shape{b, d, h} : Shape{d, b, h};
    if (std::find(optional.begin(), optional.end(), 4) != optional.end()) {
      inputs.resize(5);
      inputs[4] = p.give("lengths", labels({b}, {t - 1, t}).cast(ElementType::Int32));
    }
    const std::vector<std::pair<int, Shape>> more{{3, {d, 2 * gates * h}}, {5, state}, {6, state}, {7, {d, 3 * h}}};
    for (const auto& [at, shape] : more) {
      if (std::find(optional.begin(), optional.end(), at) == optional.end()) continue;
      inputs.resize(std::max(inputs.size(), std::size_t(at) + 1));
      inputs[std::size_t(at)] = p.input("i" + std::to_string(at), shape);
    }
    const auto results = p.builder.addMany(type, inputs, all, std::vector<bool>(std::size_t(outputs), true));
    std::string sum;
    for (const std::string& result : results) {
      std::vector<std::int64_t> axes(p.builder.shape(result).size());
      for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = std::int64_t(i);
      const std::string square = p.builder.reduce("ReduceSumSquare", result, axes, false);
      sum = sum.empty() ? square : p.builder.add("Add", {sum, square});
    }
    return sum;
  };
}

inline Build einsum(const char* equation, std::vector<Shape> shapes) {
  return [=](Problem& p) {
    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) inputs.push_back(p.input("x" + std::to_string(i), shapes[i]));
    return p.builder.add("Einsum", inputs, attributes({{"equation", std::string(equation)}}));
  };
}

inline Build resized(Shape shape, std::vector<float> scales, model::Attributes a) {
  return [=](Problem& p) {
    const std::string x = p.input("x", shape);
    return p.builder.add("Resize", {x, "", p.builder.constant("scales", HostTensor::vector(scales))}, a);
  };
}

inline Build gridSampled(const char* mode, const char* padding, std::int64_t alignCorners) {
  return [=](Problem& p) {
    p.isSingle = true; // the kernel is float
    const auto a =
        attributes({{"mode", std::string(mode)}, {"padding_mode", std::string(padding)}, {"align_corners", alignCorners}});
    return p.builder.add("GridSample", {p.input("x", {2, 2, 3, 4}), p.input("grid", {2, 3, 2, 2}, -1.3, 1.3)}, a);
  };
}

// A subgraph from a function that fills it; outer values must be declared.
inline std::shared_ptr<const model::Graph> subgraph(const std::function<void(GraphBuilder&)>& fill) {
  auto graph = std::make_shared<model::Graph>();
  GraphBuilder builder(*graph);
  fill(builder);
  return graph;
}

inline std::string branches(Problem& p, bool taken) {
  const std::string x = p.input("x", {2, 3}), w = p.input("w", {3});
  const std::string c = p.give("c", HostTensor::scalar(taken));
  const model::TensorType type{ElementType::Double, {2, 3}};
  const auto branch = [&](const char* op) {
    return subgraph([&](GraphBuilder& b) {
      b.declare("x", type);
      b.declare("w", {ElementType::Double, {3}});
      b.output(b.add(op, {b.add("Mul", {"x", "w"}), "x"}));
    });
  };
  model::Node node;
  node.opType = "If";
  node.opset = 16;
  node.inputs = {c};
  node.outputs = {"chosen"};
  node.attributes = attributes({{"then_branch", branch("Add")}, {"else_branch", branch("Mul")}});
  return p.builder.append(node, {type})[0];
}

// h = tanh(h w), three iterations: the last h plus the h of each iteration.
inline std::string looped(Problem& p) {
  const std::string h = p.input("h", {2, 2}), w = p.input("w", {2, 2});
  const model::TensorType type{ElementType::Double, {2, 2}};
  model::Node node;
  node.opType = "Loop";
  node.opset = 16;
  node.inputs = {p.builder.constant("trips", HostTensor::scalar(std::int64_t(3))), "", h};
  node.outputs = {"last", "all"};
  node.attributes = attributes({{"body", subgraph([&](GraphBuilder& b) {
                                   b.input("i", ElementType::Int64, {});
                                   b.input("goOn", ElementType::Bool, {});
                                   b.input("state", type.type, type.shape);
                                   b.declare(w, type);
                                   b.output(b.add("Identity", {"goOn"}));
                                   const std::string next = b.add("Tanh", {b.add("MatMul", {"state", w})});
                                   b.output(next);
                                   b.output(b.add("Identity", {next}, {}, "copy"));
                                 })}});
  const auto results = p.builder.append(node, {type, {ElementType::Double, {3, 2, 2}}});
  return p.builder.add("Add", {results[1], results[0]});
}

inline std::string scanned(Problem& p) {
  const std::string start = p.input("start", {2}), x = p.input("x", {3, 2});
  const model::TensorType row{ElementType::Double, {2}};
  model::Node node;
  node.opType = "Scan";
  node.opset = 16;
  node.inputs = {start, x};
  node.outputs = {"last", "sums"};
  node.attributes = attributes({{"num_scan_inputs", std::int64_t(1)}, {"body", subgraph([&](GraphBuilder& b) {
                                                                         b.input("sum", row.type, row.shape);
                                                                         b.input("next", row.type, row.shape);
                                                                         const std::string s = b.add("Mul", {"sum", "next"});
                                                                         b.output(b.add("Sin", {s}));
                                                                         b.output(b.add("Exp", {s}));
                                                                       })}});
  const auto results = p.builder.append(node, {row, {ElementType::Double, {3, 2}}});
  return p.builder.add("Add", {results[1], results[0]});
}

inline HostTensor reals(const Shape& shape, const std::vector<double>& values) { return HostTensor::of(shape, values); }

// Regions reach beyond the maps and between their elements.
inline Build regionsRead(const char* type, model::Attributes a) {
  return [=](Problem& p) {
    p.isSingle = true; // the kernel is float
    const std::string x = p.input("x", {2, 2, 4, 5});
    if (std::string(type) == "MaxRoiPool")
      return p.builder.add(type, {x, p.builder.constant("regions", reals({2, 5}, {1, 0.4, 1.2, 3.1, 3.4, 0, -1, 0, 1.7, 2.6}))},
                           a);
    const HostTensor corners = reals({3, 4}, {0.3, 0.2, 3.7, 2.9, -2, 1.1, 2.2, 3.3, 1.1, 0.6, 6.5, 3.8});
    return p.builder.add(type, {x, p.builder.constant("regions", corners), p.builder.constant("images", labels({3}, {1, 0, 1}))},
                         a);
  };
}

inline Build lpPooled(const char* type, std::int64_t power, std::int64_t ceiling) {
  model::Attributes a = attributes({{"p", power}});
  if (std::string(type) == "LpPool") {
    a = window({3, 2}, {2, 2}, {1, 0, 0, 1});
    a.set("p", power);
    a.set("ceil_mode", ceiling);
  }
  return pool(type, {2, 2, 6, 6}, a);
}

inline Build unpooled(Integers outputShape) {
  return [=](Problem& p) {
    const HostTensor places = labels({1, 2, 2, 2}, {0, 5, 9, 15, 17, 18, 27, 30});
    std::vector<std::string> inputs{p.input("x", {1, 2, 2, 2}), p.builder.constant("places", places)};
    if (!outputShape.empty()) inputs.push_back(p.builder.integers(outputShape));
    return p.builder.add("MaxUnpool", inputs, window({2, 2}, {2, 2}, {0, 0, 0, 0}));
  };
}

inline Build transformed(Shape x, std::int64_t axis, std::int64_t length, std::int64_t inverse, std::int64_t oneSided) {
  return [=](Problem& p) {
    std::vector<std::string> inputs{p.input("x", x)};
    if (length) inputs.push_back(p.builder.constant("length", HostTensor::scalar(length)));
    return p.builder.add("DFT", inputs, attributes({{"axis", axis}, {"inverse", inverse}, {"onesided", oneSided}}));
  };
}

inline Build framed(Shape x, bool windowed, std::int64_t oneSided) {
  return [=](Problem& p) {
    const std::string step = p.builder.constant("step", HostTensor::scalar(std::int64_t(3))),
                      length = p.builder.constant("length", HostTensor::scalar(std::int64_t(6)));
    return p.builder.add("STFT", {p.input("x", x), step, windowed ? p.input("window", {6}) : "", length},
                         attributes({{"onesided", oneSided}}));
  };
}

// Products with no zero at a place, with one, and with two.
inline std::string scatteredProducts(Problem& p, bool isNd) {
  const std::string x = p.give("x", reals({4, 2}, {0.5, 0, -1.5, 2, 0, 0.75, 1.25, -0.5}));
  const std::string updates = p.give("updates", reals({4, 2}, {2, 0.3, 0.7, 0, 0, -1.1, 0, 1.6}));
  const HostTensor rows = labels({4, 1}, {2, 0, 3, 1}), places = labels({4, 2}, {2, 0, 0, 1, 3, 3, 2, 1});
  return p.builder.add(isNd ? "ScatterND" : "ScatterElements", {x, p.give("at", isNd ? rows : places), updates},
                       attributes({{"reduction", std::string("mul")}}));
}

inline std::vector<Case> lateCases() {
  const auto align = [](const char* mode, std::int64_t samples, const char* coordinates) {
    return attributes({{"mode", std::string(mode)},
                       {"sampling_ratio", samples},
                       {"output_height", std::int64_t(2)},
                       {"output_width", std::int64_t(3)},
                       {"coordinate_transformation_mode", std::string(coordinates)}});
  };
  const auto chosen = [](model::Attributes a, Integers flags) {
    return onX({4, 3}, [=](Problem& p, const std::string& x) {
      return p.builder.add("Compress", {x, p.builder.constant("flags", HostTensor::vector(flags).cast(ElementType::Bool))}, a);
    });
  };
  return {
      {"Compress rows", chosen(attributes({{"axis", std::int64_t(0)}}), {1, 0, 1, 1})},
      {"Compress elements", chosen({}, {0, 1, 1, 0, 0, 1, 0, 1})},
      {"OneHot",
       [](Problem& p) {
         return p.builder.add("OneHot",
                              {p.give("at", labels({2, 2}, {1, 0, -1, 3})), p.builder.integers({3}), p.input("values", {2})},
                              attributes({{"axis", std::int64_t(1)}}));
       }},
      {"CastLike", onX({3},
                       [](Problem& p, const std::string& x) {
                         return p.builder.add("CastLike", {x, p.builder.number(1, ElementType::Double)});
                       })},
      {"Pow of another type",
       [](Problem& p) {
         const HostTensor exponents = HostTensor::vector(std::vector<float>{1.5F, 2, 0, -1});
         return p.builder.add("Pow", {p.input("x", {4}, 0.5, 2), p.give("exponents", exponents)});
       }},
      {"LpPool", lpPooled("LpPool", 2, 0)},
      {"LpPool 1, ceiling", lpPooled("LpPool", 1, 1)},
      {"LpPool 3, ceiling", lpPooled("LpPool", 3, 1)},
      {"GlobalLpPool", lpPooled("GlobalLpPool", 2, 0)},
      {"GlobalLpPool 3", lpPooled("GlobalLpPool", 3, 0)},
      {"MaxUnpool", unpooled({})},
      {"MaxUnpool into more", unpooled({1, 2, 5, 6})},
      {"RoiAlign", regionsRead("RoiAlign", align("avg", 2, "half_pixel"))},
      {"RoiAlign by its size", regionsRead("RoiAlign", align("avg", 0, "output_half_pixel"))},
      {"RoiAlign largest", regionsRead("RoiAlign", align("max", 1, "half_pixel"))},
      {"MaxRoiPool", regionsRead("MaxRoiPool", attributes({{"pooled_shape", Integers{2, 2}}}))},
      {"Det", onX({2, 3, 3}, [](Problem& p, const std::string& x) { return p.builder.add("Det", {x}); })},
      {"Det of a number", onX({2, 1, 1}, [](Problem& p, const std::string& x) { return p.builder.add("Det", {x}); })},
      {"Det of five rows", onX({5, 5}, [](Problem& p, const std::string& x) { return p.builder.add("Det", {x}); })},
      {"Det, singular",
       [](Problem& p) {
         return p.builder.add("Det", {p.give("x", reals({3, 3}, {1, 2, 3, 2, 4, 6, 0, 1, 5}))});
       }},
      {"DFT", transformed({2, 6, 2}, 1, 0, 0, 0)},
      {"DFT inverse", transformed({2, 5, 2}, 1, 0, 1, 0)},
      {"DFT of real numbers", transformed({2, 6, 1}, 1, 0, 0, 1)},
      {"DFT cut", transformed({2, 7, 3, 1}, 1, 5, 0, 1)},
      {"DFT padded", transformed({4, 3, 2}, 0, 6, 1, 0)},
      {"STFT", framed({2, 13}, true, 1)},
      {"STFT whole, no window", framed({1, 12, 1}, false, 0)},
      {"ScatterND, products", [](Problem& p) { return scatteredProducts(p, true); }},
      {"ScatterElements, products", [](Problem& p) { return scatteredProducts(p, false); }},
      {"Einsum diagonal", einsum("ii->i", {{3, 3}})},
      {"Einsum trace", einsum("ii", {{3, 3}})},
      {"Einsum diagonals and more", einsum("bii,ij,jj->bj", {{2, 3, 3}, {3, 4}, {4, 4}})},
      {"Einsum diagonal of three", einsum("iii,i->i", {{2, 2, 2}, {2}})},
      {"LSTM of different lengths",
       layerOver("LSTM", 4, attributes({{"direction", std::string("bidirectional")}}), 3, {4, 5, 6})},
      {"GRU of different lengths", layerOver("GRU", 3, {}, 2, {4})},
      {"RNN of different lengths", layerOver("RNN", 1, attributes({{"direction", std::string("reverse")}}), 2, {3, 4})},
  };
}

inline std::vector<Case> expandedCases() {
  const auto text = [](const char* name, const char* value) { return attributes({{name, std::string(value)}}); };
  const auto onAxis = [](const char* type, Shape shape, std::int64_t axis, model::Attributes a) {
    return onX(shape, [=](Problem& p, const std::string& x) {
      return p.builder.add(type, {x, p.builder.constant("axis", HostTensor::scalar(axis))}, a);
    });
  };
  const std::int64_t one = 1;
  return {
      {"Softsign", unary("Softsign")},
      {"Mish", unary("Mish")},
      {"Swish",
       [](Problem& p) {
         return p.builder.addOwn("Swish", {p.input("x", {2, 5})});
       }},
      {"Celu", unary("Celu", -2, 2, attributes({{"alpha", 1.7f}}))},
      {"Selu", unary("Selu")},
      {"ThresholdedRelu", unary("ThresholdedRelu", -2, 2, attributes({{"alpha", 0.6f}}))},
      {"Shrink", unary("Shrink", -2, 2, attributes({{"lambd", 0.7f}, {"bias", 0.3f}}))},
      {"Tan", unary("Tan", -1, 1)},
      {"Sinh", unary("Sinh")},
      {"Cosh", unary("Cosh")},
      {"Asin", unary("Asin", -0.9, 0.9)},
      {"Acos", unary("Acos", -0.9, 0.9)},
      {"Atan", unary("Atan")},
      {"Asinh", unary("Asinh")},
      {"Acosh", unary("Acosh", 1.2, 3)},
      {"Atanh", unary("Atanh", -0.9, 0.9)},
      {"Mod",
       [](Problem& p) {
         return p.builder.add("Mod", {p.input("a", {2, 3}, 1, 5), p.input("b", {3}, 0.8, 1.2)},
                              attributes({{"fmod", std::int64_t(1)}}));
       }},
      {"CumSum", onAxis("CumSum", {2, 3, 2}, 1, {})},
      {"CumSum reversed, exclusive", onAxis("CumSum", {4}, 0, attributes({{"exclusive", one}, {"reverse", one}}))},
      {"ReverseSequence", onX({4, 3, 2},
                              [](Problem& p, const std::string& x) {
                                return p.builder.add("ReverseSequence", {x, p.builder.integers({3, 1, 4})});
                              })},
      {"Trilu", onX({3, 4},
                    [](Problem& p, const std::string& x) {
                      return p.builder.add("Trilu", {x}, attributes({{"upper", std::int64_t(0)}}));
                    })},
      {"TopK", onX({2, 5},
                   [](Problem& p, const std::string& x) {
                     return p.builder.addMany("TopK", {x, p.builder.integers({2})}, {}, {true, false})[0];
                   })},
      {"ReduceProd",
       [](Problem& p) {
         return p.builder.reduce("ReduceProd", p.input("x", {2, 3}, 0.5, 2), {1}, false);
       }},
      {"ReduceLogSum",
       [](Problem& p) {
         return p.builder.reduce("ReduceLogSum", p.input("x", {2, 3}, 0.5, 2), {0}, true);
       }},
      {"LpNormalization", unary("LpNormalization")},
      {"LpNormalization 1", unary("LpNormalization", -2, 2, attributes({{"p", one}, {"axis", std::int64_t(0)}}))},
      {"MeanVarianceNormalization", pool("MeanVarianceNormalization", {2, 2, 2, 3}, {})},
      {"LRN",
       pool("LRN", {1, 5, 2, 2}, attributes({{"size", std::int64_t(3)}, {"alpha", 0.7f}, {"beta", 0.6f}, {"bias", 1.5f}}))},
      {"LRN even", pool("LRN", {1, 4, 2, 1}, attributes({{"size", std::int64_t(2)}, {"alpha", 0.5f}}))},
      {"LSTM", layerOver("LSTM", 4, {}, 3, {3, 5, 6, 7})},
      {"LSTM both ways", layerOver("LSTM", 4, text("direction", "bidirectional"), 2, {3})},
      {"LSTM batch first", layerOver("LSTM", 4, attributes({{"layout", one}}), 3, {5, 6})},
      {"GRU", layerOver("GRU", 3, {}, 2, {3, 5})},
      {"GRU linear before reset", layerOver("GRU", 3, attributes({{"linear_before_reset", one}}), 1, {3})},
      {"RNN reverse", layerOver("RNN", 1, text("direction", "reverse"), 2, {3})},
      {"RNN relu", layerOver("RNN", 1, attributes({{"activations", std::vector<std::string>{"Softsign"}}}), 1)},
      {"Einsum product", einsum("ij,jk->ik", {{2, 3}, {3, 4}})},
      {"Einsum batched", einsum("bhid,bhjd->bhij", {{2, 2, 3, 2}, {2, 2, 4, 2}})},
      {"Einsum summed", einsum("ij,k->j", {{2, 3}, {4}})},
      {"Einsum ellipsis", einsum("...ij,jk->...ik", {{2, 2, 3}, {3, 2}})},
      {"Einsum implicit", einsum("ji,jk", {{3, 2}, {3, 2}})},
      {"Einsum broadcast", einsum("...i,...i->...", {{2, 3, 4}, {1, 4}})},
      {"If", [](Problem& p) { return branches(p, true); }},
      {"If not", [](Problem& p) { return branches(p, false); }},
      {"Loop", looped},
      {"Scan", scanned},
      {"Resize linear", resized({1, 2, 3, 4}, {1, 1, 2, 1.5f}, text("mode", "linear"))},
      {"Resize down", resized({1, 1, 6, 5}, {1, 1, 0.5f, 0.6f}, text("mode", "linear"))},
      {"Resize nearest", resized({1, 2, 3, 2}, {1, 1, 2, 2}, {})},
      {"Resize cubic", resized({1, 1, 4, 4}, {1, 1, 2, 2}, text("mode", "cubic"))},
      {"GridSample", gridSampled("bilinear", "zeros", 0)},
      {"GridSample border", gridSampled("bilinear", "border", 1)},
      {"GridSample reflection", gridSampled("bilinear", "reflection", 0)},
      {"GridSample reflection of corners", gridSampled("bilinear", "reflection", 1)},
      {"GridSample nearest", gridSampled("nearest", "border", 0)},
      {"GridSample bicubic", gridSampled("bicubic", "zeros", 1)},
      {"Upsample", onX({1, 1, 2, 3},
                       [](Problem& p, const std::string& x) {
                         model::Node node;
                         node.opType = "Upsample";
                         node.opset = 9;
                         node.inputs = {x, p.builder.constant("scales", HostTensor::vector(std::vector<float>{1, 1, 2, 2}))};
                         node.outputs = {"larger"};
                         return p.builder.append(node)[0];
                       })},
  };
}

inline std::vector<Case> allGradientCases() {
  std::vector<Case> all = gradientCases();
  for (const auto& more : {expandedCases(), lateCases()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

} // namespace tests
