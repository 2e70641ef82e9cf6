// Tables of ready text for terminals and for Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace analyser {

struct TextColumn {
  std::string title;
  bool isNumber = true; // aligned to the right
};
using TextRows = std::vector<std::vector<std::string>>; // a cell for each column

// Blanks are added until the text has `width` characters; a longer one stays as it is.
std::string padded(const std::string& text, std::size_t width, bool right);
// The line without blanks at its end, and with a line break.
std::string trimmedLine(std::string line);
// Titles, a line of dashes, and the rows, each column as wide as its longest text.
std::string alignedTable(const std::vector<TextColumn>& columns, const TextRows& rows);

// Escapes foreign names, so that no link, table, code or HTML begins in them.
std::string markdownText(std::string_view text);
std::string markdownTable(const std::vector<TextColumn>& columns, const TextRows& rows);

} // namespace analyser
