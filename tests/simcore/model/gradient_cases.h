// Small problems, one for every operator with a gradient; the tests of gradients and of their lowering run all of them.
#pragma once

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/training/autodiff.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace tests {

using namespace simcore;
using model::attributes;
using model::GraphBuilder;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using Integers = std::vector<std::int64_t>;

// A small graph in double whose inputs are all differentiated.
struct Problem {
  Problem() : builder(model.graph) { model.file = "test"; }

  // An input in [low, high) with all elements different, so that maxima and limits have no ties.
  std::string input(const std::string& name, const Shape& shape, double low = -1, double high = 1) {
    HostTensor value(ElementType::Double, shape);
    std::vector<double> steps(std::size_t(value.count()));
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = low + (high - low) * (double(i) + 0.37) / double(steps.size());
    std::shuffle(steps.begin(), steps.end(), random);
    std::copy(steps.begin(), steps.end(), value.mutableValues<double>().begin());
    return give(name, value);
  }
  std::string give(const std::string& name, const HostTensor& value) {
    values[name] = value;
    builder.input(name, value.type(), value.shape());
    if (value.type() == ElementType::Double) wanted.push_back(name);
    return name;
  }

  // sum(weights * y): one value that depends on every element of y differently.
  std::string lossOf(const std::string& y) {
    if (builder.shape(y).empty()) return y;
    HostTensor weights(ElementType::Double, builder.shape(y));
    for (double& w : weights.mutableValues<double>()) w = double(random() % 1000) / 500 - 1 + 1e-3;
    const std::string weighted = builder.add("Mul", {y, builder.constant("lossWeights", weights)});
    Integers axes;
    for (std::size_t i = 0; i < weights.rank(); ++i) axes.push_back(std::int64_t(i));
    return builder.reduce("ReduceSum", weighted, axes, false);
  }

  // The model whose outputs are the gradients of the loss with respect to `wanted`.
  void makeGradients(const std::string& loss) {
    const auto gradients = model::addGradients(model.graph, loss, wanted);
    model.graph.outputs.clear();
    // Two inputs may share one gradient; outputs have names of their own.
    for (const std::string& name : wanted) builder.output(builder.add("Identity", {gradients.at(name)}, {}, "d" + name));
  }

  model::Model model;
  GraphBuilder builder;
  std::unordered_map<std::string, HostTensor> values;
  std::vector<std::string> wanted;
  bool isSingle = false; // some kernel computes in float whatever its inputs are
  std::mt19937_64 random{7};
};

using Build = std::function<std::string(Problem&)>;
struct Case {
  const char* name;
  Build build;
};

inline Build unary(const char* type, double low = -2, double high = 2, model::Attributes a = {}) {
  return [=](Problem& p) { return p.builder.add(type, {p.input("x", {2, 5}, low, high)}, a); };
}
inline Build binary(const char* type, Shape a, Shape b, double low = 0.5, double high = 2) {
  return [=](Problem& p) { return p.builder.add(type, {p.input("a", a, low, high), p.input("b", b, low + 0.013, high)}); };
}
inline Build conv(Shape x, Shape w, model::Attributes a, const char* type = "Conv") {
  return [=](Problem& p) {
    const std::int64_t outs = std::string(type) == "Conv" ? w[0] : w[1] * a.integer("group", 1);
    return p.builder.add(type, {p.input("x", x), p.input("w", w), p.input("bias", {outs})}, a);
  };
}
inline Build pool(const char* type, Shape x, model::Attributes a) {
  return [=](Problem& p) { return p.builder.add(type, {p.input("x", x)}, a); };
}
inline Build onX(Shape x, std::function<std::string(Problem&, const std::string&)> f) {
  return [=](Problem& p) { return f(p, p.input("x", x)); };
}
inline model::Attributes window(Integers kernel, Integers strides, Integers pads, Integers dilations = {},
                                std::int64_t group = 1) {
  model::Attributes a = attributes({{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"group", group}});
  if (!dilations.empty()) a.set("dilations", dilations);
  return a;
}
inline HostTensor labels(const Shape& shape, const Integers& values) { return HostTensor::of(shape, values); }

inline std::vector<Case> elementwiseCases() {
  return {
      {"Add", binary("Add", {2, 3, 4}, {3, 1})},
      {"Sub", binary("Sub", {4}, {2, 3, 4})},
      {"Mul", binary("Mul", {2, 1, 4}, {3, 1})},
      {"Div", binary("Div", {2, 3}, {3})},
      {"Pow", binary("Pow", {2, 3}, {2, 3})},
      {"Sum", binary("Sum", {2, 3}, {1, 3})},
      {"Mean", binary("Mean", {2, 3}, {2, 3})},
      {"Max", binary("Max", {2, 3}, {2, 3})},
      {"Min", binary("Min", {2, 3}, {3})},
      {"Pow constant",
       [](Problem& p) {
         return p.builder.add("Pow", {p.input("x", {5}, 0.5, 2), p.builder.number(3, ElementType::Double)});
       }},
      {"Pow square",
       [](Problem& p) {
         return p.builder.add("Pow", {p.input("x", {5}), p.builder.number(2, ElementType::Double)});
       }},
      {"x * x", onX({4},
                    [](Problem& p, const std::string& x) {
                      return p.builder.add("Mul", {x, x});
                    })},
      {"four readers",
       onX({4},
           [](Problem& p, const std::string& x) {
             const std::string e = p.builder.add("Exp", {x});
             return p.builder.add("Add", {p.builder.add("Mul", {e, x}), p.builder.add("Sub", {e, p.builder.add("Tanh", {x})})});
           })},
      {"Where",
       [](Problem& p) {
         const std::string c = p.give("c", HostTensor::of(Shape{2, 2}, Integers{1, 0, 0, 1}).cast(ElementType::Bool));
         return p.builder.add("Where", {c, p.input("a", {2, 2}), p.input("b", {2})});
       }},
      {"PRelu",
       [](Problem& p) {
         return p.builder.add("PRelu", {p.input("x", {2, 3}), p.input("slope", {3})});
       }},
      {"Cast", onX({3},
                   [](Problem& p, const std::string& x) {
                     return p.builder.add("Cast", {x}, attributes({{"to", std::int64_t(11)}}));
                   })},
      {"Identity", unary("Identity")},
      {"Neg", unary("Neg")},
      {"Abs", unary("Abs")},
      {"Exp", unary("Exp")},
      {"Log", unary("Log", 0.3, 3)},
      {"Sqrt", unary("Sqrt", 0.3, 3)},
      {"Reciprocal", unary("Reciprocal", 0.3, 3)},
      {"Sin", unary("Sin")},
      {"Cos", unary("Cos")},
      {"Erf", unary("Erf")},
      {"Softplus", unary("Softplus")},
      {"Relu", unary("Relu")},
      {"Sigmoid", unary("Sigmoid")},
      {"Tanh", unary("Tanh")},
      {"Gelu", unary("Gelu")},
      {"Gelu tanh", unary("Gelu", -2, 2, attributes({{"approximate", std::string("tanh")}}))},
      {"LeakyRelu", unary("LeakyRelu", -2, 2, attributes({{"alpha", 0.125f}}))},
      {"Elu", unary("Elu", -2, 2, attributes({{"alpha", 0.75f}}))},
      {"Clip", unary("Clip", -2, 2, attributes({{"min", -0.55f}, {"max", 0.75f}}))},
      {"HardSigmoid", unary("HardSigmoid", -4, 4, attributes({{"alpha", 0.25f}}))},
      {"HardSwish", unary("HardSwish", -5, 5)},
      {"Floor adds nothing", onX({4},
                                 [](Problem& p, const std::string& x) {
                                   return p.builder.add("Add", {p.builder.add("Floor", {x}), x});
                                 })},
  };
}

inline std::vector<Case> layoutCases() {
  const auto axis = [](std::int64_t n) { return attributes({{"axis", n}}); };
  return {
      {"Reshape", onX({2, 6},
                      [](Problem& p, const std::string& x) {
                        return p.builder.reshape(x, {3, 4});
                      })},
      {"Flatten", unary("Flatten")},
      {"Squeeze", onX({2, 1, 3},
                      [](Problem& p, const std::string& x) {
                        return p.builder.add("Squeeze", {x, p.builder.integers({1})});
                      })},
      {"Unsqueeze", onX({2, 3},
                        [](Problem& p, const std::string& x) {
                          return p.builder.add("Unsqueeze", {x, p.builder.integers({0})});
                        })},
      {"Transpose", onX({2, 3, 4},
                        [](Problem& p, const std::string& x) {
                          return p.builder.transpose(x, {2, 0, 1});
                        })},
      {"Concat",
       [=](Problem& p) {
         return p.builder.add("Concat", {p.input("a", {2, 3}), p.input("b", {2, 1}), p.input("c", {2, 2})}, axis(1));
       }},
      {"Split, one part unread",
       onX({2, 6},
           [=](Problem& p, const std::string& x) {
             const auto parts = p.builder.addMany("Split", {x, p.builder.integers({1, 2, 3})}, axis(1), {true, true, true});
             return p.builder.reduce("ReduceSum", p.builder.add("Mul", {parts[0], parts[2]}), {1}, false);
           })},
      {"Slice", onX({4, 5},
                    [](Problem& p, const std::string& x) {
                      return p.builder.add("Slice", {x, p.builder.integers({1, -3}), p.builder.integers({3, 99})});
                    })},
      {"Slice with steps", onX({4, 5},
                               [](Problem& p, const std::string& x) {
                                 return p.builder.add("Slice", {x, p.builder.integers({3, 0}), p.builder.integers({-9, 5}),
                                                                p.builder.integers({0, 1}), p.builder.integers({-2, 2})});
                               })},
      {"Pad", onX({2, 3},
                  [](Problem& p, const std::string& x) {
                    return p.builder.add("Pad", {x, p.builder.integers({1, 0, 0, 2})});
                  })},
      {"Pad cut",
       onX({4, 3},
           [](Problem& p, const std::string& x) {
             return p.builder.add("Pad", {x, p.builder.integers({-1, 0, 0, 2}), p.builder.number(3, ElementType::Double)});
           })},
      {"CenterCropPad", onX({4, 3},
                            [](Problem& p, const std::string& x) {
                              return p.builder.add("CenterCropPad", {x, p.builder.integers({3, 6})});
                            })},
      {"Pad reflect",
       onX({2, 4},
           [](Problem& p, const std::string& x) {
             return p.builder.add("Pad", {x, p.builder.integers({0, 2, 0, 1})}, attributes({{"mode", std::string("reflect")}}));
           })},
      {"Expand", onX({3, 1},
                     [](Problem& p, const std::string& x) {
                       return p.builder.expand(x, {2, 3, 4});
                     })},
      {"Tile", onX({2, 3},
                   [](Problem& p, const std::string& x) {
                     return p.builder.add("Tile", {x, p.builder.integers({2, 3})});
                   })},
      {"Gather, rows twice", onX({5, 3},
                                 [](Problem& p, const std::string& x) {
                                   return p.builder.add("Gather", {x, p.give("rows", labels({2, 2}, {1, 4, 1, 0}))});
                                 })},
      {"TiedGather, rows twice", onX({6, 3},
                                     [](Problem& p, const std::string& x) {
                                       return p.builder.addOwn("TiedGather", {x, p.give("rows", labels({2, 2}, {1, 4, 1, 0}))},
                                                               attributes({{"parts", std::int64_t(2)}}));
                                     })},
      {"Remap", onX({2, 3}, [](Problem& p, const std::string& x) { return p.builder.addOwn("Remap", {x}); })},
      {"ScatterND, sums of rows",
       [](Problem& p) {
         const std::string x = p.input("x", {4, 3}), rows = p.give("rows", labels({3, 1}, {2, 0, 2}));
         return p.builder.add("ScatterND", {x, rows, p.input("updates", {3, 3})},
                              attributes({{"reduction", std::string("add")}}));
       }},
      {"ScatterND, rows replaced",
       [](Problem& p) {
         const std::string x = p.input("x", {4, 3}), rows = p.give("rows", labels({2, 1}, {2, 0}));
         return p.builder.add("ScatterND", {x, rows, p.input("updates", {2, 3})});
       }},
      {"ScatterElements, largest",
       [](Problem& p) {
         const std::string x = p.input("x", {4, 3}), at = p.give("at", labels({3, 3}, {0, 1, 2, 0, 3, 2, 1, 1, 2}));
         return p.builder.add("ScatterElements", {x, at, p.input("updates", {3, 3})},
                              attributes({{"reduction", std::string("max")}}));
       }},
      {"Scatter",
       [](Problem& p) {
         const std::string x = p.input("x", {4, 3}), at = p.give("at", labels({2, 3}, {0, 1, 2, 3, 2, 0}));
         return p.builder.add("Scatter", {x, at, p.input("updates", {2, 3})});
       }},
      {"ScatterElements, sums along rows",
       [](Problem& p) {
         const std::string x = p.input("x", {2, 4}), at = p.give("at", labels({2, 3}, {0, 3, 3, 1, 1, 2}));
         return p.builder.add("ScatterElements", {x, at, p.input("updates", {2, 3})},
                              attributes({{"reduction", std::string("add")}, {"axis", std::int64_t(1)}}));
       }},
      {"GatherElements", onX({2, 3},
                             [=](Problem& p, const std::string& x) {
                               return p.builder.add("GatherElements", {x, p.give("at", labels({2, 2}, {2, 2, 0, 1}))}, axis(1));
                             })},
      {"DepthToSpace", onX({1, 4, 2, 2},
                           [](Problem& p, const std::string& x) {
                             return p.builder.add("DepthToSpace", {x}, attributes({{"blocksize", std::int64_t(2)}}));
                           })},
      {"ReduceSum", onX({2, 3, 4},
                        [](Problem& p, const std::string& x) {
                          return p.builder.reduce("ReduceSum", x, {0, 2}, false);
                        })},
      {"ReduceMean",
       onX({2, 3, 4}, [](Problem& p, const std::string& x) { return p.builder.reduce("ReduceMean", x, {1}, true); })},
      {"ReduceMax",
       onX({2, 3, 4}, [](Problem& p, const std::string& x) { return p.builder.reduce("ReduceMax", x, {2}, false); })},
      {"ReduceMin", onX({2, 3}, [](Problem& p, const std::string& x) { return p.builder.reduce("ReduceMin", x, {0}, true); })},
      {"ReduceSumSquare",
       onX({2, 3}, [](Problem& p, const std::string& x) { return p.builder.reduce("ReduceSumSquare", x, {1}, false); })},
      {"ReduceL1", onX({2, 3}, [](Problem& p, const std::string& x) { return p.builder.reduce("ReduceL1", x, {1}, false); })},
      {"ReduceL2", onX({2, 3}, [](Problem& p, const std::string& x) { return p.builder.reduce("ReduceL2", x, {0}, false); })},
      {"ReduceLogSumExp",
       onX({2, 3}, [](Problem& p, const std::string& x) { return p.builder.reduce("ReduceLogSumExp", x, {1}, false); })},
      {"GlobalAveragePool",
       onX({2, 3, 2, 2}, [](Problem& p, const std::string& x) { return p.builder.add("GlobalAveragePool", {x}); })},
      {"GlobalMaxPool", onX({2, 3, 2, 2}, [](Problem& p, const std::string& x) { return p.builder.add("GlobalMaxPool", {x}); })},
  };
}

inline std::vector<Case> neuralCases() {
  const auto gemm = [](Shape a, Shape b, bool ta, bool tb) {
    return [=](Problem& p) {
      return p.builder.add(
          "Gemm", {p.input("a", a), p.input("b", b), p.input("c", {4})},
          attributes({{"transA", std::int64_t(ta)}, {"transB", std::int64_t(tb)}, {"alpha", 0.5f}, {"beta", 1.5f}}));
    };
  };
  model::Attributes transposed = window({3, 3}, {2, 2}, {1, 1, 0, 1}, {}, 2);
  transposed.set("output_padding", Integers{1, 0});
  model::Attributes ceiling = window({3, 2}, {2, 2}, {1, 0, 0, 1}), counting = ceiling;
  ceiling.set("ceil_mode", std::int64_t(1));
  counting.set("ceil_mode", std::int64_t(1));
  counting.set("count_include_pad", std::int64_t(1));
  return {
      {"Conv", conv({2, 3, 5, 6}, {4, 3, 3, 3}, window({3, 3}, {1, 1}, {1, 1, 1, 1}))},
      {"Conv stride, uneven", conv({2, 2, 6, 7}, {3, 2, 3, 2}, window({3, 2}, {2, 3}, {0, 1, 1, 0}))},
      {"Conv of one tap, stride", conv({2, 2, 6, 7}, {3, 2, 1, 1}, window({1, 1}, {2, 3}, {0, 0, 0, 0}))},
      {"Conv dilated", conv({1, 2, 7, 7}, {2, 2, 3, 2}, window({3, 2}, {1, 2}, {2, 0, 1, 1}, {2, 3}))},
      {"Conv grouped", conv({2, 4, 4, 4}, {6, 2, 3, 3}, window({3, 3}, {1, 1}, {1, 1, 1, 1}, {}, 2))},
      {"Conv depthwise", conv({1, 3, 5, 5}, {3, 1, 3, 3}, window({3, 3}, {2, 2}, {1, 1, 1, 1}, {}, 3))},
      {"Conv pads beyond the kernel", conv({1, 1, 3, 3}, {2, 1, 1, 1}, window({1, 1}, {1, 1}, {1, 2, 2, 1}))},
      {"Conv 1D", conv({2, 2, 8}, {3, 2, 3}, window({3}, {2}, {1, 1}))},
      {"Conv 3D", conv({1, 2, 3, 4, 4}, {2, 2, 2, 2, 2}, window({2, 2, 2}, {1, 2, 1}, {0, 1, 0, 1, 0, 0}))},
      {"ConvTranspose", conv({2, 4, 3, 3}, {4, 2, 3, 3}, transposed, "ConvTranspose")},
      {"MatMul", binary("MatMul", {3, 4}, {4, 2})},
      {"MatMul rows", binary("MatMul", {2, 3, 4}, {4, 5})},
      {"MatMul batched", binary("MatMul", {2, 3, 4}, {2, 4, 5})},
      {"MatMul broadcast", binary("MatMul", {2, 1, 3, 4}, {3, 4, 2})},
      {"MatMul left shared", binary("MatMul", {3, 4}, {2, 4, 2})},
      {"MatMul vectors", binary("MatMul", {4}, {4})},
      {"MatMul row", binary("MatMul", {4}, {4, 3})},
      {"MatMul row batched", binary("MatMul", {4}, {2, 4, 3})},
      {"Gemm", gemm({3, 2}, {2, 4}, false, false)},
      {"Gemm tA", gemm({2, 3}, {2, 4}, true, false)},
      {"Gemm tB", gemm({3, 2}, {4, 2}, false, true)},
      {"Gemm tA tB", gemm({2, 3}, {4, 2}, true, true)},
      {"MaxPool", pool("MaxPool", {2, 2, 5, 6}, window({3, 2}, {2, 2}, {1, 0, 0, 1}))},
      {"MaxPool ceiling", pool("MaxPool", {1, 2, 6, 6}, ceiling)},
      {"AveragePool", pool("AveragePool", {2, 2, 5, 6}, window({3, 2}, {2, 2}, {1, 0, 0, 1}))},
      {"AveragePool ceiling", pool("AveragePool", {1, 2, 6, 6}, ceiling)},
      {"AveragePool counting pads", pool("AveragePool", {1, 2, 6, 6}, counting)},
      {"AveragePool 1D", pool("AveragePool", {1, 2, 7}, window({3}, {2}, {1, 1}))},
  };
}

inline std::vector<Case> normalisationCases() {
  const auto norm = [](const char* type, Shape x, Shape parameters, model::Attributes a) {
    return [=](Problem& p) {
      return p.builder.add(type, {p.input("x", x), p.input("scale", parameters), p.input("bias", parameters)}, a);
    };
  };
  const auto loss = [](const char* type, Shape x, Shape target, Integers classes, model::Attributes a, bool weighted = false) {
    return [=](Problem& p) {
      std::vector<std::string> inputs{p.input("x", x, -2, 2), p.give("target", labels(target, classes))};
      if (weighted)
        inputs.push_back(p.builder.constant("classWeights", HostTensor::of(Shape{3}, std::vector<double>{0.5, 2, 1})));
      return p.builder.add(type, inputs, a);
    };
  };
  model::Attributes none = attributes({{"reduction", std::string("none")}}),
                    sum = attributes({{"reduction", std::string("sum")}}),
                    ignoring = attributes({{"ignore_index", std::int64_t(1)}});
  return {
      {"Softmax", unary("Softmax")},
      {"LogSoftmax", onX({2, 3, 2},
                         [](Problem& p, const std::string& x) {
                           return p.builder.add("LogSoftmax", {x}, attributes({{"axis", std::int64_t(1)}}));
                         })},
      {"LayerNormalization", norm("LayerNormalization", {2, 3, 4}, {4}, {})},
      {"LayerNormalization two axes", norm("LayerNormalization", {2, 3, 4}, {3, 4}, attributes({{"axis", std::int64_t(1)}}))},
      {"InstanceNormalization", norm("InstanceNormalization", {2, 3, 2, 4}, {3}, {})},
      {"GroupNormalization",
       [](Problem& p) {
         model::Node node;
         node.opType = "GroupNormalization";
         node.domain = "ai.graphcore";
         node.opset = 1;
         node.inputs = {p.input("x", {2, 4, 3, 2}), p.input("scale", {4}), p.input("bias", {4})};
         node.outputs = {"normalised"};
         node.attributes = attributes({{"num_groups", std::int64_t(2)}});
         p.model.graph.nodes.push_back(node);
         p.builder.declare("normalised", {ElementType::Double, {2, 4, 3, 2}});
         return std::string("normalised");
       }},
      {"BatchNormalization frozen",
       [](Problem& p) {
         const std::vector<double> mean{0.1, -0.2, 0.3}, variance{0.5, 1, 2};
         return p.builder.add("BatchNormalization", {p.input("x", {2, 3, 4}), p.input("scale", {3}), p.input("bias", {3}),
                                                     p.builder.constant("mean", HostTensor::vector(mean)),
                                                     p.builder.constant("variance", HostTensor::vector(variance))});
       }},
      {"BatchNormalization training",
       [](Problem& p) {
         const std::vector<double> ones{1, 1, 1}; // called as its statistics would be
         const std::string mean = p.builder.constant("norm/mean", HostTensor::vector(ones)),
                           variance = p.builder.constant("variance", HostTensor::vector(ones));
         return p.builder.add("BatchNormalization",
                              {p.input("x", {2, 3, 4}), p.input("scale", {3}), p.input("bias", {3}), mean, variance},
                              attributes({{"training_mode", std::int64_t(1)}}), "norm");
       }},
      {"NLL mean", loss("NegativeLogLikelihoodLoss", {2, 3}, {2}, {2, 0}, {})},
      {"NLL sum", loss("NegativeLogLikelihoodLoss", {2, 3, 2}, {2, 2}, {2, 0, 1, 1}, sum)},
      {"NLL none", loss("NegativeLogLikelihoodLoss", {2, 3}, {2}, {1, 1}, none)},
      {"NLL weighted, ignoring", loss("NegativeLogLikelihoodLoss", {4, 3}, {4}, {2, 1, 0, 2}, ignoring, true)},
      {"cross entropy", loss("SoftmaxCrossEntropyLoss", {3, 3}, {3}, {2, 0, 1}, {})},
      {"cross entropy weighted", loss("SoftmaxCrossEntropyLoss", {2, 3, 2}, {2, 2}, {2, 0, 1, 1}, {}, true)},
      {"cross entropy with its logs",
       [](Problem& p) {
         const auto outs = p.builder.addMany("SoftmaxCrossEntropyLoss",
                                             {p.input("x", {3, 3}), p.give("target", labels({3}, {2, 0, 1}))}, {}, {true, true});
         return p.builder.add("Add", {outs[1], outs[0]});
       }},
  };
}

// The cases of operators in the library; expandedCases() has the others.
inline std::vector<Case> gradientCases() {
  std::vector<Case> all;
  for (const auto& cases : {elementwiseCases(), layoutCases(), neuralCases(), normalisationCases()})
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

} // namespace tests
