// Live ranges of small programs, worked out by hand: ordinals are the leaf steps in the order they are written.
#include "simcore/compile/compiler.h"
#include "simcore/compile/liveness.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

#include <algorithm>

using namespace simcore;
using namespace simcore::graph;
using Spans = std::vector<reports::Range<int64_t>>;

namespace {

struct LiveWorld {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>(arch::tinyMachine(4));
  Sequence main;
  compile::Executable made;

  LiveWorld() {
    Codelet c;
    c.name = "Work";
    c.fields = {{"in", FieldDirection::Input}, {"out", FieldDirection::Output}};
    c.cycles = [](const auto&) { return int64_t(10); };
    graph->addCodelet(c);
  }
  Tensor variable(const std::string& name, int64_t n = 4, int tile = 0) {
    const Tensor t = graph->addVariable(ElementType::Float, {n}, name);
    graph->setTileMapping(t, TileId(std::size_t(tile)));
    return t;
  }
  // One leaf step that reads `in` and writes `out`.
  Program work(const Tensor& in, const Tensor& out) {
    const auto set = graph->addComputeSet("work");
    graph->setTileMapping(graph->addVertex(set, "Work", {{"in", in}, {"out", out}}), TileId(0));
    return program::execute(set);
  }
  void build(std::vector<NamedProgram> programs = {}) {
    reports::NoProgress none;
    if (programs.empty()) programs = {{"main", main.program()}};
    made = compile::compile(graph, programs, {}, none);
  }
  Spans live(const std::string& name) const {
    for (const auto& s : made.storage)
      if (s.name == name) return s.alwaysLive ? Spans{{0, int64_t(made.program.ordinals.size())}} : s.live;
    return {};
  }
  bool isAlwaysLive(const std::string& name) const {
    return std::any_of(made.storage.begin(), made.storage.end(), [&](const auto& s) { return s.name == name && s.alwaysLive; });
  }
};

} // namespace

class LivenessTest : public QObject {
  Q_OBJECT
private slots:
  void aValueThatIsOverwrittenIsDeadBetween() {
    LiveWorld w;
    const Tensor in = w.variable("in"), a = w.variable("a"), b = w.variable("b");
    for (const auto& p : {w.work(in, a), w.work(a, b), w.work(in, b), w.work(in, a), w.work(a, b)}) w.main.add(p);
    w.build();
    QCOMPARE(w.live("a"), (Spans{{0, 2}, {3, 5}}));
    QCOMPARE(w.live("in"), (Spans{{0, 5}})); // read before it is written: the value comes from an earlier run
  }

  // A value that one run leaves for the next is always live, like one that the host may read; one that is live in all steps is not.
  void whatIsKeptBetweenRunsIsAlwaysLive() {
    LiveWorld w;
    const Tensor seed = w.variable("seed"), a = w.variable("a"), b = w.variable("b");
    for (const auto& p : {w.work(seed, a), w.work(a, b), w.work(b, seed), w.work(a, b)}) w.main.add(p);
    w.build();
    QVERIFY(!w.isAlwaysLive("a") && w.live("a") == (Spans{{0, 4}}));
    QVERIFY(!w.isAlwaysLive("b"));
    LiveWorld v;
    const Tensor in = v.variable("in"), sum = v.variable("sum");
    v.main.add(v.work(in, sum));
    v.main.add(v.work(sum, sum));
    v.build();
    QVERIFY(v.isAlwaysLive("in")); // never written: the value comes from an earlier run
    QVERIFY(!v.isAlwaysLive("sum"));
  }

  void partsThatFillAVariableDoNotEndEachOther() {
    LiveWorld w;
    const Tensor in = w.variable("in"), a = w.variable("a", 8), b = w.variable("b");
    w.main.add(w.work(in, a.slice(0, 4)));
    w.main.add(w.work(in, b));
    w.main.add(w.work(in, a.slice(4, 8)));
    w.main.add(w.work(a.slice(0, 4), b));
    w.build();
    QCOMPARE(w.live("a"), (Spans{{0, 4}})); // from its first part, not from the start of the program
    LiveWorld v;                            // a loop that fills it part by part keeps the parts of the rounds before
    const Tensor x = v.variable("x"), y = v.variable("y", 8), z = v.variable("z");
    v.main.add(v.work(x, z));
    v.main.add(program::repeat(2, Sequence({v.work(x, z), v.work(x, y.slice(0, 4)), v.work(x, z)})));
    v.main.add(v.work(y, z));
    v.build();
    QCOMPARE(v.live("y"), (Spans{{1, 5}})); // the whole loop
  }

  void whatAFunctionFillsInPartsIsBornInIt() {
    LiveWorld w;
    const Tensor in = w.variable("in"), a = w.variable("a", 8), out = w.variable("out");
    const auto f =
        w.graph->addFunction("f", Sequence({w.work(in, a.slice(0, 4)), w.work(in, a.slice(4, 8)), w.work(a, out)}).program());
    for (const auto& p : {w.work(in, out), program::call(f), w.work(in, out), program::call(f)}) w.main.add(p); // 0 1 2 3
    w.build();                                                                                                  // f: 4 5 6
    QCOMPARE(w.live("a"), (Spans{{4, 7}}));
  }

  // Each call has its own copy of the argument: between the read in one call and the copy for the next it is dead.
  void argumentsAreDeadBetweenCalls() {
    LiveWorld w;
    const Tensor in = w.variable("in"), argument = w.variable("argument"), other = w.variable("other"), out = w.variable("out");
    const auto f = w.graph->addFunction("f", Sequence({w.work(argument, out)}).program());
    for (const auto& p : {w.work(in, argument), program::call(f), w.work(in, other), w.work(in, argument), program::call(f)})
      w.main.add(p); // 0 1 2 3 4
    w.build();       // f: 5
    QCOMPARE(w.live("argument"), (Spans{{0, 1}, {3, 4}, {5, 6}}));
  }

  void writeUndefEndsALife() {
    LiveWorld w;
    const Tensor in = w.variable("in"), a = w.variable("a", 8), b = w.variable("b");
    // Without it, a variable that a loop writes only in part must survive from iteration to iteration.
    Sequence body({program::writeUndef(a), w.work(in, b), w.work(in, a.slice(0, 4)), w.work(a, b)});
    w.main.add(program::repeat(3, body));
    w.main.add(w.work(in, b));
    w.build();
    QCOMPARE(w.live("a"), (Spans{{2, 4}}));
    LiveWorld v;
    const Tensor x = v.variable("x", 8), y = v.variable("y");
    v.main.add(program::repeat(3, Sequence({v.work(y, x.slice(0, 4)), v.work(x, y), v.work(y, y)})));
    v.build();
    QCOMPARE(v.live("x"), (Spans{{0, 3}})); // half of it is never written: the loop reads earlier values
    LiveWorld u;                            // undefining a part changes nothing
    const Tensor p = u.variable("p", 8), q = u.variable("q");
    for (const auto& step : {u.work(q, p), program::writeUndef(p.slice(0, 4)), u.work(p, q)}) u.main.add(step);
    u.build();
    QCOMPARE(u.live("p"), (Spans{{0, 3}}));
  }

  void loopsCarryWhatTheyReadFirst() {
    LiveWorld w;
    const Tensor in = w.variable("in"), sum = w.variable("sum"), local = w.variable("local"), out = w.variable("out");
    w.main.add(w.work(in, sum));                                                                         // 0
    w.main.add(program::repeat(4, Sequence({w.work(sum, local), w.work(in, out), w.work(local, sum)}))); // 1 2 3
    w.main.add(w.work(sum, out));                                                                        // 4
    w.build();
    QCOMPARE(w.live("sum"), (Spans{{0, 2}, {3, 5}})); // dead while `local` holds its value
    QCOMPARE(w.live("local"), (Spans{{1, 4}}));
    LiveWorld v; // a loop while a condition holds
    const Tensor x = v.variable("x"), flag = v.variable("flag", 1), y = v.variable("y"), z = v.variable("z");
    v.main.add(v.work(x, y)); // 0
    // 1; a sync and the exchange that sends the flag to all tiles: 2 3; then 4 5.
    v.main.add(program::repeatWhileTrue(Sequence(v.work(x, flag)), flag, Sequence({v.work(y, z), v.work(z, y)})));
    v.main.add(v.work(x, z)); // 6
    v.build();
    QCOMPARE(v.live("flag"), (Spans{{1, 4}})); // its life ends where the loop looks at it
    QCOMPARE(v.live("y"), (Spans{{0, 6}}));    // for the next round, across the condition
    QCOMPARE(v.live("z"), (Spans{{4, 7}}));    // the last write stands alone, but next to the one before
  }

  // A loop with 0 iterations writes nothing: the value before it survives.
  void aLoopOfNoRoundsEndsNoLife() {
    LiveWorld w;
    const Tensor in = w.variable("in"), x = w.variable("x"), out = w.variable("out");
    w.main.add(w.work(in, x));                               // 0
    w.main.add(program::repeat(0, Sequence(w.work(in, x)))); // 1
    w.main.add(w.work(x, out));                              // 2
    w.build();
    QCOMPARE(w.live("x"), (Spans{{0, 3}}));
  }

  void branchesShareAndLeaveAloneWhatOnlyTheOtherWrites() {
    LiveWorld w;
    const Tensor in = w.variable("in"), flag = w.variable("flag", 1), kept = w.variable("kept"), a = w.variable("a"),
                 b = w.variable("b"), out = w.variable("out");
    w.main.add(w.work(in, kept)); // 0
    w.main.add(w.work(in, flag)); // 1; steps 2 and 3 send the flag to all tiles
    const Sequence yes({w.work(in, a), w.work(a, kept)}), no({w.work(in, b), w.work(b, out)});
    w.main.add(program::ifElse(flag, yes, no)); // 4 5, 6 7
    w.main.add(w.work(kept, out));              // 8
    w.build();
    QCOMPARE(w.live("a"), (Spans{{4, 6}}));
    QCOMPARE(w.live("b"), (Spans{{6, 8}}));
    QCOMPARE(w.live("kept"), (Spans{{0, 4}, {5, 9}})); // dead in the branch that writes it, alive in the other
    QCOMPARE(w.live("flag"), (Spans{{1, 4}}));
  }

  void whatIsAliveAtACallLivesThroughTheFunctionAndTheCallee() {
    LiveWorld w;
    const Tensor in = w.variable("in"), across = w.variable("across"), argument = w.variable("argument"),
                 result = w.variable("result"), inside = w.variable("inside"), out = w.variable("out");
    const auto inner = w.graph->addFunction("inner", Sequence({w.work(inside, result)}).program());
    const auto f = w.graph->addFunction("f", Sequence({w.work(argument, inside), program::call(inner)}).program());
    w.main.add(w.work(in, across));   // 0
    w.main.add(w.work(in, argument)); // 1
    w.main.add(program::call(f));     // 2
    w.main.add(w.work(across, out));  // 3
    w.main.add(w.work(result, out));  // 4
    w.build();                        // inner: 5; f: 6, 7 (the call)
    QCOMPARE(w.live("across"), (Spans{{0, 4}, {5, 8}}));
    // At a call only variables that are live across it: those that end in the function and those that begin there never overlap.
    QCOMPARE(w.live("argument"), (Spans{{1, 2}, {6, 7}}));
    QCOMPARE(w.live("inside"), (Spans{{5, 7}}));
    QCOMPARE(w.live("result"), (Spans{{3, 6}}));
  }

  // Two variables that are live across different calls of one function never overlap; variables of the function overlap both.
  void whatWaitsForDifferentCallsSharesMemory() {
    LiveWorld w;
    const Tensor in = w.variable("in"), first = w.variable("first", 1000), second = w.variable("second", 1000),
                 inside = w.variable("inside", 1000), out = w.variable("out");
    const auto f = w.graph->addFunction("f", Sequence({w.work(in, inside), w.work(inside, out)}).program());
    for (const Tensor& across : {first, second}) {
      w.main.add(w.work(in, across));
      w.main.add(program::call(f));
      w.main.add(w.work(across, out));
    }
    w.build(); // 0 1 2 | 3 4 5 | f: 6 7
    QCOMPARE(w.live("first"), (Spans{{0, 3}, {6, 8}}));
    QCOMPARE(w.live("second"), (Spans{{3, 6}})); // one of the calls stands for the function's steps
    std::map<std::string, int64_t> at;
    for (const auto& p : w.made.allocation.layouts[w.made.allocation.layoutOfTile[0]].placements)
      at[w.made.storage[p.storage].name] = p.address;
    QCOMPARE(at.at("first"), at.at("second"));
    QVERIFY(std::abs(at.at("inside") - at.at("first")) >= 4000);
  }

  void whatAProgramLeavesForTheNextLivesInAll() {
    LiveWorld w;
    const Tensor in = w.variable("in"), state = w.variable("state"), local = w.variable("local");
    const Sequence load({w.work(in, local), w.work(local, state)}), use({w.work(state, local), w.work(in, state)}),
        other({w.work(in, local)});
    w.build({{"load", load.program()}, {"use", use.program()}, {"other", other.program()}});
    // 0 1 | 2 3 | 4: dead before the write in `load`, because no path passes that point without the write.
    QCOMPARE(w.live("state"), (Spans{{1, 5}}));
    QCOMPARE(w.live("local"), (Spans{{0, 3}, {4, 5}}));
  }

  void temporariesBornAndFreedWithinOneStepCount() {
    LiveWorld w;
    const Tensor a = w.variable("a", 100, 1), b = w.variable("b", 100, 2);
    const auto set = w.graph->addComputeSet("remote");
    w.graph->setTileMapping(w.graph->addVertex(set, "Work", {{"in", a}, {"out", b}}), TileId(0));
    w.main.add(program::execute(set));
    w.build(); // sync 0, exchange 1, execute 2, sync 3, exchange 4
    const auto& ordinals = w.made.program.ordinals;
    QCOMPARE(ordinals.size(), std::size_t(5));
    // Tile 0 holds neither variable; during the execute both buffers are live.
    const auto curve = compile::livenessCurve(w.made.storage, 5, {0, 1});
    QCOMPARE(curve[2], int64_t(800));
    const auto& layout = w.made.allocation.layouts[w.made.allocation.layoutOfTile[0]];
    QCOMPARE(layout.peakNotAlwaysLiveBytes, int64_t(800));
  }

  void aWriteNothingReadsHoldsItsStepOnly() {
    LiveWorld w;
    const Tensor in = w.variable("in"), waste = w.variable("waste"), out = w.variable("out");
    for (const auto& p : {w.work(in, out), w.work(in, waste), w.work(in, out)}) w.main.add(p);
    w.build();
    QCOMPARE(w.live("waste"), (Spans{{1, 2}}));
  }
};

TILESCOPE_TEST(LivenessTest)
#include "liveness_test.moc"
