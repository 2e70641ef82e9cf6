// Every analysis over any report: a damaged one gives an answer or an Error, never a crash. The input is a list of damages
// (damaged_report.h); an empty list gives the good report, for which every analysis has an answer.
#include "tests/fuzz/damaged_report.h"
#include "tests/support/every_analysis.h"

using tests::reads;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static tests::DamagedReport damage;
  const std::string path = damage.apply({bytes, size}).string();
  bool all = true;
  const bool opened = reads([&] {
    const auto session = analyser::Session::open(path);
    tests::everyAnalysis(*session, [&](auto&& question) { all = reads(question) && all; });
  });
  if (size == 0 && !(opened && all)) std::abort();
  return 0;
}
