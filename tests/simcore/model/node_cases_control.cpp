#include "tests/simcore/model/node_cases.h"

namespace tests {

namespace {

using model::GraphBuilder;
using Types = std::vector<model::TensorType>;
using SubgraphFill = std::function<void(GraphBuilder&)>;

std::shared_ptr<const model::Graph> bodyFrom(const SubgraphFill& fill) {
  auto graph = std::make_shared<model::Graph>();
  GraphBuilder builder(*graph);
  fill(builder);
  return graph;
}

void steer(Net& n, const char* type, const std::vector<std::string>& inputs, const model::Attributes& a, const Types& types) {
  model::Node node;
  node.opType = type;
  node.opset = 17;
  node.inputs = inputs;
  for (std::size_t i = 0; i < types.size(); ++i) node.outputs.push_back(std::string(type) + std::to_string(i));
  node.attributes = a;
  for (const std::string& name : n.builder.append(node, types)) n.out(name);
}

void loop(Net& n, const std::vector<std::string>& inputs, const Types& types, const SubgraphFill& rest) {
  steer(n, "Loop", inputs, attributes({{"body", bodyFrom([&](GraphBuilder& b) {
                                          b.input("round", ElementType::Int64, {});
                                          b.input("goOn", ElementType::Bool, {});
                                          rest(b);
                                        })}}),
        types);
}

std::string whole(GraphBuilder& b, std::int64_t value) { return b.constant("whole", HostTensor::scalar(value)); }

void addLoops(std::vector<NodeCase>& cases) {
  for (const Shape& shape : {Shape{1, 1}, Shape{2, 3}, Shape{13, 7}}) {
    const model::TensorType type{ElementType::Float, shape};
    // A counted loop with an output per iteration: h = tanh(h w).
    cases.push_back({label("Loop counted", shape), [=](Net& n) {
                       const Shape square{shape[1], shape[1]};
                       const std::string h = n.real("h", shape), w = n.real("w", square);
                       loop(n, {n.builder.constant("trips", HostTensor::scalar(std::int64_t(4))), "", h},
                            {type, {ElementType::Float, {4, shape[0], shape[1]}}}, [&](GraphBuilder& b) {
                              b.input("state", type.type, shape);
                              b.declare(w, {ElementType::Float, square});
                              b.output(b.add("Identity", {"goOn"}));
                              const std::string next = b.add("Tanh", {b.add("MatMul", {"state", w})});
                              b.output(next);
                              b.output(b.add("Identity", {next}));
                            });
                     }});
    // The number of iterations is data; the two states are swapped, so they must be passed on simultaneously.
    for (const std::int64_t trips : {0, 1, 5})
      cases.push_back({label("Loop swaps " + std::to_string(trips), shape), [=](Net& n) {
                         const std::string a = n.real("a", shape), b = n.real("b", shape),
                                           t = n.value("trips", HostTensor::scalar(trips));
                         loop(n, {t, "", a, b}, {type, type}, [&](GraphBuilder& g) {
                           g.input("first", type.type, shape);
                           g.input("second", type.type, shape);
                           g.output("goOn");
                           g.output("second");
                           g.output(g.add("Sub", {"first", g.add("Mul", {"second", g.number(0.5, ElementType::Float)})}));
                         });
                       }});
  }
  // The end depends on the data, with and without a limit; the iteration number is an operand.
  for (const std::int64_t most : {0, 3, 50})
    cases.push_back({"Loop until " + std::to_string(most), [=](Net& n) {
                       const model::TensorType type{ElementType::Float, {5}};
                       const std::string x = n.real("x", {5}, 0.5, 1);
                       const std::string trips = most ? n.builder.constant("most", HostTensor::scalar(most)) : "";
                       loop(n, {trips, n.value("go", HostTensor::scalar(true)), x}, {type}, [&](GraphBuilder& b) {
                         b.input("x_in", type.type, {5});
                         const std::string round = b.add("Cast", {"round"}, attributes({{"to", std::int64_t(1)}}));
                         const std::string more = b.add("Add", {"x_in", b.add("Add", {"x_in", round})});
                         const std::string top = b.reduce("ReduceMax", more, {0}, false);
                         b.output(b.add("Less", {top, b.number(100, ElementType::Float)}));
                         b.output(more);
                       });
                     }});
  // A branch in a loop, taken in every other iteration.
  cases.push_back({"If in Loop", [](Net& n) {
                     const model::TensorType type{ElementType::Float, {7}};
                     loop(n, {n.value("trips", HostTensor::scalar(std::int64_t(4))), "", n.real("x", {7})}, {type},
                          [&](GraphBuilder& b) {
                            b.input("x_in", type.type, {7});
                            const auto branch = [&](const char* op) {
                              return bodyFrom([&](GraphBuilder& inner) {
                                inner.declare("x_in", type);
                                inner.output(inner.add(op, {"x_in"}));
                              });
                            };
                            model::Node node;
                            node.opType = "If";
                            node.opset = 17;
                            node.inputs = {b.add("Equal", {b.add("Mod", {"round", whole(b, 2)}), whole(b, 0)})};
                            node.outputs = {"chosen"};
                            node.attributes = attributes({{"then_branch", branch("Exp")}, {"else_branch", branch("Neg")}});
                            const std::string chosen = b.append(node, {type})[0];
                            b.output("goOn");
                            b.output(chosen);
                          });
                   }});
}

void addBranches(std::vector<NodeCase>& cases) {
  for (const bool taken : {true, false})
    for (const Shape& shape : {Shape{1}, Shape{13, 3}})
      cases.push_back({label(taken ? "If" : "If not", shape), [=](Net& n) {
                         const model::TensorType type{ElementType::Float, shape};
                         const std::string c = n.value("c", HostTensor::scalar(taken)), x = n.real("x", shape);
                         const auto computed = bodyFrom([&](GraphBuilder& b) {
                           b.declare(x, type);
                           b.output(b.add("Mul", {x, b.add("Sigmoid", {x})}));
                         });
                         const auto asItIs = bodyFrom([&](GraphBuilder& b) { // what is around, without a node
                           b.declare(x, type);
                           b.output(x);
                         });
                         steer(n, "If", {c}, attributes({{"then_branch", computed}, {"else_branch", asItIs}}), {type});
                       }});
}

// Branches and loop bodies that give constants, which no node reads.
void addConstantResults(std::vector<NodeCase>& cases) {
  const model::TensorType type{ElementType::Float, {5}};
  const auto constant = [type](GraphBuilder& b, double value) {
    return b.constant("constant", HostTensor::full(type.type, type.shape, value));
  };
  for (const bool taken : {true, false})
    cases.push_back({"If of constants", [=](Net& n) {
                       const auto branch = [&](double value) {
                         return bodyFrom([&](GraphBuilder& b) { b.output(constant(b, value)); });
                       };
                       steer(n, "If", {n.value("c", HostTensor::scalar(taken))},
                             attributes({{"then_branch", branch(2)}, {"else_branch", branch(-3)}}), {type});
                     }});
  cases.push_back({"Loop to a constant", [=](Net& n) {
                     loop(n, {n.value("trips", HostTensor::scalar(std::int64_t(3))), "", n.real("x", {5})}, {type},
                          [&](GraphBuilder& b) {
                            b.input("x_in", type.type, type.shape);
                            b.output("goOn");
                            b.output(constant(b, 4));
                          });
                   }});
}

void addScans(std::vector<NodeCase>& cases) {
  for (const auto& [rounds, width] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 3}, {13, 61}})
    cases.push_back(
        {label("Scan", {rounds, width}), [rounds = rounds, width = width](Net& n) {
           const model::TensorType row{ElementType::Float, {width}}, all{ElementType::Float, {rounds, width}};
           const std::string s = n.real("s", row.shape), t = n.real("t", row.shape), x = n.real("x", all.shape),
                             y = n.real("y", all.shape);
           const auto body = bodyFrom([&](GraphBuilder& b) {
             for (const char* name : {"s_in", "t_in", "x_in", "y_in"}) b.input(name, row.type, row.shape);
             const std::string mean = b.add("Mul", {b.add("Add", {"s_in", "x_in"}), b.number(0.5, ElementType::Float)});
             b.output("t_in");
             b.output(mean);
             b.output(b.add("Mul", {"t_in", "y_in"}));
           });
           steer(n, "Scan", {s, t, x, y}, attributes({{"num_scan_inputs", std::int64_t(2)}, {"body", body}}), {row, row, all});
         }});
}

} // namespace

std::vector<NodeCase> controlNodes() {
  std::vector<NodeCase> cases;
  addLoops(cases);
  addBranches(cases);
  addConstantResults(cases);
  addScans(cases);
  return cases;
}

} // namespace tests
