#include "simcore/native/count/twin.h"

#include <fmt/format.h>

namespace simcore::native {

std::string countersCode(const std::string& symbol, bool opaquePointers) {
  const std::string integer = opaquePointers ? "ptr" : "i64*", address = opaquePointers ? "ptr" : "i8*";
  const auto member = [&](char name, const char* counters, int index) {
    return fmt::format("  %{}.at = getelementptr i64, {} {}, i64 {}\n", name, integer, counters, index);
  };
  // A library's runtime defines the counters; a single module has its own.
  std::string out = fmt::format("@{}.place = internal thread_local global [3 x i64] zeroinitializer, align 8\n\n", symbol);
  out += fmt::format("define weak {0} @{1}() noinline {{\n  ret {0} {2}\n}}\n\n", address, symbol,
                     opaquePointers ? fmt::format("@{}.place", symbol)
                                    : fmt::format("bitcast ([3 x i64]* @{}.place to i8*)", symbol));
  out += fmt::format(
      "define internal {0} @{1}.here() {{\n  %a = call {2} @{1}()\n  %b = bitcast {2} %a to {0}\n  ret {0} %b\n}}\n\n", integer,
      symbol, address);
  // Counting starts below zero by the budget, so the budget is spent when the count reaches zero. The host then adds and tests in
  // one instruction.
  out += fmt::format("define internal i64 @{0}.start({1} %at) alwaysinline {{\n{2}  %b = load i64, {1} %b.at\n"
                     "  %s = xor i64 %b, -1\n  ret i64 %s\n}}\n\n",
                     symbol, integer, member('b', "%at", 1));
  out += fmt::format("define internal void @{0}.flush({1} %at, i64 %n) alwaysinline {{\n  %c = load i64, {1} %at\n"
                     "  %d = add i64 %c, %n\n  store i64 %d, {1} %at\n{2}  %e = load i64, {1} %e.at\n  %f = sub i64 %e, %n\n"
                     "  store i64 %f, {1} %e.at\n  ret void\n}}\n\n",
                     symbol, integer, member('e', "%at", 1));
  out += fmt::format("define internal void @{0}.over() noinline cold {{\n  %at = call {1} @{0}.here()\n"
                     "  %s = call i64 @{0}.start({1} %at)\n  %n = sub i64 0, %s\n  call void @{0}.flush({1} %at, i64 %n)\n{2}  "
                     "%f = load i64, {1} %f.at\n"
                     "  %g = inttoptr i64 %f to {3}\n  call void %g()\n  unreachable\n}}\n\n",
                     symbol, integer, member('f', "%at", 2), opaquePointers ? "ptr" : "void ()*");
  return out;
}

} // namespace simcore::native
