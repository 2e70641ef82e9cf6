// One list of models. It is over 500 lines because a model takes a line or two, and each kind of attack has one function.
#include "tests/app/hostile/hostile_models.h"

#include "tests/simcore/model/model_files.h"

#include <limits>
#include <utility>

namespace tests {

namespace {

using Integers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHuge = std::int64_t(1) << 40;

class HostileModel {
public:
  explicit HostileModel(int opset = 17) : m_model(emptyModel(opset)) {}
  onnx::GraphProto* graph() { return m_model.mutable_graph(); }
  onnx::ModelProto& proto() { return m_model; }
  HostileModel& input(const std::string& name, const Integers& dims, int type = onnx::TensorProto::FLOAT) {
    auto* value = graph()->add_input();
    value->set_name(name);
    value->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    value->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const auto dim : dims) value->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
    return *this;
  }
  HostileModel& integers(const std::string& name, const Integers& values, bool isScalar = false) {
    addIntegers(graph(), name, values, isScalar);
    return *this;
  }
  HostileModel& floats(const std::string& name, const std::vector<float>& values) {
    auto* tensor = graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(std::int64_t(values.size()));
    for (const float value : values) tensor->add_float_data(value);
    return *this;
  }
  // A constant of any size in a few bytes.
  HostileModel& zeros(const std::string& name, const Integers& shape) {
    return integers(name + "_shape", shape).node("ConstantOfShape", {name + "_shape"}, name);
  }
  HostileModel& node(const std::string& type, const Names& inputs, const std::string& output = "y") {
    addNode(graph(), type, inputs, {output});
    return *this;
  }
  HostileModel& number(const char* name, std::int64_t value) {
    auto* a = attribute(name, onnx::AttributeProto::INT);
    a->set_i(value);
    return *this;
  }
  HostileModel& numbers(const char* name, const Integers& values) {
    auto* a = attribute(name, onnx::AttributeProto::INTS);
    for (const auto value : values) a->add_ints(value);
    return *this;
  }
  HostileModel& real(const char* name, float value) {
    auto* a = attribute(name, onnx::AttributeProto::FLOAT);
    a->set_f(value);
    return *this;
  }
  HostileModel& text(const char* name, const std::string& value) {
    auto* a = attribute(name, onnx::AttributeProto::STRING);
    a->set_s(value);
    return *this;
  }
  HostileModel& subgraph(const char* name, const onnx::GraphProto& body) {
    *attribute(name, onnx::AttributeProto::GRAPH)->mutable_g() = body;
    return *this;
  }
  HostileModel& domain(const char* name) {
    graph()->mutable_node(graph()->node_size() - 1)->set_domain(name);
    auto* set = m_model.add_opset_import();
    set->set_domain(name);
    set->set_version(1);
    return *this;
  }
  HostileModel& outputs(const Names& names) {
    for (const auto& name : names) addValue(graph()->add_output(), name, {});
    return *this;
  }
  std::string bytes() {
    if (graph()->output_size() == 0) outputs({"y"});
    return m_model.SerializeAsString();
  }

private:
  onnx::AttributeProto* attribute(const char* name, onnx::AttributeProto::AttributeType type) {
    auto* a = graph()->mutable_node(graph()->node_size() - 1)->add_attribute();
    a->set_name(name);
    a->set_type(type);
    return a;
  }
  onnx::ModelProto m_model;
};

class Collection {
public:
  void add(const std::string& name, HostileModel& model, const std::string& words = {}) {
    m_files.push_back({name, model.bytes(), words});
  }
  void add(const std::string& name, HostileModel&& model, const std::string& words = {}) { add(name, model, words); }
  void raw(const std::string& name, const std::string& bytes, const std::string& words = {}) {
    m_files.push_back({name, bytes, words});
  }
  std::vector<HostileFile> take() { return std::move(m_files); }

private:
  std::vector<HostileFile> m_files;
};

std::string nameOf(std::int64_t value) { return std::to_string(value); }

// ---- tensors that grow -----------------------------------------------------------------------------------------------------

// A chain of `times` nodes, each of which reads the one before.
template<class Step> HostileModel chain(HostileModel model, const std::string& start, int times, Step step) {
  std::string last = start;
  for (int i = 0; i < times; ++i) {
    const std::string next = i + 1 == times ? "y" : "n" + std::to_string(i);
    step(model, last, next);
    last = next;
  }
  return model;
}

HostileModel joined(HostileModel model, const std::string& start, int times, int axis = 0) {
  return chain(std::move(model), start, times, [axis](HostileModel& m, const std::string& from, const std::string& to) {
    m.node("Concat", {from, from}, to).number("axis", axis);
  });
}
HostileModel doubled(const char* start, int times) {
  HostileModel model;
  if (std::string(start) == "x")
    model.input("x", {4});
  else
    model.integers(start, {1, 2, 3, 4});
  return joined(model, start, times);
}

void addGrowing(Collection& all) {
  const auto step = [](const char* type, Names more, auto&& attributes) {
    return [=](HostileModel& m, const std::string& from, const std::string& to) {
      Names inputs{from};
      inputs.insert(inputs.end(), more.begin(), more.end());
      m.node(type, inputs, to);
      attributes(m);
    };
  };
  const auto none = [](HostileModel&) {};
  for (const int times : {12, 20, 28, 40, 62, 200}) {
    const std::string n = std::to_string(times);
    for (const char* start : {"x", "w"}) {
      const std::string of = std::string(start) + n;
      const auto begin = [&](int opset, const Integers& shape) {
        HostileModel model(opset);
        if (*start == 'x')
          model.input("x", shape);
        else
          model.zeros("w", shape);
        return model;
      };
      all.add("grow_concat_" + of, joined(begin(17, {4}), start, times));
      all.add("grow_concat_inner_" + of, joined(begin(17, {3, 2}), start, times, 1));
      all.add("grow_tile_" + of, chain(begin(17, {4}).integers("r", {2}), start, times, step("Tile", {"r"}, none)));
      all.add("grow_tile2_" + of, chain(begin(17, {2, 2}).integers("r", {2, 3}), start, times, step("Tile", {"r"}, none)));
      all.add("grow_pad_" + of, chain(begin(17, {4}).integers("p", {1 << 20, 1 << 20}), start, times, step("Pad", {"p"}, none)));
      all.add("grow_resize_" + of,
              chain(begin(17, {1, 1, 2, 2}).floats("s", {1, 1, 2, 2}), start, times, step("Resize", {"", "s"}, none)));
      all.add("grow_upsample_" + of,
              chain(begin(9, {1, 1, 2, 2}).floats("s", {1, 1, 2, 2}), start, times, step("Upsample", {"s"}, none)));
      all.add("grow_gather_" + of,
              chain(begin(17, {2}).integers("i", {0, 1, 0, 1}), start, times,
                    [](HostileModel& m, const std::string& from, const std::string& to) {
                      m.node("Gather", {from, "i"}, to + "_g").node("Concat", {to + "_g", from, from}, to).number("axis", 0);
                    }));
      all.add("grow_square_" + of, chain(begin(13, {2, 1}).integers("t", {1, -1}).integers("f", {-1, 1}), start, times,
                                         [](HostileModel& m, const std::string& from, const std::string& to) {
                                           m.node("Reshape", {from, "t"}, to + "_t")
                                               .node("Mul", {from, to + "_t"}, to + "_p")
                                               .node("Reshape", {to + "_p", "f"}, to);
                                         }));
      all.add("grow_outer_" + of, chain(begin(13, {2, 1}).integers("t", {1, -1}).integers("f", {-1, 1}), start, times,
                                        [](HostileModel& m, const std::string& from, const std::string& to) {
                                          m.node("Reshape", {from, "t"}, to + "_t")
                                              .node("MatMul", {from, to + "_t"}, to + "_p")
                                              .node("Reshape", {to + "_p", "f"}, to);
                                        }));
      all.add("grow_transposed_" + of,
              chain(begin(17, {2, 2}), start, times, [](HostileModel& m, const std::string& from, const std::string& to) {
                m.node("Transpose", {from}, to + "_t").node("Concat", {to + "_t", to + "_t"}, to).number("axis", 0);
              }));
      all.add(
          "grow_sliced_" + of,
          chain(begin(17, {4}).integers("b", {-1}).integers("e", {kLeast}).integers("a", {0}).integers("s", {-1}), start, times,
                [](HostileModel& m, const std::string& from, const std::string& to) {
                  m.node("Slice", {from, "b", "e", "a", "s"}, to + "_r").node("Concat", {from, to + "_r"}, to).number("axis", 0);
                }));
      all.add("grow_expand_" + of,
              chain(begin(17, {1}), start, times, [](HostileModel& m, const std::string& from, const std::string& to) {
                m.integers(to + "_s", {2, 1})
                    .node("Expand", {from, to + "_s"}, to + "_e")
                    .integers(to + "_f", {-1})
                    .node("Reshape", {to + "_e", to + "_f"}, to);
              }));
      all.add("grow_split_" + of,
              chain(begin(13, {4}), start, times, [](HostileModel& m, const std::string& from, const std::string& to) {
                addNode(m.graph(), "Split", {from}, {to + "_a", to + "_b"});
                m.node("Concat", {to + "_b", to + "_a", to + "_a", to + "_b"}, to).number("axis", 0);
              }));
    }
  }
  // Each below every limit of one tensor, together far above.
  HostileModel many, sum;
  Names parts;
  for (int i = 0; i < 64; ++i) {
    parts.push_back("c" + std::to_string(i));
    many.zeros(parts.back(), {1 << 26});
    sum.zeros(parts.back(), {1 << 27}).node("Neg", {parts.back()}, "m" + std::to_string(i));
  }
  all.add("grow_many_constants", many.node("Sum", parts));
  all.add("grow_many_folded", sum.node("ReduceSum", {"m63"}));
}

// ---- sizes -----------------------------------------------------------------------------------------------------------------

const Integers kSizes{
    0,      -1,        -2,    1 << 20, (std::int64_t(1) << 31) - 1, std::int64_t(1) << 31, std::int64_t(1) << 33, kHuge,
    -kHuge, kMost / 2, kMost, kLeast};

// `make` takes the name of a tensor of the size, and makes a model of it.
template<class Make> void addSizes(Collection& all, const std::string& name, bool isScalar, Make make) {
  for (const auto size : kSizes) {
    all.add("size_" + name + "_c_" + nameOf(size), make(HostileModel().integers("n", {size}, isScalar)));
    // the same size, known in the run only
    HostileModel run;
    run.input("m", isScalar ? Integers{} : Integers{1}, onnx::TensorProto::INT64)
        .integers("k", {size}, isScalar)
        .node("Add", {"m", "k"}, "n");
    if (size == kHuge || size == kMost || size == -1) all.add("size_" + name + "_r_" + nameOf(size), make(std::move(run)));
  }
}

void addAllSizes(Collection& all) {
  const auto simple = [&](const char* type, bool isScalar, const Integers& x, Names inputs, int opset = 0) {
    (void)opset;
    addSizes(all, type, isScalar, [&](HostileModel m) {
      if (!x.empty()) m.input("x", x);
      return m.node(type, inputs);
    });
  };
  simple("ConstantOfShape", false, {}, {"n"});
  simple("Expand", false, {1}, {"x", "n"});
  simple("Tile", false, {3}, {"x", "n"});
  simple("Reshape", false, {4}, {"x", "n"});
  simple("TopK", false, {4}, {"x", "n"});
  simple("HannWindow", true, {}, {"n"});
  simple("HammingWindow", true, {}, {"n"});
  simple("BlackmanWindow", true, {}, {"n"});
  simple("DFT", true, {1, 8, 1}, {"x", "n"});
  simple("Gather", false, {4}, {"x", "n"});
  simple("GatherElements", false, {4}, {"x", "n"});
  simple("CumSum", true, {4}, {"x", "n"});
  simple("Trilu", true, {4, 4}, {"x", "n"});
  simple("Unsqueeze", false, {4}, {"x", "n"});
  simple("Squeeze", false, {1, 4}, {"x", "n"});
  simple("ReduceSum", false, {4, 4}, {"x", "n"});
  simple("Split", false, {4}, {"x", "n"});
  simple("Compress", false, {4}, {"x", "n"});
  addSizes(all, "Range", true, [](HostileModel m) {
    return m.integers("z", {0}, true).integers("o", {1}, true).node("Range", {"z", "n", "o"});
  });
  addSizes(all, "RangeStep", true, [](HostileModel m) {
    return m.integers("z", {kLeast}, true).integers("o", {kMost}, true).node("Range", {"z", "o", "n"});
  });
  addSizes(all, "Pad", false, [](HostileModel m) {
    return m.input("x", {4}).node("Concat", {"n", "n"}, "p").number("axis", 0).node("Pad", {"x", "p"});
  });
  for (const char* mode : {"edge", "reflect", "wrap"})
    addSizes(all, std::string("Pad") + mode, false, [mode](HostileModel m) {
      return m.input("x", {4}).node("Concat", {"n", "n"}, "p").number("axis", 0).node("Pad", {"x", "p"}).text("mode", mode);
    });
  addSizes(all, "SliceEnd", false, [](HostileModel m) {
    return m.input("x", {4}).integers("z", {0}).node("Slice", {"x", "z", "n"});
  });
  addSizes(all, "SliceStep", false, [](HostileModel m) {
    return m.input("x", {4})
        .integers("b", {kLeast})
        .integers("e", {kMost})
        .integers("a", {0})
        .node("Slice", {"x", "b", "e", "a", "n"});
  });
  addSizes(all, "OneHot", true, [](HostileModel m) {
    return m.integers("i", {0, 1, -1, kMost}).floats("v", {0, 1}).node("OneHot", {"i", "n", "v"});
  });
  addSizes(all, "ResizeSizes", false, [](HostileModel m) { return m.input("x", {2}).node("Resize", {"x", "", "", "n"}); });
  addSizes(all, "MelWeightMatrix", true, [](HostileModel m) {
    return m.integers("d", {257}, true)
        .integers("r", {16000}, true)
        .floats("lo", {0})
        .floats("hi", {8000})
        .node("MelWeightMatrix", {"n", "d", "r", "lo", "hi"});
  });
  addSizes(all, "MelBins", true, [](HostileModel m) {
    return m.integers("d", {8}, true)
        .integers("r", {16000}, true)
        .floats("lo", {0})
        .floats("hi", {8000})
        .node("MelWeightMatrix", {"d", "n", "r", "lo", "hi"});
  });
  addSizes(all, "ScatterND", false, [](HostileModel m) {
    return m.input("x", {4})
        .input("u", {1})
        .integers("s", {1, 1})
        .node("Reshape", {"n", "s"}, "i")
        .node("ScatterND", {"x", "i", "u"});
  });
  addSizes(all, "ScatterElements", false, [](HostileModel m) {
    return m.input("x", {4}).input("u", {1}).node("ScatterElements", {"x", "n", "u"});
  });
  addSizes(all, "GatherND", false, [](HostileModel m) { return m.input("x", {4}).node("GatherND", {"x", "n"}); });
  addSizes(all, "ReverseSequence", false, [](HostileModel m) {
    return m.input("x", {4, 1}).node("ReverseSequence", {"x", "n"});
  });
  addSizes(all, "MaxUnpool", false, [](HostileModel m) {
    return m.input("x", {1, 1, 2, 2})
        .integers("a", {1, 1})
        .node("Concat", {"a", "n", "n"}, "s")
        .number("axis", 0)
        .integers("i", {0, 1, 2, 3})
        .integers("q", {1, 1, 2, 2})
        .node("Reshape", {"i", "q"}, "j")
        .node("MaxUnpool", {"x", "j", "s"})
        .numbers("kernel_shape", {2, 2});
  });
  addSizes(all, "CenterCropPad", false, [](HostileModel m) { return m.input("x", {4}).node("CenterCropPad", {"x", "n"}); });
  addSizes(all, "STFT", true, [](HostileModel m) {
    return m.input("x", {1, 64, 1}).integers("f", {16}, true).node("STFT", {"x", "n", "", "f"});
  });
  addSizes(all, "STFTFrame", true, [](HostileModel m) {
    return m.input("x", {1, 64, 1}).integers("f", {4}, true).node("STFT", {"x", "f", "", "n"});
  });
  addSizes(all, "NonMaxSuppression", false, [](HostileModel m) {
    return m.input("b", {1, 6, 4}).input("s", {1, 2, 6}).node("NonMaxSuppression", {"b", "s", "n"});
  });
  addSizes(all, "EyeLike", false, [](HostileModel m) {
    return m.node("ConstantOfShape", {"n"}, "v").integers("q", {1, -1}).node("Reshape", {"v", "q"}, "w").node("EyeLike", {"w"});
  });
  addSizes(all, "SequenceAt", true, [](HostileModel m) {
    return m.input("x", {4}).node("SequenceConstruct", {"x", "x"}, "s").node("SequenceAt", {"s", "n"});
  });
  addSizes(all, "SplitToSequence", true, [](HostileModel m) {
    return m.input("x", {4}).integers("z", {0}, true).node("SplitToSequence", {"x", "n"}, "s").node("SequenceAt", {"s", "z"});
  });
  addSizes(all, "Col2Im", false, [](HostileModel m) {
    return m.input("x", {1, 4, 1})
        .integers("b", {2, 2})
        .node("Concat", {"n", "n"}, "s")
        .number("axis", 0)
        .node("Col2Im", {"x", "s", "b"});
  });
  addSizes(all, "Div", false, [](HostileModel m) { return m.integers("z", {kLeast}).node("Div", {"z", "n"}); });
  addSizes(all, "Mod", false, [](HostileModel m) { return m.integers("z", {kLeast}).node("Mod", {"z", "n"}); });
  addSizes(all, "BitShift", false, [](HostileModel m) {
    return m.node("Cast", {"n"}, "u")
        .number("to", onnx::TensorProto::UINT64)
        .node("BitShift", {"u", "u"})
        .text("direction", "LEFT");
  });
  for (const float scale : {0.f, -1.f, 1e-9f, 3e4f, 1e9f, 1e19f, 3e38f, std::numeric_limits<float>::infinity(), std::nanf("")})
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      const std::string name = std::string("size_scale_") + mode + "_" + std::to_string(double(scale)).substr(0, 12);
      all.add(name, HostileModel()
                        .input("x", {1, 1, 4, 4})
                        .floats("s", {1, 1, scale, scale})
                        .node("Resize", {"x", "", "s"})
                        .text("mode", mode));
    }
}

// ---- attributes ------------------------------------------------------------------------------------------------------------

void addAttributes(Collection& all) {
  const Integers numbers{0, -1, 3, 1 << 16, (std::int64_t(1) << 31) - 1, kHuge, kMost, kLeast};
  const auto convLike = [&](const char* type, bool hasWeights) {
    for (const char* name : {"kernel_shape", "strides", "dilations", "pads", "group", "output_padding", "output_shape",
                             "auto_pad", "ceil_mode", "storage_order", "p"})
      for (const auto value : numbers) {
        HostileModel m;
        m.input("x", {1, 4, 8, 8});
        if (hasWeights) m.input("w", {4, 4, 3, 3});
        m.node(type, hasWeights ? Names{"x", "w"} : Names{"x"});
        const std::string attribute = name;
        if (!hasWeights && attribute != "kernel_shape") m.numbers("kernel_shape", {3, 3});
        if (attribute == "group" || attribute == "ceil_mode" || attribute == "storage_order" || attribute == "p")
          m.number(name, value);
        else if (attribute == "auto_pad")
          m.text(name, value == 3 ? "SAME_UPPER" : nameOf(value));
        else if (attribute == "pads")
          m.numbers(name, {value, value, value, value});
        else
          m.numbers(name, {value, value});
        all.add(std::string("attr_") + type + "_" + name + "_" + nameOf(value), m);
      }
  };
  convLike("Conv", true);
  convLike("ConvTranspose", true);
  convLike("MaxPool", false);
  convLike("AveragePool", false);
  convLike("LpPool", false);
  struct Case {
    const char *type, *name;
    Integers shape;
    Names inputs{"x"};
    int opset = 17;
    const char* domain = "";
  };
  const std::vector<Case> cases{{"Concat", "axis", {4, 4}, {"x", "x"}},
                                {"Softmax", "axis", {4, 4}},
                                {"Flatten", "axis", {4, 4}},
                                {"Gather", "axis", {4, 4}, {"x", "i"}},
                                {"ArgMax", "axis", {4, 4}},
                                {"ArgMax", "select_last_index", {4, 4}},
                                {"Hardmax", "axis", {4, 4}},
                                {"LRN", "size", {1, 4, 4, 4}},
                                {"DepthToSpace", "blocksize", {1, 4, 4, 4}},
                                {"SpaceToDepth", "blocksize", {1, 4, 4, 4}},
                                {"Cast", "to", {4}},
                                {"EyeLike", "k", {4, 4}},
                                {"EyeLike", "dtype", {4, 4}},
                                {"Shape", "start", {4, 4}},
                                {"Shape", "end", {4, 4}},
                                {"LogSoftmax", "axis", {4}},
                                {"LpNormalization", "axis", {4, 4}},
                                {"LpNormalization", "p", {4, 4}},
                                {"Split", "num_outputs", {4}, {"x"}, 18},
                                {"Split", "axis", {4}, {"x"}, 18},
                                {"Multinomial", "sample_size", {1, 4}},
                                {"Bernoulli", "dtype", {4}},
                                {"RandomNormalLike", "dtype", {4}},
                                {"QuantizeLinear", "axis", {4, 4}, {"x", "v"}},
                                {"LayerNormalization", "axis", {4, 4}, {"x", "v"}},
                                {"ReduceMax", "keepdims", {4, 4}},
                                {"Unique", "axis", {4, 4}},
                                {"OneHot", "axis", {4}, {"x", "i", "v"}},
                                {"DFT", "axis", {1, 8, 1}},
                                {"RoiAlign", "output_height", {1, 1, 4, 4}, {"x", "rois", "i0"}},
                                {"RoiAlign", "output_width", {1, 1, 4, 4}, {"x", "rois", "i0"}},
                                {"RoiAlign", "sampling_ratio", {1, 1, 4, 4}, {"x", "rois", "i0"}},
                                {"LSTM", "hidden_size", {2, 1, 4}, {"x", "w4", "r4"}},
                                {"GRU", "hidden_size", {2, 1, 4}, {"x", "w3", "r3"}},
                                {"RNN", "hidden_size", {2, 1, 4}, {"x", "w1", "r1"}},
                                {"GroupNormalization", "num_groups", {1, 4, 4}, {"x", "v", "v"}, 18},
                                {"Attention", "num_heads", {1, 4, 4}, {"x", "wa", "ba"}, 17, "com.microsoft"},
                                {"SkipLayerNormalization", "axis", {1, 4, 4}, {"x", "x", "v"}, 17, "com.microsoft"},
                                {"Gelu", "approximate", {4}, {"x"}, 17, "com.microsoft"}};
  for (const Case& c : cases)
    for (const auto value : numbers) {
      HostileModel m(c.opset);
      m.input("x", c.shape);
      const auto constant = [&](const char* name, const Integers& shape) {
        if (std::find(c.inputs.begin(), c.inputs.end(), name) != c.inputs.end()) m.zeros(name, shape);
      };
      m.integers("i", {0, 1})
          .floats("v", {1, 1, 1, 1})
          .integers("i0", {0})
          .floats("roisflat", {0, 0, 1, 1})
          .integers("roishape", {1, 4});
      m.node("Reshape", {"roisflat", "roishape"}, "rois");
      constant("w4", {1, 16, 4}), constant("r4", {1, 16, 4}), constant("w3", {1, 12, 4}), constant("r3", {1, 12, 4});
      constant("w1", {1, 4, 4}), constant("r1", {1, 4, 4}), constant("wa", {4, 12}), constant("ba", {12});
      m.node(c.type, c.inputs).number(c.name, value);
      if (*c.domain) m.domain(c.domain);
      all.add(std::string("attr_") + c.type + "_" + c.name + "_" + nameOf(value), m);
      // the same of another kind
      if (value == 0) {
        HostileModel words(c.opset);
        words.input("x", c.shape).integers("i", {0, 1}).floats("v", {1, 1, 1, 1}).node(c.type, c.inputs).text(c.name, "hello");
        if (*c.domain) words.domain(c.domain);
        all.add(std::string("attr_") + c.type + "_" + c.name + "_text", words);
      }
    }
  for (const auto value : numbers) {
    all.add("attr_RandomNormal_shape_" + nameOf(value), HostileModel().node("RandomNormal", {}).numbers("shape", {value, 2}));
    all.add("attr_RandomUniform_shape_" + nameOf(value), HostileModel().node("RandomUniform", {}).numbers("shape", {value}));
    all.add("attr_Transpose_perm_" + nameOf(value),
            HostileModel().input("x", {2, 2}).node("Transpose", {"x"}).numbers("perm", {0, value}));
    all.add("attr_Upsample7_" + nameOf(value), HostileModel(7)
                                                   .input("x", {1, 1, 2, 2})
                                                   .node("Upsample", {"x"})
                                                   .real("height_scale", float(value))
                                                   .real("width_scale", float(value)));
    all.add("attr_Pad2_" + nameOf(value), HostileModel(2).input("x", {2}).node("Pad", {"x"}).numbers("pads", {value, value}));
    all.add("attr_Reshape1_" + nameOf(value), HostileModel(4).input("x", {4}).node("Reshape", {"x"}).numbers("shape", {value}));
    all.add("attr_Slice1_" + nameOf(value), HostileModel(9)
                                                .input("x", {4})
                                                .node("Slice", {"x"})
                                                .numbers("starts", {value})
                                                .numbers("ends", {value})
                                                .numbers("axes", {value}));
    all.add("attr_Squeeze_" + nameOf(value), HostileModel(9).input("x", {1, 4}).node("Squeeze", {"x"}).numbers("axes", {value}));
    all.add("attr_ReduceMean_" + nameOf(value),
            HostileModel(13).input("x", {1, 4}).node("ReduceMean", {"x"}).numbers("axes", {value}));
    all.add("attr_Gemm_" + nameOf(value),
            HostileModel(13).input("x", {4, 4}).node("Gemm", {"x", "x"}).number("transA", value).real("alpha", float(value)));
  }
}

// ---- shapes of inputs and files --------------------------------------------------------------------------------------------

void addDeclarations(Collection& all) {
  for (const Integers& shape : std::vector<Integers>{{0},
                                                     {-1},
                                                     {-7, 4},
                                                     {kLeast},
                                                     {kMost},
                                                     {kHuge},
                                                     {1 << 30, 1 << 30},
                                                     {1 << 16, 1 << 16, 1 << 16, 1 << 16},
                                                     {kHuge, 0},
                                                     {0, kMost},
                                                     {1 << 30},
                                                     {1 << 28, 1},
                                                     Integers(64, 1),
                                                     Integers(1000, 1),
                                                     Integers(62, 2)})
    for (const char* type :
         {"Relu", "Softmax", "Transpose", "MatMul", "ReduceSum", "Identity", "TopK", "Gemm", "Flatten", "NonZero", "CumSum"}) {
      HostileModel m;
      m.input("x", shape).integers("k", {1});
      const std::string name = type;
      Names inputs{"x"};
      if (name == "MatMul" || name == "Gemm") inputs.emplace_back("x");
      if (name == "TopK" || name == "CumSum") inputs.emplace_back("k");
      std::string of;
      for (std::size_t i = 0; i < std::min<std::size_t>(2, shape.size()); ++i) of += "_" + nameOf(shape[i]);
      all.add("input_" + name + "_" + std::to_string(shape.size()) + of, m.node(type, inputs));
    }
  for (const int type : {-1, 0, 2, 3, 8, 9, 10, 11, 14, 15, 16, 17, 20, 21, 22, 99, 1 << 30})
    for (const char* op : {"Relu", "Add", "Identity", "MatMul"})
      all.add(std::string("type_") + op + "_" + std::to_string(type),
              HostileModel().input("x", {4, 4}, type).node(op, *op == 'A' || *op == 'M' ? Names{"x", "x"} : Names{"x"}));
  const auto initialiser = [&](const std::string& name, auto&& fill) {
    HostileModel m;
    m.input("x", {4});
    auto* tensor = m.graph()->add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    fill(*tensor);
    all.add("data_" + name, m.node("Add", {"x", "w"}));
  };
  initialiser("short", [](auto& t) { t.add_dims(4), t.add_float_data(1); });
  initialiser("long", [](auto& t) { t.add_dims(1), t.add_float_data(1), t.add_float_data(1); });
  initialiser("none", [](auto& t) { t.add_dims(1 << 30); });
  initialiser("raw_short", [](auto& t) { t.add_dims(4), t.set_raw_data("abc"); });
  initialiser("raw_both", [](auto& t) { t.add_dims(4), t.set_raw_data(std::string(16, 'a')), t.add_float_data(1); });
  initialiser("raw_huge", [](auto& t) { t.add_dims(kHuge), t.set_raw_data("abcd"); });
  initialiser("negative", [](auto& t) { t.add_dims(-4), t.set_raw_data("abcd"); });
  initialiser("product", [](auto& t) { t.add_dims(kMost), t.add_dims(kMost), t.set_raw_data("abcd"); });
  initialiser("zero_huge", [](auto& t) { t.add_dims(0), t.add_dims(kMost); });
  initialiser("wrong_list", [](auto& t) { t.add_dims(1), t.add_int64_data(1); });
  initialiser("strings", [](auto& t) { t.set_data_type(onnx::TensorProto::STRING), t.add_dims(1), t.add_string_data("hello"); });
  initialiser("type99", [](auto& t) { t.set_data_type(99), t.add_dims(1), t.set_raw_data("abcd"); });
  initialiser("segment", [](auto& t) {
    t.mutable_segment()->set_begin(kMost), t.mutable_segment()->set_end(kLeast), t.add_dims(1), t.add_float_data(1);
  });
  initialiser("nan", [](auto& t) { t.add_dims(1), t.add_float_data(std::nanf("")); });
  const auto external = [&](const std::string& name, const std::vector<std::pair<std::string, std::string>>& entries) {
    initialiser("external_" + name, [&](auto& t) {
      t.add_dims(4);
      t.set_data_location(onnx::TensorProto::EXTERNAL);
      for (const auto& [key, value] : entries) {
        auto* entry = t.add_external_data();
        entry->set_key(key);
        entry->set_value(value);
      }
    });
  };
  for (const char* place : {"/etc/passwd", "../../etc/passwd", "..", ".", "", "/dev/zero", "/dev/stdin", "/proc/self/mem",
                            "a/../../b", "data_external_self.onnx", "no.bin", "a\nb", "//x", "~/x", "C:\\x", "./.", "data\0x"})
    external("place_" + std::to_string(std::hash<std::string>()(place) % 10000), {{"location", place}});
  for (const char* number :
       {"-1", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e3", "", "abc", "0x10", " 4"}) {
    external(std::string("offset_") + std::to_string(std::hash<std::string>()(number) % 10000),
             {{"location", "data_external_self.onnx"}, {"offset", number}});
    external(std::string("length_") + std::to_string(std::hash<std::string>()(number) % 10000),
             {{"location", "data_external_self.onnx"}, {"length", number}});
  }
  external("self", {{"location", "data_external_self.onnx"}, {"offset", "0"}, {"length", "16"}});
  external("twice", {{"location", "no.bin"}, {"location", "/etc/passwd"}});
  external("nothing", {});
}

// ---- the graph -------------------------------------------------------------------------------------------------------------

onnx::GraphProto branchOf(const std::string& type, const Names& inputs, const std::string& output) {
  onnx::GraphProto body;
  body.set_name("body");
  addNode(&body, type, inputs, {output});
  addValue(body.add_output(), output, {});
  return body;
}

// Branches within branches; every level has two.
onnx::GraphProto nestedIf(int depth) {
  if (depth == 0) return branchOf("Identity", {"x"}, "leaf");
  onnx::GraphProto body;
  body.set_name("nest");
  auto* node = addNode(&body, "If", {"c"}, {"v" + std::to_string(depth)});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto* a = node->add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::GRAPH);
    *a->mutable_g() = name[0] == 't' ? nestedIf(depth - 1) : branchOf("Identity", {"x"}, "other" + std::to_string(depth));
  }
  addValue(body.add_output(), "v" + std::to_string(depth), {});
  return body;
}

// for (i < count; condition) state = type(state, more…)
onnx::GraphProto loopBody(const std::string& type, bool scans) {
  onnx::GraphProto body;
  body.set_name("body");
  for (const char* name : {"i", "c", "s"}) {
    auto* value = body.add_input();
    addValue(value, name, {});
    value->mutable_type()->mutable_tensor_type()->set_elem_type(*name == 'i'   ? int(onnx::TensorProto::INT64)
                                                                : *name == 'c' ? int(onnx::TensorProto::BOOL)
                                                                               : int(onnx::TensorProto::FLOAT));
  }
  body.mutable_input(2)->mutable_type()->mutable_tensor_type()->clear_shape();
  addNode(&body, "Identity", {"c"}, {"c2"});
  auto* node = addNode(&body, type, type == "Concat" || type == "Add" || type == "MatMul" ? Names{"s", "s"} : Names{"s"}, {"s2"});
  if (type == "Concat") {
    auto* axis = node->add_attribute();
    axis->set_name("axis");
    axis->set_type(onnx::AttributeProto::INT);
    axis->set_i(0);
  }
  addValue(body.add_output(), "c2", {});
  addValue(body.add_output(), "s2", {});
  if (scans) {
    addNode(&body, "Identity", {"s2"}, {"scan"});
    addValue(body.add_output(), "scan", {});
  }
  return body;
}

onnx::GraphProto nestedLoop(int depth) {
  onnx::GraphProto body = loopBody("Relu", false);
  if (depth == 0) return body;
  auto* node = body.mutable_node(1);
  node->set_op_type("Loop");
  node->clear_input();
  for (const char* name : {"n", "t", "s"}) node->add_input(name);
  auto* a = node->add_attribute();
  a->set_name("body");
  a->set_type(onnx::AttributeProto::GRAPH);
  *a->mutable_g() = nestedLoop(depth - 1);
  return body;
}

HostileModel condition(HostileModel model) {
  auto* c = model.graph()->add_initializer();
  c->set_name("t");
  c->set_data_type(onnx::TensorProto::BOOL);
  c->add_int32_data(1);
  return model;
}

// f0 is an Identity; f(i+1) calls f(i) twice.
HostileModel nestedFunctions(int depth, int calls, bool isRecursive) {
  HostileModel m;
  m.input("x", {4});
  for (int i = 0; i <= depth; ++i) {
    auto* f = m.proto().add_functions();
    f->set_name("f" + std::to_string(i));
    f->set_domain("own");
    f->add_input("a");
    f->add_output("b");
    auto* set = f->add_opset_import();
    set->set_version(17);
    auto* own = f->add_opset_import();
    own->set_domain("own");
    own->set_version(1);
    std::string last = "a";
    for (int c = 0; c < (i == 0 && !isRecursive ? 1 : calls); ++c) {
      auto* node = f->add_node();
      node->set_op_type(i == 0 ? (isRecursive ? "f" + std::to_string(depth) : "Identity") : "f" + std::to_string(i - 1));
      if (i > 0 || isRecursive) node->set_domain("own");
      node->add_input(last);
      last = c + 1 == (i == 0 && !isRecursive ? 1 : calls) ? "b" : "v" + std::to_string(c);
      node->add_output(last);
    }
  }
  m.node("f" + std::to_string(depth), {"x"}).domain("own");
  return m;
}

void addGraphs(Collection& all) {
  all.add("graph_self", HostileModel().input("x", {4}).node("Add", {"x", "y"}), "cycle");
  all.add("graph_circle",
          HostileModel().input("x", {4}).node("Add", {"x", "b"}, "a").node("Relu", {"a"}, "b").node("Relu", {"b"}));
  all.add("graph_undefined", HostileModel().input("x", {4}).node("Add", {"x", "nothing"}));
  all.add("graph_twice", HostileModel().input("x", {4}).node("Relu", {"x"}).node("Neg", {"x"}));
  all.add("graph_input_twice", HostileModel().input("x", {4}).input("x", {5}).node("Relu", {"x"}));
  all.add("graph_output_twice", HostileModel().input("x", {4}).node("Relu", {"x"}).outputs({"y", "y", "y"}));
  all.add("graph_output_is_input", HostileModel().input("x", {4}).outputs({"x"}));
  all.add("graph_output_is_constant", HostileModel().integers("w", {1, 2}).outputs({"w"}));
  all.add("graph_no_output_known", HostileModel().input("x", {4}).node("Relu", {"x"}).outputs({"z"}));
  all.add("graph_redefines_input", HostileModel().input("x", {4}).node("Relu", {"x"}, "x").node("Relu", {"x"}));
  all.add("graph_redefines_constant",
          HostileModel().input("x", {1}).integers("w", {1}).node("Neg", {"w"}, "w").node("Relu", {"x"}));
  all.add("graph_no_inputs", HostileModel().input("x", {4}).node("Add", {}));
  all.add("graph_empty_name_everywhere", HostileModel().input("", {4}).node("Relu", {""}, ""));
  all.add("graph_no_op", HostileModel().input("x", {4}).node("", {"x"}));
  all.add("graph_long_op", HostileModel().input("x", {4}).node(std::string(4 << 20, 'A'), {"x"}));
  all.add("graph_long_name", HostileModel().input(std::string(4 << 20, 'x'), {4}).node("Relu", {std::string(4 << 20, 'x')}));
  all.add("graph_markup",
          HostileModel().input("<img src='/dev/zero'>\x1b[31m", {4}).node("Relu", {"<img src='/dev/zero'>\x1b[31m"}));
  for (const std::int64_t version : {std::int64_t(0), std::int64_t(-1), std::int64_t(9999), kHuge, kLeast}) {
    HostileModel m;
    m.proto().mutable_opset_import(0)->set_version(version);
    all.add("graph_opset_" + nameOf(version), m.input("x", {4}).node("Relu", {"x"}));
  }
  {
    HostileModel m;
    m.proto().clear_opset_import();
    all.add("graph_no_opset", m.input("x", {4}).node("Relu", {"x"}));
  }
  for (const int count : {1000, 20'000}) {
    const std::string n = std::to_string(count);
    const auto unary = [](const char* type) {
      return [type](HostileModel& m, const std::string& from, const std::string& to) { m.node(type, {from}, to); };
    };
    all.add("graph_chain_relu_" + n, chain(HostileModel().input("x", {4}), "x", count, unary("Relu")));
    all.add("graph_chain_constant_" + n, chain(HostileModel().floats("w", {1}), "w", count, unary("Neg")));
    HostileModel outputs, inputs, wide;
    outputs.input("x", {4});
    Names names;
    for (int i = 0; i < count; ++i) {
      names.push_back("v" + std::to_string(i));
      outputs.node("Relu", {"x"}, names.back());
      inputs.input(names.back(), {4});
      wide.input(names.back(), {1});
    }
    all.add("graph_outputs_" + n, outputs.outputs(names));
    all.add("graph_sum_" + n, inputs.node("Sum", names));
    all.add("graph_join_" + n, wide.node("Concat", names).number("axis", 0));
    HostileModel same;
    all.add("graph_join_same_" + n, same.input("x", {4}).node("Concat", Names(std::size_t(count), "x")).number("axis", 0));
    HostileModel parts;
    parts.input("x", {count});
    addNode(parts.graph(), "Split", {"x"}, names);
    all.add("graph_parts_" + n, parts.outputs(names));
  }
  // the last but one of a million, which nothing reads
  all.add("graph_nodes_200000",
          chain(HostileModel().input("x", {1}), "x", 200'000,
                [](HostileModel& m, const std::string& from, const std::string& to) { m.node("Identity", {from}, to); }));
  for (const int depth : {5, 20, 60, 400}) {
    const std::string n = std::to_string(depth);
    HostileModel known = condition(HostileModel().input("x", {4}));
    known.graph()->mutable_initializer(0)->set_name("c");
    *known.graph()->add_node() = nestedIf(depth).node(0);
    all.add("graph_if_known_" + n, known.node("Relu", {"v" + n}));
    HostileModel open;
    open.input("x", {4}).input("c", {}, onnx::TensorProto::BOOL);
    *open.graph()->add_node() = nestedIf(depth).node(0);
    all.add("graph_if_open_" + n, open.node("Relu", {"v" + n}));
    all.add("graph_functions_" + n, nestedFunctions(depth, 1, false));
    all.add("graph_functions_twice_" + n, nestedFunctions(depth, 2, false));
    all.add("graph_functions_circle_" + n, nestedFunctions(depth, 2, true));
    if (depth <= 20)
      for (const std::int64_t count : {std::int64_t(2), std::int64_t(1000), kHuge})
        all.add("graph_loops_" + n + "_" + nameOf(count), condition(HostileModel().input("x", {4}).integers("n", {count}, true))
                                                              .node("Loop", {"n", "t", "x"})
                                                              .subgraph("body", nestedLoop(depth)));
  }
}

// ---- work that does not end -------------------------------------------------------------------------------------------------

void addWork(Collection& all) {
  for (const std::int64_t count : {std::int64_t(3), std::int64_t(40), std::int64_t(10'000), std::int64_t(100'000'000), kHuge,
                                   kMost, std::int64_t(-1), kLeast})
    for (const char* type : {"Relu", "Concat", "Add"})
      for (const bool scans : {false, true}) {
        const std::string name = std::string("work_loop_") + type + (scans ? "_scan_" : "_") + nameOf(count);
        auto m = condition(HostileModel().input("x", {4}).integers("n", {count}, true))
                     .node("Loop", {"n", "t", "x"})
                     .subgraph("body", loopBody(type, scans));
        if (scans) m.graph()->mutable_node(0)->add_output("all");
        all.add(name, m);
        if (std::string(type) == "Relu" && !scans) {
          auto folded = condition(HostileModel().floats("x", {1, 2}).integers("n", {count}, true))
                            .node("Loop", {"n", "t", "x"})
                            .subgraph("body", loopBody(type, scans));
          all.add("work_loop_constant_" + nameOf(count), folded);
        }
      }
  all.add("work_loop_endless",
          condition(HostileModel().input("x", {4})).node("Loop", {"", "t", "x"}).subgraph("body", loopBody("Relu", false)));
  // constants: all of it would be done before the run
  const auto constants = [&](const std::string& name, const Integers& a, const Integers& b, const char* type, auto&& more) {
    HostileModel m;
    m.zeros("a", a);
    if (!b.empty()) m.zeros("b", b);
    m.node(type, b.empty() ? Names{"a"} : Names{"a", "b"});
    more(m);
    all.add("work_constant_" + name, m);
    HostileModel run;
    run.input("a", a);
    if (!b.empty()) run.input("b", b);
    run.node(type, b.empty() ? Names{"a"} : Names{"a", "b"});
    more(run);
    all.add("work_run_" + name, run);
  };
  const auto none = [](HostileModel&) {};
  constants("matmul_8k", {8192, 8192}, {8192, 8192}, "MatMul", none);
  constants("matmul_16k", {16384, 16384}, {16384, 1}, "MatMul", none);
  constants("matmul_thin", {1 << 14, 1}, {1, 1 << 14}, "MatMul", none);
  constants("matmul_batches", {1 << 18, 4, 4}, {1 << 18, 4, 4}, "MatMul", none);
  constants("matmul_inner", {1, 1 << 28}, {1 << 28, 1}, "MatMul", none);
  constants("conv_big", {1, 1, 8000, 8000}, {1, 1, 101, 101}, "Conv", none);
  constants("conv_batch", {1 << 20, 1, 4, 4}, {1, 1, 3, 3}, "Conv", none);
  constants("conv_whole", {1, 1, 3000, 3000}, {1, 1, 1500, 1500}, "Conv", none);
  constants("conv_padded", {1, 1, 8, 8}, {1, 1, 3, 3}, "Conv", [](HostileModel& m) {
    m.numbers("pads", {20000, 20000, 20000, 20000});
  });
  constants("conv_dilated", {1, 1, 60000, 1000}, {1, 1, 3, 3}, "Conv", [](HostileModel& m) {
    m.numbers("dilations", {20000, 400});
  });
  constants("conv_transposed", {1, 1, 200, 200}, {1, 1, 3, 3}, "ConvTranspose", [](HostileModel& m) {
    m.numbers("strides", {100, 100});
  });
  constants("conv_channels", {1, 1 << 14, 1, 1}, {1 << 14, 1 << 14, 1, 1}, "Conv", none);
  constants("pool_whole", {1, 1, 4000, 4000}, {}, "MaxPool", [](HostileModel& m) { m.numbers("kernel_shape", {1000, 1000}); });
  constants("pool_average", {1, 1, 4000, 4000}, {}, "AveragePool", [](HostileModel& m) {
    m.numbers("kernel_shape", {1000, 1000});
  });
  constants("pool_lp", {1, 1, 4000, 4000}, {}, "LpPool", [](HostileModel& m) { m.numbers("kernel_shape", {1000, 1000}); });
  constants("det", {6000, 6000}, {}, "Det", none);
  constants("einsum", {2000, 2000}, {2000, 2000}, "Einsum", [](HostileModel& m) { m.text("equation", "ij,kl->il"); });
  constants("einsum_outer", {1 << 14}, {1 << 14}, "Einsum", [](HostileModel& m) { m.text("equation", "i,j->"); });
  constants("einsum_many", {64, 64, 64}, {64, 64, 64}, "Einsum", [](HostileModel& m) { m.text("equation", "abc,def->af"); });
  constants("softmax", {1 << 27}, {}, "Softmax", none);
  constants("exp", {1 << 27}, {}, "Exp", none);
  constants("erf", {1 << 28}, {}, "Erf", none);
  constants("unique", {1 << 25}, {}, "Unique", none);
  constants("nonzero", {1 << 27}, {}, "NonZero", none);
  constants("transpose", {1 << 13, 1 << 13}, {}, "Transpose", none);
  constants("lrn", {1, 1 << 14, 16, 16}, {}, "LRN", [](HostileModel& m) { m.number("size", (1 << 14) - 1); });
  constants("dft", {1, 1 << 24, 1}, {}, "DFT", none);
  constants("broadcast", {1 << 14, 1}, {1, 1 << 14}, "Add", none);
  constants("pow", {1 << 14, 1}, {1, 1 << 13}, "Pow", none);
  constants("hardmax", {1 << 26, 1}, {}, "Hardmax", none);
  constants("normalise", {1, 1 << 26}, {}, "LpNormalization", none);
  constants("mean_variance", {1, 16, 1 << 12, 1 << 10}, {}, "MeanVarianceNormalization", none);
  constants("grid", {1, 1, 64, 64}, {1, 6000, 6000, 2}, "GridSample", none);
  constants("gather", {1 << 16, 16}, {}, "Shape", none);
  all.add("work_topk", HostileModel().input("x", {1 << 26}).integers("k", {1 << 26}).node("TopK", {"x", "k"}));
  all.add("work_cumsum", HostileModel().input("x", {1 << 26}).integers("k", {0}, true).node("CumSum", {"x", "k"}));
  all.add("work_nms", HostileModel()
                          .input("b", {1, 200'000, 4})
                          .input("s", {1, 8, 200'000})
                          .integers("n", {200'000})
                          .node("NonMaxSuppression", {"b", "s", "n"}));
  all.add("work_nms_constant", HostileModel()
                                   .zeros("b", {1, 100'000, 4})
                                   .zeros("s", {1, 8, 100'000})
                                   .integers("n", {100'000})
                                   .node("NonMaxSuppression", {"b", "s", "n"}));
  all.add("work_lstm", HostileModel()
                           .input("x", {100'000, 1, 4})
                           .zeros("w", {1, 16, 4})
                           .zeros("r", {1, 16, 4})
                           .node("LSTM", {"x", "w", "r"})
                           .number("hidden_size", 4));
  all.add("work_gru", HostileModel()
                          .input("x", {4'000'000, 1, 1})
                          .zeros("w", {1, 3, 1})
                          .zeros("r", {1, 3, 1})
                          .node("GRU", {"x", "w", "r"})
                          .number("hidden_size", 1));
  all.add("work_rnn_constant", HostileModel()
                                   .zeros("x", {4'000'000, 1, 1})
                                   .zeros("w", {1, 1, 1})
                                   .zeros("r", {1, 1, 1})
                                   .node("RNN", {"x", "w", "r"})
                                   .number("hidden_size", 1));
  all.add("work_rnn_wide", HostileModel()
                               .input("x", {1, 1, 4})
                               .zeros("w", {1, 20'000, 4})
                               .zeros("r", {1, 20'000, 20'000})
                               .node("RNN", {"x", "w", "r"})
                               .number("hidden_size", 20'000));
  all.add("work_roi", HostileModel()
                          .input("x", {1, 64, 64, 64})
                          .zeros("r", {10'000, 4})
                          .integers("s", {10'000})
                          .node("ConstantOfShape", {"s"}, "f")
                          .node("Cast", {"f"}, "i")
                          .number("to", onnx::TensorProto::INT64)
                          .node("RoiAlign", {"x", "r", "i"})
                          .number("output_height", 100)
                          .number("output_width", 100)
                          .number("sampling_ratio", 100));
  all.add("work_scatter", HostileModel()
                              .input("x", {1 << 24})
                              .zeros("f", {1 << 24})
                              .node("Cast", {"f"}, "i")
                              .number("to", onnx::TensorProto::INT64)
                              .node("ScatterElements", {"x", "i", "x"}));
  all.add(
      "work_onehot",
      HostileModel().zeros("f", {1 << 16}).integers("d", {1 << 16}, true).floats("v", {0, 1}).node("OneHot", {"f", "d", "v"}));
  all.add("work_col2im", HostileModel()
                             .input("x", {1, 10'000, 10'000})
                             .integers("s", {199, 199})
                             .integers("b", {100, 100})
                             .node("Col2Im", {"x", "s", "b"}));
  all.add("work_attention", HostileModel()
                                .input("x", {1, 1 << 18, 64})
                                .node("Transpose", {"x"}, "t")
                                .numbers("perm", {0, 2, 1})
                                .node("MatMul", {"x", "t"}, "s")
                                .node("Softmax", {"s"}, "p")
                                .node("MatMul", {"p", "x"}));
  all.add("work_layers", chain(HostileModel().input("x", {64, 64}), "x", 400,
                               [](HostileModel& m, const std::string& from, const std::string& to) {
                                 m.node("MatMul", {from, from}, to);
                               }));
  all.add("work_strings",
          chain(HostileModel().input("x", {4}), "x", 100, [](HostileModel& m, const std::string& from, const std::string& to) {
            m.node("Relu", {from}, to).text("note", std::string(100'000, 'n'));
          }));
}

// ---- bytes -----------------------------------------------------------------------------------------------------------------

void addBytes(Collection& all) {
  const std::string good = HostileModel()
                               .input("x", {4})
                               .integers("w", {1, 2, 3, 4})
                               .node("Cast", {"w"}, "f")
                               .number("to", 1)
                               .node("Add", {"x", "f"})
                               .bytes();
  for (std::size_t i = 0; i < 16; ++i) all.raw("bytes_cut_" + std::to_string(i), good.substr(0, good.size() * i / 16));
  for (std::size_t i = 0; i < 48; ++i) {
    std::string flipped = good;
    flipped[good.size() * i / 48] = char(i * 37 + 128);
    all.raw("bytes_flip_" + std::to_string(i), flipped);
  }
  all.raw("bytes_zeros", std::string(100'000, '\0'));
  all.raw("bytes_ones", std::string(100'000, '\xff'));
  all.raw("bytes_groups", std::string(100'000, '\x0b'));
  all.raw("bytes_text", "this is no model\n");
  std::string nested;
  for (int i = 0; i < 2000; ++i) { // a graph within a node's attribute within a graph …
    const auto wrap = [&](char tag) {
      std::string head(1, tag);
      for (std::size_t n = nested.size();; n >>= 7) {
        head += char((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
        if (n <= 0x7f) break;
      }
      nested.insert(0, head);
    };
    wrap(0x32), wrap(0x2a), wrap(0x0a);
  }
  all.raw("bytes_nested", "\x3a" + std::string("\xff\xff\x7f") + nested);
  all.raw("bytes_length", std::string("\x3a\xff\xff\xff\xff\x0f", 6) + good);
  all.raw("bytes_length_negative", std::string("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11) + good);
  all.raw("bytes_unknown_field", good + std::string("\xfa\x07\x04hell", 7));
  all.raw("bytes_twice", good + good);
  all.raw("bytes_gzip", std::string("\x1f\x8b\x08\0\0\0\0\0", 8) + good);
}

} // namespace

std::vector<HostileFile> hostileSample() {
  HostileModel loss;
  loss.input("x", {300, 5}).input("t", {1}, onnx::TensorProto::INT64).node("NegativeLogLikelihoodLoss", {"x", "t"});
  Collection all;
  all.add("eyelike_scalar", HostileModel().input("x", {}).node("EyeLike", {"x"}), "EyeLike makes matrices");
  all.add("eyelike_vector", HostileModel().input("x", {4}).node("EyeLike", {"x"}), "EyeLike makes matrices");
  all.add("loss_target", loss, "a target of the shape 1 does not fit logits of the shape 300x5");
  all.add("pad_wraps", HostileModel().input("x", {4}).integers("p", {kMost, kMost}).node("Pad", {"x", "p"}), "beyond 2^63");
  all.add("pad_negative", HostileModel().input("x", {4}).integers("p", {-9, 0}).node("Pad", {"x", "p"}), "negative dimension");
  all.add("doubled_constant", doubled("w", 31), "constant of");
  all.add("doubled_input", doubled("x", 28));
  all.add("doubled_input_often", doubled("x", 60), "too large");
  all.add("window", HostileModel().integers("n", {kHuge}, true).node("HammingWindow", {"n"}), "constant of");
  all.add("transform", HostileModel().input("x", {1, 8, 1}).integers("n", {kHuge}, true).node("DFT", {"x", "n"}), "points");
  all.add("prime", HostileModel().input("x", {1, 8, 1}).integers("n", {15'485'863}, true).node("DFT", {"x", "n"}), "points");
  all.add("top", HostileModel().input("x", {4}).integers("k", {kHuge}).node("TopK", {"x", "k"}), "among 4 elements");
  all.add("gather", HostileModel().input("x", {4}).integers("i", {99}).node("Gather", {"x", "i"}), "index 99 is outside");
  all.add("expand", HostileModel().input("x", {1}).integers("s", {kHuge}).node("Expand", {"x", "s"}));
  all.add("shape", HostileModel().integers("s", {kHuge, kHuge}).node("ConstantOfShape", {"s"}), "too large");
  all.add("cycle", HostileModel().input("x", {4}).node("Add", {"x", "y"}), "cycle");
  // Values of one node, all alive together.
  HostileModel wide;
  wide.input("x", {4});
  Names all30000;
  for (int i = 0; i < 30'000; ++i) {
    all30000.push_back("v" + std::to_string(i));
    wide.node("Neg", {"x"}, all30000.back());
  }
  all.add("wide_node", wide.node("Sum", all30000), "has 30000 inputs");
  return all.take();
}

std::vector<HostileFile> hostileModels() {
  Collection all;
  addGrowing(all);
  addAllSizes(all);
  addAttributes(all);
  addDeclarations(all);
  addGraphs(all);
  addWork(all);
  addBytes(all);
  return all.take();
}

} // namespace tests
