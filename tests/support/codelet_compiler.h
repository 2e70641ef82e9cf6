// For tests of compiled codelets. These need clang, which is optional: without it the tests are skipped with a message.
#pragma once

#include "reports/core/error.h"
#include "simcore/native/clang_tool.h"

#include <QTest>

namespace tests {

inline bool hasCodeletCompiler() {
  try {
    simcore::native::findClang();
    return true;
  } catch (const reports::Error&) {
    return false;
  }
}

} // namespace tests

#define SKIP_WITHOUT_CLANG()                                                                                                     \
  if (!tests::hasCodeletCompiler()) QSKIP("clang is not installed: codelets cannot be compiled")
