#include "analyser/session/text_table.h"

#include "reports/core/text.h"

#include <algorithm>

namespace analyser {

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, reports::characterCount(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::string trimmedLine(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string alignedTable(const std::vector<TextColumn>& columns, const TextRows& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    widths.push_back(reports::characterCount(columns[c].title));
    for (const auto& row : rows) widths.back() = std::max(widths.back(), reports::characterCount(row[c]));
  }
  std::string head, rule, body;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    head += (c ? "  " : "") + padded(columns[c].title, widths[c], columns[c].isNumber);
    rule += (c ? "  " : "") + std::string(widths[c], '-');
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) line += (c ? "  " : "") + padded(row[c], widths[c], columns[c].isNumber);
    body += trimmedLine(line);
  }
  return trimmedLine(head) + rule + "\n" + body;
}

std::string markdownText(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|#~@").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string markdownTable(const std::vector<TextColumn>& columns, const TextRows& rows) {
  std::string text;
  for (const TextColumn& column : columns) text += "| " + markdownText(column.title) + " ";
  text += "|\n";
  for (const TextColumn& column : columns) text += column.isNumber ? "| ---: " : "| :--- ";
  text += "|\n";
  for (const auto& row : rows) {
    for (const std::string& cell : row) text += "| " + markdownText(cell) + " ";
    text += "|\n";
  }
  return text;
}

} // namespace analyser
