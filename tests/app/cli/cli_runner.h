// Runs the command line in process and keeps what it printed.
#pragma once

#include "app/cli/cli.h"

#include <QTest>

#include <sstream>

namespace tests {

struct Ran {
  int code = 0;
  std::string out, err;
};

inline Ran cli(const std::vector<std::string>& arguments, std::stop_token stop = {}) {
  std::ostringstream out, err;
  const int code = app::cli::runCommandLine(arguments, out, err, false, std::move(stop));
  return {code, out.str(), err.str()};
}

// Exit 2, nothing on standard output, one line "tilescope-cli: …" on standard error that holds `part`.
inline void verifyFails(const Ran& ran, const std::string& part) {
  QCOMPARE(ran.code, 2);
  QCOMPARE(ran.out, std::string());
  QVERIFY2(ran.err.starts_with("tilescope-cli: "), ran.err.c_str());
  QCOMPARE(std::count(ran.err.begin(), ran.err.end(), '\n'), std::ptrdiff_t(1));
  QVERIFY2(ran.err.find(part) != std::string::npos, ran.err.c_str());
}

} // namespace tests
