// Models whose parts contradict one another: captured values, branches, carried values, scales, sequences, functions, names.
#include "tests/app/hostile/hostile_model.h"

#include <cmath>

namespace tests::hostile {

namespace {

constexpr int kFloat = onnx::TensorProto::FLOAT, kInt64 = onnx::TensorProto::INT64, kBool = onnx::TensorProto::BOOL,
              kInt8 = onnx::TensorProto::INT8, kUint8 = onnx::TensorProto::UINT8, kString = onnx::TensorProto::STRING;

struct Step {
  std::string type;
  Names inputs;
  std::string output;
};

onnx::GraphProto graphOf(const std::vector<std::pair<std::string, int>>& inputs, const std::vector<Step>& steps,
                         const Names& outputs) {
  onnx::GraphProto body;
  body.set_name("body");
  for (const auto& [name, type] : inputs) {
    auto* value = body.add_input();
    value->set_name(name);
    value->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  }
  for (const Step& step : steps) addNode(&body, step.type, step.inputs, {step.output});
  for (const auto& name : outputs) {
    auto* value = body.add_output();
    value->set_name(name);
    value->mutable_type()->mutable_tensor_type();
  }
  return body;
}

// A tensor with bytes of its own in the model.
HostileModel& raw(HostileModel& model, const std::string& name, int type, const Integers& dims, const std::string& bytes) {
  auto* tensor = model.graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  for (const auto dim : dims) tensor->add_dims(dim);
  tensor->set_raw_data(bytes);
  return model;
}

void addBranches(Collection& all) {
  const auto choose = [](const Step& then, const Step& otherwise, const Integers& condition = {}) {
    HostileModel m;
    m.input("x", {4}).input("c", condition, kBool).floats("w", {1, 2, 3}).integers("s", {2, 2});
    return m.node("If", {"c"})
        .subgraph("then_branch", graphOf({}, {then}, {then.output}))
        .subgraph("else_branch", graphOf({}, {otherwise}, {otherwise.output}));
  };
  const Step same{"Identity", {"x"}, "b"};
  all.add("if_capture_shape", choose({"Add", {"x", "w"}, "a"}, same));
  all.add("if_ranks", choose({"Reshape", {"x", "s"}, "a"}, same));
  all.add("if_sizes", choose({"Identity", {"w"}, "a"}, same));
  all.add("if_types", choose({"Shape", {"x"}, "a"}, same));
  all.add("if_condition_of_four", choose({"Relu", {"x"}, "a"}, same, {4}));
  all.add("if_capture_unknown", choose({"Add", {"x", "nothing"}, "a"}, same));
  all.add("if_capture_later", choose({"Add", {"x", "y"}, "a"}, same));
  all.add("if_shadows", choose({"Relu", {"x"}, "x"}, same));
  HostileModel counts, one, words;
  counts.input("x", {4}).input("c", {}, kBool);
  addNode(counts.graph(), "If", {"c"}, {"y", "z"});
  counts.subgraph("then_branch", graphOf({}, {{"Relu", {"x"}, "a"}}, {"a"}));
  counts.subgraph("else_branch", graphOf({}, {{"Relu", {"x"}, "a"}, {"Neg", {"x"}, "b"}}, {"a", "b"}));
  all.add("if_counts", counts.outputs({"y", "z"}), "gives 1 value, the node 2");
  all.add("if_one_branch", one.input("x", {4})
                               .input("c", {}, kBool)
                               .node("If", {"c"})
                               .subgraph("then_branch", graphOf({}, {{"Relu", {"x"}, "a"}}, {"a"})));
  all.add("if_no_graph", words.input("c", {}, kBool).node("If", {"c"}).text("then_branch", "a").number("else_branch", 1));
}

void addLoops(Collection& all) {
  const std::vector<std::pair<std::string, int>> inputs{{"i", kInt64}, {"c", kBool}, {"s", kFloat}};
  const auto loop = [&](const std::vector<Step>& steps, const Names& outputs, const Names& results, std::int64_t count = 8,
                        const Integers& shape = {4}) {
    HostileModel m = condition(HostileModel().input("x", shape).integers("n", {count}, true).floats("w", {1, 2, 3}));
    addNode(m.graph(), "Loop", {"n", "t", "x"}, results);
    m.subgraph("body", graphOf(inputs, steps, outputs));
    return m.outputs(results);
  };
  const Step keeps{"Identity", {"c"}, "c2"};
  all.add("loop_capture_shape", loop({keeps, {"Add", {"s", "w"}, "s2"}}, {"c2", "s2"}, {"y"}));
  all.add("loop_changes_type", loop({keeps, {"Shape", {"s"}, "s2"}}, {"c2", "s2"}, {"y"}));
  all.add("loop_changes_rank", loop({keeps, {"ReduceSum", {"s"}, "s2"}}, {"c2", "s2"}, {"y"}));
  all.add("loop_gives_too_few", loop({keeps}, {"c2"}, {"y"}));
  all.add("loop_gives_nothing", loop({keeps}, {}, {"y"}));
  all.add("loop_gives_too_many", loop({keeps, {"Relu", {"s"}, "s2"}}, {"c2", "s2", "s2", "s2"}, {"y"}));
  all.add("loop_condition_is_state", loop({{"Relu", {"s"}, "s2"}}, {"s2", "s2"}, {"y"}));
  all.add("loop_condition_is_count", loop({{"Relu", {"s"}, "s2"}}, {"i", "s2"}, {"y"}));
  // Terabytes of rows from a body that changes nothing.
  for (const std::int64_t count : {std::int64_t(3000), std::int64_t(100'000), kHuge})
    all.add("loop_rows_" + nameOf(count), loop({keeps, {"Relu", {"s"}, "s2"}, {"Identity", {"s2"}, "row"}}, {"c2", "s2", "row"},
                                               {"y", "rows"}, count, {1 << 20}));
  for (const std::int64_t count : {std::int64_t(40), std::int64_t(4000)})
    all.add("loop_products_" + nameOf(count),
            loop({keeps, {"MatMul", {"s", "s"}, "s2"}}, {"c2", "s2"}, {"y"}, count, {1024, 1024}));
  HostileModel counted;
  counted.input("x", {4}).input("n", {}, kInt64);
  all.add("loop_count_of_input", condition(std::move(counted))
                                     .node("Loop", {"n", "t", "x"})
                                     .subgraph("body", graphOf(inputs, {keeps, {"Relu", {"s"}, "s2"}}, {"c2", "s2"})));
  const auto scan = [&](const std::string& name, std::int64_t scanned, const Integers& axes, const Integers& directions,
                        const Integers& shape, const Names& outputs = {"o"}) {
    HostileModel m;
    m.input("h", {4}).input("x", shape).node("Scan", {"h", "x"}).number("num_scan_inputs", scanned);
    if (!axes.empty()) m.numbers("scan_input_axes", axes);
    if (!directions.empty()) m.numbers("scan_input_directions", directions);
    m.subgraph("body", graphOf({{"a", kFloat}, {"b", kFloat}}, {{"Add", {"a", "b"}, "o"}}, outputs));
    all.add("scan_" + name, m);
  };
  scan("of_none", 0, {}, {}, {3, 4});
  scan("of_many", 9, {}, {}, {3, 4});
  scan("of_fewer_than_none", -1, {}, {}, {3, 4});
  scan("axis", 1, {7}, {}, {3, 4});
  scan("axis_least", 1, {kLeast}, {}, {3, 4});
  scan("direction", 1, {}, {5}, {3, 4});
  scan("scalar", 1, {}, {}, {});
  scan("empty", 1, {}, {}, {0, 4});
  scan("long", 1, {}, {}, {1 << 20, 4});
  scan("gives_nothing", 1, {}, {}, {3, 4}, {});
  scan("shape", 1, {}, {}, {3, 5});
}

void addQuantised(Collection& all) {
  const auto zero = std::string(1, '\0');
  const auto quantise = [&](const std::string& name, const std::vector<float>& scales, int type, const Integers& dims,
                            const std::string& points, const std::string& words = {}) {
    HostileModel m;
    m.input("x", {2, 3}).floats("s", scales);
    raw(m, "z", type, dims, points);
    all.add("quantise_" + name, m.node("QuantizeLinear", {"x", "s", "z"}, "q").node("DequantizeLinear", {"q", "s", "z"}), words);
  };
  quantise("scale_zero", {0}, kInt8, {1}, zero);
  quantise("scale_nan", {std::nanf("")}, kUint8, {1}, zero);
  quantise("scale_least", {1e-45f}, kInt8, {1}, zero);
  quantise("scale_none", {}, kInt8, {0}, "", "input 1 of QuantizeLinear has the shape 0");
  quantise("points_of_two", {1, 1, 1}, kInt8, {2}, zero + zero);
  quantise("points_of_floats", {1}, kFloat, {1}, std::string(4, '\0'));
  quantise("points_of_words", {1}, kInt64, {1}, std::string(8, '\x7f'), "elements of type int64");
  const auto product = [&](const std::string& name, const Integers& weights, const std::string& type) {
    HostileModel m;
    m.input("x", type == "QLinearConv" ? Integers{1, 2, 4, 4} : Integers{4, 4}, kUint8).floats("none", {}).floats("one", {1});
    raw(m, "z", kUint8, {1}, zero), raw(m, "z0", kUint8, {0}, "");
    std::int64_t count = 1;
    for (const auto dim : weights) count *= dim;
    raw(m, "w", kUint8, weights, std::string(std::size_t(count), 'w'));
    all.add("quantised_" + name, m.node(type, {"x", "none", "z0", "w", "one", "z", "one", "z"}));
  };
  product("product", {4, 4}, "QLinearMatMul");
  product("product_shape", {3, 4}, "QLinearMatMul");
  product("convolution", {2, 2, 3, 3}, "QLinearConv");
  product("convolution_channels", {2, 9, 1, 1}, "QLinearConv");
  HostileModel integers, dynamic;
  integers.input("x", {4, 4}, kUint8).input("w", {4, 4}, kUint8);
  raw(integers, "z", kUint8, {7}, std::string(7, 'z'));
  all.add("quantised_integers_points", integers.node("MatMulInteger", {"x", "w", "z", "z"}));
  addNode(dynamic.input("x", {0}).graph(), "DynamicQuantizeLinear", {"x"}, {"y", "s", "z"});
  all.add("quantised_of_nothing", dynamic.outputs({"y", "s", "z"}));
}

void addSequences(Collection& all) {
  const auto sequence = [&](const std::string& name, const std::string& type, const Names& inputs, const std::string& more = {}) {
    HostileModel m;
    m.input("x", {4}).integers("far", {9}, true).integers("least", {kLeast}, true).input("i", {}, kInt64);
    m.node("SequenceEmpty", {}, "none").node("SequenceConstruct", {"x", "x"}, "two");
    m.node(type, inputs, more.empty() ? "y" : "s");
    if (!more.empty()) m.node(more, {"s"});
    if (type == "ConcatFromSequence") m.number("axis", 0);
    all.add("sequence_" + name, m);
  };
  sequence("at_of_none", "SequenceAt", {"none", "far"});
  sequence("at_of_input", "SequenceAt", {"two", "i"});
  sequence("erase_far", "SequenceErase", {"two", "far"}, "SequenceLength");
  sequence("erase_none", "SequenceErase", {"none"}, "SequenceLength");
  sequence("insert_least", "SequenceInsert", {"two", "x", "least"}, "SequenceLength");
  sequence("join_none", "ConcatFromSequence", {"none"});
  sequence("of_sequence", "SequenceConstruct", {"two", "x"}, "SequenceLength");
  sequence("as_tensor", "Relu", {"two"});
  sequence("as_result", "SequenceInsert", {"two", "x"});
  sequence("of_tensor", "SequenceAt", {"x", "far"});
}

void addTypes(Collection& all) {
  for (const char* type : {"Identity", "Relu", "Concat", "Equal", "Gather", "Reshape", "Cast"}) {
    HostileModel m, given;
    auto* words = m.graph()->add_initializer();
    words->set_name("w"), words->set_data_type(kString), words->add_dims(2);
    words->add_string_data("one"), words->add_string_data(std::string(1 << 20, 'x'));
    m.integers("i", {0}).node(type, {"w", *type == 'G' ? "i" : "w"});
    all.add(std::string("strings_constant_") + type, m);
    given.input("w", {2}, kString).node(type, {"w", "w"});
    all.add(std::string("strings_input_") + type, given);
  }
  const auto typed = [&](const std::string& name, auto&& set) {
    HostileModel m;
    auto* value = m.graph()->add_input();
    value->set_name("x");
    set(*value->mutable_type());
    all.add("input_type_" + name, m.node("Relu", {"x"}));
  };
  typed("sequence",
        [](auto& t) { t.mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(kFloat); });
  typed("map", [](auto& t) { t.mutable_map_type()->set_key_type(kString); });
  typed("optional",
        [](auto& t) { t.mutable_optional_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(kFloat); });
  typed("sparse", [](auto& t) { t.mutable_sparse_tensor_type()->set_elem_type(kFloat); });
  typed("none", [](auto&) {});
  const auto sparse = [&](const std::string& name, const Integers& dims, const Integers& places, std::int64_t values) {
    HostileModel m;
    m.input("x", {4});
    auto* tensor = m.graph()->add_sparse_initializer();
    for (const auto dim : dims) tensor->add_dims(dim);
    tensor->mutable_values()->set_name("w"), tensor->mutable_values()->set_data_type(kFloat);
    tensor->mutable_values()->add_dims(values);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(values, 8); ++i) tensor->mutable_values()->add_float_data(1);
    tensor->mutable_indices()->set_data_type(kInt64), tensor->mutable_indices()->add_dims(std::int64_t(places.size()));
    for (const auto place : places) tensor->mutable_indices()->add_int64_data(place);
    all.add("sparse_" + name, m.node("Add", {"x", "w"}));
  };
  sparse("far", {4}, {99}, 1);
  sparse("negative", {4}, {-1}, 1);
  sparse("huge", {kHuge, kHuge}, {0}, 1);
  sparse("counts", {4}, {0, 1, 2}, 1);
  sparse("long", {4}, {0}, kHuge);
}

void addNames(Collection& all) {
  all.add("names_constant_twice", HostileModel().input("x", {3}).floats("w", {1, 2, 3}).floats("w", {1}).node("Add", {"x", "w"}));
  all.add("names_constant_and_node",
          HostileModel().input("x", {1}).floats("w", {1}).node("Relu", {"x"}, "w").node("Add", {"x", "w"}));
  all.add("names_input_and_constant", HostileModel().input("w", {4}).floats("w", {1}).node("Relu", {"w"}));
  HostileModel nodes, split, declared;
  nodes.input("x", {4}).node("Relu", {"x"}, "a").node("Neg", {"a"});
  for (auto& node : *nodes.graph()->mutable_node()) node.set_name("same");
  all.add("names_nodes_twice", nodes);
  addNode(split.input("x", {4}).graph(), "Split", {"x"}, {"y", "y"});
  all.add("names_outputs_of_node_twice", split);
  addValue(declared.input("x", {4}).node("Relu", {"x"}).graph()->add_value_info(), "y", {7, 7});
  addValue(declared.graph()->add_output(), "y", {9});
  all.add("names_declared_otherwise", declared);
  HostileModel attributes;
  all.add("names_attribute_twice",
          attributes.input("x", {4, 4}).node("Softmax", {"x"}).number("axis", 0).number("axis", 9).real("axis", 1));
  HostileModel constants;
  constants.input("x", {4}).node("Constant", {}, "k").number("value_int", 1).real("value_float", 2);
  all.add("names_constant_of_two_values", constants.node("Add", {"x", "k"}));
  all.add("names_constant_of_none", HostileModel().node("Constant", {}));
  // Functions that have the name of an operator, refer to attributes that no node sets, or output one value twice.
  const auto function = [&](const std::string& name, const std::string& domain, auto&& set) {
    HostileModel m;
    auto* f = m.proto().add_functions();
    f->set_name("Relu"), f->set_domain(domain), f->add_input("a"), f->add_output("b");
    f->add_opset_import()->set_version(17);
    auto* node = f->add_node();
    node->set_op_type("Softmax"), node->add_input("a"), node->add_output("b");
    set(*f, *node);
    m.input("x", {4}).node("Relu", {"x"});
    if (!domain.empty()) m.domain(domain.c_str());
    all.add("function_" + name, m);
  };
  const auto nothing = [](auto&, auto&) {};
  function("of_an_operator", "", nothing);
  function("of_itself", "own", [](auto& f, auto& node) {
    node.set_op_type("Relu"), node.set_domain("own");
    f.add_opset_import()->set_domain("own");
  });
  function("attribute_unknown", "own", [](auto&, auto& node) {
    auto* a = node.add_attribute();
    a->set_name("axis"), a->set_type(onnx::AttributeProto::INT), a->set_ref_attr_name("nobody");
  });
  function("result_twice", "own", [](auto& f, auto&) { f.add_output("b"), f.add_output("b"); });
  function("result_unknown", "own", [](auto& f, auto&) { f.set_output(0, "z"); });
  function("without_operators", "own", [](auto& f, auto&) { f.clear_opset_import(); });
  function("captures", "own", [](auto&, auto& node) { node.set_input(0, "x"); });
  function("opset_huge", "own", [](auto& f, auto&) { f.mutable_opset_import(0)->set_version(kMost); });
}

void addOperands(Collection& all) {
  const auto shapes = [&](const std::string& name, const std::string& type, const std::vector<Integers>& inputs,
                          auto&& attributes, const std::string& words = {}) {
    HostileModel m;
    Names names;
    for (const Integers& shape : inputs) {
      names.push_back("i" + nameOf(std::int64_t(names.size())));
      m.input(names.back(), shape);
    }
    m.node(type, names);
    attributes(m);
    all.add("operands_" + name, m, words);
  };
  const auto none = [](HostileModel&) {};
  const auto hidden = [](HostileModel& m) { m.number("hidden_size", 4); };
  shapes("batch_norm", "BatchNormalization", {{2, 3, 4}, {3}, {4}, {3}, {1}}, none);
  shapes("batch_norm_training", "BatchNormalization", {{0, 3, 4}, {3}, {3}, {3}, {3}},
         [](HostileModel& m) { m.number("training_mode", 1); });
  shapes("layer_norm", "LayerNormalization", {{2, 3, 4}, {3}, {9}}, none, "do not broadcast");
  shapes("instance_norm", "InstanceNormalization", {{2, 3, 0}, {3}, {3}}, none);
  shapes("lstm_weights", "LSTM", {{5, 2, 3}, {1, 16, 9}, {1, 16, 4}}, hidden);
  shapes("lstm_recurrence", "LSTM", {{5, 2, 3}, {1, 16, 3}, {1, 12, 4}}, hidden);
  shapes("lstm_bias", "LSTM", {{5, 2, 3}, {1, 16, 3}, {1, 16, 4}, {1, 31}}, hidden);
  shapes("gru_directions", "GRU", {{5, 2, 3}, {1, 12, 3}, {1, 12, 4}},
         [](HostileModel& m) { m.number("hidden_size", 4).text("direction", "bidirectional"); });
  shapes("gemm", "Gemm", {{2, 3}, {3, 4}, {5}}, none, "do not broadcast");
  shapes("where", "Where", {{2, 3}, {3}, {4}}, none);
  shapes("unfold", "ConvTranspose", {{1, 2, 4, 4}, {2, 3, 3, 3}, {7}}, none, "should have 3 elements");
  shapes("einsum_letters", "Einsum", {{2, 2}, {2, 2}}, [](HostileModel& m) { m.text("equation", std::string(1 << 16, 'a')); });
  shapes("einsum_dots", "Einsum", {{2, 2}, {2, 2}}, [](HostileModel& m) { m.text("equation", "...i...,ij->->j"); });
  shapes("einsum_repeats", "Einsum", {{2, 3}}, [](HostileModel& m) { m.text("equation", "ii->iii"); });
  shapes("grid", "GridSample", {{1, 1, 4, 4}, {2, 4, 4, 3}}, none, "of GridSample does not fit");
  for (const char* mode : {"linear", "cubic"}) {
    HostileModel shrink(18), crop;
    shrink.input("x", {1, 1, 4000, 4000}).floats("s", {1, 1, 3e-4f, 3e-4f}).node("Resize", {"x", "", "s"});
    all.add(std::string("resize_antialias_") + mode, shrink.text("mode", mode).number("antialias", 1));
    crop.input("x", {1, 1, 4, 4}).floats("r", {0, 0, std::nanf(""), -1e30f, 1, 1, 1e30f, 1e38f}).integers("n", {1, 1, 9, 9});
    all.add(
        std::string("resize_crop_") + mode,
        crop.node("Resize", {"x", "r", "", "n"}).text("mode", mode).text("coordinate_transformation_mode", "tf_crop_and_resize"));
  }
  // Data in the model's own file, at offsets between elements.
  for (const auto& [offset, length] : {std::pair("1", "16"), {"3", "15"}, {"0", "17"}, {"100000", "16"}, {"4", "0"}}) {
    HostileModel m;
    const std::string name = std::string("external_odd_") + offset + "_" + length;
    auto* tensor = m.input("x", {4}).graph()->add_initializer();
    tensor->set_name("w"), tensor->set_data_type(kFloat), tensor->add_dims(4);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] :
         {std::pair<std::string, std::string>("location", name + ".onnx"), {"offset", offset}, {"length", length}}) {
      auto* entry = tensor->add_external_data();
      entry->set_key(key), entry->set_value(value);
    }
    all.add(name, m.node("Add", {"x", "w"}));
  }
}

} // namespace

void addContradictions(Collection& all) {
  addBranches(all);
  addLoops(all);
  addQuantised(all);
  addSequences(all);
  addTypes(all);
  addNames(all);
  addOperands(all);
}

} // namespace tests::hostile
