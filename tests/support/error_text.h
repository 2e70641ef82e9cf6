// The message of an expression that must fail, for tests of the wording.
#pragma once

#include "reports/core/error.h"

#include <string>

namespace tests {

// The message with its location; empty if the expression did not fail.
template<class F> std::string errorOf(F f) {
  try {
    f();
  } catch (const reports::Error& e) {
    return e.what();
  }
  return {};
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace tests
