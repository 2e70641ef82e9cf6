// One test program per room: every test class of the folder registers itself here and runs in turn.
#pragma once

#include <QObject>

#include <functional>

namespace tests {
int registerTest(const char* name, std::function<QObject*()> make);
}

// NOLINTNEXTLINE(bugprone-macro-parentheses): a class has none
#define TILESCOPE_TEST(Class)                                                                                                    \
  static const int registered##Class = tests::registerTest(#Class, [] { return static_cast<QObject*>(new Class); });
