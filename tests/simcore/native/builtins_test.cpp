// Every builtin of the machine's compiler (BuiltinsColossus.def of the public LLVM fork names 122): compiled codelets call it, and a plain
// formula says what it gives.
#include "simcore/native/library.h"
#include "simcore/numerics/half.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <regex>
#include <set>

using namespace simcore;

namespace {

constexpr std::size_t kBytes = 16; // of a result
constexpr uint64_t kDraw = 0x123456789abcdef0ull, kStart = (uint64_t(3) << 32) + 41;
constexpr float kA[] = {1.5f, -2.25f, 3, -0.5f}, kB[] = {-0.25f, 4, 3, -8}; // a and b of every type, as many as it has
constexpr uint32_t kU = 0x81c2e4f7u, kV = 0x12345678u;

using Bytes = std::vector<unsigned char>;
template<class T> Bytes bytesOf(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  bytes.resize(kBytes);
  return bytes;
}
Bytes floats(const std::vector<float>& values) { return bytesOf(values); }
Bytes halves(const std::vector<float>& values) {
  std::vector<uint16_t> bits;
  for (const float value : values) bits.push_back(numerics::halfBits(value));
  return bytesOf(bits);
}
Bytes words(const std::vector<uint32_t>& values) { return bytesOf(values); }
Bytes shorts(const std::vector<int16_t>& values) { return bytesOf(values); }

struct Row {
  std::string call; // an expression
  Bytes result;
};

std::string builtin(const std::string& name) { return "__builtin_ipu_" + name; }

// Operations on each element, of two and four halves, of two floats and of one.
void addElementwise(std::vector<Row>& rows, const std::string& name, const std::function<float(float, float)>& of,
                    bool compares) {
  std::vector<float> results;
  for (int i = 0; i < 4; ++i) results.push_back(of(kA[i], kB[i]));
  const auto pack = [&](std::size_t count, bool isHalf) {
    const std::vector<float> some(results.begin(), results.begin() + std::ptrdiff_t(count));
    if (!compares) return isHalf ? halves(some) : floats(some);
    Bytes bits(kBytes, 0); // ones in every bit of an element
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t b = 0, size = isHalf ? 2 : 4; b < size; ++b) bits[i * size + b] = some[i] != 0 ? 0xff : 0;
    return bits;
  };
  rows.push_back({builtin("f16v2" + name) + "(h2a, h2b)", pack(2, true)});
  rows.push_back({builtin("f16v4" + name) + "(h4a, h4b)", pack(4, true)});
  rows.push_back({builtin("f32v2" + name) + "(f2a, f2b)", pack(2, false)});
  rows.push_back({builtin("f32" + name) + "(fa, fb)", pack(1, false)});
}

void addFloats(std::vector<Row>& rows) {
  addElementwise(
      rows, "absadd", [](float a, float b) { return std::abs(a) + std::abs(b); }, false);
  addElementwise(
      rows, "absmax", [](float a, float b) { return std::max(std::abs(a), std::abs(b)); }, false);
  addElementwise(
      rows, "max", [](float a, float b) { return std::max(a, b); }, false);
  addElementwise(
      rows, "min", [](float a, float b) { return std::min(a, b); }, false);
  addElementwise(rows, "cmpeq", std::equal_to<>(), true);
  addElementwise(rows, "cmpge", std::greater_equal<>(), true);
  addElementwise(rows, "cmpgt", std::greater<>(), true);
  addElementwise(rows, "cmple", std::less_equal<>(), true);
  addElementwise(rows, "cmplt", std::less<>(), true);
  addElementwise(rows, "cmpne", std::not_equal_to<>(), true);
  rows.push_back({builtin("f16v2maxc") + "(h2a)", halves({1.5f})});
  rows.push_back({builtin("f16v4maxc") + "(h4a)", halves({1.5f, 3})});
  rows.push_back({builtin("f16v2sum") + "(h2a)", floats({-0.75f})});
  rows.push_back({builtin("f16v4sum") + "(h4a)", floats({-0.75f, 2.5f})});
  // Limits -2 and 2.
  rows.push_back({builtin("f16v2clamp") + "(h2a, limits16)", halves({1.5f, -2})});
  rows.push_back({builtin("f16v4clamp") + "(h4a, limits16)", halves({1.5f, -2, 2, -0.5f})});
  rows.push_back({builtin("f32v2clamp") + "(f2a, limits)", floats({1.5f, -2})});
  rows.push_back({builtin("f32clamp") + "(fb * 100, limits)", floats({-2})});
  const std::pair<const char*, float (*)(float)> functions[] = {{"exp", [](float x) { return std::exp(x); }},
                                                                {"exp2", [](float x) { return std::exp2(x); }},
                                                                {"tanh", [](float x) { return std::tanh(x); }},
                                                                {"sigm", [](float x) { return 1 / (1 + std::exp(-x)); }}};
  for (const auto& [name, of] : functions)
    rows.push_back({builtin(std::string("f16v2") + name) + "(h2a)", halves({of(1.5f), of(-2.25f)})});
  rows.push_back({builtin("f32sigm") + "(fa)", floats({1 / (1 + std::exp(-1.5f))})});
  rows.push_back({builtin("f16v2ln") + "(__ipu_half2{h2a[0], h2b[1]})", halves({std::log(1.5f), std::log(4.0f)})});
  rows.push_back({builtin("f16v2log2") + "(__ipu_half2{h2a[0], h2b[1]})", halves({std::log2(1.5f), 2})});
}

void addBits(std::vector<Row>& rows) {
  const auto ofFloats = [](float a, float b, auto of) { return of(std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b)); };
  const auto both = [&](const std::string& name, auto of) {
    rows.push_back({builtin(name + "_i32") + "(int(u), int(v))", words({of(kU, kV)})});
    rows.push_back({builtin(name + "_f32") + "(fa, fb)", words({ofFloats(kA[0], kB[0], of)})});
    rows.push_back({builtin(name + "_v2f32") + "(f2a, f2b)", words({ofFloats(kA[0], kB[0], of), ofFloats(kA[1], kB[1], of)})});
  };
  both("and", [](uint32_t a, uint32_t b) { return a & b; });
  both("andc", [](uint32_t a, uint32_t b) { return a & ~b; });
  both("or", [](uint32_t a, uint32_t b) { return a | b; });
  rows.push_back({builtin("not_f32") + "(fa)", words({~std::bit_cast<uint32_t>(kA[0])})});
  rows.push_back({builtin("not_v2f32") + "(f2a)", words({~std::bit_cast<uint32_t>(kA[0]), ~std::bit_cast<uint32_t>(kA[1])})});
  uint32_t reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (kU >> bit & 1) << (bit / 8 * 8 + 7 - bit % 8);
  rows.push_back({builtin("bitrev8") + "(u)", words({reversed})});
  rows.push_back({builtin("cms") + "(int(v))", words({2})}); // 0001…: two bits that repeat the sign
  rows.push_back({builtin("roll32") + "(f2a, f2b)", floats({kA[1], kB[0]})});
  // Bytes from the lowest: u is f7 e4 c2 81, v is 78 56 34 12.
  rows.push_back({builtin("roll8l") + "(u, v)", words({0x34567881u})});
  rows.push_back({builtin("roll8r") + "(u, v)", words({0x7881c2e4u})});
  rows.push_back({builtin("shuf8x8lo") + "(u, v)", words({0x56e478f7u})});
  rows.push_back({builtin("shuf8x8hi") + "(u, v)", words({0x128134c2u})});
  rows.push_back({builtin("sort4x32lo") + "(f2a, f2b)", floats({kA[0], kB[0]})});
  rows.push_back({builtin("sort4x32hi") + "(f2a, f2b)", floats({kA[1], kB[1]})});
  rows.push_back({builtin("sort8x8lo") + "(u, v)", words({0x3478c2f7u})});
  rows.push_back({builtin("sort8x8hi") + "(u, v)", words({0x125681e4u})});
  rows.push_back({builtin("sort8") + "(u)", words({0x81e4c2f7u})});
  rows.push_back({builtin("swap8") + "(u)", words({0xc281f7e4u})});
}

// Numbers that are finite, infinite and none.
void addKinds(std::vector<Row>& rows) {
  const auto kinds = [&](const std::string& name, std::array<bool, 3> is) { // of 1.5, infinity, NaN
    rows.push_back({builtin(name + "_f32") + "(infinite)", words({is[1]})});
    rows.push_back({builtin(name + "_v2f32") + "(__ipu_float2{fa, none})", words({is[0] ? ~0u : 0, is[2] ? ~0u : 0})});
    const auto mask = [](bool set) { return int16_t(set ? -1 : 0); };
    rows.push_back(
        {builtin(name + "_v2f16") + "(__ipu_half2{__ipu_half(infinite), h2a[0]})", shorts({mask(is[1]), mask(is[0])})});
    rows.push_back({builtin(name + "_v4f16") + "(__ipu_half4{h2a[0], __ipu_half(none), __ipu_half(infinite), h2a[0]})",
                    shorts({mask(is[0]), mask(is[2]), mask(is[1]), mask(is[0])})});
  };
  kinds("isfinite", {true, false, false});
  kinds("isinf", {false, true, false});
  kinds("isnan", {false, false, true});
  // 0: not a number, 1: infinite, 2: zero, 3: subnormal, 4: normal.
  rows.push_back({builtin("f32class") + "(none)", words({0})});
  rows.push_back({builtin("f32v2class") + "(__ipu_float2{infinite, fa - fa})", shorts({1, 2})});
  rows.push_back({builtin("f16v2class") + "(__ipu_half2{__ipu_half(1e-6f), h2a[0]})", shorts({3, 4})});
  rows.push_back({builtin("f16v4class") + "(__ipu_half4{h2a[0], __ipu_half(none), __ipu_half(infinite), __ipu_half(0)})",
                  shorts({4, 0, 1, 2})});
}

void addAccumulators(std::vector<Row>& rows) {
  const std::string empty = "__ipu_float2{0, 0}", none = "(clear(), ";
  rows.push_back({none + builtin("f16v2cmac") + "(h2a, h2b), " + builtin("f32v2gina") + "(" + empty + ", 0))",
                  floats({1.5f * -0.25f + -2.25f * 4, 0})});
  rows.push_back({none + builtin("f16v4cmac") + "(h4a, h4b), " + builtin("f32v2gina") + "(" + empty + ", 0))",
                  floats({1.5f * -0.25f + -2.25f * 4, 9 + 4})});
  for (int row = 0; row < 2; ++row) // the outer product, row by row
    rows.push_back({none + builtin("f32v2aop") + "(f2a, f2b, 0), " + builtin("f32v2gina") + "(" + empty + ", " +
                        std::to_string(4 * row) + "))",
                    floats({kA[row] * kB[0], kA[row] * kB[1]})});
  rows.push_back(
      {none + builtin("uputf") + "(3, 0), " + builtin("f32v2axpy") + "(f2a, f2b), " + builtin("f32v2axpy") + "(f2a, f2b))",
       floats({3 * 1.5f - 0.25f, 3 * -2.25f + 4})}); // the result of the first
  rows.push_back({none + builtin("f16v2gina") + "(h2a, 0), " + builtin("f16v2gina") + "(h2b, 0))", halves({1.5f, -2.25f})});
}

void addMachine(std::vector<Row>& rows) {
  rows.push_back({builtin("get_scount_l") + "()", words({uint32_t(kStart)})});
  rows.push_back({builtin("get_scount_u") + "()", words({3})});
  rows.push_back({builtin("get_tile_id") + "()", words({7})});
  rows.push_back({builtin("get_worker_id") + "()", words({4})});
  rows.push_back({builtin("is_worker_mode") + "()", bytesOf(std::vector<unsigned char>{1})});
  rows.push_back({"unsigned(" + builtin("get_vertex_base") + "() == this)", words({1})});
  rows.push_back({"(" + builtin("put") + "(9, 20), " + builtin("get") + "(20))", words({9})});
  rows.push_back({"(" + builtin("uput") + "(11, 21), " + builtin("uget") + "(21))", words({11})});
  rows.push_back({"(" + builtin("uputf") + "(2.5f, 22), " + builtin("ugetf") + "(22))", floats({2.5f})});
  rows.push_back({"(__tilescope_triad(" + builtin("tapack") + "(f2a4, f2b4, packed), 0, 2.0f, 0, 0), *(__ipu_float4*)packed)",
                  floats({2 * 1.5f - 0.25f, 2 * -2.25f + 4, 9, -9})});
  const uint32_t high = uint32_t(kDraw >> 32);
  rows.push_back({builtin("urand32") + "()", words({high})});
  rows.push_back({builtin("urand64") + "()", words({uint32_t(kDraw), high})});
  rows.push_back({builtin("urand_f32") + "()", floats({float(int32_t(high)) * 0x1p-32f})});
  rows.push_back({builtin("urand_f16") + "()", halves({float(int32_t(high)) * 0x1p-32f})});
  int sum = 0; // of twelve slices of five bits
  for (int i = 0; i < 12; ++i) sum += int(kDraw >> (5 * i) & 31);
  const float normal = float(sum - 186) / 32;
  rows.push_back({builtin("f32v2grand") + "()", floats({normal, normal})});
  rows.push_back({builtin("f16v2grand") + "()", halves({normal, normal})});
  // That draw is 0.571 as a fraction: a mask with probability 0.5 keeps nothing, one with 0.6 keeps all.
  rows.push_back({builtin("f32v2rmask") + "(f2a, 0.5f)", floats({0, 0})});
  rows.push_back({builtin("f32v2rmask") + "(f2a, 0.6f)", floats({kA[0], kA[1]})});
  rows.push_back({builtin("f16v4rmask") + "(h4a, 0.6f)", halves({kA[0], kA[1], kA[2], kA[3]})});
}

// The same operations by other names.
void addNames(std::vector<Row>& rows) {
  rows.push_back({"half2_fmax(h2a, h2b)", halves({1.5f, 4})});
  rows.push_back({"half4_fmin(h4a, h4b)", halves({-0.25f, -2.25f, 3, -8})});
  rows.push_back({"float2_fabs(f2a)", floats({1.5f, 2.25f})});
  rows.push_back({"ipu::atan2(f2a, f2b)", floats({std::atan2(1.5f, -0.25f), std::atan2(-2.25f, 4.0f)})});
  rows.push_back(
      {"[&] { float x; asm(\" f32max %[x], %[y], %[z]\" : [x] \"=r\"(x) : [y] \"r\"(fa), [z] \"r\"(fb)); return x; }()",
       floats({1.5f})});
  rows.push_back({"[&] { float2 x; asm(\"f32v2min %0, %1, %2\" : \"=r\"(x) : \"r\"(f2a), \"r\"(f2b)); return x; }()",
                  floats({-0.25f, -2.25f})});
  rows.push_back({"poplar::IeeeHalf(1.5f).bit16() + unsigned(poplar::IeeeHalf::fromBits(0x4200))", words({0x3e00u + 3u})});
  rows.push_back({"unsigned(long2{5, 6}[1]) + unsigned(alignof(Aligned))", words({6 + 8})});
  // The names without their prefix.
  rows.push_back({"ipu::clamp(h4a, limits16)", halves({1.5f, -2, 2, -0.5f})});
  rows.push_back({"ipu::clamp(f2a, limits)", floats({1.5f, -2})});
  rows.push_back({"ipu::maxc(h4a)", halves({1.5f, 3})});
  rows.push_back({"ipu::urand32() + ipu::get_tile_id()", words({uint32_t(kDraw >> 32) + 7})});
  rows.push_back({"ipu::fma(f2a, f2b, f2b)", floats({1.5f * -0.25f - 0.25f, -2.25f * 4 + 4})});
}

// Overloads of ipu_builtins.h, which are not builtins of the compiler.
void addOverloads(std::vector<Row>& rows) {
  rows.push_back({builtin("isfinite") + "(none) + " + builtin("isinf") + "(infinite) * 2", words({2})});
  rows.push_back({builtin("isnan") + "(__ipu_float2{fa, none})", words({0, ~0u})});
  rows.push_back({builtin("isinf") + "(__ipu_half2{__ipu_half(infinite), h2a[0]})", shorts({-1, 0})});
  rows.push_back({builtin("isfinite") + "(h4a)", shorts({-1, -1, -1, -1})});
  rows.push_back({builtin("class") + "(none)", words({0})});
  rows.push_back({builtin("class") + "(__ipu_float2{infinite, fa - fa})", shorts({1, 2})});
  rows.push_back({builtin("not") + "(f2a)", words({~std::bit_cast<uint32_t>(kA[0]), ~std::bit_cast<uint32_t>(kA[1])})});
  rows.push_back({builtin("and") + "(u, v)", words({kU & kV})});
  rows.push_back({builtin("andc") + "(int(u), int(v))", words({kU & ~kV})});
  rows.push_back({"(" + builtin("uput") + "(2.5f, 22), " + builtin("ugetf") + "(22))", floats({2.5f})});
  rows.push_back(
      {"(" + builtin("uput") + "(12, 21u), " + builtin("uput") + "(u, 23), " + builtin("uget") + "(21))", words({12})});
  rows.push_back({"__ipu_half2{1.5_h, std::numeric_limits<half>::max()}", halves({1.5f, 65504})});
  rows.push_back({"half8{h2a[0], 1}", halves({1.5f, 1})});
}

std::vector<Row> allRows() {
  std::vector<Row> rows;
  addFloats(rows);
  addBits(rows);
  addKinds(rows);
  addAccumulators(rows);
  addMachine(rows);
  addNames(rows);
  return rows;
}

std::string sourceOf(const std::vector<Row>& rows) {
  std::string text = R"code(#include <ipu_builtins.h>
#include <ipu_vector_math>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
inline void clear() {
  for (unsigned i : {0u, 4u, 8u, 12u}) __builtin_ipu_f32v2gina(__ipu_float2{0, 0}, i);
}
struct WORKER_ALIGN Aligned {
  char letter;
};
template <typename T> void keep(unsigned char* to, T value) { __builtin_memcpy(to, &value, sizeof value); }
struct Builtins : Vertex {
  Input<Vector<float>> a, b;
  Input<Vector<unsigned>> uv;
  Input<Vector<float>> odd; // infinity, not a number
  Output<Vector<unsigned char>> out;
  bool compute() {
    const float fa = a[0], fb = b[0], infinite = odd[0], none = odd[1];
    const __ipu_float2 f2a = {a[0], a[1]}, f2b = {b[0], b[1]}, limits = {-2, 2};
    const __ipu_half2 h2a = {__ipu_half(a[0]), __ipu_half(a[1])}, h2b = {__ipu_half(b[0]), __ipu_half(b[1])};
    const __ipu_half2 limits16 = {__ipu_half(-2), __ipu_half(2)};
    const __ipu_half4 h4a = {h2a[0], h2a[1], __ipu_half(a[2]), __ipu_half(a[3])},
                      h4b = {h2b[0], h2b[1], __ipu_half(b[2]), __ipu_half(b[3])};
    const unsigned u = uv[0], v = uv[1];
    const float *f2a4 = &a[0], *f2b4 = &b[0];
    alignas(16) float packed[4];
    unsigned char* at = &out[0];
)code";
  for (const Row& row : rows) text += "    keep(at, " + row.call + "), at += 16;\n";
  return text + "    return true;\n  }\n};\n";
}

} // namespace

class BuiltinsTest : public QObject {
  Q_OBJECT
private slots:
  void allAreInTheTable() {
    std::set<std::string> names;
    const std::regex call("__builtin_ipu_\\w+");
    for (const Row& row : allRows())
      for (std::sregex_iterator it(row.call.begin(), row.call.end(), call), end; it != end; ++it) names.insert(it->str());
    QCOMPARE(names.size(), std::size_t(122));
  }

  void eachGivesWhatItsFormulaSays() {
    SKIP_WITHOUT_CLANG();
    std::vector<Row> rows = allRows();
    addOverloads(rows);
    const tests::TemporaryFolder folder;
    const auto file = folder / "builtins.cpp";
    std::ofstream(file) << sourceOf(rows);
    const auto library = native::compileCodelets({{file}, {}, 2, folder / "cache"});
    const graph::NativeBody& body = *library.codelets.at(0).native;

    struct Span {
      const void* data;
      uint64_t size;
    };
    const float odd[] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
    const uint32_t uv[] = {kU, kV};
    std::vector<unsigned char> out(rows.size() * kBytes, 0);
    std::vector<uint64_t> object(std::size_t(body.objectBytes) / 8 + 1, 0);
    const Span fields[] = {{kA, 4}, {kB, 4}, {uv, 2}, {odd, 2}, {out.data(), out.size()}};
    for (std::size_t i = 0; i < 5; ++i)
      std::memcpy(reinterpret_cast<char*>(object.data()) + body.fields[i].offset, &fields[i], sizeof(Span));
    graph::MachineHooks* hooks = body.hooks();
    hooks->random = [](void*) { return kDraw; };
    hooks->startCycle = kStart;
    hooks->tile = 7;
    *body.counters() = {};
    body.compute(object.data(), 4);
    *hooks = {};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Bytes is(out.begin() + std::ptrdiff_t(i * kBytes), out.begin() + std::ptrdiff_t((i + 1) * kBytes));
      const auto text = [](const Bytes& bytes) {
        return QByteArray(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size())).toHex(' ').toStdString();
      };
      QVERIFY2(is == rows[i].result, (rows[i].call + " is " + text(is) + " and not " + text(rows[i].result)).c_str());
    }
  }
};

TILESCOPE_TEST(BuiltinsTest)
#include "builtins_test.moc"
