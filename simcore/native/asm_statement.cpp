#include "simcore/native/asm_statement.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace simcore::native {

namespace {

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// Reads "…" or R"x(…)x" at `at` and moves past it.
std::string readText(std::string_view source, std::size_t& at) {
  std::string result;
  if (source[at] == 'R') {
    const std::size_t open = source.find('(', at);
    const std::string close = ")" + std::string(source.substr(at + 2, open - at - 2)) + "\"";
    const std::size_t end = source.find(close, open);
    if (open == std::string_view::npos || end == std::string_view::npos) return at = source.size(), result;
    at = end + close.size();
    return std::string(source.substr(open + 1, end - open - 1));
  }
  for (++at; at < source.size() && source[at] != '"'; ++at) {
    if (source[at] != '\\' || at + 1 >= source.size()) {
      result += source[at];
    } else {
      const char c = source[++at];
      result += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  ++at;
  return result;
}

bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string trimmed(std::string text) {
  while (!text.empty() && isSpace(text.back())) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), isSpace));
  return text;
}

// The extent of a loop: from a label to the branch back to it, or the given number of bundles after a `rpt`.
struct LoopPlace {
  int begin = -1, end = -1; // slots

  void label(int slot) { begin = begin < 0 ? slot : begin; }
  void instruction(const std::string& mnemonic, const std::string& line, int slot) {
    if (mnemonic == "rpt") {
      const int bundles = std::atoi(line.substr(line.rfind(',') + 1).c_str()) + 1;
      begin = slot, end = slot + bundles;
    } else if (mnemonic.starts_with("br") && begin >= 0 && end < 0) {
      end = slot;
    }
  }
};

// Reads the operands of outputs or inputs: `[name] "constraint"(expression)`, also without a name.
void readOperands(AsmStatement& statement, std::string_view part) {
  std::string name;
  for (std::size_t at = 0; at < part.size(); ++at) {
    if (part.compare(at, 2, "//") == 0) {
      at = std::min(part.find('\n', at), part.size());
    } else if (part[at] == '[') {
      const std::size_t close = std::min(part.find(']', at), part.size() - 1);
      name = trimmed(std::string(part.substr(at + 1, close - at - 1)));
      at = close;
    } else if (part[at] == '"') {
      readText(part, at);
      while (at < part.size() && isSpace(part[at])) ++at;
      if (at >= part.size() || part[at] != '(') {
        --at;
        continue; // skips the clobbered registers
      }
      const std::size_t open = at;
      for (int depth = 0; at < part.size(); ++at) {
        depth += part[at] == '(' ? 1 : part[at] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      statement.places.emplace_back(part.substr(open + 1, at - open - 1));
      if (!name.empty()) statement.operands[name] = statement.places.back();
      name.clear();
    }
  }
}

} // namespace

void readInstructions(AsmStatement& statement, const std::string& assembly) {
  LoopPlace loop;
  bool inBundle = false;
  for (std::size_t at = 0; at < assembly.size();) {
    const std::size_t end = std::min(assembly.find_first_of("\n;", at), assembly.size());
    std::string line = assembly.substr(at, end - at);
    at = end + 1;
    for (const char* comment : {"//", "#"}) line = line.substr(0, line.find(comment));
    if (line.find('{') != std::string::npos) inBundle = true, ++statement.issueSlots;
    const bool closes = line.find('}') != std::string::npos;
    std::string words;
    for (const char c : line) words += c == '{' || c == '}' || isSpace(c) ? ' ' : c;
    words = trimmed(words);
    if (!words.empty() && words.back() == ':') {
      loop.label(statement.issueSlots);
    } else if (!words.empty() && words.front() != '.') {
      if (!inBundle) ++statement.issueSlots;
      statement.lines.push_back(words);
      statement.mnemonics.push_back(words.substr(0, words.find(' ')));
      loop.instruction(statement.mnemonics.back(), words, statement.issueSlots);
    }
    if (closes) inBundle = false;
  }
  if (loop.end > loop.begin) statement.inLoop = loop.end - loop.begin;
}

std::optional<AsmStatement> nextAsmStatement(std::string_view source, std::size_t from) {
  for (std::size_t at = from; at < source.size(); ++at) {
    if (source.compare(at, 2, "//") == 0) {
      at = std::min(source.find('\n', at), source.size());
      continue;
    }
    if (source.compare(at, 2, "/*") == 0) {
      at = std::min(source.find("*/", at + 2), source.size() - 1) + 1;
      continue;
    }
    if (source[at] == '"' && (at == 0 || source[at - 1] != '\'')) {
      readText(source, at);
      --at;
      continue;
    }
    if (!isWordCharacter(source[at])) continue;
    std::size_t end = at;
    while (end < source.size() && isWordCharacter(source[end])) ++end;
    const std::string_view word = source.substr(at, end - at);
    if (word != "asm" && word != "__asm__" && word != "__asm") {
      at = end - 1;
      if (word == "R" && end < source.size() && source[end] == '"') { // a raw string literal
        readText(source, at);
        --at;
      }
      continue;
    }
    AsmStatement statement;
    statement.begin = at;
    const std::size_t open = source.find('(', end);
    if (open == std::string_view::npos) return std::nullopt;
    std::string assembly;
    std::size_t i = open + 1, operandsAt = 0;
    for (int depth = 1; i < source.size() && depth > 0; ++i) {
      if (source[i] == '"' || (source[i] == 'R' && i + 1 < source.size() && source[i + 1] == '"')) {
        const std::string text = readText(source, i);
        if (!operandsAt) assembly += text;
        --i;
      } else if (source.compare(i, 2, "//") == 0) {
        i = std::min(source.find('\n', i), source.size());
      } else {
        depth += source[i] == '(' ? 1 : source[i] == ')' ? -1 : 0;
        if (source[i] == ':' && !operandsAt) operandsAt = i;
      }
    }
    if (operandsAt) readOperands(statement, source.substr(operandsAt, i - operandsAt));
    readInstructions(statement, assembly);
    statement.end = i;
    return statement;
  }
  return std::nullopt;
}

} // namespace simcore::native
