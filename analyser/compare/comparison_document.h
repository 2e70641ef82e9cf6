// A comparison as headings and tables of ready text: plain text, Markdown and HTML print the same document.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/session/text_table.h"

namespace analyser::compare {

struct TextSection {
  std::string title;
  std::vector<TextColumn> columns;
  TextRows rows;
  std::string note;      // below the table: names what was left out
  bool isDetail = false; // collapsed if the format supports it
};
struct ComparisonDocument {
  std::string base, other; // file and machine
  std::string verdict;
  std::vector<std::string> notes; // parts that were not compared, and guesses
  std::vector<TextSection> sections;
};

// Lists have the first `top` rows; 0: all.
ComparisonDocument documentOf(const Comparison& comparison, std::size_t top);
// Totals of several reports against one base, one column each.
TextSection totalsOfAll(const std::vector<Comparison>& comparisons);

} // namespace analyser::compare
