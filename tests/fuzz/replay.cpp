// Runs a fuzz target over its kept corpus without libFuzzer: every file whole, and cut short at up to 64 places, since a
// file that stops in the middle is the commonest damage. Usage: replay_<name> CORPUS_FOLDER
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: replay CORPUS_FOLDER\n");
    return 2;
  }
  int files = 0, inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
    std::printf("%s\n", entry.path().filename().c_str()); // the last one printed is the one that crashed
    std::fflush(stdout);
    const std::size_t cuts = std::min<std::size_t>(64, bytes.size());
    for (std::size_t i = 0; i <= cuts; ++i) {
      const std::size_t size = cuts ? bytes.size() * i / cuts : 0;
      // a copy of the exact size, so that a sanitizer sees a read past the end
      const std::vector<uint8_t> input(bytes.begin(), bytes.begin() + std::ptrdiff_t(size));
      LLVMFuzzerTestOneInput(input.data(), input.size());
      ++inputs;
    }
    ++files;
  }
  std::printf("%d inputs from %d files\n", inputs, files);
  std::printf("Totals: %d passed, %d failed, 0 skipped, 0 blacklisted\n", files ? 1 : 0, files ? 0 : 1);
  return files ? 0 : 1;
}
