// The message of an expression that must fail, for tests of the wording.
#pragma once

#include "reports/core/error.h"

#include <string>

namespace tests {

// Message and place together; empty if it did not fail.
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
