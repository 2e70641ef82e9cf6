#include "tests/simcore/model/node_cases.h"

namespace tests {

namespace {

// With the dilations always written, also where they are ones.
model::Attributes dilatedWindow(Integers kernel, Integers strides, Integers pads, Integers dilations = {},
                                std::int64_t group = 1) {
  model::Attributes a = attributes({{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"group", group}});
  a.set("dilations", dilations.empty() ? Integers(kernel.size(), 1) : dilations);
  return a;
}

struct Conv {
  Shape x, w;
  model::Attributes a;
};
const std::vector<Conv>& convolutions() {
  static const std::vector<Conv> list{{{1, 1, 1, 1}, {1, 1, 1, 1}, dilatedWindow({1, 1}, {1, 1}, {0, 0, 0, 0})},
                                      {{2, 3, 7, 5}, {5, 3, 3, 3}, dilatedWindow({3, 3}, {1, 1}, {1, 1, 1, 1})},
                                      {{1, 19, 5, 7}, {23, 19, 3, 3}, dilatedWindow({3, 3}, {2, 2}, {1, 1, 1, 0})},
                                      {{1, 7, 9, 7}, {7, 1, 3, 3}, dilatedWindow({3, 3}, {1, 1}, {1, 1, 1, 1}, {}, 7)},
                                      {{2, 12, 5, 5}, {18, 4, 2, 2}, dilatedWindow({2, 2}, {1, 1}, {0, 0, 0, 0}, {2, 2}, 3)},
                                      {{1, 2, 13}, {3, 2, 3}, dilatedWindow({3}, {2}, {1, 1})}};
  return list;
}

} // namespace

std::vector<NodeCase> productNodes() {
  std::vector<NodeCase> cases;
  const auto add = [&](const std::string& name, std::function<void(Net&)> build) { cases.push_back({name, std::move(build)}); };
  for (const Conv& c : convolutions())
    add(label("Conv", c.x), [c](Net& n) { n.out("Conv", {n.real("x", c.x), n.real("w", c.w), n.real("b", {c.w[0]})}, c.a); });
  for (const Conv& c : {Conv{{2, 4, 5, 6, 7}, {6, 2, 3, 3, 2}, dilatedWindow({3, 3, 2}, {2, 1, 1}, {1, 1, 0, 1, 0, 1}, {}, 2)},
                        Conv{{1, 3, 4, 5, 5}, {5, 3, 1, 3, 3}, dilatedWindow({1, 3, 3}, {1, 2, 2}, {0, 1, 1, 0, 1, 1})}})
    add(label("Conv", c.x), [c](Net& n) { n.out("Conv", {n.real("x", c.x), n.real("w", c.w), n.real("b", {c.w[0]})}, c.a); });
  for (const Conv& c : {Conv{{1, 1, 1, 1}, {1, 1, 1, 1}, dilatedWindow({1, 1}, {1, 1}, {0, 0, 0, 0})},
                        Conv{{2, 4, 3, 5}, {4, 2, 3, 3}, dilatedWindow({3, 3}, {2, 2}, {1, 0, 1, 1}, {}, 2)},
                        Conv{{1, 3, 5, 5}, {3, 7, 2, 2}, dilatedWindow({2, 2}, {1, 1}, {0, 0, 0, 0})},
                        Conv{{1, 3, 5}, {3, 2, 3}, dilatedWindow({3}, {2}, {0, 1})},
                        // As large as before, shifted by one; so small that the pads cut off elements inserted by the strides.
                        Conv{{2, 11, 7}, {11, 2, 2}, dilatedWindow({2}, {1}, {0, 2})},
                        Conv{{2, 2, 2, 1}, {2, 3, 1, 4}, dilatedWindow({1, 4}, {2, 2}, {0, 1, 1, 0})}})
    add(label("ConvTranspose", c.x), [c](Net& n) { n.out("ConvTranspose", {n.real("x", c.x), n.real("w", c.w)}, c.a); });
  for (const auto& [a, b] : std::vector<std::pair<Shape, Shape>>{{{1, 1}, {1, 1}},
                                                                 {{1, 97}, {97, 3}},
                                                                 {{13, 17}, {17, 19}},
                                                                 {{3, 5, 7}, {3, 7, 2}},
                                                                 {{2, 1, 3, 4}, {3, 4, 2}},
                                                                 {{3, 4}, {2, 4, 2}},
                                                                 {{5}, {5}},
                                                                 {{5}, {5, 3}},
                                                                 {{2, 3, 5}, {5}}})
    add(label("MatMul", a), [a = a, b = b](Net& n) { n.out("MatMul", {n.real("a", a), n.real("b", b)}); });
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const float beta : {1.0f, 0.5f})
        add("Gemm", [=](Net& n) {
          n.out("Gemm",
                {n.real("a", ta ? Shape{7, 5} : Shape{5, 7}), n.real("b", tb ? Shape{11, 7} : Shape{7, 11}), n.real("c", {11})},
                attributes({{"transA", std::int64_t(ta)}, {"transB", std::int64_t(tb)}, {"alpha", 0.75f}, {"beta", beta}}));
        });
  for (const char* equation : {"ij,jk->ik", "bij,bkj->bik", "ij,ij->i", "ij->ji", "bhqd,bhkd->bhqk"})
    add(std::string("Einsum ") + equation, [e = std::string(equation)](Net& n) {
      if (e == "ij,jk->ik") n.out("Einsum", {n.real("a", {5, 7}), n.real("b", {7, 3})}, attributes({{"equation", e}}));
      if (e == "bij,bkj->bik") n.out("Einsum", {n.real("a", {2, 5, 7}), n.real("b", {2, 3, 7})}, attributes({{"equation", e}}));
      if (e == "ij,ij->i") n.out("Einsum", {n.real("a", {5, 7}), n.real("b", {5, 7})}, attributes({{"equation", e}}));
      if (e == "ij->ji") n.out("Einsum", {n.real("a", {5, 7})}, attributes({{"equation", e}}));
      if (e == "bhqd,bhkd->bhqk")
        n.out("Einsum", {n.real("a", {1, 2, 5, 4}), n.real("b", {1, 2, 3, 4})}, attributes({{"equation", e}}));
    });
  for (const auto& [equation, shapes] :
       std::vector<std::pair<const char*, std::vector<Shape>>>{{"...ii->...i", {{2, 5, 5}}},
                                                               {"ii", {{7, 7}}},
                                                               {"i,i", {{11}, {11}}},
                                                               {"jk,ij", {{7, 3}, {5, 7}}},
                                                               {"...ij,...jk", {{3, 1, 5, 7}, {2, 7, 2}}},
                                                               {"ab,bc,cd->ad", {{3, 5}, {5, 7}, {7, 2}}},
                                                               {"ibi,b,bk->ik", {{3, 5, 3}, {5}, {5, 2}}},
                                                               {"ij->i", {{3, 5}}}})
    add(std::string("Einsum ") + equation, [e = std::string(equation), shapes = shapes](Net& n) {
      std::vector<std::string> inputs;
      for (const Shape& s : shapes) inputs.push_back(n.real("x" + std::to_string(inputs.size()), s));
      n.out("Einsum", inputs, attributes({{"equation", e}}));
    });
  for (const char* type : {"MaxPool", "AveragePool", "LpPool"})
    for (const auto& [x, a] : std::vector<std::pair<Shape, model::Attributes>>{
             {{1, 1, 1, 1}, attributes({{"kernel_shape", Integers{1, 1}}})},
             {{2, 5, 7, 7},
              attributes({{"kernel_shape", Integers{3, 3}}, {"strides", Integers{2, 2}}, {"pads", Integers{1, 1, 1, 1}}})},
             {{1, 67, 5, 3}, attributes({{"kernel_shape", Integers{2, 3}}})},
             {{1, 3, 13}, attributes({{"kernel_shape", Integers{3}}, {"strides", Integers{2}}})},
             {{2, 3, 5, 6, 7},
              attributes(
                  {{"kernel_shape", Integers{2, 3, 2}}, {"strides", Integers{2, 1, 2}}, {"pads", Integers{1, 1, 0, 0, 1, 1}}})}})
      add(label(type, x), [type, x = x, a = a](Net& n) { n.out(type, {n.real("x", x)}, a); });
  add("AveragePool counting pads", [](Net& n) {
    n.out("AveragePool", {n.real("x", {1, 3, 6, 7})},
          attributes({{"kernel_shape", Integers{3, 2}},
                      {"strides", Integers{2, 2}},
                      {"pads", Integers{1, 0, 0, 1}},
                      {"ceil_mode", std::int64_t(1)},
                      {"count_include_pad", std::int64_t(1)}}));
  });
  add("MaxPool with places", [](Net& n) {
    n.outs("MaxPool", {n.real("x", {2, 3, 6, 7})}, attributes({{"kernel_shape", Integers{3, 2}}, {"strides", Integers{2, 2}}}),
           2);
  });
  for (const char* type : {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"})
    for (const Shape& s : {Shape{1, 1, 1, 1}, Shape{2, 7, 5, 3}, Shape{1, 131, 3, 3}})
      add(label(type, s), [type, s](Net& n) { n.out(type, {n.real("x", s)}); });
  return cases;
}

std::vector<NodeCase> reductionNodes() {
  std::vector<NodeCase> cases;
  for (const char* type : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                           "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"})
    for (const auto& [shape, axes] : std::vector<std::pair<Shape, Integers>>{
             {{1}, {0}}, {{11}, {0}}, {{4, 9}, {1}}, {{3, 5, 7}, {0, 2}}, {{13, 5}, {0}}, {{2, 331}, {1}}})
      cases.push_back({label(type, shape), [type, shape = shape, axes = axes](Net& n) {
                         n.out(n.builder.reduce(type, n.real("x", shape, 0.7, 1.3), axes, axes[0] == 0));
                       }});
  // Sums and squares beyond the range of half, with results inside it.
  for (const char* type : {"ReduceMean", "ReduceL2", "ReduceLogSum"})
    cases.push_back({std::string(type) + " of large numbers", [type](Net& n) {
                       n.out(n.builder.reduce(type, n.real("x", {1, 600}, 200, 400), {1}, false));
                     }});
  cases.push_back({"ReduceLogSumExp of large numbers", [](Net& n) {
                     n.out(n.builder.reduce("ReduceLogSumExp", n.real("x", {3, 60}, 10, 14), {1}, false));
                   }});
  for (const char* type : {"Softmax", "LogSoftmax"})
    for (const auto& [shape, along] :
         std::vector<std::pair<Shape, std::int64_t>>{{{1}, 0}, {{5, 13}, 1}, {{5, 13}, 0}, {{2, 7, 3}, 1}, {{1, 191}, 1}})
      cases.push_back({label(type, shape),
                       [type, shape = shape, along = along](Net& n) { n.out(type, {n.real("x", shape, -2, 2)}, axis(along)); }});
  return cases;
}

std::vector<NodeCase> normalisationNodes() {
  std::vector<NodeCase> cases;
  const auto add = [&](const std::string& name, std::function<void(Net&)> build) { cases.push_back({name, std::move(build)}); };
  const std::vector<Shape> images{{1, 2, 3, 1}, {2, 7, 5, 3}, {1, 66, 3, 3}};
  for (const Shape& s : images) {
    const Shape c{s[1]};
    add(label("BatchNormalization", s), [=](Net& n) {
      n.out("BatchNormalization", {n.real("x", s), n.real("s", c), n.real("b", c), n.real("m", c), n.real("v", c, 0.5, 1.5)});
    });
    add(label("BatchNormalization of constants", s), [=](Net& n) {
      n.out("BatchNormalization",
            {n.real("x", s), n.builder.constant("s", n.numbers(c, 0, 1)), n.builder.constant("b", n.numbers(c, 0, 1)),
             n.builder.constant("m", n.numbers(c, 0, 1)), n.builder.constant("v", n.numbers(c, 0.5, 1))});
    });
    add(label("BatchNormalization in training", s), [=](Net& n) {
      n.outs("BatchNormalization", {n.real("x", s), n.real("s", c), n.real("b", c), n.real("m", c), n.real("v", c, 0.5, 1.5)},
             attributes({{"training_mode", std::int64_t(1)}, {"momentum", 0.75f}}), 3);
    });
    add(label("InstanceNormalization", s), [=](Net& n) {
      n.out("InstanceNormalization", {n.real("x", s), n.real("s", c), n.real("b", c)});
    });
    add(label("GroupNormalization", s), [=](Net& n) {
      n.out("GroupNormalization", {n.real("x", s), n.real("s", c), n.real("b", c)},
            attributes({{"num_groups", s[1] % 2 ? std::int64_t(1) : std::int64_t(2)}}), "ai.graphcore");
    });
    add(label("LRN", s), [=](Net& n) {
      n.out("LRN", {n.real("x", s)}, attributes({{"size", std::int64_t(3)}, {"alpha", 0.1f}}));
    });
    add(label("MeanVarianceNormalization", s), [=](Net& n) { n.out("MeanVarianceNormalization", {n.real("x", s)}); });
    add(label("LpNormalization", s), [=](Net& n) {
      n.out("LpNormalization", {n.real("x", s)},
            attributes({{"axis", std::int64_t(1)}, {"p", s[1] % 2 ? std::int64_t(1) : std::int64_t(2)}}));
    });
  }
  for (const double size : {0.0005, 500.0}) // squares that no half is
    add("LpNormalization of small and large numbers", [size](Net& n) {
      n.out("LpNormalization", {n.real("x", {13, 5}, -size, size)});
    });
  for (const Shape& s : {Shape{3, 2}, Shape{5, 13}, Shape{2, 3, 67}}) {
    add(label("LayerNormalization", s), [=](Net& n) {
      n.out("LayerNormalization", {n.real("x", s), n.real("s", {s.back()}), n.real("b", {s.back()})});
    });
    add(label("LayerNormalization with statistics", s), [=](Net& n) {
      n.outs("LayerNormalization", {n.real("x", s), n.real("s", {s.back()})}, {}, 3);
    });
  }
  for (const char* reduction : {"none", "sum", "mean"})
    for (const bool weighted : {false, true})
      for (const char* type : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"})
        for (const Shape& s : {Shape{1, 1}, Shape{13, 7}, Shape{3, 5, 2, 7}})
          add(label(type, s), [=](Net& n) {
            Shape rows = s;
            rows.erase(rows.begin() + 1);
            std::vector<std::string> inputs{n.real("x", s), n.index("t", rows, 0, s[1])};
            if (weighted) inputs.push_back(n.real("w", {s[1]}, 0.5, 1.5));
            model::Attributes a = attributes({{"reduction", std::string(reduction)}});
            if (s[1] > 5) a.set("ignore_index", std::int64_t(2));
            n.out(type, inputs, a);
          });
  return cases;
}

std::vector<NodeCase> recurrentNodes() {
  std::vector<NodeCase> cases;
  struct Size {
    std::int64_t steps, batch, inputs, hidden;
  };
  for (const char* type : {"LSTM", "GRU", "RNN"})
    for (const Size& s : {Size{1, 1, 1, 1}, Size{3, 3, 7, 11}, Size{3, 2, 13, 37}})
      for (const char* direction : {"forward", "reverse", "bidirectional"})
        for (const bool rich : {false, true}) { // everything optional is there
          if (s.hidden > 11 && (!rich || std::string(direction) != "forward")) continue;
          cases.push_back(
              {std::string(type) + " " + direction, [=](Net& n) {
                 const bool isLstm = std::string(type) == "LSTM", isGru = std::string(type) == "GRU";
                 const std::int64_t d = std::string(direction) == "bidirectional" ? 2 : 1, gates = isLstm ? 4 : isGru ? 3 : 1;
                 std::vector<std::string> inputs{n.real("x", {s.steps, s.batch, s.inputs}),
                                                 n.real("w", {d, gates * s.hidden, s.inputs}, -0.5, 0.5),
                                                 n.real("r", {d, gates * s.hidden, s.hidden}, -0.3, 0.3)};
                 model::Attributes a = attributes({{"hidden_size", s.hidden}, {"direction", std::string(direction)}});
                 if (rich) {
                   inputs.push_back(n.real("b", {d, 2 * gates * s.hidden}));
                   inputs.push_back(n.value("lengths", n.whole({s.batch}, 1, s.steps + 1, ElementType::Int32)));
                   inputs.push_back(n.real("h", {d, s.batch, s.hidden}));
                   if (isLstm) inputs.push_back(n.real("c", {d, s.batch, s.hidden}));
                   if (isLstm) inputs.push_back(n.real("p", {d, 3 * s.hidden}, -0.5, 0.5));
                   if (isGru) a.set("linear_before_reset", std::int64_t(1));
                   a.set("clip", 2.0f);
                 }
                 n.outs(type, inputs, a, isLstm ? 3 : 2);
               }});
        }
  return cases;
}

std::vector<NodeCase> gradientNodes() {
  std::vector<NodeCase> cases;
  const auto add = [&](const std::string& name, std::function<void(Net&)> build) { cases.push_back({name, std::move(build)}); };
  for (const char* kind : {"Relu", "Sigmoid", "Tanh", "Gelu", "GeluTanh"})
    for (const Shape& s : {Shape{1}, Shape{13, 5}, Shape{211}})
      add(label(std::string("NonLinearityGrad ") + kind, s), [=](Net& n) {
        n.out(n.builder.addOwn("NonLinearityGrad", {n.real("d", s), n.real("at", s)}, attributes({{"kind", std::string(kind)}})));
      });
  for (const Conv& c : convolutions()) {
    const auto outputs = [c] {
      Shape y{c.x[0], c.w[0]};
      const auto k = c.a.integers("kernel_shape"), st = c.a.integers("strides"), p = c.a.integers("pads"),
                 di = c.a.integers("dilations");
      for (std::size_t i = 0; i < k.size(); ++i)
        y.push_back((c.x[2 + i] + p[i] + p[i + k.size()] - (k[i] - 1) * di[i] - 1) / st[i] + 1);
      return y;
    };
    add(label("ConvDataGrad", c.x), [=](Net& n) {
      model::Attributes a = c.a;
      a.set("shape", c.x);
      n.out(n.builder.addOwn("ConvDataGrad", {n.real("dy", outputs()), n.real("w", c.w)}, a));
    });
    add(label("ConvWeightsGrad", c.x), [=](Net& n) {
      model::Attributes a = c.a;
      a.set("shape", c.w);
      n.out(n.builder.addOwn("ConvWeightsGrad", {n.real("x", c.x), n.real("dy", outputs())}, a));
    });
  }
  add("ConvDataGrad, rows cut off", [](Net& n) {
    model::Attributes a = dilatedWindow({1, 4}, {2, 2}, {0, 1, 2, 0});
    a.set("shape", Shape{2, 13, 2, 3});
    n.out(n.builder.addOwn("ConvDataGrad", {n.real("dy", {2, 2, 2, 1}), n.real("w", {2, 13, 1, 4})}, a));
  });
  const model::Attributes pool = dilatedWindow({3, 2}, {2, 2}, {1, 0, 1, 1});
  for (const Shape& x : {Shape{1, 1, 3, 3}, Shape{2, 5, 7, 6}, Shape{1, 67, 5, 4}}) {
    const Shape y{x[0], x[1], (x[2] + 2 - 3) / 2 + 1, (x[3] + 1 - 2) / 2 + 1};
    add(label("MaxPoolGrad", x), [=](Net& n) {
      n.out(n.builder.addOwn("MaxPoolGrad", {n.real("x", x), n.real("y", y), n.real("dy", y)}, pool));
    });
    for (const std::int64_t counted : {0, 1})
      add(label("AveragePoolGrad", x), [=](Net& n) {
        model::Attributes a = pool;
        a.set("shape", x);
        a.set("count_include_pad", counted);
        n.out(n.builder.addOwn("AveragePoolGrad", {n.real("dy", y)}, a));
      });
  }
  for (const Shape& s : {Shape{2, 3}, Shape{5, 13}, Shape{3, 67}}) {
    add(label("NormWhiten", s), [=](Net& n) {
      for (const auto& name :
           n.builder.addOwnMany("NormWhiten", {n.real("x", s)}, attributes({{"axes", Integers{1}}}), {true, true}))
        n.out(name);
    });
    add(label("NormGrad", s), [=](Net& n) {
      n.out(n.builder.addOwn("NormGrad", {n.real("d", s), n.real("xhat", s), n.real("inv", {s[0], 1}, 0.5, 2)},
                             attributes({{"axes", Integers{1}}})));
    });
  }
  for (const Shape& s : {Shape{2, 3, 4}, Shape{5, 13}, Shape{3, 67, 3, 2}}) {
    const Shape c{s[1]};
    add(label("BatchNormTraining", s), [=](Net& n) {
      for (const auto& name : n.builder.addOwnMany(
               "BatchNormTraining", {n.real("x", s), n.real("s", c), n.real("b", c), n.real("m", c), n.real("v", c, 0.5, 1.5)},
               {}, {true, false, false, true, true, true, true}))
        if (!name.empty()) n.out(name);
    });
    add(label("BatchNormApply", s), [=](Net& n) {
      n.out(n.builder.addOwn("BatchNormApply", {n.real("x", s), n.real("factor", c), n.real("shift", c)}));
    });
    const model::Attributes groups = attributes({{"num_groups", s[1] % 3 ? std::int64_t(1) : std::int64_t(3)}});
    const Shape statistics{s[0], s[1] % 3 ? 1 : 3};
    add(label("GroupNormTraining", s), [=](Net& n) {
      for (const auto& name : n.builder.addOwnMany("GroupNormTraining", {n.real("x", s), n.real("s", c), n.real("b", c)}, groups,
                                                   {true, true, true}))
        n.out(name);
    });
    for (const bool wantsInput : {true, false})
      add(label("GroupNormGrad", s), [=](Net& n) {
        for (const auto& name : n.builder.addOwnMany("GroupNormGrad",
                                                     {n.real("d", s), n.real("x", s), n.real("scale", c),
                                                      n.real("sum", statistics), n.real("inverse", statistics, 0.5, 2)},
                                                     groups, {wantsInput, true, true}))
          if (!name.empty()) n.out(name);
      });
    for (const bool wantsInput : {true, false})
      add(label("BatchNormGrad", s), [=](Net& n) {
        for (const auto& name : n.builder.addOwnMany(
                 "BatchNormGrad",
                 {n.real("d", s), n.real("x", s), n.real("mean", c), n.real("inverse", c, 0.5, 2), n.real("factor", c)}, {},
                 {wantsInput, true, true}))
          if (!name.empty()) n.out(name);
      });
  }
  for (const char* reduction : {"none", "sum", "mean"})
    add("NegativeLogLikelihoodLossGrad", [=](Net& n) {
      n.out(n.builder.addOwn("NegativeLogLikelihoodLossGrad",
                             {n.real("d", std::string(reduction) == "none" ? Shape{11} : Shape{}), n.index("t", {11}, 0, 5),
                              n.real("w", {5}, 0.5, 2)},
                             attributes({{"reduction", std::string(reduction)}, {"shape", Integers{11, 5}}})));
    });
  for (const char* mode : {"nearest", "linear", "cubic"})
    add(std::string("ResizeGrad ") + mode, [=](Net& n) {
      n.out(n.builder.addOwn("ResizeGrad", {n.real("dy", {1, 2, 11, 3}), "", "", n.builder.integers({1, 2, 11, 3})},
                             attributes({{"forward", std::string("Resize")},
                                         {"forward_opset", std::int64_t(13)},
                                         {"mode", std::string(mode)},
                                         {"shape", Integers{1, 2, 5, 7}}})));
    });
  add("GridSampleGrad", [](Net& n) {
    for (const auto& name : n.builder.addOwnMany(
             "GridSampleGrad", {n.real("dy", {2, 3, 7, 5}), n.real("x", {2, 3, 5, 4}), n.real("g", {2, 7, 5, 2})}, {},
             {true, true}))
      n.out(name);
  });
  add("MovementGrad", [](Net& n) {
    n.out(n.builder.addOwn(
        "MovementGrad", {n.real("dy", {2, 3, 5}), n.index("i", {2, 3}, 0, 7)},
        attributes({{"forward", std::string("Gather")}, {"forward_opset", std::int64_t(17)}, {"shape", Integers{7, 5}}})));
  });
  return cases;
}

std::vector<NodeCase> updateNodes() {
  std::vector<NodeCase> cases;
  const auto add = [&](const std::string& name, std::function<void(Net&)> build) { cases.push_back({name, std::move(build)}); };
  const auto rate = [](Net& n) { return n.value("rate", HostTensor::scalar(0.1f)); };
  for (const Shape& s : {Shape{1}, Shape{13, 5}, Shape{307}}) {
    add(label("SgdUpdate", s), [=](Net& n) { n.out(n.builder.addOwn("SgdUpdate", {n.real("w", s), n.real("g", s), rate(n)})); });
    add(label("SgdUpdate with momentum", s), [=](Net& n) {
      const auto a = attributes({{"momentum", 0.9f}, {"weight_decay", 0.01f}, {"nesterov", std::int64_t(1)}});
      for (const auto& name :
           n.builder.addOwnMany("SgdUpdate", {n.real("w", s), n.real("g", s), rate(n), n.real("v", s)}, a, {true, true}))
        n.out(name);
    });
    for (const char* mode : {"adam", "adamw", "lamb"})
      add(label("AdamUpdate", s), [=](Net& n) {
        const auto a = attributes({{"mode", std::string(mode)}, {"weight_decay", 0.01f}});
        for (const auto& name : n.builder.addOwnMany("AdamUpdate",
                                                     {n.real("w", s), n.real("g", s), rate(n), n.real("m", s),
                                                      n.real("v", s, 0.1, 1), n.value("t", HostTensor::scalar(3.0f))},
                                                     a, {true, true, true}))
          n.out(name);
      });
    for (const std::int64_t nesterov : {0, 1})
      add(label("LarsUpdate", s), [=](Net& n) {
        const auto a = attributes({{"momentum", 0.9f}, {"weight_decay", 0.01f}, {"trust", 0.5f}, {"nesterov", nesterov}});
        for (const auto& name :
             n.builder.addOwnMany("LarsUpdate", {n.real("w", s), n.real("g", s), rate(n), n.real("v", s)}, a, {true, true}))
          n.out(name);
      });
    for (const std::int64_t adapts : {0, 1})
      add(label("LarsUpdate without momentum", s), [=](Net& n) {
        const auto a = attributes({{"weight_decay", 0.01f}, {"trust", 0.5f}, {"adapts", adapts}});
        n.out(n.builder.addOwn("LarsUpdate", {n.real("w", s), n.real("g", s), rate(n)}, a));
      });
    for (const char* type : {"RmsPropUpdate", "AdaGradUpdate"})
      add(label(type, s), [=](Net& n) {
        for (const auto& name :
             n.builder.addOwnMany(type, {n.real("w", s), n.real("g", s), rate(n), n.real("v", s, 0.1, 1)}, {}, {true, true}))
          n.out(name);
      });
    for (const std::int64_t variant : {0, 1})
      add(label("RmsPropUpdate centred with momentum", s), [=](Net& n) {
        const auto a =
            attributes({{"momentum", 0.9f}, {"centred", std::int64_t(1)}, {"tensorflow", variant}, {"decay_beside", variant}});
        const std::string w = n.real("w", s), v = n.real("v", s, 1, 2), mean = n.real("m", s, -0.5, 0.5), u = n.real("u", s);
        for (const auto& name :
             n.builder.addOwnMany("RmsPropUpdate", {w, n.real("g", s), rate(n), v, mean, u}, a, std::vector(4, true)))
          n.out(name);
      });
    add(label("Accumulate", s), [=](Net& n) { n.out(n.builder.addOwn("Accumulate", {n.real("sum", s), n.real("g", s)})); });
    add(label("SetZero", s), [=](Net& n) { n.out(n.builder.addOwn("SetZero", {n.real("x", s)})); });
  }
  for (const char* type : {"SquareSum", "CountLarge"})
    add(type, [=](Net& n) {
      n.out(n.builder.addOwn(type, {n.real("a", {13, 5}), n.real("b", {7})}, attributes({{"limit", 0.5f}})));
    });
  add("ClipFactor", [](Net& n) { n.out(n.builder.addOwn("ClipFactor", {n.real("a", {}, 2, 9), n.real("b", {}, 2, 9)})); });
  add("UnscaleFactor", [](Net& n) {
    n.out(n.builder.addOwn("UnscaleFactor", {n.real("s", {}, 8, 9)}, attributes({{"micro_batches", std::int64_t(4)}})));
  });
  add("LossScaleUpdate", [](Net& n) {
    n.out(n.builder.addOwn("LossScaleUpdate", {n.real("s", {}, 8, 9), n.real("c", {}, 2, 9)}, attributes({{"limit", 1.0f}})));
  });
  add("ScaleGradient", [](Net& n) { n.out(n.builder.addOwn("ScaleGradient", {n.real("g", {13, 5}), n.real("f", {})})); });
  for (const int replicas : {2, 4})
    cases.push_back(
        {"AllReduce",
         [](Net& n) {
           for (const auto& name : n.builder.addOwnMany("AllReduce", {n.real("a", {13, 5}), n.real("b", {1})}, {}, {true, true}))
             n.out(name);
         },
         17, replicas});
  add("StatisticUpdate", [](Net& n) {
    n.out(n.builder.addOwn("StatisticUpdate", {n.real("old", Shape{6}), n.real("blended", Shape{6})},
                           model::attributes({{"unbiased", 1.25f}, {"momentum", 0.8f}})));
  });
  add("CountStep", [](Net& n) { n.out(n.builder.addOwn("CountStep", {n.value("t", HostTensor::scalar(3.0f))})); });
  return cases;
}

std::vector<NodeCase> fusedNodes() {
  std::vector<NodeCase> cases;
  for (const Conv& c : convolutions())
    for (const auto& [activation, adds] :
         std::vector<std::pair<const char*, bool>>{{"", false}, {"Relu", true}, {"Swish", false}, {"LeakyRelu", true}})
      cases.push_back({label("FusedConv", c.x), [=, activation = activation, adds = adds](Net& n) {
                         model::Attributes a = c.a;
                         if (*activation) a.set("activation", std::string(activation));
                         if (*activation == 'L') a.set("activation.alpha", 0.2f);
                         std::vector<std::string> inputs{n.real("x", c.x), n.real("w", c.w), n.real("b", {c.w[0]})};
                         if (adds) inputs.push_back(n.real("y", n.builder.shape(n.builder.addOwn("FusedConv", inputs, c.a))));
                         n.out(n.builder.addOwn("FusedConv", inputs, a));
                       }});
  for (const Shape& s : {Shape{1}, Shape{13, 5}, Shape{131}})
    cases.push_back({label("Swish", s), [=](Net& n) { n.out(n.builder.addOwn("Swish", {n.real("x", s)})); }});
  for (const bool masks : {false, true})
    for (const bool orders : {false, true})
      cases.push_back({"Attention", [=](Net& n) {
                         const Integers heads{0, 2, 1, 3};
                         const auto shaped = [&](std::int64_t length) {
                           return orders ? Shape{2, length, 3, 4} : Shape{2, 3, length, 4};
                         };
                         std::vector<std::string> inputs{n.real("q", shaped(5)), n.real("k", shaped(7)), n.real("v", shaped(7))};
                         if (masks) inputs.push_back(n.real("mask", {2, 1, 1, 7}));
                         model::Attributes a = attributes({{"scale", 0.5f}});
                         if (orders)
                           for (const char* name : {"q_order", "k_order", "v_order", "out_order"}) a.set(name, heads);
                         n.out(n.builder.addOwn("Attention", inputs, a));
                       }});
  return cases;
}

} // namespace tests
