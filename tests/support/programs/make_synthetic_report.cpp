// make-synthetic-report OUT [--ipus N] [--tiles N] [--operations N] [--slices N] [--scale N]: a made-up report of any size,
// for benchmarks and for work on views before the simulator can run something that big.
#include "reports/core/error.h"
#include "tests/support/synthetic_report.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

int usage() {
  std::fprintf(stderr, "usage: make-synthetic-report OUT [--ipus N] [--tiles N] [--operations N] [--slices N] [--scale N]\n");
  return 2;
}

template<class T> bool parse(const char* text, T least, T most, T& out) {
  const char* end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, out);
  return result.ec == std::errc() && result.ptr == end && out >= least && out <= most;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-' || argc % 2) return usage();
  tests::ReportShape shape;
  shape.title = "synthetic";
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const char* value = argv[i + 1];
    const bool ok = option == "--ipus"         ? parse(value, 1, 4096, shape.ipus)
                    : option == "--tiles"      ? parse(value, 1, 16384, shape.tilesPerIpu)
                    : option == "--operations" ? parse(value, 1, 100'000, shape.operations)
                    : option == "--slices"     ? parse<int64_t>(value, 0, 1'000'000'000, shape.slices)
                    : option == "--scale"      ? parse(value, 1, 64, shape.scale)
                                               : false;
    if (!ok) return usage();
  }
  try {
    tests::writeSyntheticReport(argv[1], shape);
  } catch (const reports::Error& error) {
    std::fprintf(stderr, "make-synthetic-report: %s\n", error.what());
    return 2;
  }
  return 0;
}
