#include "tests/support/codelet_compiler.h"
#include "tests/support/test_main.h"

#include "reports/core/error.h"
#include "simcore/native/count/count_module.h"
#include "simcore/native/count/scalar_loops.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csetjmp>
#include <dlfcn.h>

using namespace simcore::native;
using simcore::graph::Codelet;
using simcore::graph::Counters;

namespace {

jmp_buf afterBudget;

// A vertex {float* data; i64 size} that multiplies its elements by two, or counts down from an element.
std::string vertex(bool typed) {
  const std::string p = typed ? "i8*" : "ptr", f = typed ? "float*" : "ptr", pp = typed ? "float**" : "ptr",
                    pi = typed ? "i64*" : "ptr";
  const auto cast = [&](const std::string& name, const std::string& from, const std::string& to) {
    return typed ? "  " + name + " = bitcast i8* " + from + " to " + to + "\n"
                 : "  " + name + " = getelementptr i8, ptr " + from + ", i64 0\n";
  };
  return "@calls = external thread_local global i32\n\ndefine zeroext i1 @scale(" + p + " %v, i32 %w) {\nentry:\n" +
         cast("%dp", "%v", pp) + "  %d = load " + f + ", " + pp + " %dp, align 8\n  %sp0 = getelementptr i8, " + p +
         " %v, i64 8\n" + cast("%sp", "%sp0", pi) + "  %n = load i64, " + pi +
         " %sp, align 8\n  %none = icmp eq i64 %n, 0\n  br i1 %none, label %exit, label %body\nbody:\n"
         "  %i = phi i64 [ 0, %entry ], [ %next, %body ]\n  %a = getelementptr inbounds float, " +
         f + " %d, i64 %i\n  %x = load float, " + f + " %a, align 4\n  %y = fmul float %x, 2.0\n  store float %y, " + f +
         " %a, align 4\n  %next = add nuw i64 %i, 1\n"
         "  %done = icmp eq i64 %next, %n\n  br i1 %done, label %exit, label %body\nexit:\n  ret i1 true\n}\n\n"
         "define internal i32 @down(i32 %from) {\nentry:\n  br label %body\nbody:\n  %k = phi i32 [ %from, %entry ], [ %m, %body "
         "]\n"
         "  %h = lshr i32 %k, 1\n  %m = sub i32 %k, 1\n  %odd = xor i32 %h, %m\n  %stop = icmp eq i32 %m, 0\n"
         "  br i1 %stop, label %exit, label %body\nexit:\n  ret i32 %odd\n}\n\n"
         "define zeroext i1 @count(" +
         p + " %v, i32 %w) {\n" + cast("%ip", "%v", typed ? "i32**" : "ptr") + "  %d = load " + (typed ? "i32*" : "ptr") + ", " +
         (typed ? "i32**" : "ptr") + " %ip, align 8\n  %c = load i32, " + (typed ? "i32*" : "ptr") +
         " %d, align 4\n  %r = call i32 @down(i32 %c)\n"
         "  store i32 %r, " +
         (typed ? "i32*" : "ptr") +
         " %d, align 4\n  ret i1 true\n}\n\n"
         "define zeroext i1 @forever(" +
         p + " %v, i32 %w) {\nentry:\n  br label %body\nbody:\n  br label %body\n}\n";
}

CountedModule counted(const std::string& ir) {
  CountOptions options;
  options.entries = {{"scale", Codelet::Kind::Worker}, {"count", Codelet::Kind::Supervisor}, {"forever", Codelet::Kind::Worker}};
  return countModule(ir, options);
}

} // namespace

class CountModuleTest : public QObject {
  Q_OBJECT
private slots:
  void entriesAreDescribed() {
    for (const bool typed : {false, true}) {
      const auto module = counted(vertex(typed));
      QCOMPARE(module.entries.size(), std::size_t(3));
      QCOMPARE(module.entries[0].twin, std::string("scale_counted"));
      QVERIFY(!module.entries[0].dependsOnData);
      QVERIFY(module.entries[1].dependsOnData); // in its callee
      QVERIFY(module.entries[0].unknown.empty());
      QVERIFY(module.ir.find("define zeroext i1 @scale_counted(") != std::string::npos);
      QVERIFY(module.ir.find("define internal { i32, i64 } @down_counted.supervisor(") != std::string::npos);
      QCOMPARE(counted(vertex(typed)).ir, module.ir); // the same each time
    }
  }

  void anEntryThatIsNotThereIsAnError() {
    CountOptions options;
    options.entries = {{"missing"}};
    QVERIFY_EXCEPTION_THROWN(countModule(vertex(false), options), reports::Error);
    options.entries = {{"scale"}};
    QVERIFY_EXCEPTION_THROWN(countModule("@g = internal global i32 0\n" + vertex(false), options), reports::Error); // not shared
  }

  void globalsBecomeThoseOfAThread() {
    const auto shared =
        shareGlobals("%pair = type { i32, double }\n@g = internal global %pair zeroinitializer, align 8\n@c = constant i32 1\n"
                     "@e = external global i32\n@h = linkonce_odr global i32 0, comdat, align 4\n"
                     "define ptr @f() {\n  ret ptr @g\n}\n",
                     "m7.");
    QCOMPARE(shared.globals.size(), std::size_t(2));
    QCOMPARE(shared.globals[0].bytes, int64_t(16));
    QCOMPARE(shared.globals[1].bytes, int64_t(4));
    QVERIFY(shared.ir.find("@\"m7.g\" = thread_local global %pair zeroinitializer, align 8") != std::string::npos);
    QVERIFY(shared.ir.find("ret ptr @\"m7.g\"") != std::string::npos);
    QVERIFY(shared.ir.find("@\"m7.h\" = thread_local global i32 0, align 4") != std::string::npos);
    QVERIFY(shared.ir.find("@c = constant i32 1") != std::string::npos);
    QVERIFY(shared.ir.find("define ptr @" + shared.globals[0].addressFunction + "()") != std::string::npos);
  }

  // Code that no vertex reaches, such as the start of a worker, may call supervisor-only functions.
  void whatOthersCallIsThere() {
    const auto module =
        counted(vertex(false) + "define internal i32 @starts() {\n  %r = call i32 @down(i32 3)\n  ret i32 %r\n}\n");
    QVERIFY(module.ir.find("call { i32, i64 } @down_counted(") != std::string::npos);
    QVERIFY(module.ir.find("define internal { i32, i64 } @down_counted(") != std::string::npos);
  }

  // A loop of masked accesses has no scalar copy: the branch beside it is the program's own.
  void aLoopWithoutAScalarCopyStays() {
    const std::string masked =
        "define zeroext i1 @scale(ptr %v, i32 %w) {\nentry:\n  %c = icmp eq i32 %w, 3\n"
        "  br i1 %c, label %vector.body, label %exit\n"
        "vector.body:\n  %i = phi i64 [ 0, %entry ], [ %n, %vector.body ]\n"
        "  %s = insertelement <2 x i64> poison, i64 %i, i64 0\n  %n = add i64 %i, 2\n  %d = icmp eq i64 %n, 4\n"
        "  br i1 %d, label %exit, label %vector.body\nexit:\n  ret i1 true\n}\n";
    CountOptions options;
    options.entries = {{"scale", Codelet::Kind::Worker}};
    const std::string ir = countModule(masked, options).ir;
    QVERIFY2(ir.find("label %exit\nvector.body:") != std::string::npos && ir.find("br i1 %c, label %") != std::string::npos,
             ir.c_str());
  }

  // Loops that the optimiser should not have vectorised are found by their position in the source.
  void loopsOfMaskedAndScatteredElementsStayScalar() {
    const std::string places =
        "!1 = !DIFile(filename: \"a.cpp\", directory: \"/src\")\n!2 = distinct !DISubprogram(name: \"f\", "
        "scope: !1, file: !1, line: 1)\n!3 = !DILocation(line: 3, column: 5, scope: !2)\n"
        "!4 = !DILocation(line: 6, column: 5, scope: !2)\n!5 = !DILocation(line: 8, column: 5, scope: !2)\n"
        "!6 = !DILocation(line: 9, column: 5, scope: !2)\n";
    const std::string before = "define void @f() {\n}\n" + places + "!7 = distinct !{!7, !3, !4}\n!8 = distinct !{!8, !5, !6}\n";
    const auto optimised = [&](const std::string& body) {
      return "define void @f() {\nvector.body12:\n" + body +
             "  br i1 %d, label %exit, label %vector.body12, !llvm.loop !20\nexit:\n  ret void\n}\n" + places +
             "!20 = distinct !{!20, !3, !4, !21}\n!21 = !{!\"llvm.loop.isvectorized\", i32 1}\n";
    };
    const std::string marked = before.substr(0, before.find("!4}")) + "!4, !9}\n!8 = distinct !{!8, !5, !6}\n"
                                                                      "!9 = !{!\"llvm.loop.vectorize.enable\", i1 false}\n";
    for (const char* scattered :
         {"  %s = insertelement <2 x float> %a, float %b, i32 1\n", "pred.store.if:\n",
          "  %r = shufflevector <2 x float> %a, <2 x float> poison, <2 x i32> <i32 1, i32 0>, !dbg !3\n",
          "  call void @llvm.masked.store.v2f32.p0v2f32(<2 x float> %a, <2 x float>* %p, i32 4, <2 x i1> %m)\n"})
      QCOMPARE(withScalarLoops(before, optimised(scattered)), marked);
    for (const char* adjacent : {"", "  %r = shufflevector <2 x float> %a, <2 x float> poison, <2 x i32> zeroinitializer\n",
                                 "  %r = shufflevector <2 x float> %a, <2 x float> poison, <2 x i32> <i32 1, i32 undef>\n"})
      QCOMPARE(withScalarLoops(before, optimised(adjacent)), std::string());
    QCOMPARE(withScalarLoops(marked, optimised("pred.store.if:\n")), std::string()); // no second mark
  }

  // A read of the counter gives the count so far, even in the middle of a block.
  void whatReadsTheClockGivesItsCountFirst() {
    const std::string reads =
        "declare i32 @__builtin_ipu_get_scount_l()\n\n"
        "define zeroext i1 @scale(ptr %v, i32 %w) {\nentry:\n  %a = call i32 @__builtin_ipu_get_scount_l()\n"
        "  %x = mul i32 %w, 3\n  store i32 %x, ptr %v, align 4\n  %b = call i32 @__builtin_ipu_get_scount_l()\n"
        "  %c = sub i32 %b, %a\n  store i32 %c, ptr %v, align 4\n  ret i1 true\n}\n";
    CountOptions options;
    options.entries = {{"scale", Codelet::Kind::Worker}};
    const std::string ir = countModule(reads, options).ir;
    const auto first = ir.find("call i32 @__builtin_ipu_get_scount_l()"), flush = ir.find(", i64 %tilescope.h", first);
    QVERIFY2(flush < ir.find("call i32 @__builtin_ipu_get_scount_l()", first + 1), ir.c_str());
  }

  // The counting copies count the cost of each block times its executions. Each clang reads one kind of pointers; 14 reads the
  // newer with a flag, but does not optimise it.
  void copiesCountWhileTheyRun_data() {
    QTest::addColumn<bool>("typed");
    QTest::newRow("typed pointers") << true;
    QTest::newRow("pointers without a type") << false;
  }
  void copiesCountWhileTheyRun() {
    SKIP_WITHOUT_CLANG();
    QFETCH(bool, typed);
    const auto clang = QString::fromStdString(findClang().path);
    QTemporaryDir folder;
    const auto write = [&](const QString& name, const std::string& text) {
      QFile file(folder.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text.data(), qint64(text.size()));
    };
    const std::string text = vertex(typed);
    write("twin.ll", counted(text).ir);
    std::string plain = text;
    plain.replace(plain.find("external thread_local global i32"), std::string("external thread_local global i32").size(),
                  "thread_local global i32 0");
    write("plain.ll", plain);
    QProcess process;
    const QStringList words{
        "-O2", "-w", "-fPIC", "-shared", folder.filePath("plain.ll"), folder.filePath("twin.ll"), "-o", folder.filePath("v.so")};
    process.start(clang, words);
    QVERIFY(process.waitForFinished(60'000));
    if (process.exitCode() != 0 && !typed) {
      process.start(clang, QStringList{"-mllvm", "-opaque-pointers"} + words.mid(1));
      QVERIFY(process.waitForFinished(60'000));
    }
    const QString errors = process.readAllStandardError();
    if (process.exitCode() != 0 && typed && errors.contains("expected type")) QSKIP("this clang reads no typed pointers");
    QVERIFY2(process.exitCode() == 0, qPrintable(errors));
    void* library = dlopen(folder.filePath("v.so").toUtf8().constData(), RTLD_NOW | RTLD_LOCAL);
    QVERIFY(library);
    Counters& counters = *reinterpret_cast<Counters* (*)()>(dlsym(library, "tilescope_counters"))();
    const auto run = [&](const char* name, void* object, int64_t budget) {
      counters = {0, budget, [] { longjmp(afterBudget, 1); }};
      if (setjmp(afterBudget) != 0) return int64_t(-1);
      reinterpret_cast<bool (*)(void*, unsigned, Counters*)>(dlsym(library, name))(object, 0, &counters);
      return counters.cycles;
    };
    float data[300] = {1, 2, 3};
    struct {
      void* data;
      int64_t size;
    } object{data, 300};
    const int64_t all = run("scale_counted", &object, 1 << 20);
    QCOMPARE(data[1], 4.0f);
    // Entry: 2 loads, compare and branch; loop: load, multiply, store, brnzdec, and 2 for pointer and count; exit.
    QCOMPARE(all, int64_t(3 + 2 + 300 * 4 + 1));
    object.size = 0;
    QCOMPARE(run("scale_counted", &object, 1 << 20), int64_t(3 + 1));
    object.size = 300;
    QCOMPARE(run("scale_counted", &object, 1000), int64_t(-1));
    int turns = 100;
    object.data = &turns;
    const int64_t hundred = run("count_counted", &object, 1 << 20);
    turns = 200;
    QCOMPARE(run("count_counted", &object, 1 << 20) - hundred, int64_t(100 * 6 * 4)); // 4 instructions of the supervisor
    QCOMPARE(run("forever_counted", &object, 1 << 20), int64_t(-1));
    dlclose(library);
  }
};

TILESCOPE_TEST(CountModuleTest)
#include "count_module_test.moc"
