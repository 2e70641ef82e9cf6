// Short pieces of LLVM IR, written by hand for these tests.
#pragma once

#include <string>

namespace tests {

// A loop over `n` floats that adds them up: with typed pointers, or without.
inline std::string sumLoop(bool typed) {
  const std::string p = typed ? "float*" : "ptr";
  return "define float @sum(" + p +
         " %data, i64 %n) {\nentry:\n  br label %body\nbody:\n  %i = phi i64 [ 0, %entry ], [ %next, %body ]\n"
         "  %s = phi float [ 0.0, %entry ], [ %t, %body ]\n  %a = getelementptr inbounds float, " +
         p +
         " %data, i64 %i\n"
         "  %v = load float, " +
         p +
         " %a, align 4, !tbaa !1\n  %t = fadd float %s, %v\n  %next = add nuw i64 %i, 1\n"
         "  %done = icmp eq i64 %next, %n\n  br i1 %done, label %exit, label %body\nexit:\n  ret float %t\n}\n!1 = !{}\n";
}

} // namespace tests
