// Every mistake is one error that names the object concerned.
#include "reports/core/error.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>
#include <sstream>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;
using tests::errorOf;
using tests::HostWorld;
using tests::runOnce;

namespace {
void compare(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    QVERIFY2(text.find(part) != std::string::npos, ("'" + part + "' is not in: " + text).c_str());
}

std::string readErrors(HostWorld& w, const std::function<void(run::Engine&)>& prepare = {}) {
  run::EngineOptions options;
  options.checkReads = true;
  run::Engine e(w.compile(), options, nullptr);
  if (prepare) prepare(e);
  return errorOf([&] { runOnce(e); });
}
} // namespace

class WrongProgramsTest : public QObject {
  Q_OBJECT
private slots:
  void overlappingWritesInAComputeSet() {
    HostWorld w;
    const Tensor shared = w.variable(ElementType::Float, {8}, "shared");
    const auto set = w.graph->addComputeSet("both");
    for (int64_t begin : {0, 3})
      w.graph->setTileMapping(w.graph->addVertex(set, "AddOne", {{"x", shared.slice(begin, begin + 4)}}), TileId(0));
    w.main.add(program::execute(set));
    compare(errorOf([&] { w.compile(); }), {"[3, 4)", "shared", "both", "vertex 0", "vertex 1"});
  }

  void anUnmappedVariableAVertexWithoutTileAndAnOpenField() {
    HostWorld w;
    const Tensor lost = w.graph->addVariable(ElementType::Float, {4}, "lost");
    w.main.add(w.addOne(lost));
    compare(errorOf([&] { w.compile(); }), {"lost", "not mapped"});

    HostWorld forgotten; // a constant of the user's own does not go where a vertex goes, however small
    const Tensor one = forgotten.graph->addConstant(numerics::HostTensor::scalar(1.0f), "one");
    Codelet read;
    read.name = "Read";
    read.fields = {{"x", FieldDirection::Input}};
    read.cycles = [](const auto&) { return int64_t(5); };
    forgotten.graph->addCodelet(read);
    const auto reads = forgotten.graph->addComputeSet("reads");
    forgotten.graph->setTileMapping(forgotten.graph->addVertex(reads, "Read", {{"x", one.reshape({1})}}), TileId(0));
    forgotten.main.add(program::execute(reads));
    compare(errorOf([&] { forgotten.compile(); }), {"one", "not mapped"});

    HostWorld v;
    const auto set = v.graph->addComputeSet("cs");
    const auto vertex = v.graph->addVertex(set, "AddOne", {{"x", v.variable(ElementType::Float, {1}, "x")}});
    v.main.add(program::execute(set));
    compare(errorOf([&] { v.compile(); }), {"AddOne", "cs", "no tile"});
    v.graph->setTileMapping(vertex, TileId(0));
    QCOMPARE(errorOf([&] { v.compile(); }), std::string());
    HostWorld u;
    const auto open = u.graph->addComputeSet("cs");
    u.graph->setTileMapping(u.graph->addVertex(open, "AddOne"), TileId(0));
    u.main.add(program::execute(open));
    compare(errorOf([&] { u.compile(); }), {"'x'", "AddOne", "cs", "not connected"});
  }

  void typesThatDoNotMatch() {
    HostWorld w;
    const Tensor f = w.variable(ElementType::Float, {2}, "f"), i = w.variable(ElementType::Int32, {2}, "i");
    compare(errorOf([&] { program::copy(f, i, "move"); }), {"move", "float", "int32"});
    compare(errorOf([&] { program::copy(f, f.slice(0, 1), "move"); }),
            {"move", "same type and number of elements", "f [2]", "f [1]"});
    compare(errorOf([&] { program::ifElse(f, Sequence(), Sequence(), "choose"); }), {"choose", "one element"});
    compare(errorOf([&] { concat(f, i); }), {"element type"});
    const auto in = w.graph->addHostToDeviceFifo("data", ElementType::Half, 2);
    w.main.add(program::copy(in, f));
    compare(errorOf([&] { w.compile(); }), {"data", "half", "float"});
  }

  void aReadOfWhatNothingWrote() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {4}, "x"), y = w.variable(ElementType::Float, {4}, "y");
    w.main.add(program::copy(x.slice(0, 2), y.slice(0, 2), "first"));
    w.main.add(w.addOne(y));
    compare(readErrors(w), {"element 0", "'x'", "first"});
    compare(readErrors(w,
                       [&](run::Engine& e) {
                         e.writeTensor(x, HostTensor::vector<float>({1, 2, 3, 4}));
                       }),
            {"element 2", "'y'", "addOne"});
    QCOMPARE(readErrors(w,
                        [&](run::Engine& e) {
                          e.writeTensor(x, HostTensor::vector<float>({1, 2, 3, 4}));
                          e.writeTensor(y, HostTensor::vector<float>({1, 2, 3, 4}));
                        }),
             std::string());
    HostWorld v; // undefined again
    const Tensor z = v.variable(ElementType::Float, {2}, "z");
    v.graph->setInitialValue(z, HostTensor::vector<float>({1, 2}));
    v.main.add(v.addOne(z));
    v.main.add(program::writeUndef(z.slice(1, 2)));
    v.main.add(v.addOne(z.slice(0, 1)));
    QCOMPARE(readErrors(v), std::string());
    v.main.add(v.addOne(z));
    compare(readErrors(v), {"element 1", "'z'"});
  }

  void tilesAndProgramsThatAreNotThere() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {1}, "weights");
    compare(errorOf([&] { w.graph->setTileMapping(x, TileId(4)); }), {"tile 4", "weights", "0 to 3"});
    const auto set = w.graph->addComputeSet("cs");
    const auto vertex = w.graph->addVertex(set, "AddOne", {{"x", x}});
    compare(errorOf([&] { w.graph->setTileMapping(vertex, TileId(9)); }), {"tile 9", "AddOne"});
    run::Engine e(w.compile({{"a", Sequence().program()}, {"b", Sequence().program()}}), {}, nullptr);
    compare(errorOf([&] { runOnce(e, 2); }), {"program 2", "0 to 1"});
    const Tensor later = w.variable(ElementType::Float, {1}, "later");
    compare(errorOf([&] { e.readTensor(later); }), {"after the engine"});
  }

  void destinationsWithElementsTwice() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Float, {1}, "x"), y = w.variable(ElementType::Float, {3}, "y");
    w.main.add(program::copy(y, x.broadcast(3, 0)));
    compare(errorOf([&] { w.compile(); }), {"x", "twice"});
  }

  // The object with its debug path, and what to do.
  void everyErrorHasPathAndAdvice() {
    HostWorld w;
    const auto context = w.graph->addContext(w.graph->addContext({}, "net", "user", ""), "layer", "user", "");
    const Tensor x = w.graph->addVariable(ElementType::Float, {8}, "weights", context);
    const auto set = w.graph->addComputeSet("update", context);
    const auto require = [](const std::function<void()>& f, const std::vector<std::string>& parts) {
      try {
        f();
        QFAIL("accepted");
      } catch (const reports::Error& e) {
        compare(std::string(e.what()), parts);
        QVERIFY2(!e.advice().empty(), e.what());
      }
    };
    require([&] { w.compile({{"main", Sequence().program()}}); }, {"net/layer/weights", "not mapped"});
    require([&] { w.graph->setTileMapping(x, TileId(99)); }, {"net/layer/weights", "tile 99"});
    w.graph->setTileMapping(x, TileId(0));
    require([&] { w.graph->addVertex(set, "Nobody"); }, {"Nobody", "net/layer/update"});
    const auto a = w.graph->addVertex(set, "AddOne", {{"x", x.slice(0, 5)}});
    require([&] { w.graph->setTileMapping(a, TileId(7)); }, {"tile 7", "AddOne", "net/layer/update"});
    w.graph->setTileMapping(a, TileId(0));
    w.graph->setTileMapping(w.graph->addVertex(set, "AddOne", {{"x", x.slice(4, 8)}}), TileId(0));
    require([&] { w.compile({{"main", program::execute(set)}}); }, {"[4, 5)", "net/layer/weights", "net/layer/update"});
    const Tensor ints = w.variable(ElementType::Int32, {8}, "ints");
    require([&] { program::copy(x, ints, "move"); }, {"net/layer/weights [8]", "ints [8]", "int32"});
    Codelet typed;
    typed.name = "Typed";
    typed.fields = {{"f", FieldDirection::Input, ElementType::Float}};
    w.graph->addCodelet(typed);
    require([&] { w.graph->addVertex(set, "Typed", {{"f", ints}}); }, {"Typed.f", "ints [8]", "int32", "net/layer/update"});
    HostWorld v;
    const Tensor never = v.graph->addVariable(ElementType::Float, {2}, "never", v.graph->addContext({}, "net", "user", ""));
    v.graph->setTileMapping(never, TileId(0));
    v.main.add(v.addOne(never));
    compare(readErrors(v), {"element 0", "net/never", "addOne"});
  }

  void constantsAreNotWritten() {
    const auto errorWith = [](const std::function<void(HostWorld&, const Tensor&)>& use) {
      HostWorld w;
      const Tensor c = w.graph->addConstant(ElementType::Float, {4}, 1.0f, "pi");
      w.graph->setTileMapping(c, TileId(0));
      return errorOf([&] {
        use(w, c);
        w.compile();
      });
    };
    compare(errorWith([](HostWorld& w, const Tensor& c) {
              w.main.add(program::copy(w.variable(ElementType::Float, {2}, "x"), c.slice(1, 3), "move"));
            }),
            {"'pi' is a constant", "move"});
    compare(errorWith([](HostWorld& w, const Tensor& c) { w.main.add(w.addOne(c)); }), {"'pi' is a constant", "AddOne.x"});
    compare(errorWith([](HostWorld& w, const Tensor& c) {
              w.main.add(program::copy(w.graph->addHostToDeviceFifo("in", ElementType::Float, 4), c));
            }),
            {"'pi' is a constant", "in"});
    compare(errorWith([](HostWorld& w, const Tensor& c) { w.graph->createHostWrite("handle", c); }),
            {"'pi' is a constant", "handle"});
  }

  // Objects made with another graph, or never made.
  void objectsOfNoGraph() {
    HostWorld other, w;
    Tensor foreign;
    for (int i = 0; i < 9; ++i) foreign = other.variable(ElementType::Float, {4}, "t" + std::to_string(i));
    const Tensor x = w.variable(ElementType::Float, {4}, "x");
    const Program foreignWork = other.addOne(foreign);
    const auto errorWith = [&](const Program& p) { return errorOf([&] { w.compile({{"main", p}}); }); };
    const std::string advice = "belongs to no graph or to another graph";
    compare(errorOf([&] { w.graph->setTileMapping(foreign, TileId(0)); }), {"variable 8", advice});
    compare(errorOf([&] { w.addOne(foreign); }), {"variable 8", advice});
    compare(errorWith(program::copy(foreign, x)), {"variable 8", advice});
    compare(errorWith(program::execute(ComputeSetId())), {"compute set", advice});
    compare(errorWith(program::call(FunctionId())), {"function", advice});
    compare(errorWith(program::ifElse(x.slice(0, 1), program::call(FunctionId()), Sequence())), {"function", advice});
    compare(errorWith(program::copy(StreamId(), x)), {"stream", advice});
    compare(errorOf([&] { w.graph->addVertex(ComputeSetId(), "AddOne"); }), {"compute set", advice});
    compare(errorOf([&] { w.graph->setTileMapping(VertexRef(), TileId(0)); }), {"compute set", advice});
    HostWorld empty;
    empty.graph->addComputeSet("nothing");
    compare(errorOf([&] { empty.graph->setTileMapping(VertexRef{ComputeSetId(0), 7}, TileId(0)); }), {"vertex 7", advice});
  }

  void whatOneVertexWritesByTwoWays() {
    HostWorld w;
    Codelet two;
    two.name = "Two";
    two.fields = {{"a", FieldDirection::Output}, {"b", FieldDirection::InOut}, {"in", FieldDirection::Input}};
    two.cycles = [](const auto&) { return 1; };
    w.graph->addCodelet(two);
    const Tensor x = w.variable(ElementType::Float, {6}, "x");
    const auto errorWith = [&](const Tensor& a, const Tensor& b, const Tensor& in) {
      const auto set = w.graph->addComputeSet("set");
      w.graph->setTileMapping(w.graph->addVertex(set, "Two", {{"a", a}, {"b", b}, {"in", in}}), TileId(0));
      return errorOf([&] { w.compile({{"main", program::execute(set)}}); });
    };
    compare(errorWith(x.slice(0, 3), x.slice(2, 4), x.slice(5, 6)), {"[2, 3)", "'x'", "Two, writes", "set"});
    compare(errorWith(x.slice(0, 2), x.slice(2, 3).broadcast(2, 0), x.slice(5, 6)), {"[2, 3)", "'x'", "Two, writes"});
    QCOMPARE(errorWith(x.slice(0, 2), x.slice(2, 4), x), std::string()); // a vertex may read what it writes
  }

  void codeletsThatAreWrong() {
    const auto errorWith = [](const std::function<void(VertexFields&)>& body, int64_t cycles) {
      HostWorld w;
      Codelet c;
      c.name = "Wrong";
      c.fields = {{"out", FieldDirection::Output}};
      c.compute = body;
      c.cycles = [=](const auto&) { return cycles; };
      w.graph->addCodelet(c);
      const auto set = w.graph->addComputeSet("work");
      w.graph->setTileMapping(w.graph->addVertex(set, "Wrong", {{"out", w.variable(ElementType::Float, {4}, "x")}}), TileId(0));
      w.main.add(program::execute(set));
      return errorOf([&] {
        run::Engine e(w.compile(), {}, nullptr);
        e.run();
      });
    };
    compare(errorWith([](VertexFields& f) { f.size("outt"); }, 1),
            {"field it does not have", "Wrong, vertex 0", "work", "tile 0"});
    compare(errorWith([](VertexFields& f) { f.mutableValues<int32_t>("out")[0] = 1; }, 1),
            {"'out' as int32, but it is float", "Wrong, vertex 0", "work"});
    compare(errorWith([](VertexFields& f) { f.values<float>("out", 1); }, 1), {"vector 1 of field 'out', which has 1"});
    compare(errorWith([](VertexFields&) { throw std::runtime_error("no luck"); }, 1), {"no luck", "Wrong, vertex 0", "work"});
    compare(errorWith(
                [](VertexFields&) __attribute__((no_sanitize("undefined"))) { *static_cast<volatile int*>(nullptr) = 1; }, 1),
            {"null pointer", "Wrong, vertex 0"});
    compare(errorWith({}, -3), {"-3 cycles", "Wrong"});
    HostWorld w;
    const auto v = w.graph->addVertex(w.graph->addComputeSet("work"), "AddOne");
    compare(errorOf([&] { w.graph->setPerfEstimate(v, -1); }), {"-1 cycles", "AddOne", "work"});
  }

  void functionsThatComeBackToThemselves() {
    HostWorld w;
    const FunctionId second{1};
    const FunctionId first = w.graph->addFunction("first", Sequence(program::call(second)).program());
    w.graph->addFunction("second", Sequence(program::repeat(2, Sequence(program::call(first)))).program());
    compare(errorOf([&] { w.compile({{"main", program::call(first)}}); }), {"calls itself", "first"});
    HostWorld fine; // twice the same, and one within the other
    const Tensor x = fine.variable(ElementType::Float, {1}, "x");
    const FunctionId inner = fine.graph->addFunction("inner", fine.addOne(x)),
                     outer = fine.graph->addFunction("outer", Sequence{program::call(inner), program::call(inner)}.program());
    run::Engine e(fine.compile({{"main", Sequence{program::call(outer), program::call(inner), program::call(outer)}.program()}}),
                  {}, nullptr);
    e.run();
    QCOMPARE(e.readTensor(x).at(0), 5.0);
  }

  void switchesAndStreamsThatCannotBe() {
    HostWorld w;
    Codelet twice;
    twice.name = "Twice";
    twice.fields = {{"x", FieldDirection::Input}, {"x", FieldDirection::Output}};
    compare(errorOf([&] { w.graph->addCodelet(twice); }), {"two fields 'x'", "Twice"});
    const Tensor x = w.variable(ElementType::Int32, {1}, "x");
    compare(errorOf([&] {
              program::switchOn(x, {{3, Sequence()}, {3, Sequence()}}, Sequence(), "way");
            }),
            {"two bodies for 3", "way"});
    compare(errorOf([&] { w.graph->addHostToDeviceFifo("in", ElementType::Float, -4); }), {"-4 elements", "in"});
  }

  void programsThatStopThemselves() {
    HostWorld w;
    const Tensor x = w.variable(ElementType::Int32, {2}, "x"), flag = w.variable(ElementType::Int32, {1}, "flag");
    w.main.add(w.addOne(x));
    w.main.add(program::abortOnCondition(flag, "flag was set"));
    w.main.add(program::errorProgram("this is the end", x));
    std::ostringstream out;
    run::EngineOptions options;
    options.printStream = &out;
    run::Engine e(w.compile(), options, nullptr);
    compare(errorOf([&] { runOnce(e); }), {"this is the end"});
    QCOMPARE(out.str(), std::string("this is the end: [1 1]\n"));
    e.writeTensor(flag, HostTensor::vector<int32_t>({1}));
    compare(errorOf([&] { runOnce(e); }), {"flag was set"});
  }
};

TILESCOPE_TEST(WrongProgramsTest)
#include "wrong_programs_test.moc"
