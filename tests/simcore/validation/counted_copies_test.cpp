// The counting copy of a codelet counts what the machine would run, whatever the host makes of it: calls that look equal, and loops that
// the host runs at a width of its own.
#include "simcore/native/library.h"
#include "simcore/validation/vertex_object.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace simcore;
using numerics::ElementType;
using numerics::HostTensor;
using validation::VertexObject;

namespace {

class CountedCopiesTest : public QObject {
  Q_OBJECT

private:
  std::vector<graph::Codelet> compiled(const std::string& name, const std::string& members) {
    const auto file = m_folder / (name + ".cpp");
    std::ofstream(file) << "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n" << members;
    return native::compileCodelets({{file}, {}, 2, m_folder / "cache"}).codelets;
  }

  tests::TemporaryFolder m_folder;

private slots:
  // A function without effects: the host need not call it twice for the same argument, but it is counted twice.
  void equalCallsCountEachTime() {
    SKIP_WITHOUT_CLANG();
    const auto codelets = compiled("calls", R"(
      __attribute__((noinline)) static unsigned mixed(unsigned n) {
        for (int i = 0; i < 9; ++i) n = (n ^ n >> 15) * 0x2c1b3c6du;
        return n;
      }
      class Once : public Vertex {
      public:
        Input<unsigned> in;
        Output<unsigned> out;
        void compute() { *out = mixed(*in); }
      };
      class Thrice : public Vertex {
      public:
        Input<unsigned> in;
        Output<unsigned> out;
        void compute() { *out = mixed(*in) + (mixed(*in) ^ mixed(*in + 1)); }
      };)");
    QCOMPARE(codelets.size(), 2);
    std::map<std::string, int64_t> cycles;
    std::map<std::string, int64_t> results;
    for (const auto& codelet : codelets) {
      VertexObject vertex(
          codelet,
          {{"in", {HostTensor::full(ElementType::UInt32, {1}, 77)}}, {"out", {HostTensor::full(ElementType::UInt32, {1}, 0)}}},
          {});
      cycles[codelet.name] = vertex.run();
      results[codelet.name] = vertex.values("out").integerAt(0);
    }
    const auto mixed = [](uint32_t n) {
      for (int i = 0; i < 9; ++i) n = (n ^ n >> 15) * 0x2c1b3c6du;
      return n;
    };
    QCOMPARE(uint32_t(results["Once"]), mixed(77));
    QCOMPARE(uint32_t(results["Thrice"]), mixed(77) + (mixed(77) ^ mixed(78)));
    QVERIFY2(cycles["Once"] > 6 * 9 * 3, qPrintable(QString::number(cycles["Once"])));
    // The optimiser may merge the two equal calls before counting: then two are left.
    QVERIFY2(cycles["Thrice"] > 2 * (cycles["Once"] - 60), qPrintable(QString::number(cycles["Thrice"])));
  }

  // Recursion, and calls through a pointer beside direct ones, hand their counts back.
  void countsComeBackFromAllCalls() {
    SKIP_WITHOUT_CLANG();
    const auto codelets = compiled("recursion", R"(
      __attribute__((noinline)) static unsigned twice(unsigned n) { return n * 2 + 1; }
      __attribute__((noinline)) static unsigned halved(unsigned n) { return n / 2; }
      static unsigned (*const table[])(unsigned) = {twice, halved};
      __attribute__((noinline)) static unsigned walk(unsigned n, unsigned depth) {
        return depth == 0 ? n : walk(n & 1 ? n * 3 + 1 : n / 2, depth - 1) + walk(n + depth, depth / 2);
      }
      class Walk : public Vertex {
      public:
        Input<Vector<unsigned>> in;
        Output<unsigned> out;
        void compute() {
          unsigned sum = 0;
          for (unsigned i = 0; i < in.size(); ++i) sum += table[in[i] % 2](in[i]) + twice(sum) + walk(in[i], in[i]);
          *out = sum;
        }
      };)");
    const auto cyclesOf = [&](double depth) {
      VertexObject vertex(
          codelets.at(0),
          {{"in", {HostTensor::full(ElementType::UInt32, {3}, depth)}}, {"out", {HostTensor::full(ElementType::UInt32, {1}, 0)}}},
          {});
      return vertex.run();
    };
    std::vector<int64_t> cycles;
    for (int depth = 0; depth < 12; ++depth) cycles.push_back(cyclesOf(depth));
    QVERIFY(cycles[0] > 0);
    for (std::size_t i = 1; i < cycles.size(); ++i) QVERIFY(cycles[i] > cycles[i - 1]);
    QVERIFY2(cycles[11] > 20 * cycles[0], qPrintable(QString::number(cycles[11])));
  }

  // Two elements an iteration on the machine: each pair costs the same, and so does an element left over.
  void pairsCostTheSameAtAllLengths() {
    SKIP_WITHOUT_CLANG();
    const auto codelets = compiled("pairs", R"(
      class Scale : public Vertex {
      public:
        Input<Vector<float, VectorLayout::SPAN, 8>> in;
        Output<Vector<float, VectorLayout::SPAN, 8>> out;
        void compute() {
          for (unsigned i = 0; i < in.size(); ++i) out[i] = 3 * in[i] + in[i] * in[i];
        }
      };)");
    const auto cyclesOf = [&](int64_t length) {
      std::vector<float> values;
      for (int64_t i = 0; i < length; ++i) values.push_back(float(i) - 7);
      VertexObject vertex(codelets.at(0),
                          {{"in", {HostTensor::vector(values)}}, {"out", {HostTensor::full(ElementType::Float, {length}, 0)}}},
                          {});
      const int64_t cycles = vertex.run();
      for (int64_t i = 0; i < length; ++i) {
        const float x = float(i) - 7;
        if (vertex.values("out").at(i) != 3 * x + x * x) return int64_t(-1);
      }
      return cycles;
    };
    const int64_t pair = cyclesOf(4) - cyclesOf(2), single = cyclesOf(3) - cyclesOf(2);
    QVERIFY2(pair > 0 && single > 0 && pair < 2 * single, qPrintable(QString("%1, %2").arg(pair).arg(single)));
    for (int64_t length = 2; length < 140; ++length) {
      const int64_t more = cyclesOf(length + 2) - cyclesOf(length);
      QVERIFY2(more == pair, qPrintable(QString("%1 after %2 elements").arg(more).arg(length)));
    }
  }
};

} // namespace

TILESCOPE_TEST(CountedCopiesTest)
#include "counted_copies_test.moc"
