// A report's command line, which a stranger wrote, becomes the arguments of a run. Any bytes give a list in which only options of the
// allow list are, with values of their types; lines that this program writes are read as the same words.
#include "analyser/session/repeat.h"
#include "analyser/session/shell_line.h"

#include <algorithm>
#include <cstdlib>
#include <string>

using namespace analyser;

namespace {

void require(bool good) {
  if (!good) std::abort();
}

bool isHarmless(const std::string& value) {
  return !value.empty() && value.find('\0') == std::string::npos &&
         std::none_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

void check(const std::vector<std::string>& words, bool areFiles) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const RepeatableOption* option = repeatableOption(words[i]);
    require(option != nullptr);
    const bool readsFile = option->kind == ValueKind::File || option->kind == ValueKind::Input;
    require(readsFile || !areFiles);
    if (option->kind == ValueKind::None) continue;
    require(++i < words.size() && isHarmless(words[i]));
    require(option->kind == ValueKind::Number || words[i].front() != '-');
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  const std::string text(bytes, bytes + size);
  for (const std::string& line : {text, "tilescope-cli run mlp " + text}) {
    const Repeat repeat = repeatOf(line, text);
    check(repeat.options, false);
    check(repeat.reading, true);
    require(repeat.graph.empty() || (isHarmless(repeat.graph) && repeat.graph.front() != '-'));
  }
  const std::vector<std::string> words = shellWords(text);
  require(shellWords(shellLine(words)) == words);
  require(shellWords(shellLine({text})) == std::vector<std::string>{text});
  return 0;
}
