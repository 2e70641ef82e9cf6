// The command line of tilescope-popc, as Makefiles call it.
#include "app/popc/popc.h"
#include "simcore/native/library.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fstream>
#include <sstream>

using tests::has;

class PopcTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  struct Outcome {
    int code;
    std::string out, errors;
  };
  static Outcome popc(const std::vector<std::string>& arguments) {
    std::ostringstream out, errors;
    const int code = app::popc::runPopc(arguments, out, errors);
    return {code, out.str(), errors.str()};
  }
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (m_folder / name).string();
    std::ofstream(path) << text;
    return path;
  }
  std::string vertex(const std::string& name) {
    return write(
        name + ".cpp",
        "#include <poplar/Vertex.hpp>\nstruct " + name +
            " : poplar::Vertex {\n  poplar::Output<int> out;\n  bool compute() {\n    *out = N;\n    return true;\n  }\n};\n");
  }

  static std::string contentOf(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

private slots:
  void initTestCase() { qputenv("XDG_CACHE_HOME", (m_folder / "cache").c_str()); }

  void versionIsTheThirdWord() {
    std::istringstream words(popc({"--version"}).out);
    std::string word;
    for (int i = 0; i < 3; ++i) words >> word;
    QCOMPARE(std::count(word.begin(), word.end(), '.'), std::ptrdiff_t(2));
  }

  void targetsAreListed() {
    QVERIFY(has(popc({"--list-targets"}).out, "ipu21\n"));
    QVERIFY(has(popc({"-target=ipu9", "x.cpp"}).errors, "ipu9"));
  }

  void faultsAreOneMessage() {
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{}, {"-o"}, {"--what", "a.cpp"}, {(m_folder / "none.gp").string()}}) {
      const Outcome outcome = popc(arguments);
      QCOMPARE(outcome.code, 1);
      QVERIFY2(outcome.errors.starts_with("tilescope-popc: "), outcome.errors.c_str());
    }
    SKIP_WITHOUT_CLANG();
    QVERIFY(has(popc({(m_folder / "none.cpp").string()}).errors, "none.cpp"));
  }

  void aSourceIsNeverWrittenOver() {
    const std::string source = vertex("Kept");
    const std::string text = contentOf(source);
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {source, "-o", source}, {"-S", source, "-o", source}, {source, "-o", (m_folder / ".").string()}}) {
      const Outcome outcome = popc(arguments);
      QCOMPARE(outcome.code, 1);
      QVERIFY2(has(outcome.errors, arguments.back() + ": ") && has(outcome.errors, "-o"), outcome.errors.c_str());
    }
    QCOMPARE(contentOf(source), text);
  }

  void severalSourcesAndFilesBecomeOne() {
    SKIP_WITHOUT_CLANG();
    const std::string one = (m_folder / "one.gp").string(), all = (m_folder / "all.gp").string();
    const Outcome first = popc({vertex("A"), vertex("B"), "-O3", "-g", "-D", "N=4", "-Wall", "--target=ipu2,ipu21", "-o", one});
    QVERIFY2(first.code == 0, first.errors.c_str());
    const Outcome second = popc({one, vertex("C"), "-DN=5", "-c", "-target", "ipu21", "-o", all});
    QVERIFY2(second.code == 0, second.errors.c_str());
    QCOMPARE(simcore::native::loadGp(all, 21).codelets.size(), std::size_t(3));
    QCOMPARE(simcore::native::loadGp(all, 2).codelets.size(), std::size_t(2));
  }

  void classesThatAMachineLacksAreNamed() {
    SKIP_WITHOUT_CLANG();
    const std::string part = (m_folder / "part.o").string(), all = (m_folder / "both.gp").string();
    QCOMPARE(popc({vertex("A"), "-DN=4", "-c", "-target", "ipu21", "-o", part}).code, 0);
    const Outcome both = popc({part, vertex("B"), "-DN=5", "-o", all});
    QVERIFY2(both.code == 0 && has(both.errors, "part.o") && has(both.errors, "version 2 "), both.errors.c_str());
    QCOMPARE(popc({part, "-o", all}).errors, std::string()); // for another machine: as it is
  }

  void irIsWritten() {
    SKIP_WITHOUT_CLANG();
    const std::string path = (m_folder / "a.ll").string();
    QCOMPARE(popc({vertex("A"), "-DN=1", "--emit-llvm", "-target", "ipu2", "-o", path}).code, 0);
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    QVERIFY(has(text, "define"));
  }
};

TILESCOPE_TEST(PopcTest)
#include "popc_test.moc"
