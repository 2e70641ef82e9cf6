// One test program per module: every test class of the folder registers itself here; the classes run one after the other.
#pragma once

#include <QObject>

#include <functional>

namespace tests {
int registerTest(const char* name, std::function<QObject*()> make);
}

// NOLINTNEXTLINE(bugprone-macro-parentheses): a class has none
#define TILESCOPE_TEST(Class)                                                                                                    \
  static const int registered##Class = tests::registerTest(#Class, [] { return static_cast<QObject*>(new Class); });
