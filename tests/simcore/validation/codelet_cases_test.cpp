#include "tests/support/test_main.h"

#include "reports/core/error.h"
#include "simcore/native/count/count_module.h"
#include "simcore/validation/codelet_cases.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <dlfcn.h>

using namespace simcore;
using namespace simcore::validation;

namespace {

// A short way from a source to code that counts, for sources whose classes hold their members in the order of the cases.
class SmallCompiler {
public:
  static QString clang() {
    for (const char* name : {"clang++-14", "clang++"})
      if (const QString path = QStandardPaths::findExecutable(name); !path.isEmpty()) return path;
    return {};
  }
  static QString headers() { return QStringLiteral(TILESCOPE_SOURCE_DIR "/simcore/native/include"); }

  std::vector<graph::Codelet> operator()(const std::string& file, const std::string& text) {
    std::string source = text;
    native::CountOptions options;
    for (const auto& c : builtInCodelets()) {
      if (c.source != file) continue;
      source += "extern \"C\" bool run_" + c.codelet + "(void* v, unsigned) { return static_cast<" + c.codelet +
                "*>(v)->compute(); }\n";
      const std::string symbol = "run_" + c.codelet;
      if (std::any_of(options.entries.begin(), options.entries.end(), [&](const auto& e) { return e.symbol == symbol; })) {
        source.erase(source.rfind("extern \"C\""));
        continue;
      }
      options.entries.push_back({symbol, c.isSupervisor ? graph::Codelet::Kind::Supervisor : graph::Codelet::Kind::Worker});
    }
    const QString stem = m_folder.filePath(QString::fromStdString(file)).chopped(4);
    write(stem + ".cpp", source);
    run({"-w",
         "-I" + headers(),
         "-std=gnu++17",
         "-O2",
         "-fPIC",
         "-fno-exceptions",
         "-fno-rtti",
         "-fno-threadsafe-statics",
         "-fno-math-errno",
         "-ffp-contract=off",
         "-Xclang",
         "-fnative-half-type",
         "-Xclang",
         "-fallow-half-arguments-and-returns",
         "-mf16c",
         "-Xclang",
         "-disable-llvm-passes",
         "-S",
         "-emit-llvm",
         stem + ".cpp",
         "-o",
         stem + ".0.ll"});
    write(stem + ".1.ll", native::shareGlobals(read(stem + ".0.ll"), "shared.").ir);
    QStringList flags;
    for (const auto& flag : native::machineFlags()) flags << QString::fromStdString(flag);
    run(flags + QStringList{"-w", "-S", "-emit-llvm", stem + ".1.ll", "-o", stem + ".2.ll"});
    const auto counted = native::countModule(read(stem + ".2.ll"), options);
    write(stem + ".3.ll", counted.ir);
    run({"-w", "-O2", "-mf16c", "-fPIC", "-shared", stem + ".1.ll", stem + ".3.ll", "-o", stem + ".so"});
    return codelets(file, dlopen((stem + ".so").toUtf8().constData(), RTLD_NOW | RTLD_LOCAL));
  }

private:
  void write(const QString& path, const std::string& text) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) throw reports::Error(reports::ErrorCode::Io, "cannot be written", path.toStdString());
    file.write(text.data(), qint64(text.size()));
  }
  std::string read(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) throw reports::Error(reports::ErrorCode::Io, "cannot be read", path.toStdString());
    return file.readAll().toStdString();
  }
  void run(const QStringList& words) {
    QProcess process;
    process.start(clang(), words);
    if (!process.waitForFinished(120'000) || process.exitCode() != 0)
      throw reports::Error(reports::ErrorCode::InvalidInput, process.readAllStandardError().toStdString(), "clang");
  }

  std::vector<graph::Codelet> codelets(const std::string& file, void* library) {
    std::vector<graph::Codelet> result;
    for (const auto& c : builtInCodelets()) {
      if (c.source != file) continue;
      auto body = std::make_shared<graph::NativeBody>();
      graph::Codelet codelet;
      codelet.name = c.codelet;
      int64_t offset = 0;
      for (const auto& member : c.members) {
        const int64_t bytes = member.shape == "state" ? 4 : member.shape == "scalar" ? 8 : 16;
        offset = (offset + std::min<int64_t>(bytes, 8) - 1) / std::min<int64_t>(bytes, 8) * std::min<int64_t>(bytes, 8);
        if (member.shape == "state") {
          body->state.push_back({member.name, offset, numerics::ElementType::Float, 1});
        } else {
          codelet.fields.push_back({member.name});
          body->fields.push_back({offset});
        }
        offset += bytes;
      }
      body->objectBytes = offset + 8;
      body->counted = reinterpret_cast<bool (*)(void*, unsigned)>(dlsym(library, ("run_" + c.codelet + "_counted").c_str()));
      body->counters = reinterpret_cast<graph::Counters* (*)()>(dlsym(library, "tilescope_counters"));
      codelet.native = body;
      result.push_back(std::move(codelet));
    }
    return result;
  }

  QTemporaryDir m_folder;
};

} // namespace

class CodeletCasesTest : public QObject {
  Q_OBJECT
private slots:
  void everyCaseHasASourceWithItsCodelet() {
    const auto cases = builtInCodelets();
    QVERIFY(cases.size() >= 10);
    for (const auto& c : cases) {
      const std::string text = sourceOfCodelet(c.source);
      QVERIFY2(text.find("class " + c.codelet) != std::string::npos, c.id.c_str());
      for (const auto& member : c.members)
        QVERIFY2(text.find(member.name) != std::string::npos, (c.id + " " + member.name).c_str());
    }
    QVERIFY(sourceOfCodelet("missing.cpp").empty());
  }

  void oddListsAreErrors() {
    QVERIFY_EXCEPTION_THROWN(parseCodelets("{", "x"), reports::Error);
    QVERIFY_EXCEPTION_THROWN(parseCodelets("{\"codelets\": [{\"id\": \"C1\"}]}", "x"), reports::Error);
    QVERIFY_EXCEPTION_THROWN(parseCodelets(R"({"codelets":[{"id":"a","title":"","source":"","codelet":"","from":"","cycles":1,
        "members":[{"name":"x","shape":"list","type":"float","elements":10000000}]}]})",
                                           "x"),
                             reports::Error);
  }

  void aCodeletThatIsNotThereIsAProblemOfItsCase() {
    auto cases = builtInCodelets();
    cases.resize(1);
    const auto results = runCodelets(cases, [](const auto&, const auto&) { return std::vector<graph::Codelet>(); });
    QVERIFY(!results[0].estimated && !results[0].problem.empty());
    QCOMPARE(totalsOfCodelets(results).failed, 1);
  }

  // The figures of decision 060: a change of the rule must change them there, too.
  void estimatesAreNearWhatWasMeasured() {
    if (SmallCompiler::clang().isEmpty()) QSKIP("clang is not installed: codelets cannot be compiled");
    if (!QFile::exists(SmallCompiler::headers() + "/poplar/Vertex.hpp")) QSKIP("the headers of codelets are not there yet");
    SmallCompiler compiler;
    const auto results = runCodelets(builtInCodelets(), [&](const auto& file, const auto& text) { return compiler(file, text); });
    for (const auto& r : results) {
      QVERIFY2(r.estimated, r.problem.c_str());
      qInfo("%-4s %-56s %9.0f %9.0f %+6.1f %%", r.codeletCase.id.c_str(), r.codeletCase.title.c_str(), r.codeletCase.published,
            *r.estimated, *r.error * 100);
    }
    const auto totals = totalsOfCodelets(results);
    qInfo("median error %.1f %%, largest %.1f %%", totals.medianError * 100, totals.largestError * 100);
    QVERIFY(totals.medianError <= 0.15);
  }
};

TILESCOPE_TEST(CodeletCasesTest)
#include "codelet_cases_test.moc"
