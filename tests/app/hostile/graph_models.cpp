// Cyclic graphs, duplicate names, and endless nesting.
#include "tests/app/hostile/hostile_model.h"

namespace tests::hostile {

namespace {

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

} // namespace

onnx::GraphProto branchOf(const std::string& type, const Names& inputs, const std::string& output) {
  onnx::GraphProto body;
  body.set_name("body");
  addNode(&body, type, inputs, {output});
  addValue(body.add_output(), output, {});
  return body;
}

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

HostileModel condition(HostileModel model) {
  auto* c = model.graph()->add_initializer();
  c->set_name("t");
  c->set_data_type(onnx::TensorProto::BOOL);
  c->add_int32_data(1);
  return model;
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

} // namespace tests::hostile
