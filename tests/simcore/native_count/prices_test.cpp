#include "tests/support/test_main.h"

#include "reports/core/error.h"
#include "simcore/native/count/ir_reader.h"
#include "simcore/native/count/prices.h"
#include "tests/simcore/native_count/ir_texts.h"

#include <QTest>

using namespace simcore::native;

namespace {

FunctionPrices priced(const std::string& ir, PriceOptions options = {}) {
  const IrModule module = readIr(ir);
  std::set<std::string> defined;
  for (const auto& f : module.functions) defined.insert(f.name);
  options.defined = &defined;
  const Loops loops(module.functions.front());
  return priceFunction(module.functions.front(), loops, options);
}

// Slots of a function of one block, without its return.
int64_t slotsOf(const std::string& body, bool supervisor = false) {
  PriceOptions options;
  options.isSupervisor = supervisor;
  const auto prices =
      priced("define void @f(ptr %p, ptr %q, i32 %a, i32 %b, float %x, float %y, <2 x float> %v, <4 x half> %h) {\n" + body +
                 "  ret void\n}\n",
             options);
  return prices.blocks.front() - (supervisor ? 6 : 1);
}

std::string loopOf(const std::string& bound, const std::string& body) {
  return "define void @f(ptr %p, ptr %q, i32 %m) {\nentry:\n" + bound +
         "  br label %body\nbody:\n  %i = phi i32 [ 0, %entry ], [ %next, %body ]\n" + body +
         "  %next = add i32 %i, 1\n  %done = icmp eq i32 %next, %n\n  br i1 %done, label %exit, label %body\nexit:\n  ret "
         "void\n}\n";
}

} // namespace

class PricesTest : public QObject {
  Q_OBJECT
private slots:
  void mainAndAuxShareABundle() {
    QCOMPARE(slotsOf("  %1 = load float, ptr %p, align 4\n"), int64_t(1));
    // The load and the unrelated sum go together; the sum that needs the load comes one bundle later, with the return.
    QCOMPARE(slotsOf("  %1 = load float, ptr %p, align 4\n  %2 = fadd float %x, %y\n"), int64_t(1));
    QCOMPARE(slotsOf("  %1 = load float, ptr %p, align 4\n  %2 = fadd float %x, %1\n"), int64_t(1));
    QCOMPARE(slotsOf("  %1 = fadd float %x, %y\n  %2 = fadd float %1, %y\n  %3 = fadd float %2, %y\n"), int64_t(2));
    QCOMPARE(slotsOf("  %1 = add i32 %a, %b\n  %2 = mul i32 %1, %b\n  %3 = xor i32 %2, %b\n"), int64_t(3));
    // load, load | add, store | add, store: the test of the machine's compiler that is called axpy_twice, with its return
    QCOMPARE(
        slotsOf(
            "  %1 = load float, ptr %p, align 4\n  %2 = getelementptr float, ptr %p, i64 1\n  %3 = load float, ptr %2, align 4\n"
            "  %4 = fadd float %x, %1\n  %5 = fadd float %x, %3\n  store float %4, ptr %q, align 4\n"
            "  %6 = getelementptr float, ptr %q, i64 1\n  store float %5, ptr %6, align 4\n"),
        int64_t(4));
  }

  void nothingOvertakes() {
    // The second sum shares its bundle with the first load; both loads could be over by then.
    QCOMPARE(slotsOf("  %1 = fadd float %x, %y\n  %2 = fadd float %1, %y\n  %3 = load float, ptr %p, align 4\n"
                     "  %4 = load float, ptr %q, align 4\n"),
             int64_t(3));
  }

  void sumsWithoutCarriesAreAddresses() {
    const auto slotsOfLoop = [](const std::string& index) {
      return priced(loopOf("  %n = add i32 %m, 0\n", index + "  %address = getelementptr float, ptr %p, i32 %at\n"
                                                             "  %1 = load float, ptr %address, align 4\n"))
          .blocks.at(1);
    };
    const int64_t free = slotsOfLoop("  %four = shl i32 %i, 2\n  %at = add i32 %four, 3\n");
    QCOMPARE(slotsOfLoop("  %four = shl i32 %i, 2\n  %at = or i32 %four, 3\n"), free);
    QVERIFY(slotsOfLoop("  %four = shl i32 %i, 2\n  %at = or i32 %four, 4\n") > free); // a bit that may be set
  }

  void numbersOfAHostOf64BitsAreAddresses() {
    const auto slotsOfLoop = [](const std::string& index) {
      return priced(loopOf("  %n = add i32 %m, 0\n", "  %w = zext i32 %i to i64\n" + index +
                                                         "  %address = getelementptr float, ptr %p, i64 %at\n"
                                                         "  %1 = load float, ptr %address, align 4\n"))
          .blocks.at(1);
    };
    const int64_t free = slotsOfLoop("  %at = add i64 %w, 0\n");
    QCOMPARE(slotsOfLoop("  %up = shl i64 %w, 32\n  %at = ashr exact i64 %up, 32\n"), free);
    QCOMPARE(slotsOfLoop("  %up = shl i64 %w, 33\n  %at = ashr exact i64 %up, 32\n"), free);
    QCOMPARE(slotsOfLoop("  %up = shl i64 %w, 32\n  %more = sub i64 42949672960, %up\n  %at = ashr exact i64 %more, 32\n"), free);
    QCOMPARE(slotsOfLoop("  %two = shl i64 %w, 1\n  %at = and i64 %two, 4294967294\n"), free);
    QCOMPARE(slotsOfLoop("  %at = and i64 %w, 4294967295\n"), free);
    QCOMPARE(slotsOfLoop("  %not = xor i32 %i, -1\n  %rest = add i32 %m, %not\n  %at = zext i32 %rest to i64\n"), free);
    QVERIFY(slotsOfLoop("  %at = and i64 %w, 4294967294\n") > free); // clears a bit
    QVERIFY(slotsOfLoop("  %at = ashr i64 %w, 1\n") > free);         // drops a bit
    QVERIFY(slotsOfLoop("  %at = xor i64 %w, 1\n") > free);
    const std::string wide = "  %1 = zext i32 %a to i64\n  %2 = mul i64 %1, %1\n";
    const int64_t product = slotsOf(wide + "  store i64 %2, ptr %p, align 8\n");
    QCOMPARE(slotsOf(wide + "  %3 = lshr i64 %2, 32\n  store i64 %3, ptr %p, align 8\n"), product); // the upper register
    QCOMPARE(slotsOf(wide + "  %3 = lshr i64 %2, 31\n  store i64 %3, ptr %p, align 8\n"), product + 1);
  }

  void pairsOfFloatsMayComeAsADouble() {
    QCOMPARE(slotsOf("  %1 = load double, ptr %p, align 8\n  %2 = bitcast double %1 to <2 x float>\n"
                     "  %3 = fadd <2 x float> %2, %v\n"),
             int64_t(1));
  }

  void accessesAreAsWideAsTheirAlignment() {
    QCOMPARE(slotsOf("  %1 = load <2 x float>, ptr %p, align 8\n"), int64_t(1));
    QCOMPARE(slotsOf("  %1 = load <2 x float>, ptr %p, align 4\n"), int64_t(2));
    QCOMPARE(slotsOf("  %1 = load <4 x half>, ptr %p, align 8\n"), int64_t(1));
    QCOMPARE(slotsOf("  %1 = load <4 x float>, ptr %p, align 16\n"), int64_t(1));
    QCOMPARE(slotsOf("  %1 = load <4 x float>, ptr %p, align 8\n"), int64_t(2));
    QCOMPARE(slotsOf("  store i8 1, ptr %p, align 1\n"), int64_t(12));
    QCOMPARE(slotsOf("  store half 0xH0000, ptr %p, align 2\n"), int64_t(12));
  }

  void longFloatOperationsKeepTheWorker() {
    QCOMPARE(slotsOf("  %1 = fdiv float %x, %y\n"), int64_t(3)); // the return shares its first slot
    QCOMPARE(slotsOf("  %1 = fdiv float %x, %y\n  %2 = add i32 %a, %b\n"), int64_t(4));
    QCOMPARE(slotsOf("  %1 = call float @llvm.sqrt.f32(float %x)\n  %2 = fdiv float 1.0, %1\n"), int64_t(3)); // 1 / root: 4
    QCOMPARE(slotsOf("  %1 = call float @expf(float %x)\n"), int64_t(2));
    QCOMPARE(slotsOf("  %1 = udiv i32 %a, %b\n"), int64_t(259));
    QCOMPARE(slotsOf("  %1 = fmul <4 x half> %h, %h\n  %2 = fadd <4 x half> %1, %h\n"), int64_t(1));
    QCOMPARE(slotsOf("  %1 = fdiv <4 x half> %h, %h\n"), int64_t(4 + 16 + 1 - 1));
  }

  void hostArithmeticBetweenHalvesIsThatOfHalves() {
    const char* text =
        "  %1 = fpext <4 x half> %h to <4 x float>\n  %2 = fadd <4 x float> %1, %1\n  %3 = fmul <4 x float> %2, %1\n"
        "  %4 = fptrunc <4 x float> %3 to <4 x half>\n  store <4 x half> %4, ptr %p, align 8\n";
    QCOMPARE(slotsOf(text), int64_t(3));
    // a float result is a float: two conversions, two words each
    QVERIFY(slotsOf("  %1 = fpext <4 x half> %h to <4 x float>\n  %2 = fadd <4 x float> %1, %1\n  store <4 x float> %2, ptr %p, "
                    "align 16\n") >= 5);
  }

  void valuesCrossBetweenThePipes() {
    QCOMPARE(slotsOf("  %1 = sitofp i32 %a to float\n  store float %1, ptr %p, align 4\n"),
             int64_t(4)); // store, load, convert, store
    QCOMPARE(slotsOf("  %1 = fptosi float %x to i32\n"), int64_t(3));
    QCOMPARE(
        slotsOf("  %1 = fcmp ogt float %x, %y\n  %2 = select i1 %1, float %x, float %y\n  store float %2, ptr %p, align 4\n"),
        int64_t(5));
  }

  void loopsAreCountedByTheHardware() {
    for (const bool typed : {false, true}) {
      const auto prices = priced(tests::sumLoop(typed));
      QCOMPARE(prices.blocks[1], int64_t(2));  // load | -, brnzdec | add
      QCOMPARE(prices.entries[0], int64_t(2)); // the pointer and the count
    }
    const std::string body = "  %a = getelementptr float, ptr %p, i32 %i\n  %v = load float, ptr %a, align 4\n"
                             "  %b = getelementptr float, ptr %q, i32 %i\n  store float %v, ptr %b, align 4\n";
    QCOMPARE(priced(loopOf("  %n = and i32 %m, 4095\n", body)).blocks[1], int64_t(2)); // rpt
    QCOMPARE(priced(loopOf("  %n = lshr i32 %m, 4\n", body)).blocks[1], int64_t(3));   // 2^28 iterations are too many for it
    PriceOptions options;
    options.repeatLimit = 100;
    QCOMPARE(priced(loopOf("  %n = and i32 %m, 4095\n", body), options).blocks[1], int64_t(3));
    const std::string calls = body + "  call void @other()\n";
    QVERIFY(priced(loopOf("  %n = and i32 %m, 4095\n", calls)).blocks[1] >
            20); // a loop with calls cannot use rpt, and the call has no known price
    QCOMPARE(priced(loopOf("  %n = and i32 %m, 4095\n", calls)).unknown, (std::set<std::string>{"other"}));
    // A loop over another use of its variable adds it up.
    QCOMPARE(
        priced(loopOf("  %n = add i32 %m, 0\n", "  %b = getelementptr i32, ptr %q, i32 %i\n  store i32 %i, ptr %b, align 4\n"))
            .blocks[1],
        int64_t(3));
  }

  void chasedPointersTakeOneSlotALoad() {
    std::string body = "  %o = phi i32 [ 0, %entry ], [ %l7, %body ]\n", last = "%o";
    for (int k = 0; k < 8; ++k) {
      const std::string n = std::to_string(k);
      body += "  %z" + n + " = zext i32 " + last + " to i64\n  %a" + n + " = getelementptr i32, ptr %p, i64 %z" + n + "\n  %l" +
              n + " = load i32, ptr %a" + n + ", align 4\n";
      last = "%l" + n;
    }
    QCOMPARE(priced(loopOf("  %n = add i32 %m, 0\n", body)).blocks[1], int64_t(9));
  }

  void addressesOutsideLoopsPayForWhatDoesNotFold() {
    QCOMPARE(slotsOf("  %1 = getelementptr float, ptr %p, i32 %a\n  %2 = load float, ptr %1, align 4\n"), int64_t(1));
    QCOMPARE(slotsOf("  %1 = getelementptr [3 x float], ptr %p, i32 %a\n  %2 = load float, ptr %1, align 4\n"), int64_t(2));
    QCOMPARE(slotsOf("  %1 = getelementptr float, ptr %p, i32 %a\n  store ptr %1, ptr %q, align 8\n"), int64_t(3));
  }

  void theSupervisorTakesSixCyclesAnInstruction() {
    QCOMPARE(slotsOf("  %1 = add i32 %a, %b\n  %2 = load i32, ptr %p, align 4\n", true), int64_t(12));
    QCOMPARE(slotsOf("  %1 = fadd float %x, %y\n", true), int64_t(6 * 27));
    PriceOptions options;
    options.isSupervisor = true;
    const auto prices = priced(loopOf("  %n = and i32 %m, 15\n", "  %v = load volatile i32, ptr %p, align 4\n"), options);
    QCOMPARE(prices.blocks[1], int64_t(6 * 4)); // load, add, compare, branch
  }

  // The last iterations of an unrolled loop: clang masks them for the host, the machine takes one element after the other.
  void maskedAccessesTakeASlotForEachElement() {
    const auto prices =
        priced("define void @f(ptr %p, ptr %q, <2 x i1> %m) {\n"
               "  %v = call <2 x float> @llvm.masked.load.v2f32.p0v2f32(ptr %p, i32 4, <2 x i1> %m, <2 x float> undef)\n"
               "  call void @llvm.masked.store.v2f32.p0v2f32(<2 x float> %v, ptr %q, i32 4, <2 x i1> %m)\n  ret void\n}\n");
    QCOMPARE(prices.unknown, std::set<std::string>());
    QCOMPARE(prices.blocks.front(), int64_t(2 + 2 + 1));
  }

  void whatHasNoPriceIsNamed() {
    QCOMPARE(priced("define double @f(double %x) {\n  %y = fadd double %x, %x\n  ret double %y\n}\n").unknown,
             (std::set<std::string>{"double"}));
    QCOMPARE(priced("define void @f() {\n  call void asm sideeffect \"nop\", \"\"()\n  ret void\n}\n").unknown,
             (std::set<std::string>{"inline assembly"}));
    QCOMPARE(priced("define void @f(ptr %g) {\n  call void %g()\n  ret void\n}\n").unknown,
             (std::set<std::string>{"a call through a pointer"}));
    QCOMPARE(priced("define void @f() {\n  %1 = call i32 @frob(i32 1)\n  ret void\n}\n").unknown,
             (std::set<std::string>{"frob"}));
    QVERIFY(priced("define float @f(<2 x float> %v) {\n  %1 = call <2 x float> @__builtin_ipu_exp_v2f32(<2 x float> %v)\n  ret "
                   "float 0.0\n}\n")
                .unknown.empty());
  }

  void oddTextIsAnErrorWithItsLine() {
    const auto fails = [](const std::string& body, const char* what, const char* where) {
      try {
        readIr("define void @f(i32 %a) {\n" + body + "}\n");
        QFAIL(qPrintable("nothing was thrown: " + QString::fromStdString(body.substr(0, 60))));
      } catch (const reports::Error& e) {
        QVERIFY2(e.message().find(what) != std::string::npos, e.message().c_str());
        QVERIFY2(e.where().find(where) != std::string::npos, e.where().c_str());
      }
    };
    fails("  %b = frobnicate i32 %a\n  ret void\n", "'frobnicate' is not supported", "line 2");
    fails("  %b = add i32 %a, %c\n  ret void\n", "%c is not defined", "line 2");
    fails("  %b = add i32 %a\n  ret void\n", "expected ','", "line 2");
    fails("  br label %nowhere\n", "%nowhere does not exist", "line 2");
    fails("  %b = add i32 %a, 1\n", "has no terminator", "line 1");
    fails("  %b = add i32 %a, 1\n  %b = add i32 %a, 1\n  ret void\n", "defined twice", "line 3");
    fails("  %b = atomicrmw add i32* null, i32 1 seq_cst\n  ret void\n", "'atomicrmw' is not supported", "line 2");
    fails("  %b = load [99999999999999999999 x i32], i32* null\n  ret void\n", "64 bits", "line 2");
    fails("  %b = load " + std::string(1000, '{'), "nested too deeply", "line 2");
  }
};

TILESCOPE_TEST(PricesTest)
#include "prices_test.moc"
