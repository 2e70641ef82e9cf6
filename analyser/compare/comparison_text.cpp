// A comparison as plain text, as Markdown for a comment of a pull request, and as one self-contained HTML page.
#include "analyser/compare/comparison_document.h"

#include "analyser/session/format.h"
#include "reports/core/text.h"

#include <algorithm>

namespace analyser::compare {

namespace {

constexpr std::size_t kWidestName = 64;

void plainTable(std::string& text, const TextSection& s) {
  // The sentences of the causes are prose, not figures: they are printed in full.
  const bool isProse = s.columns.size() == 2 && !s.columns.front().isNumber && s.columns.back().title == "effect";
  const auto cell = [&](const std::vector<std::string>& row, std::size_t i) {
    return s.columns[i].isNumber || isProse ? row[i] : elideMiddle(row[i], kWidestName);
  };
  if (isProse) {
    text += "\n" + s.title + "\n";
    for (std::size_t i = 0; i < s.rows.size(); ++i)
      text += "  " + std::to_string(i + 1) + ". " + s.rows[i][0] + "  [" + s.rows[i][1] + "]\n";
  } else {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < s.columns.size(); ++i) {
      widths.push_back(reports::characterCount(i == 0 ? s.title : s.columns[i].title));
      for (const auto& row : s.rows) widths.back() = std::max(widths.back(), reports::characterCount(cell(row, i)));
    }
    std::string head;
    for (std::size_t i = 0; i < s.columns.size(); ++i)
      head += padded(i == 0 ? s.title : s.columns[i].title, widths[i] + (i == 0 ? 2 : 0), s.columns[i].isNumber) + "  ";
    text += "\n" + trimmedLine(head);
    for (const auto& row : s.rows) {
      std::string line = "  ";
      for (std::size_t i = 0; i < s.columns.size(); ++i) line += padded(cell(row, i), widths[i], s.columns[i].isNumber) + "  ";
      text += trimmedLine(line);
    }
  }
  if (!s.note.empty()) text += "  (" + s.note + ")\n";
}

std::string plain(const ComparisonDocument& d) {
  std::string text = "base   " + d.base + "\nother  " + d.other + "\n" + d.verdict + "\n";
  for (const std::string& words : d.notes) text += words + "\n";
  for (const TextSection& s : d.sections) plainTable(text, s);
  return text;
}

std::string markdownSection(const TextSection& s) {
  return markdownTable(s.columns, s.rows) + (s.note.empty() ? std::string() : "\n" + markdownText(s.note) + "\n");
}

std::string markdown(const ComparisonDocument& d) {
  std::string text =
      "### " + markdownText(d.other) + " against " + markdownText(d.base) + "\n\n**" + markdownText(d.verdict) + "**\n";
  for (const std::string& words : d.notes) text += "\n> " + markdownText(words) + "\n";
  for (const TextSection& s : d.sections) {
    text += s.isDetail ? "\n<details><summary>" + s.title + "</summary>\n\n" : "\n#### " + s.title + "\n\n";
    text += markdownSection(s);
    if (s.isDetail) text += "\n</details>\n";
  }
  return text;
}

void htmlTable(std::string& text, const TextSection& s) {
  text += "<div class=\"w\" tabindex=\"0\"><table><tr>"; // a wide table scrolls by itself, not the page
  for (const TextColumn& column : s.columns)
    text += std::string("<th") + (column.isNumber ? " class=\"n\"" : "") + ">" + htmlText(column.title) + "</th>";
  text += "</tr>\n";
  for (const auto& row : s.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += std::string("<td") + (s.columns[i].isNumber ? " class=\"n\"" : "") + ">" + htmlText(row[i]) + "</td>";
    text += "</tr>\n";
  }
  text += "</table></div>\n";
  if (!s.note.empty()) text += "<p class=\"s\">" + htmlText(s.note) + "</p>\n";
}

std::string html(const ComparisonDocument& d) {
  std::string text = "<h2>" + htmlText(d.other) + " against " + htmlText(d.base) + "</h2>\n<p><strong>" + htmlText(d.verdict) +
                     "</strong></p>\n";
  for (const std::string& words : d.notes) text += "<p class=\"s\">" + htmlText(words) + "</p>\n";
  for (const TextSection& s : d.sections) {
    text += s.isDetail ? "<details><summary>" + htmlText(s.title) + "</summary>\n" : "<h3>" + htmlText(s.title) + "</h3>\n";
    htmlTable(text, s);
    if (s.isDetail) text += "</details>\n";
  }
  return text;
}

std::string htmlPage(const std::string& body) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Tilescope comparison</title>\n<style>\n"
         ":root { color-scheme: light dark; }\n"
         "body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 16px; overflow-wrap: "
         "anywhere; }\n"
         ".w { overflow-x: auto; overflow-wrap: normal; }\n"
         "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
         "td, th { padding: 2px 12px 2px 0; text-align: left; border-bottom: 1px solid #8884; vertical-align: top; }\n"
         ".n { text-align: right; white-space: nowrap; }\n.s { opacity: 0.75; }\nsummary { cursor: pointer; font-weight: 600; }\n"
         "</style></head><body>\n" +
         body + "</body></html>\n";
}

} // namespace

std::string comparisonText(const std::vector<Comparison>& comparisons, TextFormat format, std::size_t top) {
  std::string text;
  const bool allSame = std::all_of(comparisons.begin(), comparisons.end(), [](const Comparison& c) { return c.empty(); });
  if (allSame && format == TextFormat::Plain && !comparisons.empty()) return comparisons.front().verdict.text() + "\n";
  if (comparisons.size() > 1) {
    const TextSection totals = totalsOfAll(comparisons);
    const std::string verdict = verdictOfAll(comparisons).text();
    if (!verdict.empty())
      text += format == TextFormat::Plain      ? verdict + "\n"
              : format == TextFormat::Markdown ? "**" + markdownText(verdict) + "**\n\n"
                                               : "<p><strong>" + htmlText(verdict) + "</strong></p>\n";
    if (format == TextFormat::Plain) plainTable(text, totals), text = text.substr(verdict.empty()) + "\n";
    if (format == TextFormat::Markdown) text += "#### " + totals.title + "\n\n", text += markdownSection(totals) + "\n";
    if (format == TextFormat::Html) text += "<h2>" + totals.title + "</h2>\n", htmlTable(text, totals);
  }
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const ComparisonDocument d = documentOf(comparisons[i], top);
    if (i > 0 && format != TextFormat::Html) text += "\n";
    text += format == TextFormat::Plain ? plain(d) : format == TextFormat::Markdown ? markdown(d) : html(d);
  }
  return format == TextFormat::Html ? htmlPage(text) : text;
}

std::string comparisonText(const Comparison& comparison, TextFormat format, std::size_t top) {
  return comparisonText(std::vector<Comparison>{comparison}, format, top);
}

} // namespace analyser::compare
