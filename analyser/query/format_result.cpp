// The three written forms of a query's result.
#include "analyser/query/query.h"

#include "analyser/session/format.h"
#include "analyser/session/text_table.h"
#include "reports/core/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace analyser::query {

namespace {

bool isNumber(const Value& v) { return std::holds_alternative<int64_t>(v) || std::holds_alternative<double>(v); }

nlohmann::ordered_json jsonValue(const Value& v) {
  if (const auto* i = std::get_if<int64_t>(&v)) return *i;
  if (const auto* d = std::get_if<double>(&v)) return std::isfinite(*d) ? nlohmann::ordered_json(*d) : nlohmann::ordered_json();
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  if (const auto* b = std::get_if<BlobSize>(&v)) return {{"blob_bytes", b->bytes.value()}};
  return nullptr;
}

} // namespace

std::string valueText(const Value& v) {
  if (const auto* i = std::get_if<int64_t>(&v)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&v)) return fmt::format("{}", *d);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  if (const auto* b = std::get_if<BlobSize>(&v)) return "BLOB of " + formatCount(b->bytes.value()) + " B";
  return "NULL";
}

std::string formatTable(const Result& result) {
  std::vector<TextColumn> columns;
  for (const std::string& title : result.columns) columns.push_back({printable(title), !result.rows.empty()});
  TextRows texts;
  for (const auto& row : result.rows) {
    auto& line = texts.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      line.push_back(printable(valueText(row[c])));
      if (!isNumber(row[c]) && !std::holds_alternative<Null>(row[c])) columns[c].isNumber = false;
    }
  }
  return alignedTable(columns, texts);
}

std::string formatCsv(const Result& result) {
  std::string text;
  for (std::size_t c = 0; c < result.columns.size(); ++c) text += (c ? "," : "") + csvField(result.columns[c], true);
  text += "\r\n";
  for (const auto& row : result.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool isNull = std::holds_alternative<Null>(row[c]);
      const bool isText = std::holds_alternative<std::string>(row[c]);
      text += (c ? "," : "") + (isNull ? std::string() : csvField(valueText(row[c]), isText));
    }
    text += "\r\n";
  }
  return text;
}

std::string formatJson(const Result& result) {
  std::string text = "["; // row by row, because one JSON value for all rows takes many times the memory of the text
  for (const auto& row : result.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string key = result.columns[c]; // columns with equal names must stay separate
      for (int n = 2; object.contains(key); ++n) key = result.columns[c] + "_" + std::to_string(n);
      object[key] = jsonValue(row[c]);
    }
    text += text.size() > 1 ? ",\n  " : "\n  ";
    for (const char c : reports::jsonText(object, 2)) {
      text += c;
      if (c == '\n') text += "  ";
    }
  }
  return text + (result.rows.empty() ? "]\n" : "\n]\n");
}

} // namespace analyser::query
