// Command lines as words, and back. Reports store the command of their run as one line; everything else uses a list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace analyser {

// The words of a line as a POSIX shell splits them: quotes and backslashes are removed; a blank, a tab and a line break separate
// words. An unclosed quote ends with the line, and sets `isOpen` if given.
std::vector<std::string> shellWords(std::string_view line, bool* isOpen = nullptr);
// One line that shellWords() and a POSIX shell split into the same words: single quotes around all but plain ASCII.
std::string shellLine(const std::vector<std::string>& words);

} // namespace analyser
