#include "popnn/Rnn.hpp"
#include "popops/Cast.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/Zero.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

using poplar::Graph;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using tests::isNear;
using tests::LibraryBench;
namespace rnn = popnn::rnn;
namespace pe = popops::expr;

namespace {

constexpr std::size_t kSteps = 5, kBatch = 2, kSize = 3, kRow = kBatch * kSize;

// state = state / 2 + input for the samples that run; the output is twice the state, what it leaves is the input plus the state before.
Sequence halving(Graph& graph, const rnn::RnnBatchwiseFlags& flags, std::vector<Tensor>& state, const rnn::RnnSlice& slice,
                 std::vector<Tensor>& created) {
  Sequence prog;
  if (slice.interimOut.valid())
    prog.add(Copy(popops::add(graph, slice.inputs[0], state[0], prog).broadcast(unsigned(slice.interimOut.dim(0)), 0),
                  slice.interimOut));
  const Tensor next = popops::map(graph, pe::_1 * 0.5F + pe::_2, {state[0], slice.inputs[0]}, prog);
  if (flags.valid()) {
    const auto wide = [](const Tensor& t) { return t.expand({1}).broadcast(kSize, 1).expand({0}); };
    popops::mapInPlace(graph, pe::_1 * pe::_4 + pe::_2 * pe::_3, {state[0], next, wide(flags.mask), wide(flags.inverse)}, prog);
  } else {
    prog.add(Copy(next, state[0]));
  }
  if (!slice.outputs.empty()) prog.add(Copy(popops::mul(graph, state[0], 2.0F, prog), slice.outputs[0]));
  if (!created.empty()) created[0] = popops::square(graph, state[0], prog);
  return prog;
}

// By a plain loop: the states, and what each step found.
struct Expected {
  std::vector<float> states = std::vector<float>(kSteps * kRow, 0), found = states, last;
};
Expected expected(const std::vector<float>& x, const std::vector<float>& initial, bool reverse, std::vector<std::size_t> steps) {
  Expected e;
  e.last = initial;
  for (std::size_t i = 0; i < kSteps; ++i) {
    const std::size_t t = reverse ? kSteps - 1 - i : i;
    for (std::size_t n = 0; n < kRow; ++n) {
      e.found[t * kRow + n] = e.last[n] + x[t * kRow + n];
      if (t < steps[n / kSize]) e.last[n] = e.last[n] / 2 + x[t * kRow + n];
      e.states[t * kRow + n] = e.last[n];
    }
  }
  return e;
}

} // namespace

class RnnLoopTest : public QObject {
  Q_OBJECT
private slots:
  void stepsAreThoseOfALoop_data() {
    QTest::addColumn<bool>("reverse");
    QTest::newRow("forwards") << false;
    QTest::newRow("backwards") << true;
  }
  void stepsAreThoseOfALoop() {
    QFETCH(bool, reverse);
    LibraryBench b;
    const rnn::RnnParams params(poplar::FLOAT, kBatch, kSteps, {kSize, kSize});
    const std::vector<float> x = LibraryBench::numbers(kSteps * kRow), initial = LibraryBench::numbers(kRow, 1);
    const Tensor in = rnn::createInputTensor(b.graph, params, 1, "in"), out = rnn::createOutputTensor(b.graph, params, 1),
                 squares = rnn::createOutputTensor(b.graph, params, 1), kept = rnn::createOutputTensor(b.graph, params, 1),
                 start = rnn::createInitialState(b.graph, params, true, 1, 1, "start");
    Tensor left = rnn::createOutputTensor(b.graph, params, 2, 1).reshapePartial(0, 1, {kSteps, 2});
    b.prog.add(Copy(b.input({kSteps, kBatch, kSize}, x), in));
    b.prog.add(Copy(b.input({1, kBatch, kSize}, initial), start));
    poplar::OptionFlags options;
    const auto last = rnn::Rnn(
        b.graph, params, reverse, {start}, rnn::StateSequence{kept, 0}, {in}, nullptr, &left, {out}, {squares}, b.prog,
        [](Graph& graph, const rnn::TimeStepState&, const rnn::RnnBatchwiseFlags& flags, std::vector<Tensor>& state,
           const rnn::RnnSlice& slice, std::vector<Tensor>& created, Sequence*,
           const poplar::DebugNameAndId&) { return halving(graph, flags, state, slice, created); },
        1, options, "loop");
    b.keep("last", last.at(0));
    b.keep("out", out);
    b.keep("squares", squares);
    b.keep("kept", kept);
    b.keep("left", left);
    b.keep("shifted", rnn::shiftRnnTensor(b.graph, params, kept, start, b.prog, 1));
    b.run();
    const Expected e = expected(x, initial, reverse, {kSteps, kSteps});
    std::vector<float> twice, squared, found, shifted(initial);
    for (const float v : e.states) twice.push_back(2 * v), squared.push_back(v * v);
    for (std::size_t t = 0; t < kSteps; ++t)
      for (int copy = 0; copy < 2; ++copy)
        found.insert(found.end(), e.found.begin() + std::ptrdiff_t(t * kRow), e.found.begin() + std::ptrdiff_t((t + 1) * kRow));
    shifted.insert(shifted.end(), e.states.begin(), e.states.end() - std::ptrdiff_t(kRow));
    QVERIFY(isNear(b.values("last"), e.last));
    QVERIFY(isNear(b.values("kept"), e.states));
    QVERIFY(isNear(b.values("out"), twice));
    QVERIFY(isNear(b.values("squares"), squared));
    QVERIFY(isNear(b.values("left"), found));
    QVERIFY(isNear(b.values("shifted"), shifted));
  }

  // Each sample its own number of steps; or one number, behind which no step runs.
  void numbersOfStepsThatTheProgramKnowsLater() {
    for (const bool reverse : {false, true})
      for (const bool each : {false, true}) {
        LibraryBench b;
        const std::vector<float> x = LibraryBench::numbers(kSteps * kRow), initial = LibraryBench::numbers(kRow, 1);
        const Tensor steps = each ? b.input(poplar::UNSIGNED_INT, {2}, {2, 4}) : b.input(poplar::UNSIGNED_INT, {1}, {3});
        const rnn::RnnParams params(poplar::FLOAT, kBatch, kSteps, steps, {kSize, kSize});
        const Tensor out = b.input({kSteps, kBatch, kSize}, std::vector<float>(kSteps * kRow, -1));
        poplar::OptionFlags options;
        const auto last = rnn::Rnn(
            b.graph, params, reverse, {b.input({1, kBatch, kSize}, initial)}, {}, {b.input({kSteps, kBatch, kSize}, x)}, nullptr,
            nullptr, {out}, {}, b.prog,
            [](Graph& graph, const rnn::TimeStepState&, const rnn::RnnBatchwiseFlags& flags, std::vector<Tensor>& state,
               const rnn::RnnSlice& slice, std::vector<Tensor>& created, Sequence*,
               const poplar::DebugNameAndId&) { return halving(graph, flags, state, slice, created); },
            1, options);
        b.keep("last", last.at(0));
        b.keep("out", out);
        b.run();
        QVERIFY(
            isNear(b.values("last"),
                   expected(x, initial, reverse, each ? std::vector<std::size_t>{2, 4} : std::vector<std::size_t>{3, 3}).last));
        const std::vector<float> written = b.values("out");
        const std::size_t limit = each ? 4 : 3;
        for (std::size_t i = 0; i < written.size(); ++i) QCOMPARE(written[i] == -1 && i / kRow >= limit, i / kRow >= limit);
      }
  }

  void gathersTakeTheLastSteps() {
    for (const unsigned each : {1U, 2U, 5U, 9U}) {
      LibraryBench b;
      const rnn::RnnParams params(poplar::FLOAT, kBatch, kSteps, {kSize, kSize});
      const std::vector<float> x = LibraryBench::numbers(kSteps * kRow), y = LibraryBench::numbers(kSteps * kRow, 0.5F),
                               initial = LibraryBench::numbers(kRow, 1);
      const Tensor in = b.input({kSteps, kBatch, kSize}, x), other = b.input({kSteps, kBatch, kSize}, y);
      const Tensor sum = b.graph.addVariable(poplar::FLOAT, {kBatch, kSize}, poplar::VariableMappingMethod::LINEAR, "sum");
      poplar::OptionFlags options;
      std::vector<unsigned> sizes;
      const auto last = rnn::Rnn(
          b.graph, params, {b.input({1, kBatch, kSize}, initial)}, {}, {in}, in, 1, b.prog,
          [](Graph& graph, const rnn::TimeStepState&, const rnn::RnnBatchwiseFlags& flags, std::vector<Tensor>& state,
             const rnn::RnnSlice& slice, std::vector<Tensor>& created, Sequence*,
             const poplar::DebugNameAndId&) { return halving(graph, flags, state, slice, created); },
          {other},
          [&](Graph& graph, const rnn::RnnSlice& slice, unsigned steps, Sequence* first, const poplar::DebugNameAndId&) {
            if (first) popops::zero(graph, sum, *first);
            sizes.push_back(steps);
            Sequence prog;
            const Tensor product = popops::mul(graph, slice.inputs[0], slice.interimIn, prog);
            popops::addInPlace(graph, sum, popops::reduce(graph, product, poplar::FLOAT, {0}, {popops::Operation::ADD}, prog),
                               prog);
            return prog;
          },
          1, each, options);
      b.keep("last", last.at(0));
      b.keep("sum", sum);
      b.run();
      const Expected e = expected(x, initial, true, {kSteps, kSteps});
      std::vector<float> sums(kRow, 0);
      for (std::size_t i = 0; i < x.size(); ++i) sums[i % kRow] += y[i] * e.found[i];
      QVERIFY(isNear(b.values("last"), e.last));
      QVERIFY(isNear(b.values("sum"), sums));
      QCOMPARE(sizes.at(0), std::min(each, unsigned(kSteps)));
      QCOMPARE(sizes.size(), std::size_t(each == 2 ? 2 : 1));
    }
  }

  void sequencesOfOtherLengthsAreRefused() {
    LibraryBench b;
    const rnn::RnnParams params(poplar::FLOAT, kBatch, kSteps, {kSize, kSize});
    poplar::OptionFlags options;
    const Tensor wrong = b.input({4, kBatch, kSize}, LibraryBench::numbers(4 * kRow));
    const rnn::LoopBodyType nothing = [](Graph&, const rnn::TimeStepState&, const rnn::RnnBatchwiseFlags&, std::vector<Tensor>&,
                                         const rnn::RnnSlice&, std::vector<Tensor>&, Sequence*,
                                         const poplar::DebugNameAndId&) { return Sequence(); };
    QVERIFY_THROWS_EXCEPTION(poputil::poplibs_error, rnn::Rnn(b.graph, params, false, {}, {}, {wrong}, nullptr, nullptr, {}, {},
                                                              b.prog, nothing, 1, options));
  }
};

TILESCOPE_TEST(RnnLoopTest)
#include "rnn_loop_test.moc"
