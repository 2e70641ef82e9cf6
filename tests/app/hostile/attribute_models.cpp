// Attributes out of range, and impossible inputs, types and tensors.
#include "tests/app/hostile/hostile_model.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tests::hostile {

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

} // namespace tests::hostile
