// Files of compiled codelets: packed units are read back; changed or foreign files are refused.
#include "simcore/native/library.h"
#include "simcore/native/unit.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fstream>

using namespace simcore::native;
using tests::errorOf;
using tests::has;

namespace {

Unit sampleUnit() {
  Unit unit;
  unit.source = "/a/b.cpp";
  unit.flags = {"-I", "x"};
  VertexClass vertex;
  vertex.name = "V<float>";
  vertex.objectBytes = 32;
  simcore::graph::CodeletField field;
  field.name = "in";
  field.type = simcore::graph::ElementType::Half;
  field.layout = simcore::graph::VectorLayout::OnePtr;
  vertex.fields = {field};
  vertex.places = {{8}};
  vertex.state = {{"k", 24, simcore::graph::ElementType::UInt16, 4}};
  unit.entries = {{vertex, "f", "g", false}};
  unit.globals = {{"h", 12}};
  unit.library = std::string("\0ELF", 4);
  unit.text = "text";
  return unit;
}

} // namespace

class GpFileTest : public QObject {
  Q_OBJECT
private slots:
  void packedUnitsComeBack() {
    const std::string bytes = packUnits({sampleUnit(), sampleUnit()});
    const auto units = unpackUnits(bytes, "x.gp");
    QCOMPARE(units.size(), std::size_t(2));
    QCOMPARE(packUnits(units), bytes);
    QCOMPARE(units[1].library.size(), std::size_t(4));
    QCOMPARE(units[1].entries[0].vertex.state[0].count, int64_t(4));
    QCOMPARE(units[1].entries[0].dependsOnData, false);
  }

  void damageIsFoundAtEveryPlace() {
    const std::string bytes = packUnits({sampleUnit()});
    for (std::size_t length = 0; length < bytes.size(); ++length)
      QVERIFY(!errorOf([&] { unpackUnits(bytes.substr(0, length), "x.gp"); }).empty());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = char(changed[at] ^ 1);
      const bool isNumber = at < bytes.find('\n') && at > 20; // the size of the header: only the header that it cuts is checked
      QVERIFY2(!errorOf([&] { unpackUnits(changed, "x.gp"); }).empty() || isNumber, std::to_string(at).c_str());
    }
  }

  void placesOutsideOfTheObjectAreRefused() {
    Unit unit = sampleUnit();
    unit.entries[0].vertex.places[0].offset = 24;
    QVERIFY(has(errorOf([&] { unpackUnits(packUnits({unit}), "x.gp"); }), "outside"));
    unit = sampleUnit();
    unit.entries[0].vertex.state[0].count = 5;
    QVERIFY(has(errorOf([&] { unpackUnits(packUnits({unit}), "x.gp"); }), "outside"));
  }

  void foreignFilesAreNamed() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "other.gp") << "!<arch>\nnot ours";
    const std::string error = errorOf([&] { loadGp(folder / "other.gp"); });
    QVERIFY2(has(error, "tilescope-popc") && has(error, "other.gp"), error.c_str());
    QVERIFY(has(errorOf([&] { loadGp(folder / "none.gp"); }), "none.gp"));
  }

  void mistakesOfSourcesAreTold() {
    SKIP_WITHOUT_CLANG();
    const tests::TemporaryFolder folder;
    const auto write = [&](const std::string& name, const std::string& body) {
      std::ofstream(folder / name) << "#include <poplar/Vertex.hpp>\n#include <cmath>\nusing namespace poplar;\n" << body;
      return folder / name;
    };
    const std::string same = "struct Same : Vertex {\n  Output<float> x;\n  bool compute() {\n    x = ";
    const auto one = write("one.cpp", same + "std::lgamma(3.f);\n    return true;\n  }\n};\n"),
               two = write("two.cpp", "\n" + same + "2;\n    return true;\n  }\n};\n");
    CompileRequest request{{one, two}, {}, 2, folder / "cache"};
    std::string diagnostics, error = errorOf([&] { compileCodelets(request); });
    QVERIFY2(has(error, "two codelets are called 'Same'") && has(error, "one.cpp:6") && has(error, "two.cpp:7"), error.c_str());
    QVERIFY(has(errorOf([&] { compileGp(request, {2}, diagnostics); }), "two codelets"));
    request.sources = {one, one};
    const Library library = compileCodelets(request);
    QCOMPARE(library.codelets.size(), std::size_t(1));
    request.sources = {write("lgamma.cpp", same + "std::lgamma(3.f) + *x;\n    return true;\n  }\n};\n")};
    diagnostics = compileCodelets(request).diagnostics;
    QVERIFY2(has(diagnostics, "'Same'") && has(diagnostics, "no known price: lgamma"), diagnostics.c_str());

    request.sources = {write("three.cpp", "struct Three : Vertex {\n  Vector<Vector<Input<Vector<float>>>> in;\n"
                                          "  bool compute() { return true; }\n};\n")};
    error = errorOf([&] { compileCodelets(request); });
    QVERIFY2(has(error, "'in'") && has(error, "two levels") && has(error, "three.cpp:5"), error.c_str());

    request.sources = {write("wrong.cpp", "int a = b;\nint c = d;\n")};
    error = errorOf([&] { linkCodelets({request}, &diagnostics); });
    QVERIFY2(has(error, "wrong.cpp:4") && has(diagnostics, "'b'") && has(diagnostics, "'d'"), diagnostics.c_str());
  }

  // Nothing is written for it, so the usual cache may be missing.
  void aReadyFileNeedsNoCache() {
    SKIP_WITHOUT_CLANG();
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "a.cpp") << "#include <poplar/Vertex.hpp>\nstruct A : poplar::Vertex {\n  poplar::Output<int> out;\n"
                                       "  bool compute() {\n    *out = 1;\n    return true;\n  }\n};\n";
    std::string diagnostics;
    std::ofstream(folder / "a.gp", std::ios::binary)
        << compileGp({{folder / "a.cpp"}, {}, 2, folder / "cache"}, {2}, diagnostics);
    QCOMPARE(compileCodelets({{folder / "a.gp"}, {}, 2, "/proc/none/cache"}).codelets.size(), std::size_t(1));
    QVERIFY(!errorOf([&] { compileCodelets({{folder / "a.cpp"}, {}, 2, "/proc/none/cache"}); }).empty());
  }

  void loadedFilesNeedNoCompiler() {
    SKIP_WITHOUT_CLANG();
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "a.cpp") << "#include <poplar/Vertex.hpp>\nstruct A : poplar::Vertex {\n  poplar::Output<int> out;\n"
                                       "  bool compute() {\n    *out = __IPU_ARCH_VERSION__ + N;\n    return true;\n  }\n};\n";
    std::string diagnostics;
    std::ofstream(folder / "a.gp", std::ios::binary)
        << compileGp({{folder / "a.cpp"}, {"-DN=100"}, 2, folder / "cache"}, {2, 21}, diagnostics);
    std::filesystem::remove(folder / "a.cpp");
    std::filesystem::remove_all(folder / "cache");
    qputenv("TILESCOPE_CLANG", "/none/clang++");
    for (const int version : {2, 21}) {
      const Library library = loadGp(folder / "a.gp", version);
      QCOMPARE(library.codelets.size(), std::size_t(1));
      int value = 0;
      int* object = &value;
      QVERIFY(library.codelets[0].native->compute(&object, 0));
      QCOMPARE(value, version + 100);
    }
    qunsetenv("TILESCOPE_CLANG");
  }
};

TILESCOPE_TEST(GpFileTest)
#include "gp_file_test.moc"
