// The host's time of compiled codelets with the counting of their instructions, divided by their time without: the codelets that
// `validate-model --codelets` has, and codelets that depend on their data. The goal is 1.5. Both are measured in turn, and
// medians compared. "ratio" is of 64 vertices that have data of their own, as those of a compute set do. "same_data" is of one
// vertex that runs thousands of times on the same data: a processor learns its branches then, which makes a binary search ten
// times faster than on data that it has not seen.
#include "reports/core/error.h"
#include "simcore/native/library.h"
#include "simcore/validation/codelet_cases.h"
#include "simcore/validation/sample_vertices.h"
#include "simcore/validation/vertex_object.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <deque>
#include <fstream>
#include <random>

using namespace simcore;
using numerics::ElementType;
using numerics::HostTensor;
using validation::ConnectedField;

namespace {

constexpr int kRounds = 21;
constexpr uint32_t kVertices = 64;
constexpr double kSecondsARound = 2e-3;

struct Case {
  std::string name, source, codelet;
  std::vector<ConnectedField> fields;
  std::vector<std::pair<std::string, double>> state;
};

// Whole numbers below `below`, or floats in [-1, 1) if it is 0.
HostTensor drawn(uint32_t seed, ElementType type, int64_t count, double below, bool inOrder = false) {
  std::mt19937 draw(11 + seed);
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(below > 0 ? double(draw() % uint32_t(below)) : double(draw()) / 0x1p31 - 1);
  if (inOrder) std::sort(values.begin(), values.end());
  return HostTensor::vector(values).cast(type);
}

std::vector<Case> dataDependentCases(uint32_t seed) {
  using enum ElementType;
  const auto u = [&](int64_t n, double below) { return std::vector{drawn(seed, UInt32, n, below)}; };
  const auto f = [&](int64_t n) { return std::vector{drawn(seed, Float, n, 0)}; };
  const auto bytes = [&](int64_t n, double below) { return std::vector{drawn(seed, UInt8, n, below)}; };
  const auto positive = std::vector{drawn(seed, Float, 512, 1000)};
  std::vector<double> twelves;
  for (int i = 0; i < 257; ++i) twelves.push_back(12 * i);
  const auto rows = std::vector{HostTensor::vector(twelves).cast(UInt32)};
  std::vector<Case> cases = {
      {"", "", "Collatz", {{"in", u(128, 100'000)}, {"out", u(128, 2)}}, {}},
      {"", "", "Escape", {{"real", f(128)}, {"imaginary", f(128)}, {"out", {drawn(seed, Int32, 128, 2)}}}, {}},
      {"", "", "Find", {{"sorted", {drawn(seed, UInt32, 2048, 1e6, true)}}, {"keys", u(512, 1e6)}, {"places", u(512, 2)}}, {}},
      {"", "", "SparseRows", {{"rows", rows}, {"columns", u(3072, 512)}, {"values", f(3072)}, {"x", f(512)}, {"y", f(256)}}, {}},
      {"", "", "Histogram", {{"in", u(4096, 1e6)}, {"bins", u(64, 2)}}, {}},
      {"", "", "SortSlowly", {{"in", u(256, 1e6)}, {"out", u(256, 2)}}, {}},
      {"", "", "Roots", {{"in", positive}, {"out", f(512)}}, {}},
      {"", "", "LengthOfRuns", {{"in", bytes(4096, 256)}, {"lengths", u(64, 2)}}, {}},
      {"", "", "Divisors", {{"a", u(256, 1e6)}, {"b", u(256, 1e5)}, {"out", u(256, 2)}}, {}},
      {"", "", "Rectify", {{"x", f(4096)}}, {}},
      {"", "", "Clamp", {{"x", f(4096)}}, {{"least", -0.3}, {"most", 0.6}}},
      {"", "", "RectifyHalves", {{"x", std::vector{drawn(seed, Half, 4096, 0)}}}, {}},
      {"", "", "RectifyIntegers", {{"x", std::vector{drawn(seed, Int32, 4096, 8)}}}, {}},
      {"", "", "RectifyRows", {{"rows", std::vector(16, drawn(seed, Float, 256, 0))}}, {}},
      {"", "", "RectifyFrom", {{"in", f(4096)}, {"out", f(4096)}}, {}},
      {"", "", "Decay", {{"in", f(4096)}, {"out", f(4096)}}, {}},
      {"", "", "Above", {{"in", f(4096)}, {"out", f(4096)}}, {{"threshold", 0.2}}},
      {"", "", "Interpreter", {{"program", bytes(128, 256)}, {"in", u(32, 1e6)}, {"out", u(32, 2)}}, {}},
      {"", "", "Calls", {{"in", u(1024, 1e6)}, {"out", u(1024, 2)}}, {}},
      {"",
       "",
       "AtMost63",
       {{"length", std::vector{HostTensor::vector(std::vector<double>{59}).cast(UInt32)}}, {"in", f(64)}, {"out", f(64)}},
       {}},
      {"", "", "WhileEqual", {{"a", bytes(4096, 1)}, {"b", bytes(4096, 1)}, {"length", u(1, 2)}}, {}},
      {"", "", "Walk", {{"next", u(1024, 1024)}, {"last", u(1, 2)}}, {}},
      {"", "", "Distances", {{"points", f(4096)}, {"query", f(4)}, {"best", f(2)}}, {}},
      {"", "", "Blocks", {{"lengths", u(64, 64)}, {"in", f(4096)}, {"out", f(4096)}}, {}}};
  for (Case& c : cases) c.name = c.codelet, c.source = "data_dependent.cpp";
  return cases;
}

// Cases of another seed have other data, if the codelet's time depends on them.
std::vector<Case> cases(uint32_t seed = 0) {
  std::vector<Case> all = dataDependentCases(seed);
  for (const validation::CodeletCase& c : validation::builtInCodelets())
    all.push_back({c.id + " " + c.codelet, c.source, c.codelet, validation::fieldsOf(c), validation::stateOf(c)});
  for (const validation::SampleVertex& v : validation::sampleVertices())
    all.push_back({v.sample + " " + v.codelet, v.source, v.codelet, v.fields, v.state});
  const auto rows = [](int64_t count, int64_t size) {
    return std::vector(std::size_t(count), drawn(0, ElementType::Float, size, 0));
  };
  all.push_back({"HeatPlain",
                 "heat.cpp",
                 "HeatPlain",
                 {{"before", rows(44, 176)}, {"after", rows(42, 174)}},
                 {{"rows", 42}, {"columns", 174}, {"rate", 0.1}}});
  return all;
}

std::string textOf(const std::string& source) {
  if (std::string text = validation::sourceOfCodelet(source); !text.empty()) return text;
  std::ifstream in(std::string(TILESCOPE_SOURCE_DIR) + "/tests/bench/codelets/" + source);
  return {std::istreambuf_iterator<char>(in), {}};
}

const graph::Codelet& codeletOf(const Case& c) {
  static std::map<std::string, std::vector<graph::Codelet>> libraries;
  std::vector<graph::Codelet>& library = libraries[c.source];
  if (library.empty()) {
    const auto file = std::filesystem::temp_directory_path() / ("tilescope-bench-" + c.source);
    std::ofstream(file) << textOf(c.source);
    library = native::compileCodelets({{file}, {}, 2, {}}).codelets;
  }
  return *std::find_if(library.begin(), library.end(), [&](const auto& codelet) { return codelet.name == c.codelet; });
}

double threadSeconds() { // not the time of other programs
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template<class F> double secondsOf(int64_t runs, const F& run) {
  const double begin = threadSeconds();
  for (int64_t i = 0; i < runs; ++i) run();
  return (threadSeconds() - begin) / double(runs);
}

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

// Vertices of one codelet, run plain or counted.
class Vertices {
public:
  Vertices(const graph::Codelet& codelet, const std::vector<Case>& cases) : m_body(*codelet.native) {
    for (const Case& c : cases) m_vertices.emplace_back(codelet, c.fields, c.state).run();
    m_workers = codelet.kind == graph::Codelet::Kind::Multi ? 6 : 1;
  }
  void plain() {
    for (auto& vertex : m_vertices)
      for (unsigned worker = 0; worker < m_workers; ++worker) m_body.compute(vertex.object(), worker);
  }
  void counted() {
    graph::Counters* const counters = m_body.counters(); // once for many vertices, as the engine does it
    for (auto& vertex : m_vertices)
      for (unsigned worker = 0; worker < m_workers; ++worker) {
        *counters = {0, int64_t(1) << 40, nullptr};
        m_body.counted(vertex.object(), worker);
      }
  }

private:
  const graph::NativeBody& m_body;
  std::deque<validation::VertexObject> m_vertices;
  unsigned m_workers;
};

struct Compared {
  double plainSeconds, ratio;
};

Compared compared(Vertices vertices) {
  vertices.counted();
  const auto runs = int64_t(kSecondsARound / (secondsOf(8, [&] { vertices.plain(); }) + 1e-9)) + 1;
  std::vector<double> with, without;
  for (int round = 0; round < kRounds; ++round) {
    without.push_back(secondsOf(runs, [&] { vertices.plain(); }));
    with.push_back(secondsOf(runs, [&] { vertices.counted(); }));
  }
  const double seconds = median(without);
  return {seconds, median(with) / seconds};
}

void compare(benchmark::State& state, std::size_t index) {
  std::vector<Case> same{cases()[index]}, own;
  const bool dependsOnSeed = index < dataDependentCases(0).size();
  for (uint32_t seed = 0; seed < kVertices; ++seed) own.push_back(dependsOnSeed ? dataDependentCases(seed)[index] : same.front());
  const graph::Codelet* codelet = nullptr;
  try {
    codelet = &codeletOf(same.front());
  } catch (const reports::Error& e) {
    state.SkipWithError(e.what());
    return;
  }
  for (auto _ : state) {
    const Compared each = compared({*codelet, own}), one = compared({*codelet, same});
    state.counters["plain_us"] = 1e6 * each.plainSeconds / kVertices;
    state.counters["ratio"] = each.ratio;
    state.counters["same_data"] = one.ratio;
  }
  state.counters["each_time"] = codelet->native->dependsOnData;
}

} // namespace

int main(int argc, char** argv) { // the cases need the samples, which are not ready before main()
  benchmark::Initialize(&argc, argv);
  const std::vector<Case> all = cases();
  for (std::size_t index = 0; index < all.size(); ++index)
    benchmark::RegisterBenchmark(("BM_CountCodelet/" + all[index].name).c_str(),
                                 [index](benchmark::State& s) { compare(s, index); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
}
