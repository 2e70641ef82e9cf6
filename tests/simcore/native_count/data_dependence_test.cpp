#include "tests/support/test_main.h"

#include "simcore/native/count/data_dependence.h"
#include "simcore/native/count/ir_reader.h"

#include <QTest>

using namespace simcore::native;

namespace {

// `body` sees %d, the elements of the field at offset 0, %n, its size, and %s, a plain member.
bool depends(const std::string& body, const std::string& others = {}) {
  const auto module =
      readIr("define i1 @run(ptr %v, i32 %w) {\n  %d = load ptr, ptr %v, align 8\n  %a = getelementptr i8, ptr %v, i64 8\n"
             "  %n = load i64, ptr %a, align 8\n  %b = getelementptr i8, ptr %v, i64 16\n  %s = load i32, ptr %b, align 4\n" +
             body + "  ret i1 true\n}\n" + others);
  return entriesThatDependOnData(module, {"run"}).at("run");
}

std::string branchOn(const std::string& value) {
  return "  %c = icmp sgt i32 " + value + ", 3\n  br i1 %c, label %yes, label %no\nyes:\n  br label %no\nno:\n";
}

} // namespace

class DataDependenceTest : public QObject {
  Q_OBJECT
private slots:
  void sizesAndStateAreNoElements() {
    QVERIFY(!depends(branchOn("%s")));
    QVERIFY(!depends("  %m = trunc i64 %n to i32\n" + branchOn("%m")));
    QVERIFY(!depends(branchOn("%w")));
    QVERIFY(!depends("  %e = load i32, ptr %d, align 4\n  %f = add i32 %e, %s\n  store i32 %f, ptr %d, align 4\n")); // no branch
  }

  void elementsInBranchesAddressesAndLengthsAre() {
    QVERIFY(depends("  %e = load i32, ptr %d, align 4\n" + branchOn("%e")));
    QVERIFY(depends("  %e = load i32, ptr %d, align 4\n  %f = mul i32 %e, %s\n  %g = call i32 @llvm.smax.i32(i32 %f, i32 1)\n" +
                    branchOn("%g")));
    QVERIFY(depends(
        "  %e = load i64, ptr %d, align 4\n  %f = getelementptr float, ptr %d, i64 %e\n  %g = load float, ptr %f, align 4\n"));
    QVERIFY(depends("  %e = load i64, ptr %d, align 4\n  call void @llvm.memset.p0.i64(ptr %d, i8 0, i64 %e, i1 false)\n"));
    QVERIFY(depends("  %e = load i32, ptr %d, align 4\n  switch i32 %e, label %no [\n    i32 1, label %no\n  ]\nno:\n"));
  }

  void tablesOfListsAreNoElements() {
    // The first vector of a list: its pointer, its size; then an element of it.
    const std::string vector =
        "  %q = load ptr, ptr %d, align 8\n  %r = getelementptr i8, ptr %d, i64 8\n  %t = load i64, ptr %r, align 8\n";
    QVERIFY(!depends(vector + "  %m = trunc i64 %t to i32\n" + branchOn("%m")));
    QVERIFY(depends(vector + "  %e = load i32, ptr %q, align 4\n" + branchOn("%e")));
  }

  void dataIsFollowedThroughMemoryAndCalls() {
    const std::string load = "  %e = load i32, ptr %d, align 4\n";
    QVERIFY(depends("  %l = alloca i32, align 4\n" + load +
                    "  store i32 %e, ptr %l, align 4\n  %f = load i32, ptr %l, align 4\n" + branchOn("%f")));
    QVERIFY(!depends("  %l = alloca i32, align 4\n  store i32 %s, ptr %l, align 4\n  %f = load i32, ptr %l, align 4\n" +
                     branchOn("%f")));
    QVERIFY(depends(load + "  store i32 %e, ptr %b, align 4\n  %f = load i32, ptr %b, align 4\n" +
                    branchOn("%f"))); // kept in the vertex
    const std::string callee = "define i32 @f(i32 %x) {\n  %c = icmp eq i32 %x, 0\n  br i1 %c, label %yes, label %no\nyes:\n  br "
                               "label %no\nno:\n  ret i32 %x\n}\n";
    QVERIFY(depends(load + "  %f = call i32 @f(i32 %e)\n", callee));
    QVERIFY(!depends("  %f = call i32 @f(i32 %s)\n", callee));
    const std::string twice = "define i32 @f(i32 %x) {\n  %y = add i32 %x, %x\n  ret i32 %y\n}\n";
    QVERIFY(depends(load + "  %f = call i32 @f(i32 %e)\n" + branchOn("%f"), twice));
    QVERIFY(depends("  %f = call i32 @unknown()\n" + branchOn("%f")));
  }

  void globalsThatCanBeWrittenAreData() {
    QVERIFY(depends("  %e = load i32, ptr @g, align 4\n" + branchOn("%e"), "@g = global i32 0\n"));
    QVERIFY(!depends("  %e = load i32, ptr @g, align 4\n" + branchOn("%e"), "@g = constant i32 0\n"));
  }
};

TILESCOPE_TEST(DataDependenceTest)
#include "data_dependence_test.moc"
