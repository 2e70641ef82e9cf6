// Codelets of many kinds, as people write them, run through Poplar's public classes: members, layouts of fields and lists, kinds
// of vertices, templates, the machine's headers.
#include "poplar/Engine.hpp"
#include "poplar/IPUModel.hpp"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <fstream>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr const char* kSource = R"code(
#include <poplar/Vertex.hpp>
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
using namespace poplar;

class Members : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  const float weights[5];
  int offsets[3];
  unsigned char flags[4];
  half h;
  bool on;
  unsigned short s;
  signed char c;
  long long big;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i) {
      float sum = 0;
      for (int k = 0; k < 5; ++k) sum += weights[k] * in[i + k];
      out[i] = (on ? sum : -1.f) + offsets[i % 3] + flags[i % 4] + float(h) + s + c + (float)big;
    }
    return true;
  }
};

template <typename T, VectorListLayout L> class Lists : public Vertex {
public:
  Input<VectorList<T, L>> in;
  Output<Vector<T>> sums;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      float s = 0;
      for (unsigned j = 0; j < in[i].size(); ++j) s += float(in[i][j]);
      sums[i] = T(s);
    }
    return true;
  }
};
template class Lists<float, VectorListLayout::DELTAN>;
template class Lists<half, VectorListLayout::DELTANELEMENTS>;

class ListsOfPointers : public Vertex {
public:
  Vector<Input<Vector<float, VectorLayout::ONE_PTR>>> in;
  Vector<InOut<Vector<float, VectorLayout::SPAN, 8>>> io;
  Input<Vector<unsigned, VectorLayout::COMPACT_PTR, 4>> n;
  bool compute() {
    for (unsigned i = 0; i < io.size(); ++i)
      for (unsigned j = 0; j < n[i]; ++j) io[i][j] += in[i][j] * 2;
    return true;
  }
};

namespace lib {
enum class Mode { FAST, SLOW };
template <class Derived> class Base : public Vertex {
public:
  Input<Vector<float, VectorLayout::SCALED_PTR32, 4>> in;
  unsigned count;
};
template <Mode M> class Mapped : public Base<Mapped<M>> {
public:
  Mapped();
  Output<Vector<float, VectorLayout::SCALED_PTR64, 8>> out;
  static const bool isExternalCodelet = M == Mode::FAST;
  bool compute() {
    for (unsigned i = 0; i != this->count; ++i) out[i] = M == Mode::FAST ? this->in[i] * 2 : this->in[i] + 1;
    return true;
  }
};
template class Mapped<Mode::FAST>;
template class Mapped<Mode::SLOW>;
} // namespace lib

class Squares : public MultiVertex {
public:
  Input<Vector<half, VectorLayout::SPAN, 8>> x;
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> y;
  bool compute(unsigned worker) {
    const half4* p = reinterpret_cast<const half4*>(&x[0]);
    half4* q = reinterpret_cast<half4*>(&y[0]);
    for (unsigned i = worker; i < x.size() / 4; i += numWorkers()) q[i] = p[i] * p[i] + half4{1, 1, 1, 1};
    return true;
  }
};

class Running : public SupervisorVertex {
public:
  InOut<Vector<unsigned>> x;
  __attribute__((target("supervisor"))) bool compute() {
    unsigned s = 0;
    for (unsigned i = 0; i < x.size(); ++i) x[i] = s += x[i];
    return true;
  }
};

class Posts : public Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> out;
  Input<unsigned short> n;
  Input<bool> up;
  Input<half> scale;
  void compute() {
    const half4* p = reinterpret_cast<const half4*>(&in[0]);
    half4* q = reinterpret_cast<half4*>(&out[0]);
    const half4 s = {*scale, *scale, *scale, *scale};
    for (unsigned i = 0; i < *n / 4u; ++i) {
      half4 v = ipu::fma(ipu::load_postinc(&p, 1), s, half4{1, 1, 1, 1});
      if (*up) v = ipu::max(v, half4{2, 2, 2, 2});
      ipu::store_postinc(&q, v, 1);
    }
  }
};

class Sorted : public Vertex {
public:
  InOut<Vector<int>> x;
  Output<Vector<int>> at;
  Input<int> key;
  bool compute() {
    std::sort(x.begin(), x.end());
    auto it = std::lower_bound(x.begin(), x.end(), *key);
    at[0] = it == x.end() ? -1 : int(it - x.begin());
    at[1] = *std::max_element(&x[0], &x[0] + x.size());
    assert(at[1] >= x[0]);
    return true;
  }
};

class Table : public Vertex {
public:
  Vector<float> table; // memory of the vertex
  Output<float> sum;
  bool compute() {
    float s = 0;
    for (float& v : table) s += v, v *= 2;
    *sum = s;
    return true;
  }
};

template <class T> T loaded(const T* from) { return *from; }
class Fours : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  Output<unsigned> bytes;
  struct Pair {
    float a;
    float4 b;
  };
  bool compute() {
    const float4* p = reinterpret_cast<const float4*>(&in[2]); // at a multiple of 8, not of 16
    *reinterpret_cast<float4*>(&out[2]) = p[0] + loaded(p + 1);
    *bytes = sizeof(Pair);
    return true;
  }
};

// Assignments of vectors among fields: rows, whole fields, lists, by value as an argument.
class Assigned : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Input<VectorList<float, VectorListLayout::DELTAN>> list;
  Vector<Output<Vector<float>>> rows, copies, ofList;
  InOut<VectorList<half, VectorListLayout::DELTAN>> halves;
  Output<Vector<float>> whole;
  void copyOut(Vector<Input<Vector<float>>> from) {
    for (unsigned i = 0; i < from.size(); ++i) rows[i] = from[i];
  }
  bool compute() {
    copyOut(in);
    copies = rows;
    for (unsigned i = 0; i < ofList.size(); ++i) ofList[i] = list[i];
    halves[0] = in[1];
    halves[1] = halves[0];
    whole = std::array<float, 2>{{7, 8}};
    Vector<float> name = in[0]; // a name for the elements
    name = in[1];
    whole[2] = name[0];
    return true;
  }
};

class Packed : public Vertex {
public:
  Vector<Output<Vector<float>>> out;
  int count;
  bool compute() {
    for (int i = 0; i < count; ++i) out[0][i] = float(i + 1);
    return true;
  }
};

static unsigned g_calls = 3;
class Counter : public Vertex {
public:
  Output<unsigned> out;
  bool compute() {
    *out = ++g_calls;
    return true;
  }
};
)code";

class CodeletKindsTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  // A graph with the codelets, its program, and results by name.
  struct World {
    Device device = IPUModel().createDevice();
    Graph graph{device.getTarget()};
    Sequence program;
    std::unique_ptr<Engine> engine;

    explicit World(const std::string& file) { graph.addCodelets(file); }
    template<class T> Tensor made(const char* name, Type type, const std::vector<T>& values) {
      Tensor tensor = empty(name, type, values.size());
      graph.setInitialValue(tensor, ArrayRef<T>(values));
      return tensor;
    }
    Tensor empty(const char* name, Type type, std::size_t size) {
      Tensor tensor = graph.addVariable(type, {size}, name);
      graph.setTileMapping(tensor, 0);
      graph.createHostRead(name, tensor);
      return tensor;
    }
    VertexRef vertex(const std::string& name, unsigned tile = 0) {
      const ComputeSet set = graph.addComputeSet(name);
      VertexRef v = graph.addVertex(set, name);
      graph.setTileMapping(v, tile);
      program.add(Execute(set));
      return v;
    }
    void run(int times = 1) {
      engine = std::make_unique<Engine>(graph, program);
      engine->load(device);
      for (int i = 0; i < times; ++i) engine->run();
    }
    template<class T> std::vector<T> read(const char* name, std::size_t size) {
      std::vector<T> values(size);
      engine->readTensor(name, values.data(), values.data() + size);
      return values;
    }
    std::vector<float> halves(const char* name, std::size_t size) {
      const auto bytes = read<uint16_t>(name, size);
      std::vector<float> values(size);
      copyDeviceHalfToFloat(device.getTarget(), bytes.data(), values.data(), size);
      return values;
    }
  };
  std::string file() const { return (m_folder / "kinds.cpp").string(); }

private slots:
  void initTestCase() {
    SKIP_WITHOUT_CLANG();
    std::ofstream(file()) << kSource;
  }

  void membersOfEveryType() {
    SKIP_WITHOUT_CLANG();
    World w(file());
    std::vector<float> f;
    for (int i = 0; i < 16; ++i) f.push_back(float(i) * 0.5f);
    const VertexRef v = w.vertex("Members");
    w.graph.connect(v["in"], w.made("in", FLOAT, f));
    w.graph.connect(v["out"], w.empty("out", FLOAT, 12));
    w.graph.setInitialValue(v["weights"], ArrayRef<float>({1, 2, 3, 4, 5}));
    w.graph.setInitialValue(v["offsets"], ArrayRef<int>({10, 20, 30}));
    w.graph.setInitialValue(v["flags"], ArrayRef<unsigned char>({1, 2, 3, 4}));
    w.graph.setInitialValue(v["h"], 0.5f);
    w.graph.setInitialValue(v["on"], true);
    w.graph.setInitialValue(v["s"], 7);
    w.graph.setInitialValue(v["c"], -3);
    w.graph.setInitialValue(v["big"], 1000LL);
    w.run();
    const auto out = w.read<float>("out", 12);
    for (std::size_t i = 0; i < 12; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < 5; ++k) sum += float(k + 1) * f[i + k];
      QCOMPARE(out[i], sum + 10 * float(i % 3 + 1) + float(i % 4 + 1) + 0.5f + 7 - 3 + 1000);
    }
  }

  void listsOfEachLayout() {
    SKIP_WITHOUT_CLANG();
    World w(file());
    const Tensor in = w.made<float>("in", FLOAT, {0, 1, 2, 3, 4, 5, 6, 7}),
                 half = w.made<float>("half", HALF, {1, 2, 3, 4, 5, 6, 7, 8});
    const VertexRef a = w.vertex("Lists<float,poplar::VectorListLayout::DELTAN>");
    w.graph.connect(a["in"], std::vector<Tensor>{in.slice(0, 1), in.slice(1, 4), in.slice(2, 8)});
    w.graph.connect(a["sums"], w.empty("a", FLOAT, 3));
    const VertexRef b = w.vertex("Lists<half,poplar::VectorListLayout::DELTANELEMENTS>");
    w.graph.connect(b["in"], std::vector<Tensor>{half.slice(0, 2), half.slice(0, 8)});
    w.graph.connect(b["sums"], w.empty("b", HALF, 2));
    const Tensor io = w.made<float>("io", FLOAT, {1, 1, 1, 1, 1, 1, 1, 1});
    const VertexRef c = w.vertex("ListsOfPointers");
    w.graph.connect(c["in"], std::vector<Tensor>{in.slice(1, 3), in.slice(5, 8)});
    w.graph.connect(c["io"], std::vector<Tensor>{io.slice(0, 4), io.slice(4, 8)});
    w.graph.connect(c["n"], w.made<unsigned>("n", UNSIGNED_INT, {2, 3}));
    w.run();
    QCOMPARE(w.read<float>("a", 3), (std::vector<float>{0, 6, 27}));
    QCOMPARE(w.halves("b", 2), (std::vector<float>{3, 36}));
    QCOMPARE(w.read<float>("io", 8), (std::vector<float>{3, 5, 1, 1, 11, 13, 15, 1}));
  }

  void assignmentsOfVectorsWriteElements() {
    SKIP_WITHOUT_CLANG();
    World w(file());
    const auto rows = [](const Tensor& t) { return std::vector<Tensor>{t.slice(0, 3), t.slice(3, 5)}; };
    const Tensor in = w.made<float>("in", FLOAT, {1, 2, 3, 4, 5}), zeros = w.made<float>("rows", FLOAT, {0, 0, 0, 0, 0}),
                 copies = w.made<float>("copies", FLOAT, {0, 0, 0, 0, 0}), list = w.made<float>("list", FLOAT, {6, 7, 8, 9, 10}),
                 ofList = w.made<float>("ofList", FLOAT, {0, 0, 0, 0, -1}),
                 halves = w.made<float>("halves", HALF, {-1, -1, -1, -1, -1});
    const VertexRef v = w.vertex("Assigned");
    w.graph.connect(v["in"], rows(in));
    w.graph.connect(v["list"], rows(list));
    w.graph.connect(v["rows"], rows(zeros));
    w.graph.connect(v["copies"], rows(copies));
    w.graph.connect(v["ofList"], std::vector<Tensor>{ofList.slice(0, 2), ofList.slice(2, 5)}); // other lengths: what both have
    w.graph.connect(v["halves"], rows(halves));
    w.graph.connect(v["whole"], w.made<float>("whole", FLOAT, {0, 0, 0}));
    w.run();
    QCOMPARE(w.read<float>("rows", 5), (std::vector<float>{1, 2, 3, 4, 5}));
    QCOMPARE(w.read<float>("copies", 5), (std::vector<float>{1, 2, 3, 4, 5}));
    QCOMPARE(w.read<float>("ofList", 5), (std::vector<float>{6, 7, 9, 10, -1}));
    QCOMPARE(w.halves("halves", 5), (std::vector<float>{4, 5, -1, 4, 5}));
    QCOMPARE(w.read<float>("whole", 3), (std::vector<float>{7, 8, 4}));
    QCOMPARE(w.read<float>("in", 5), (std::vector<float>{1, 2, 3, 4, 5})); // nothing moved in the fields that were read
  }

  // Rows that lie one behind the other: a codelet may go on from one to the next, as on the machine; what it writes behind
  // the last is lost.
  void rowsOfOneTensorAreNeighbours() {
    SKIP_WITHOUT_CLANG();
    for (const int count : {4, 5}) {
      World w(file());
      const Tensor out = w.made<float>("out", FLOAT, {0, 0, 0, 0});
      const VertexRef v = w.vertex("Packed");
      w.graph.connect(v["out"], out.reshape({4, 1}));
      w.graph.setInitialValue(v["count"], count);
      w.run();
      QCOMPARE(w.read<float>("out", 4), (std::vector<float>{1, 2, 3, 4}));
    }
  }

  void templatesOfANamespace() {
    SKIP_WITHOUT_CLANG();
    World w(file());
    const Tensor in = w.made<float>("in", FLOAT, {1, 2, 3});
    for (const auto& [mode, out] : {std::pair("FAST", "fast"), std::pair("SLOW", "slow")}) {
      const VertexRef v = w.vertex(std::string("lib::Mapped<lib::Mode::") + mode + ">");
      w.graph.connect(v["in"], in);
      w.graph.connect(v["out"], w.empty(out, FLOAT, 3));
      w.graph.setInitialValue(v["count"], 3u);
    }
    w.run();
    QCOMPARE(w.read<float>("fast", 3), (std::vector<float>{2, 4, 6}));
    QCOMPARE(w.read<float>("slow", 3), (std::vector<float>{2, 3, 4}));
  }

  void kindsOfVertices() {
    SKIP_WITHOUT_CLANG();
    World w(file());
    std::vector<float> x;
    for (int i = 0; i < 64; ++i) x.push_back(float(i) / 8);
    const VertexRef multi = w.vertex("Squares", 1);
    w.graph.connect(multi["x"], w.made("x", HALF, x));
    w.graph.connect(multi["y"], w.empty("y", HALF, 64));
    const VertexRef supervisor = w.vertex("Running", 2);
    w.graph.connect(supervisor["x"], w.made<unsigned>("sums", UNSIGNED_INT, {1, 2, 3, 4, 5}));
    for (const auto& [tile, name] : {std::pair(6u, "first"), std::pair(6u, "second"), std::pair(7u, "other")})
      w.graph.connect(w.vertex("Counter", tile)["out"], w.empty(name, UNSIGNED_INT, 1)[0]);
    w.run();
    const auto y = w.halves("y", 64);
    for (std::size_t i = 0; i < y.size(); ++i) QVERIFY(std::abs(y[i] - (x[i] * x[i] + 1)) <= 0.04f);
    QCOMPARE(w.read<unsigned>("sums", 5), (std::vector<unsigned>{1, 3, 6, 10, 15}));
    QCOMPARE(w.read<unsigned>("second", 1)[0], 5U); // a global exists once a tile
    QCOMPARE(w.read<unsigned>("other", 1)[0], 4U);
  }

  void vectorsOfSixteenBytesLieAtMultiplesOfEight() {
    SKIP_WITHOUT_CLANG();
    World w(file());
    const VertexRef v = w.vertex("Fours");
    w.graph.connect(v["in"], w.made<float>("in", FLOAT, {0, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
    const Tensor out = w.made<float>("out", FLOAT, {0, 0, 0, 0, 0, 0});
    w.graph.connect(v["out"], out);
    w.graph.connect(v["bytes"], w.empty("bytes", UNSIGNED_INT, 1)[0]);
    w.run();
    const auto got = w.read<float>("out", 6);
    QCOMPARE(std::vector<float>(got.begin() + 2, got.end()), (std::vector<float>{6, 8, 10, 12}));
    QCOMPARE(w.read<unsigned>("bytes", 1)[0], 24U);
  }

  void headersOfTheMachineAndOfTheLanguage() {
    SKIP_WITHOUT_CLANG();
    World w(file());
    const VertexRef posts = w.vertex("Posts");
    w.graph.connect(posts["in"], w.made<float>("in", HALF, {1, 2, 3, 4, 5, 6, 7, 8}));
    w.graph.connect(posts["out"], w.empty("out", HALF, 8));
    w.graph.setInitialValue(posts["n"], 8);
    w.graph.setInitialValue(posts["up"], true);
    w.graph.setInitialValue(posts["scale"], 0.25f);
    const VertexRef sorted = w.vertex("Sorted");
    w.graph.connect(sorted["x"], w.made<int>("numbers", INT, {5, -3, 9, 0}));
    w.graph.connect(sorted["at"], w.empty("at", INT, 2));
    w.graph.setInitialValue(sorted["key"], 5);
    w.run();
    QCOMPARE(w.halves("out", 8), (std::vector<float>{2, 2, 2, 2, 2.25f, 2.5f, 2.75f, 3}));
    QCOMPARE(w.read<int>("at", 2), (std::vector<int>{2, 9}));
    QCOMPARE(w.read<int>("numbers", 4), (std::vector<int>{-3, 0, 5, 9}));
  }

  // A vector without a direction: the program gives it a value before or after it knows the vertex's tile, and it lasts.
  void aVectorOfTheVertexItself() {
    SKIP_WITHOUT_CLANG();
    for (const bool isMappedFirst : {false, true}) {
      World w(file());
      const ComputeSet set = w.graph.addComputeSet("table");
      const VertexRef v = w.graph.addVertex(set, "Table");
      if (isMappedFirst) w.graph.setTileMapping(v, 3);
      w.graph.setInitialValue(v["table"], ArrayRef<float>({1, 2, 3.5f}));
      if (!isMappedFirst) w.graph.setTileMapping(v, 3);
      w.graph.connect(v["sum"], w.empty("sum", FLOAT, 1)[0]);
      w.program.add(Execute(set));
      w.run(2);
      QCOMPARE(w.read<float>("sum", 1)[0], 13.0F);
    }
  }
};

} // namespace

TILESCOPE_TEST(CodeletKindsTest)
#include "codelet_kinds_test.moc"
