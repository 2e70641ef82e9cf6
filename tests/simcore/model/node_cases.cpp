#include "tests/simcore/model/node_cases.h"

namespace tests {

namespace {

const std::vector<Shape>& oddShapes() {
  static const std::vector<Shape> shapes{{1}, {7}, {13, 5}, {2, 3, 11}, {3, 1, 131}};
  return shapes;
}

} // namespace

std::vector<NodeCase> elementwiseNodes() {
  std::vector<NodeCase> cases;
  struct Unary {
    const char* type;
    double low, high;
  };
  const std::vector<Unary> unary{{"Abs", -2, 2},       {"Neg", -2, 2},         {"Sign", -2, 2},     {"Floor", -3, 3},
                                 {"Ceil", -3, 3},      {"Round", -3, 3},       {"Exp", -2, 2},      {"Log", 0.1, 3},
                                 {"Sqrt", 0.1, 3},     {"Reciprocal", 0.3, 3}, {"Erf", -2, 2},      {"Sin", -3, 3},
                                 {"Cos", -3, 3},       {"Tan", -1, 1},         {"Asin", -0.9, 0.9}, {"Acos", -0.9, 0.9},
                                 {"Atan", -2, 2},      {"Asinh", -2, 2},       {"Acosh", 1.2, 3},   {"Atanh", -0.8, 0.8},
                                 {"Sinh", -2, 2},      {"Cosh", -2, 2},        {"Relu", -1, 1},     {"Sigmoid", -3, 3},
                                 {"Tanh", -2, 2},      {"Gelu", -2, 2},        {"Softplus", -2, 2}, {"Softsign", -2, 2},
                                 {"HardSwish", -5, 5}, {"HardSigmoid", -4, 4}, {"Mish", -2, 2},     {"LeakyRelu", -1, 1},
                                 {"Elu", -2, 2},       {"Celu", -2, 2},        {"Selu", -2, 2},     {"ThresholdedRelu", -2, 3},
                                 {"Shrink", -2, 2},    {"IsNaN", -1, 1},       {"IsInf", -1, 1}};
  for (const Unary& u : unary)
    for (const Shape& s : oddShapes())
      cases.push_back({label(u.type, s), [u, s](Net& n) { n.out(u.type, {n.real("x", s, u.low, u.high)}); }});
  for (const char* type : {"Add", "Sub", "Mul", "Div", "Min", "Max", "Sum", "Mean", "Pow", "PRelu"})
    for (const auto& [a, b] :
         std::vector<std::pair<Shape, Shape>>{{{1}, {1}}, {{13, 5}, {13, 5}}, {{2, 3, 11}, {3, 1}}, {{67}, {1}}})
      cases.push_back({label(type, a), [type, a = a, b = b](Net& n) {
                         n.out(type, {n.real("a", a, 0.5, 2), n.real("b", b, 0.5, 2)});
                       }});
  for (const char* type : {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"})
    cases.push_back({type, [type](Net& n) { n.out(type, {n.real("a", {7, 11}), n.real("b", {11})}); }});
  for (const char* type : {"And", "Or", "Xor"})
    cases.push_back({type, [type](Net& n) {
                       n.out(type, {n.value("a", n.whole({5, 7}, 0, 2, ElementType::Bool)),
                                    n.value("b", n.whole({7}, 0, 2, ElementType::Bool))});
                     }});
  for (const ElementType type : {ElementType::Int32, ElementType::UInt32})
    cases.push_back({"BitwiseNot", [type](Net& n) { n.out("BitwiseNot", {n.value("a", n.whole({37}, 0, 99, type))}); }, 18});
  for (const char* type : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    cases.push_back({type,
                     [type](Net& n) {
                       n.out(type, {n.value("a", n.whole({5, 7}, 0, 99, ElementType::Int32)),
                                    n.value("b", n.whole({7}, 0, 99, ElementType::Int32))});
                     },
                     18});
  cases.push_back({"Not", [](Net& n) { n.out("Not", {n.value("a", n.whole({37}, 0, 2, ElementType::Bool))}); }});
  cases.push_back({"Mod", [](Net& n) { n.out("Mod", {n.index("a", {31}, -9, 9), n.index("b", {31}, 1, 5)}); }});
  cases.push_back(
      {"BitShift", [](Net& n) {
         n.out("BitShift",
               {n.value("a", n.whole({17}, 0, 99, ElementType::UInt32)), n.value("b", n.whole({17}, 0, 4, ElementType::UInt32))},
               attributes({{"direction", std::string("LEFT")}}));
       }});
  cases.push_back(
      {"Where", [](Net& n) {
         n.out("Where", {n.value("c", n.whole({3, 1}, 0, 2, ElementType::Bool)), n.real("a", {3, 7}), n.real("b", {7})});
       }});
  cases.push_back({"Clip", [](Net& n) {
                     n.out("Clip", {n.real("x", {3, 29}), n.builder.number(-0.25, ElementType::Float),
                                    n.builder.number(0.5, ElementType::Float)});
                   }});
  for (const int limits : {1, 2, 3}) // computed
    cases.push_back({"Clip to what is computed", [limits](Net& n) {
                       std::vector<std::string> inputs{n.real("x", {3, 29}), ""};
                       if (limits & 1) inputs[1] = n.value("low", HostTensor::scalar(-0.25f));
                       if (limits & 2) inputs.push_back(n.value("high", HostTensor::scalar(0.5f)));
                       if (limits == 1) inputs.push_back(n.builder.number(0.75, ElementType::Float));
                       n.out("Clip", inputs);
                     }});
  cases.push_back({"Add along an axis",
                   [](Net& n) {
                     n.out("Add", {n.real("a", {3, 5, 7}), n.real("b", {5})},
                           attributes({{"broadcast", std::int64_t(1)}, {"axis", std::int64_t(1)}}));
                   },
                   6});
  for (const std::int64_t to : {6, 7, 9, 17, 18, 19, 20})
    cases.push_back({"Cast", [to](Net& n) { n.out("Cast", {n.real("x", {5, 13}, -4, 4)}, attributes({{"to", to}})); }});
  for (const std::int64_t to : {17, 18, 20}) // beyond the range they become no number
    cases.push_back({"Cast without saturation", [to](Net& n) {
                       n.out("Cast", {n.real("x", {5, 13}, -600, 600)}, attributes({{"to", to}, {"saturate", std::int64_t(0)}}));
                     }});
  cases.push_back({"CastLike", [](Net& n) { n.out("CastLike", {n.real("x", {41}, -4, 4), n.index("like", {2}, 0, 3)}); }});
  cases.push_back({"chain, in place", [](Net& n) {
                     const std::string x = n.real("x", {3, 23});
                     n.out("Relu", {n.builder.add("Exp", {n.builder.add("Mul", {x, n.real("y", {23})})})});
                   }});
  return cases;
}

std::vector<NodeCase> movementNodes() {
  std::vector<NodeCase> cases;
  const auto add = [&](const char* name, std::function<void(Net&)> build, int opset = 17) {
    cases.push_back({name, std::move(build), opset});
  };
  for (const Shape& s : {Shape{1, 1, 1}, Shape{2, 3, 11}, Shape{7, 1, 13}, Shape{5, 17, 3}})
    for (const Integers& order : {Integers{2, 1, 0}, Integers{1, 0, 2}, Integers{0, 2, 1}})
      cases.push_back({label("Transpose", s), [s, order](Net& n) {
                         n.out("Transpose", {n.real("x", s)}, attributes({{"perm", order}}));
                       }});
  // Views are read by something that computes.
  add("Reshape", [](Net& n) { n.out("Neg", {n.builder.reshape(n.real("x", {3, 14}), {7, 6})}); });
  add("Flatten", [](Net& n) { n.out("Neg", {n.builder.add("Flatten", {n.real("x", {3, 5, 2})})}); });
  add("Squeeze", [](Net& n) { n.out("Neg", {n.builder.add("Squeeze", {n.real("x", {3, 1, 5}), n.builder.integers({1})})}); });
  add("Unsqueeze", [](Net& n) { n.out("Neg", {n.builder.add("Unsqueeze", {n.real("x", {3, 5}), n.builder.integers({1})})}); });
  add("Identity", [](Net& n) { n.out("Neg", {n.builder.add("Identity", {n.real("x", {3, 5})})}); });
  add("Detach", [](Net& n) { n.out("Neg", {n.builder.addOwn("Detach", {n.real("x", {3, 5})})}); });
  add("Remap", [](Net& n) { n.out("Remap", {n.real("x", {3, 37})}, {}, model::kOwnDomain); });
  add("Dropout", [](Net& n) { n.out("Neg", {n.builder.add("Dropout", {n.real("x", {3, 5})})}); });
  add("Dropout with its mask", [](Net& n) { n.outs("Dropout", {n.real("x", {3, 5})}, {}, 2); });
  add("Concat", [](Net& n) { n.out("Neg", {n.builder.add("Concat", {n.real("a", {2, 3}), n.real("b", {2, 5})}, axis(1))}); });
  add("Concat of many pieces", [](Net& n) { n.out("Concat", {n.real("a", {1100, 2}), n.real("b", {1100, 3})}, axis(1)); });
  add("Split", [](Net& n) {
    for (const std::string& part :
         n.builder.addMany("Split", {n.real("x", {5, 7}), n.builder.integers({2, 5})}, axis(1), {true, true}))
      n.out("Neg", {part});
  });
  add("Split of many pieces", [](Net& n) { n.outs("Split", {n.real("x", {2100, 3}), n.builder.integers({1, 2})}, axis(1), 2); });
  add("Slice", [](Net& n) {
    n.out("Neg", {n.builder.add("Slice", {n.real("x", {7, 11}), n.builder.integers({1, -5}), n.builder.integers({6, 99})})});
  });
  add("Slice with steps", [](Net& n) {
    n.out("Slice", {n.real("x", {7, 11}), n.builder.integers({6, 0}), n.builder.integers({-9, 11}), n.builder.integers({0, 1}),
                    n.builder.integers({-2, 3})});
  });
  for (const char* mode : {"constant", "edge", "reflect"})
    add("Pad", [mode](Net& n) {
      n.out("Pad", {n.real("x", {5, 7}), n.builder.integers({1, 2, 0, 3}), n.builder.number(1.5, ElementType::Float)},
            attributes({{"mode", std::string(mode)}}));
    });
  cases.push_back({"CenterCropPad",
                   [](Net& n) {
                     n.out("CenterCropPad", {n.real("x", {5, 7, 4}), n.builder.integers({8, 4})},
                           attributes({{"axes", std::vector<std::int64_t>{0, -2}}}));
                   },
                   18});
  add("Tile", [](Net& n) { n.out("Tile", {n.real("x", {3, 5}), n.builder.integers({2, 7})}); });
  add("Expand", [](Net& n) { n.out(n.builder.expand(n.real("x", {3, 1}), {2, 3, 13})); });
  add("DepthToSpace", [](Net& n) {
    n.out("DepthToSpace", {n.real("x", {1, 8, 3, 5})}, attributes({{"blocksize", std::int64_t(2)}}));
  });
  add("SpaceToDepth", [](Net& n) {
    n.out("SpaceToDepth", {n.real("x", {1, 2, 6, 10})}, attributes({{"blocksize", std::int64_t(2)}}));
  });
  add("Trilu", [](Net& n) { n.out("Trilu", {n.real("x", {2, 5, 7})}, attributes({{"upper", std::int64_t(0)}})); });
  add("ReverseSequence", [](Net& n) { n.out("ReverseSequence", {n.real("x", {7, 3, 2}), n.index("lengths", {3}, 1, 8)}); });
  add("Gather of a constant row", [](Net& n) {
    n.out("Gather", {n.real("x", {3, 11, 5}), n.builder.constant("row", numerics::HostTensor::scalar(std::int64_t(-3)))},
          attributes({{"axis", std::int64_t(1)}}));
  });
  add("Gather by constants", [](Net& n) { n.out("Gather", {n.real("x", {11, 5}), n.builder.integers({10, 0, -3})}); });
  add("Compress", [](Net& n) {
    n.out("Compress",
          {n.real("x", {5, 7}), n.builder.constant("c", HostTensor::vector(Integers{1, 0, 1, 1, 0}).cast(ElementType::Bool))},
          axis(0));
  });
  for (const char* mode : {"nearest", "linear", "cubic"})
    for (const char* coordinates : {"half_pixel", "align_corners", "asymmetric"})
      add("Resize", [=](Net& n) {
        n.out("Resize", {n.real("x", {1, 2, 5, 7}), "", "", n.builder.integers({1, 2, 11, 3})},
              attributes({{"mode", std::string(mode)}, {"coordinate_transformation_mode", std::string(coordinates)}}));
      });
  for (const char* mode : {"nearest", "linear", "cubic"})
    add("Resize of a crop", [=](Net& n) {
      n.out("Resize",
            {n.real("x", {1, 2, 5, 7}),
             n.builder.constant("r", HostTensor::vector(std::vector<float>{0, 0, -0.2f, 0.1f, 1, 1, 0.9f, 1.3f})), "",
             n.builder.integers({1, 2, 4, 11})},
            attributes({{"mode", std::string(mode)},
                        {"coordinate_transformation_mode", std::string("tf_crop_and_resize")},
                        {"extrapolation_value", 3.0f}}));
    });
  add(
      "Upsample",
      [](Net& n) {
        n.out("Upsample",
              {n.real("x", {1, 2, 3, 5}), n.builder.constant("s", HostTensor::vector(std::vector<float>{1, 1, 2, 3}))},
              attributes({{"mode", std::string("nearest")}}));
      },
      9);
  add("EyeLike", [](Net& n) { n.out("EyeLike", {n.real("x", {5, 13})}, attributes({{"k", std::int64_t(-1)}})); });
  return cases;
}

std::vector<NodeCase> indexingNodes() {
  std::vector<NodeCase> cases;
  const auto add = [&](const std::string& name, std::function<void(Net&)> build) { cases.push_back({name, std::move(build)}); };
  struct Lookup {
    Shape table, indices;
    std::int64_t axis;
  };
  for (const Lookup& l : {Lookup{{1, 1}, {1}, 0}, Lookup{{97, 5}, {3}, 0}, Lookup{{3, 13}, {2, 19}, 0},
                          Lookup{{5, 11, 3}, {7}, 1}, Lookup{{4, 7}, {5}, 1}, Lookup{{211, 1}, {131}, 0}})
    add(label("Gather", l.table), [l](Net& n) {
      const std::int64_t extent = l.table[std::size_t(l.axis)];
      n.out("Gather", {n.real("x", l.table), n.index("i", l.indices, -extent, extent)}, axis(l.axis));
    });
  for (const std::int64_t parts : {1, 3}) {
    const auto cut = attributes({{"parts", parts}});
    const auto back = attributes({{"parts", parts}, {"shape", Integers{9, 5}}});
    add("TiedGather", [=](Net& n) {
      n.out("TiedGather", {n.real("x", {9, 5}), n.index("i", {2, 4}, 0, 9)}, cut, model::kOwnDomain);
    });
    add("TiedGather of pairs of columns", [=](Net& n) {
      n.out("TiedGather", {n.real("x", {6, 130}), n.index("i", {4}, 0, 6)}, cut, model::kOwnDomain);
    });
    add("TiedGatherGrad", [=](Net& n) {
      n.out("TiedGatherGrad", {n.real("dy", {2, 4, 5}), n.index("i", {2, 4}, 0, 9)}, back, model::kOwnDomain);
    });
    add("SparseAccumulate", [=](Net& n) {
      n.out("SparseAccumulate", {n.real("x", {9, 5}), n.index("i", {2, 4}, 0, 9), n.real("dy", {2, 4, 5})}, cut,
            model::kOwnDomain);
    });
  }
  add("GroupedRows", [](Net& n) {
    n.out("GroupedRows", {n.real("x", {3, 7, 10}), n.index("i", {3, 4}, 0, 7)}, {}, model::kOwnDomain);
  });
  add("GroupedRows of more groups than tiles", [](Net& n) {
    n.out("GroupedRows", {n.real("x", {17, 5, 3}), n.index("i", {17, 2}, 0, 5)}, {}, model::kOwnDomain);
  });
  for (const std::int64_t along : {1, 2})
    add("CacheWrite along " + std::to_string(along), [=](Net& n) {
      n.out("CacheWrite",
            {n.real("x", {3, 9, 8}), n.real("part", along == 1 ? numerics::Shape{3, 2, 8} : numerics::Shape{3, 9, 2}),
             n.index("at", {1}, 0, 7)},
            axis(along), model::kOwnDomain);
    });
  add("GatherElements", [](Net& n) { n.out("GatherElements", {n.real("x", {7, 5}), n.index("i", {3, 5}, -7, 7)}, axis(0)); });
  add("GatherElements inside", [](Net& n) {
    n.out("GatherElements", {n.real("x", {3, 17}), n.index("i", {3, 23}, 0, 17)}, axis(1));
  });
  add("GatherND", [](Net& n) { n.out("GatherND", {n.real("x", {5, 7, 3}), n.index("i", {11, 2}, -5, 5)}); });
  add("GatherND with batches", [](Net& n) {
    n.out("GatherND", {n.real("x", {2, 7, 3}), n.index("i", {2, 5, 1}, 0, 7)}, attributes({{"batch_dims", std::int64_t(1)}}));
  });
  for (const char* reduction : {"none", "add", "mul", "max", "min"}) {
    add("ScatterElements", [reduction](Net& n) {
      // Each index once, so that the order does not matter.
      const HostTensor places = HostTensor::of(Shape{3, 4}, Integers{0, 1, 2, 3, 4, 0, 3, 1, 2, 4, 1, 0});
      n.out("ScatterElements", {n.real("x", {5, 4}), n.value("i", places), n.real("u", {3, 4})},
            attributes({{"axis", std::int64_t(0)}, {"reduction", std::string(reduction)}}));
    });
    add("ScatterND", [reduction](Net& n) {
      n.out("ScatterND",
            {n.real("x", {13, 5}), n.value("i", HostTensor::of(Shape{4, 1}, Integers{12, 0, 7, 3})), n.real("u", {4, 5})},
            attributes({{"reduction", std::string(reduction)}}));
    });
  }
  add("ScatterND, sums on one place", [](Net& n) {
    n.out("ScatterND", {n.real("x", {2, 3}), n.index("i", {29, 2}, 0, 2), n.real("u", {29})},
          attributes({{"reduction", std::string("add")}}));
  });
  cases.push_back({"Scatter",
                   [](Net& n) {
                     n.out("Scatter", {n.real("x", {7}), n.value("i", HostTensor::vector(Integers{5, 0})), n.real("u", {2})});
                   },
                   9});
  add("OneHot", [](Net& n) {
    n.out("OneHot", {n.index("i", {3, 5}, -7, 7), n.builder.constant("d", HostTensor::scalar(std::int64_t(7))), n.real("v", {2})},
          axis(1));
  });
  for (const auto& [shape, k, along] : std::vector<std::tuple<Shape, std::int64_t, std::int64_t>>{
           {{1}, 1, 0}, {{13}, 4, 0}, {{3, 37}, 5, 1}, {{11, 4}, 3, 0}, {{2, 128}, 128, 1}, {{5, 67}, 1, 1}, {{1, 211}, 17, 1}})
    for (const std::int64_t largest : {1, 0})
      add(label("TopK", shape), [=, shape = shape, k = k, along = along](Net& n) {
        n.outs("TopK", {n.real("x", shape), n.builder.integers({k})}, attributes({{"axis", along}, {"largest", largest}}), 2);
      });
  // By counting: in the order of the positions. Whole numbers have equal ones among them.
  for (const auto& [shape, k] :
       std::vector<std::pair<Shape, std::int64_t>>{{{13}, 4}, {{3, 37}, 5}, {{2, 128}, 128}, {{2, 211}, 17}})
    for (const std::int64_t largest : {1, 0})
      add(label("TopK by counting", shape), [=, shape = shape, k = k](Net& n) {
        n.outs("TopK", {n.value("x", n.whole(shape, -9, 9).cast(ElementType::Float)), n.builder.integers({k})},
               attributes({{"axis", std::int64_t(-1)}, {"largest", largest}, {"counted", std::int64_t(1)}}), 2);
      });
  for (const char* type : {"ArgMax", "ArgMin"})
    for (const auto& [shape, along] :
         std::vector<std::pair<Shape, std::int64_t>>{{{1}, 0}, {{97}, 0}, {{5, 13}, 1}, {{5, 13}, 0}, {{3, 7, 11}, 1}})
      add(label(type, shape), [=, shape = shape, along = along](Net& n) {
        n.out(type, {n.real("x", shape)}, attributes({{"axis", along}, {"keepdims", along}}));
      });
  add("ArgMax, last of equals", [](Net& n) {
    n.out("ArgMax", {n.value("x", n.whole({3, 41}, 0, 3).cast(ElementType::Float))},
          attributes({{"axis", std::int64_t(1)}, {"select_last_index", std::int64_t(1)}}));
  });
  add("Hardmax", [](Net& n) { n.out("Hardmax", {n.real("x", {3, 7, 5})}, axis(1)); });
  for (const auto& [shape, along] :
       std::vector<std::pair<Shape, std::int64_t>>{{{1}, 0}, {{251}, 0}, {{5, 13}, 1}, {{7, 3, 2}, 1}, {{13, 5}, 0}})
    for (const std::int64_t flags : {0, 1, 2, 3})
      add(label("CumSum", shape), [=, shape = shape, along = along](Net& n) {
        n.out("CumSum", {n.real("x", shape), n.builder.constant("axis", HostTensor::scalar(along))},
              attributes({{"exclusive", flags & 1}, {"reverse", flags >> 1}}));
      });
  for (const std::int64_t along : {0, -1, 1, -3})
    add("CumSum along what is computed", [along](Net& n) {
      const Shape shape = along ? Shape{5, 3, 7} : Shape{83};
      n.out("CumSum", {n.real("x", shape), n.value("axis", HostTensor::scalar(along))},
            attributes({{"reverse", std::int64_t(along > 0)}}));
    });
  add("GridSample", [](Net& n) { n.out("GridSample", {n.real("x", {2, 3, 5, 4}), n.real("g", {2, 3, 7, 2})}); });
  return cases;
}

std::vector<NodeCase> quantisedNodes() {
  std::vector<NodeCase> cases;
  const auto byte = [](Net& n, const std::string& name, const Shape& s) {
    return n.value(name, n.whole(s, 0, 255, ElementType::UInt8));
  };
  const auto one = [](Net& n, double v) { return n.builder.number(v, ElementType::Float); };
  const auto point = [](Net& n, std::int64_t v) { return n.builder.number(double(v), ElementType::UInt8); };
  for (const ElementType type : {ElementType::Float8E4M3Fnuz, ElementType::Float8E5M2Fnuz, ElementType::Float8E4M3Fn}) {
    const auto zero = [type](Net& n) { return n.builder.constant("zero", HostTensor::full(type, {}, 0)); };
    cases.push_back({"QuantizeLinear to 8-bit floats", [=](Net& n) {
                       n.out("QuantizeLinear", {n.real("x", {3, 37}), one(n, 0.01), zero(n)});
                     }});
    cases.push_back({"DequantizeLinear of 8-bit floats", [=](Net& n) {
                       const std::string q = n.builder.add("QuantizeLinear", {n.real("x", {3, 37}), one(n, 0.01), zero(n)});
                       n.out("DequantizeLinear", {q, one(n, 0.02), zero(n)});
                     }});
  }
  cases.push_back({"QuarterCast", [](Net& n) {
                     n.out("QuarterCast", {n.real("x", {5, 41}, -40, 40)},
                           attributes({{"to", model::onnxTypeOf(ElementType::Float8E4M3Fnuz)}, {"scale", std::int64_t(-3)}}),
                           model::kOwnDomain);
                   }});
  cases.push_back({"QuantizeLinear", [=](Net& n) {
                     n.out("QuantizeLinear", {n.real("x", {3, 37}), one(n, 0.01), point(n, 128)});
                   }});
  cases.push_back(
      {"QuantizeLinear per channel", [=](Net& n) {
         n.out("QuantizeLinear",
               {n.real("x", {2, 5, 7}), n.real("s", {5}, 0.01, 0.02), n.value("z", n.whole({5}, 100, 140, ElementType::UInt8))},
               axis(1));
       }});
  cases.push_back(
      {"DequantizeLinear", [=](Net& n) {
         n.out("DequantizeLinear",
               {byte(n, "x", {5, 13}), n.real("s", {13}, 0.01, 0.02), n.value("z", n.whole({13}, 0, 9, ElementType::UInt8))},
               axis(1));
       }});
  cases.push_back({"DynamicQuantizeLinear", [](Net& n) {
                     n.outs("DynamicQuantizeLinear", {n.real("x", {3, 41}, -1, 3)}, {}, 3);
                   }});
  cases.push_back({"ConvInteger", [=](Net& n) {
                     n.out("ConvInteger", {byte(n, "x", {1, 3, 7, 5}), byte(n, "w", {4, 3, 3, 3}), point(n, 7)},
                           attributes({{"pads", Integers{1, 1, 1, 1}}}));
                   }});
  for (const auto& [x, w] : std::vector<std::pair<Shape, Shape>>{{{1, 3, 13}, {4, 3, 3}}, {{2, 3, 4, 5, 3}, {4, 3, 2, 3, 3}}}) {
    cases.push_back({label("ConvInteger", x), [=, x = x, w = w](Net& n) {
                       n.out("ConvInteger", {byte(n, "x", x), byte(n, "w", w), point(n, 7)});
                     }});
    cases.push_back({label("QLinearConv", x), [=, x = x, w = w](Net& n) {
                       n.out("QLinearConv", {byte(n, "x", x), one(n, 0.02), point(n, 120), byte(n, "w", w), one(n, 0.01),
                                             point(n, 100), one(n, 0.5), point(n, 90)});
                     }});
  }
  cases.push_back({"MatMulInteger", [=](Net& n) {
                     n.out("MatMulInteger", {byte(n, "a", {5, 13}), byte(n, "b", {13, 3}), point(n, 3), point(n, 5)});
                   }});
  cases.push_back({"QLinearConv", [=](Net& n) {
                     n.out("QLinearConv",
                           {byte(n, "x", {1, 2, 5, 7}), one(n, 0.02), point(n, 120), byte(n, "w", {3, 2, 3, 3}), one(n, 0.01),
                            point(n, 100), one(n, 0.5), point(n, 90), n.value("b", n.whole({3}, -99, 99, ElementType::Int32))});
                   }});
  cases.push_back({"QLinearMatMul", [=](Net& n) {
                     n.out("QLinearMatMul", {byte(n, "a", {5, 13}), one(n, 0.02), point(n, 120), byte(n, "b", {13, 3}),
                                             one(n, 0.01), point(n, 100), one(n, 0.5), point(n, 90)});
                   }});
  return cases;
}

} // namespace tests
