// Assembly whose meaning is known: vectors of four through the matrix unit, with weights that a supervisor loaded, and the accumulators.
#include "simcore/native/library.h"
#include "simcore/validation/vertex_object.h"
#include "tests/simcore/run/host_world.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numeric>

using namespace simcore;
using numerics::HostTensor;

namespace {

constexpr int kElements = 96; // two vectors of eight for each worker
using Matrix = std::array<std::array<float, 4>, 4>;

std::string phase(const std::string& to, const std::string& input, int number) {
  return "f32sisoamp " + to + ", " + input + ", $azeros, %[TAMP_F32_E4_P" + std::to_string(number) + "]\n";
}
std::string bundle(const std::string& main, const std::string& aux) { return "{\n" + main + "\n" + aux + "}\n"; }

// Four numbers in, four phases, and out again.
std::string oneVector() {
  std::string text = "ld64 $a0:1, %[ptr], $mzero, 0 # the first two\n" + phase("$azeros", "$a0", 0);
  text += bundle("ld64 $a0:1, %[ptr], $mzero, 1", phase("$azeros", "$a1", 1)) + phase("$azeros", "$a0", 2) +
          phase("$azeros", "$a1", 3);
  text += phase("$a2:3", "$azero", 0) + bundle("st64 $a2:3, %[ptr], $mzero, 0", phase("$azeros", "$azero", 1));
  return text + phase("$a2:3", "$azero", 2) + "st64 $a2:3, %[ptr], $mzero, 1\n";
}

// Eight engines, in a loop.
std::string manyVectors() {
  const auto stepOf = [](int pair) { return pair == 3 ? std::string("%[step]") : std::string("1"); };
  std::string text = "AGAIN%=:\n";
  for (int pair = 0; pair < 4; ++pair)
    text += "ld64step $a0:1, $mzero, %[loadAddr]+=, " + stepOf(pair) + "\n" + phase("$azeros", "$a0", 2 * pair) +
            phase("$azeros", "$a1", 2 * pair + 1);
  for (int pair = 0; pair < 4; ++pair) {
    text += phase("$a2:3", "$azero", 2 * pair);
    const std::string store = "st64step $a2:3, $mzero, %[storeAddr]+=, " + stepOf(pair);
    text += pair < 3 ? bundle(store, phase("$azeros", "$azero", 2 * pair + 1)) : store + "\n";
  }
  return text + "sub %[span], %[span], %[stride]\ncmpslt $m0, %[span], 0\nbrz $m0, AGAIN%=\n";
}

// A product and a sum of two arrays: two pairs are under way before the loop, and two are left behind it.
std::string triad() {
  const std::string load = "ld2x64pace $a0:1, $a2:3, %[ptr]+=, $mzero, 0", multiply = "f32v2axpy $a4:5, $a0:1, $a2:3";
  return load + "\nuput $TAS, %[q]\n" + bundle(load, multiply + "\n") + bundle(load, multiply + "\n") + "nop\nrpt %[iter], 0\n" +
         bundle("ld2xst64pace $a0:3, $a4:5, %[ptr]+=, $mzero, 0", multiply + "\n") +
         bundle("st64pace $a4:5, %[ptr]+=, $mzero, 0", "f32v2gina %[tmp], $azeros, 0\n") +
         "st64pace %[tmp], %[ptr]+=, $mzero, 0\n";
}

std::string phaseOperands(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string name = "TAMP_F32_E4_P" + std::to_string(i);
    text += ", [" + name + "] \"i\"(" + name + ")";
  }
  return text;
}

// A supervisor and two Multi vertices, and one that multiplies with the accumulators.
std::string source() {
  return R"code(#include <ipu_builtins.h>
#include <poplar/Vertex.hpp>
using namespace poplar;
typedef InOut<Vector<float, VectorLayout::SPAN, 32, true>> Vectors;

struct KeepMatrix : SupervisorVertex {
  Input<Vector<float, VectorLayout::SPAN, 16, true>> matrix;
  __attribute__((target("supervisor"))) bool compute() {
    const auto begin = (unsigned)&matrix[0];
    for (unsigned engine = 0; engine < 8; engine += 4) { // once for each half of the engines
      __builtin_ipu_put(begin, 80);
      for (unsigned row = 0; row < 4; ++row) __builtin_ipu_ld128putcs(engine / 2 + 4 * (engine + row));
    }
    return true;
  }
};
struct OneByOne : MultiVertex {
  Vectors vectors;
  bool compute(unsigned worker) {
    asm("setzi $a0, 0x8\nuput $FP_CLR, $a0" : : : "$a0");
    for (unsigned v = 4 * worker; v < vectors.size(); v += 4 * numWorkers())
      asm(R"(
)code" + oneVector() +
         R"code()" : : [ptr] "r"(&vectors[v]))code" + phaseOperands(4) +
         R"code( : "memory", "$a0:1", "$a2:3");
    return true;
  }
};
struct InALoop : MultiVertex {
  Vectors vectors;
  bool compute(unsigned worker) {
    const unsigned first = 8 * worker;
    constexpr unsigned stride = 8 * numWorkers(), step = 4 * numWorkers() - 3;
    register float* from asm("$m2") = &vectors[first];
    register float* to asm("$m3") = &vectors[first];
    int span = vectors.size() - first;
    asm(R"(
)code" + manyVectors() +
         R"code()" : : [loadAddr] "r"(from), [storeAddr] "r"(to), [step] "r"(step), [span] "r"(span), [stride] "r"(stride))code" +
         phaseOperands(8) + R"code( : "memory", "$m0", "$a0:1", "$a2:3");
    return true;
  }
};
struct Triad : Vertex {
  Input<Vector<float, VectorLayout::SPAN, 8, true>> x, y;
  Output<Vector<float, VectorLayout::SPAN, 8, true>> z;
  float factor;
  bool compute() {
    uint2 addresses = __builtin_ipu_tapack(&x[0], &y[0], &z[0]);
    float2 none;
    asm volatile(R"(
)code" + triad() +
         R"code()" : [tmp] "=r"(none), [ptr] "+r"(addresses) : [iter] "r"(z.size() / 2 - 2), [q] "r"(factor) : "$a0:1", "memory");
    return true;
  }
};
struct Dot : Vertex {
  Input<Vector<float, VectorLayout::SPAN, 8>> x, y;
  Output<float> sum;
  bool compute() {
    const float2* a = reinterpret_cast<const float2*>(&x[0]);
    const float2* b = reinterpret_cast<const float2*>(&y[0]);
    asm("setzi $a0, 0x8\nuput $FP_CLR, $a0" : : : "$a0");
    float2 pair;
    asm(R"(
      f32v2mac %1, %2
      f32v2gina %0, $azeros, 0
    )" : "=r"(pair) : "r"(*a), "r"(*b));
    *sum = pair[0] + pair[1];
    return true;
  }
};
)code";
}

} // namespace

class AssemblyIdiomsTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  std::vector<graph::Codelet> compile(const std::string& text) {
    const auto file = m_folder / "amp.cpp";
    std::ofstream(file) << text;
    return native::compileCodelets({{file}, {}, 2, m_folder / "cache"}).codelets;
  }

  // The vectors after a run on two tiles with other matrices, and its cycles.
  std::pair<std::vector<double>, int64_t> transformed(const std::string& codelet, const std::array<Matrix, 2>& matrices) {
    tests::HostWorld w;
    for (const auto& c : compile(source())) w.graph->addCodelet(c);
    std::vector<graph::Tensor> all;
    const auto load = w.graph->addComputeSet("load"), transform = w.graph->addComputeSet("transform");
    for (int tile = 0; tile < 2; ++tile) {
      const auto matrix = w.variable(graph::ElementType::Float, {16}, "matrix" + std::to_string(tile), tile);
      std::vector<float> rows;
      for (const auto& row : matrices[std::size_t(tile)]) rows.insert(rows.end(), row.begin(), row.end());
      w.graph->setInitialValue(matrix, rows);
      all.push_back(w.variable(graph::ElementType::Float, {kElements}, "vectors" + std::to_string(tile), tile));
      w.graph->setTileMapping(w.graph->addVertex(load, "KeepMatrix", {{"matrix", matrix}}), reports::TileId(std::size_t(tile)));
      w.graph->setTileMapping(w.graph->addVertex(transform, codelet, {{"vectors", all.back()}}),
                              reports::TileId(std::size_t(tile)));
    }
    w.main.add(graph::program::execute(load));
    w.main.add(graph::program::execute(transform));
    run::Engine engine(w.compile(), {}, nullptr);
    std::vector<float> values(kElements);
    std::iota(values.begin(), values.end(), 1.0f);
    for (const auto& t : all) engine.writeTensor(t, HostTensor::vector(values));
    engine.run();
    return {engine.readTensor(graph::concat(all)).toDoubles(), engine.cycle()};
  }

private slots:
  void vectorsAreMultipliedByTheMatrixOfTheirTile() {
    SKIP_WITHOUT_CLANG();
    const std::array<Matrix, 2> matrices{Matrix{{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}}},
                                         Matrix{{{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, 1, 0}}}};
    for (const char* codelet : {"OneByOne", "InALoop"}) {
      const auto [values, cycles] = transformed(codelet, matrices);
      for (int i = 0; i < 2 * kElements; ++i) {
        const int vector = i % kElements / 4 * 4;
        double expected = 0;
        for (int k = 0; k < 4; ++k)
          expected += matrices[std::size_t(i / kElements)][std::size_t(i % 4)][std::size_t(k)] * (vector + k + 1);
        QCOMPARE(values[std::size_t(i)], expected);
      }
    }
  }

  void timeIsThatOfTheBundles() {
    SKIP_WITHOUT_CLANG();
    const std::array<Matrix, 2> none{};
    const int64_t one = transformed("OneByOne", none).second, loop = transformed("InALoop", none).second;
    // Four vectors a worker: at least nine bundles each; two turns of twenty-two for eight elements.
    QVERIFY2(one > 6 * 4 * 9, std::to_string(one).c_str());
    QVERIFY2(loop > 6 * 2 * 20, std::to_string(loop).c_str());
  }

  // One bundle of the loop for a pair.
  void theTriadTakesABundleForAPair() {
    SKIP_WITHOUT_CLANG();
    std::vector<int64_t> cycles;
    for (const int64_t n : {64, 128, 192}) {
      tests::HostWorld w;
      for (const auto& c : compile(source())) w.graph->addCodelet(c);
      const auto x = w.variable(graph::ElementType::Float, {n}, "x"), y = w.variable(graph::ElementType::Float, {n}, "y"),
                 z = w.variable(graph::ElementType::Float, {n}, "z");
      const auto set = w.graph->addComputeSet("triad");
      const auto v = w.graph->addVertex(set, "Triad", {{"x", x}, {"y", y}, {"z", z}});
      w.graph->setInitialValue(v["factor"], 3);
      w.graph->setTileMapping(v, reports::TileId(0));
      w.main.add(graph::program::execute(set));
      run::Engine engine(w.compile(), {}, nullptr);
      std::vector<float> up(std::size_t(n), 0);
      std::iota(up.begin(), up.end(), 1.0f);
      engine.writeTensor(x, HostTensor::vector(up));
      engine.writeTensor(y, HostTensor::full(graph::ElementType::Float, {n}, 0.5));
      engine.run();
      for (int64_t i = 0; i < n; ++i) QCOMPARE(engine.readTensor(z).at(i), 3.0 * double(i + 1) + 0.5);
      cycles.push_back(engine.cycle());
    }
    QCOMPARE(cycles[1] - cycles[0], int64_t(6 * 32));
    QCOMPARE(cycles[2] - cycles[1], int64_t(6 * 32));
  }

  void accumulatorsMultiplyPairs() {
    SKIP_WITHOUT_CLANG();
    tests::HostWorld w;
    for (const auto& c : compile(source())) w.graph->addCodelet(c);
    const auto x = w.variable(graph::ElementType::Float, {2}, "x"), y = w.variable(graph::ElementType::Float, {2}, "y"),
               sum = w.variable(graph::ElementType::Float, {1}, "sum");
    const auto set = w.graph->addComputeSet("dot");
    w.graph->setTileMapping(w.graph->addVertex(set, "Dot", {{"x", x}, {"y", y}, {"sum", sum[0]}}), reports::TileId(0));
    w.main.add(graph::program::execute(set));
    run::Engine engine(w.compile(), {}, nullptr);
    engine.writeTensor(x, HostTensor::vector<float>({2, 0.5f}));
    engine.writeTensor(y, HostTensor::vector<float>({4, 10}));
    engine.run();
    engine.run(); // the accumulators are empty again
    QCOMPARE(engine.readTensor(sum).at(0), 13.0);
  }

  // A header that a header includes, with a folder of its own: sums of a product and a scaled array, and an accumulation alone.
  void idiomsInHeadersHaveTheirMeaning() {
    SKIP_WITHOUT_CLANG();
    std::filesystem::create_directories(m_folder / "inner");
    std::ofstream(m_folder / "outer.hpp") << "#pragma once\n#include <arithmetic.hpp>\n";
    std::ofstream(m_folder / "inner" / "arithmetic.hpp") << R"code(#pragma once
#include <ipudef.h>
inline void clear() { asm("setzi $a0, 0x8\nuput $FP_CLR, $a0" : : : "$a0"); }
inline void accumulate(float2 a, float2 b) { asm volatile("f32v2mac %[ a ], %[ b ]" : : [ a ] "r"(a), [ b ] "r"(b)); }
inline void scaledSum(float a, float b, const float2* x, const float2* y, float2* z, unsigned pairs) {
  asm volatile("uput $TAS, %[ b ]" : : [ b ] "r"(b));
  float2 av = {a, a}, xv, yv, zv;
  uint2 packed;
  asm volatile(R"(
    ld64step %[xv], $m15, %[xptr]+=, 1
    ld64step %[yv], $m15, %[yptr]+=, 1
    { ld64step %[xv], $m15, %[xptr]+=, 1
      f32v2mul %[zv], %[xv], %[av] }
    { ld64step %[yv], $m15, %[yptr]+=, 1
      f32v2axpy %[zv], %[yv], %[zv] }
    { ld64step %[xv], $m15, %[xptr]+=, 1
      f32v2mul %[zv], %[xv], %[av] }
    { ld64step %[yv], $m15, %[yptr]+=, 1
      f32v2axpy %[zv], %[yv], %[zv] }
    tapack %[packed], %[xptr], $mzero, %[zptr]
    { rpt %[nb], 1
      fnop }
    { ldst64pace %[xv], %[zv], %[packed]+=, $mzero, 0
      f32v2mul %[zv], %[xv], %[av] }
    { ld64step %[yv], $m15, %[yptr]+=, 1
      f32v2axpy %[zv], %[yv], %[zv] })"
    : [ xptr ] "+r"(x), [ yptr ] "+r"(y), [ av ] "+r"(av), [ xv ] "=r"(xv), [ yv ] "=r"(yv), [ zv ] "=r"(zv), [ packed ] "+r"(packed), [ nb ] "+r"(pairs)
    : [ zptr ] "r"(z));
}
)code";
    const auto file = m_folder / "sums.cpp";
    std::ofstream(file) << "#include <poplar/Vertex.hpp>\n#include \"outer.hpp\"\n"
                        << R"code(using namespace poplar;
class Sums : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> x, y;
  Output<Vector<float, VectorLayout::SPAN, 8>> z;
  Output<float> dot;
  bool compute() {
    const float2* a = reinterpret_cast<const float2*>(&x[0]);
    const float2* b = reinterpret_cast<const float2*>(&y[0]);
    scaledSum(2, 3, a, b, reinterpret_cast<float2*>(&z[0]), z.size() / 2);
    clear();
    for (unsigned i = 0; i < x.size() / 2; ++i) accumulate(a[i], b[i]);
    const float2 sums = __builtin_ipu_f32v2gina(float2{0, 0}, 0);
    *dot = sums[0] + sums[1];
    return true;
  }
};
)code";
    const std::string folder = (m_folder / "inner").string();
    const auto codelets = native::compileCodelets({{file}, {"-I" + folder}, 2, m_folder / "cache"}).codelets;
    const auto four = [](double first) { return std::vector{HostTensor::vector<float>({float(first), 2, 3, 4})}; };
    validation::VertexObject vertex(codelets.at(0), {{"x", four(1)}, {"y", four(10)}, {"z", four(0)}, {"dot", four(0)}}, {});
    vertex.run();
    QCOMPARE(vertex.values("z").toDoubles(), (std::vector<double>{32, 10, 15, 20}));
    QCOMPARE(vertex.values("dot").at(0), 39.0);
    std::ofstream(m_folder / "inner" / "arithmetic.hpp", std::ios::app)
        << "inline void other() { asm volatile(\"f32v2foo $a0\"); }\n";
    std::ofstream(file, std::ios::app) << "void uses() { other(); }\n";
    const std::string error = tests::errorOf([&] { native::compileCodelets({{file}, {"-I" + folder}, 2, m_folder / "cache"}); });
    QVERIFY2(tests::has(error, "f32v2foo") && tests::has(error, "arithmetic.hpp:30"), error.c_str());
  }

  void otherUsesOfTheMatrixUnitAreErrors() {
    SKIP_WITHOUT_CLANG();
    std::string text = source();
    const std::string partial = "f32sisoamp $azeros, $a0, $azeros, %[TAMP_F32_E4_P2]";
    for (std::size_t at = text.find(partial); at != std::string::npos; at = text.find(partial))
      text.replace(at, partial.size(), "f32sisoamp $azeros, $a0, $a4:5, %[TAMP_F32_E4_P2]"); // adds something
    const std::string error = tests::errorOf([&] { compile(text); });
    QVERIFY2(tests::has(error, "assembly") && tests::has(error, "amp.cpp:"), error.c_str());
  }

  // A supervisor fills an object of a vertex class on its stack and runs one worker on it, in a function of C.
  void aSupervisorRunsAWorkerOnALocalObject() {
    SKIP_WITHOUT_CLANG();
    const auto codelets = compile(R"(
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
struct Divide : public poplar::Vertex {
  int a, b;
  void compute() { a = (double)a * 65536 / (double)b; }
};
extern "C" __attribute__((target("supervisor"))) int divided(int a, int b) {
  Divide args;
  unsigned pointer = (unsigned)&args - TMEM_BASE_ADDR;
  args.a = a;
  args.b = b;
  void* code;
  asm volatile("setzi %0, __runCodelet_Divide" : [code] "+r"(code));
  asm volatile(
      "run %[code], %[args], 0\n"
      "sync %[zone]\n"
      : [code] "+r"(code), [args] "+r"(pointer)
      : [zone] "i"(TEXCH_SYNCZONE_LOCAL));
  return args.a;
}
class Ratios : public poplar::SupervisorVertex {
public:
  poplar::Input<poplar::Vector<int>> a, b;
  poplar::Output<poplar::Vector<int>> out;
  __attribute__((target("supervisor"))) void compute() {
    for (unsigned i = 0; i < a.size(); ++i) out[i] = divided(a[i], b[i]);
  }
};)");
    const auto ratios = std::find_if(codelets.begin(), codelets.end(), [](const auto& c) { return c.name == "Ratios"; });
    QVERIFY(ratios != codelets.end());
    const std::vector<int32_t> a{5, -7, 1, 90000}, b{2, 3, 65536, -9};
    validation::VertexObject vertex(
        *ratios,
        {{"a", {HostTensor::vector(a)}}, {"b", {HostTensor::vector(b)}}, {"out", {HostTensor::vector(std::vector<int32_t>(4))}}},
        {});
    QVERIFY(vertex.run() > 0);
    for (std::size_t i = 0; i < a.size(); ++i)
      QCOMPARE(vertex.values("out").integerAt(int64_t(i)), int64_t(double(a[i]) * 65536 / b[i]));
  }

  // Functions of <cmath> without std:: are those of their argument's type, as on the machine: no double, which it computes in software.
  void functionsOfCmathHaveFormsForFloats() {
    SKIP_WITHOUT_CLANG();
    const auto file = m_folder / "promotion.cpp";
    std::ofstream(file) << "#include <poplar/Vertex.hpp>\n#include <cmath>\n#include <cstdlib>\n"
                           "class Angle : public poplar::Vertex {\npublic:\n  poplar::Input<float> x, y;\n"
                           "  poplar::Output<float> out;\n  void compute() { *out = atan2(*y, *x) + abs(*x) + fabs(*y); }\n};\n";
    const auto codelets = native::compileCodelets({{file}, {"-Werror", "-Wdouble-promotion"}, 2, m_folder / "cache"}).codelets;
    QCOMPARE(codelets.size(), 1);
    const auto one = [](float v) { return std::vector{HostTensor::vector(std::vector<float>{v})}; };
    validation::VertexObject vertex(codelets[0], {{"x", one(-0.5f)}, {"y", one(0.25f)}, {"out", one(0)}}, {});
    vertex.run();
    QCOMPARE(float(vertex.values("out").at(0)), atan2f(0.25f, -0.5f) + 0.5f + 0.25f);
  }

  // Differences of addresses have 64 bits on the host only.
  void aDifferenceOfAddressesIsPrintedAsANumberOfTheMachine() {
    SKIP_WITHOUT_CLANG();
    const auto file = m_folder / "difference.cpp";
    std::ofstream(file) << "#include <poplar/Vertex.hpp>\n#include <print.h>\nclass Far : public poplar::Vertex {\npublic:\n"
                           "  poplar::InOut<poplar::Vector<float>> x;\n"
                           "  void compute() { printf(\"%u\\n\", &x[3] - &x[0]); x[0] = 1; }\n};\n";
    QCOMPARE(native::compileCodelets({{file}, {"-Wall", "-Werror"}, 2, m_folder / "cache"}).codelets.size(), 1);
  }
};

TILESCOPE_TEST(AssemblyIdiomsTest)
#include "assembly_idioms_test.moc"
