// Loops, branches and scans of a model take the time that their data asks for.
#include "simcore/model/graph/resolve_types.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/run/engine.h"
#include "tests/simcore/model/node_cases.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace tests;
using model::GraphBuilder;

namespace {

const model::TensorType kRow{ElementType::Float, {5}};

std::shared_ptr<const model::Graph> graphOf(const std::function<void(GraphBuilder&)>& fill) {
  auto graph = std::make_shared<model::Graph>();
  GraphBuilder builder(*graph);
  fill(builder);
  return graph;
}

void append(Net& n, const char* type, const std::vector<std::string>& inputs, const model::Attributes& a,
            const std::vector<model::TensorType>& types) {
  model::Node node;
  node.opType = type;
  node.name = std::string("the ") + type;
  node.opset = 17;
  node.inputs = inputs;
  for (std::size_t i = 0; i < types.size(); ++i) node.outputs.push_back("out" + std::to_string(i));
  node.attributes = a;
  for (const std::string& name : n.builder.append(node, types)) n.out(name);
}

int64_t cyclesOf(Net& n) {
  for (const auto& [name, value] : n.values) n.model.inputTypes[name] = {value.type(), value.shape()};
  const auto load = model::lower(n.model, arch::tinyMachine(4), {});
  reports::NoProgress none;
  run::Engine engine(compile::compile(load.graph, load.programs, {}, none), {}, nullptr);
  for (const auto& [name, value] : n.values) engine.connectInput(name, {value});
  engine.run(0, "inference", {}, none);
  return engine.cycle();
}

// x doubles `trips` times, or until it exceeds `top`; `keeps`: the values of all iterations are kept.
int64_t doubling(std::int64_t trips, bool isKnown, double top = 1e30, bool keeps = false) {
  Net n;
  const std::string t =
      isKnown ? n.builder.constant("trips", HostTensor::scalar(trips)) : n.value("trips", HostTensor::scalar(trips));
  const auto body = graphOf([&](GraphBuilder& b) {
    b.input("round", ElementType::Int64, {});
    b.input("goOn", ElementType::Bool, {});
    b.input("x_in", kRow.type, kRow.shape);
    const std::string twice = b.add("Add", {"x_in", "x_in"});
    b.output(top < 1e30 ? b.add("Less", {b.reduce("ReduceMax", twice, {0}, false), b.number(top, ElementType::Float)}) : "goOn");
    b.output(twice);
    if (keeps) b.output(b.add("Identity", {twice}));
  });
  std::vector<model::TensorType> types{kRow};
  if (keeps) types.push_back({ElementType::Float, {trips, 5}});
  append(n, "Loop", {t, "", n.value("x", HostTensor::full(ElementType::Float, {5}, 1))}, attributes({{"body", body}}), types);
  return cyclesOf(n);
}

int64_t branching(bool taken) {
  Net n;
  const std::string x = n.real("x", kRow.shape);
  const auto branch = [&](int depth) {
    return graphOf([&](GraphBuilder& b) {
      b.declare(x, kRow);
      std::string y = x;
      for (int i = 0; i < depth; ++i) y = b.add("Tanh", {y});
      b.output(y);
    });
  };
  append(n, "If", {n.value("c", HostTensor::scalar(taken))}, attributes({{"then_branch", branch(9)}, {"else_branch", branch(1)}}),
         {kRow});
  return cyclesOf(n);
}

int64_t scanning(std::int64_t rounds) {
  Net n;
  const auto body = graphOf([&](GraphBuilder& b) {
    b.input("s_in", kRow.type, kRow.shape);
    b.input("x_in", kRow.type, kRow.shape);
    const std::string sum = b.add("Add", {"s_in", "x_in"});
    b.output(sum);
    b.output(b.add("Tanh", {sum}));
  });
  append(n, "Scan", {n.real("s", kRow.shape), n.real("x", {rounds, 5})},
         attributes({{"num_scan_inputs", std::int64_t(1)}, {"body", body}}), {kRow, {ElementType::Float, {rounds, 5}}});
  return cyclesOf(n);
}

} // namespace

class ControlLoweringTest : public QObject {
  Q_OBJECT
private slots:
  void aLoopTakesTheTimeOfItsRounds() {
    for (const bool isKnown : {true, false}) {
      const int64_t two = doubling(2, isKnown), four = doubling(4, isKnown), ten = doubling(10, isKnown);
      QVERIFY(four > two);
      QCOMPARE(ten - four, 3 * (four - two));
    }
    QVERIFY(doubling(10, true) < doubling(10, false)); // no condition to test and send to the tiles
  }
  void aLoopEndsWhenItsDataSays() {
    const int64_t three = doubling(100, true, 7), six = doubling(100, true, 63);
    QVERIFY(six > three);
    QCOMPARE(doubling(100, true, 511) - six, six - three);
  }
  void whatIsCollectedMustBeWhole() {
    doubling(6, true, 60, true); // ends with its last round
    const std::string error = errorOf([] { doubling(7, true, 60, true); });
    QVERIFY2(has(error, "the Loop") && has(error, "fewer rows"), error.c_str());
  }
  void aBranchNotTakenTakesNoTime() { QVERIFY(branching(true) > branching(false) + 8 * 50); } // of eight steps more
  // A scan of the columns from last to first: the running sums, and the added columns, stored in reverse order.
  void aScanGoesAlongAnyAxisAndBackwards() {
    Net n(17);
    const auto body = graphOf([&](GraphBuilder& b) {
      b.input("s_in", ElementType::Float, {2});
      b.input("x_in", ElementType::Float, {2});
      const std::string sum = b.add("Add", {"s_in", "x_in"});
      b.output(sum);
      b.output(b.add("Identity", {sum}));
      b.output(b.add("Identity", {"x_in"}));
    });
    const std::string s = n.value("s", HostTensor::of<float>({2}, {10, 20}));
    const std::string x = n.value("x", HostTensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
    using Integers = std::vector<std::int64_t>;
    append(n, "Scan", {s, x},
           attributes({{"num_scan_inputs", std::int64_t(1)},
                       {"body", body},
                       {"scan_input_axes", Integers{-1}},
                       {"scan_input_directions", Integers{1}},
                       {"scan_output_axes", Integers{0, 1}},
                       {"scan_output_directions", Integers{0, 1}}}),
           {{ElementType::Float, {2}}, {ElementType::Float, {3, 2}}, {ElementType::Float, {2, 3}}});
    for (const auto& [name, value] : n.values) n.model.inputTypes[name] = {value.type(), value.shape()};
    model::resolveTypes(n.model);
    const auto load = model::lower(n.model, arch::tinyMachine(4), {});
    reports::NoProgress none;
    run::Engine engine(compile::compile(load.graph, load.programs, {}, none), {}, nullptr);
    for (const auto& [name, value] : n.values) engine.connectInput(name, {value});
    engine.run(0, "inference", {}, none);
    const std::vector<std::vector<double>> wanted{{16, 35}, {13, 26, 15, 31, 16, 35}, {1, 2, 3, 4, 5, 6}};
    for (std::size_t i = 0; i < wanted.size(); ++i)
      QCOMPARE(engine.received(n.model.graph.outputs[i].name).at(0).toDoubles(), wanted[i]);
  }
  void aScanTakesTheTimeOfItsRounds() {
    // More data also takes longer to and from the host.
    const int64_t one = scanning(40) - scanning(39);
    QVERIFY(one > 200);
    QVERIFY(std::abs(scanning(80) - scanning(40) - 40 * one) < 2 * one);
  }
};

TILESCOPE_TEST(ControlLoweringTest)
#include "control_lowering_test.moc"
