#include "simcore/native/assembly.h"

#include "reports/core/error.h"
#include "simcore/native/debug_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>

namespace simcore::native {

namespace {

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

struct Statement {
  std::size_t begin = 0, end = 0;              // in the source, with the semicolon
  std::vector<std::string> mnemonics;          // in order, without braces, labels and comments
  std::vector<std::string> lines;              // of assembly
  std::map<std::string, std::string> operands; // [name] "constraint"(expression)
};

// Reads "…" or R"x(…)x" at `at` and moves behind it.
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

void readMnemonics(Statement& statement, const std::string& assembly) {
  std::size_t at = 0;
  while (at < assembly.size()) {
    std::size_t end = assembly.find_first_of("\n;", at);
    end = std::min(end, assembly.size());
    std::string line = assembly.substr(at, end - at);
    at = end + 1;
    for (const char* comment : {"//", "#"}) line = line.substr(0, line.find(comment));
    std::string words;
    for (const char c : line) words += c == '{' || c == '}' || std::isspace(static_cast<unsigned char>(c)) ? ' ' : c;
    const std::size_t first = words.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    words = words.substr(first);
    if (words.find(':') < words.find(' ') && words.find(':') == words.find_last_not_of(' ')) continue; // a label
    statement.lines.push_back(words);
    statement.mnemonics.push_back(words.substr(0, words.find(' ')));
  }
}

void readOperands(Statement& statement, std::string_view part) {
  for (std::size_t at = part.find('['); at != std::string_view::npos; at = part.find('[', at)) {
    const std::size_t close = part.find(']', at);
    const std::size_t open = part.find('(', close);
    if (close == std::string_view::npos || open == std::string_view::npos) return;
    int depth = 0;
    std::size_t end = open;
    for (; end < part.size(); ++end) {
      depth += part[end] == '(' ? 1 : part[end] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    statement.operands[std::string(part.substr(at + 1, close - at - 1))] = part.substr(open + 1, end - open - 1);
    at = end;
  }
}

// The next asm statement at or after `from`.
std::optional<Statement> nextStatement(std::string_view source, std::size_t from) {
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
      if (word == "R" && end < source.size() && source[end] == '"') { // a raw text
        readText(source, at);
        --at;
      }
      continue;
    }
    Statement statement;
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
    readMnemonics(statement, assembly);
    statement.end = i;
    return statement;
  }
  return std::nullopt;
}

// A supervisor that lets its six workers run the code of another class on its own fields, and waits for them.
std::optional<std::string> startedClass(const Statement& statement) {
  const auto& m = statement.mnemonics;
  if (m != std::vector<std::string>{"setzi", "runall", "sync"}) return std::nullopt;
  constexpr std::string_view kPrefix = "__runCodelet_";
  const std::string& line = statement.lines[0];
  const std::size_t at = line.find(kPrefix);
  if (at == std::string::npos) return std::nullopt;
  std::string name = line.substr(at + kPrefix.size());
  return name.substr(0, name.find(' '));
}

// a = b + q * c in the accumulators, with packed addresses.
std::optional<std::string> triad(const Statement& statement) {
  static const std::vector<std::string> kTriad{"ld2x64pace", "uput",      "ld2x64pace", "f32v2axpy",    "ld2x64pace",
                                               "f32v2axpy",  "nop",       "rpt",        "ld2xst64pace", "f32v2axpy",
                                               "st64pace",   "f32v2gina", "st64pace"};
  if (statement.mnemonics != kTriad) return std::nullopt;
  for (const char* name : {"ptr", "iter", "q", "tmp"})
    if (!statement.operands.contains(name)) return std::nullopt;
  const auto of = [&](const char* name) { return statement.operands.at(name); };
  return fmt::format("{} = __tilescope_triad({}, {}, {})", of("tmp"), of("ptr"), of("iter"), of("q"));
}

bool isHarmless(const Statement& statement) {
  return std::all_of(statement.mnemonics.begin(), statement.mnemonics.end(), [](const std::string& m) { return m == "nop"; });
}

} // namespace

PlainSource replaceAssembly(std::string_view source) {
  PlainSource result;
  std::size_t done = 0;
  while (const auto statement = nextStatement(source, done)) {
    const std::string_view original = source.substr(statement->begin, statement->end - statement->begin);
    result.text.append(source.substr(done, statement->begin - done));
    done = statement->end;
    if (const auto started = startedClass(*statement)) {
      result.startedByName.push_back(*started);
      result.text += fmt::format("bool __tilescope_run_{0}(void*, unsigned); "
                                 "for (unsigned __worker = 0; __worker < 6; ++__worker) __tilescope_run_{0}(this, __worker)",
                                 *started);
    } else if (const auto meaning = triad(*statement)) {
      result.text += *meaning;
    } else {
      result.text.append(original);
      continue;
    }
    result.text.append(std::size_t(std::count(original.begin(), original.end(), '\n')), '\n');
    result.isChanged = true;
  }
  result.text.append(source.substr(done));
  return result;
}

void refuseAssembly(std::string_view ir) {
  for (std::size_t at = ir.find(" asm "); at != std::string_view::npos; at = ir.find(" asm ", at + 1)) {
    const std::size_t lineEnd = std::min(ir.find('\n', at), ir.size());
    const std::string_view line = ir.substr(at, lineEnd - at);
    const std::size_t open = line.find('"'), close = line.find('"', open + 1); // quotes inside are \22
    if (open == std::string_view::npos || close == std::string_view::npos) continue;
    std::string text(line.substr(open + 1, close - open - 1));
    for (const std::string_view lineFeed : {"\\0A", "\\09"})
      for (std::size_t i = text.find(lineFeed); i != std::string::npos; i = text.find(lineFeed, i)) text.replace(i, 3, "\n");
    Statement statement;
    readMnemonics(statement, text);
    if (isHarmless(statement)) continue;
    const DebugTypes types(ir);
    std::string place;
    if (const std::size_t debug = line.find("!dbg !"); debug != std::string_view::npos)
      if (const auto* location = types.node(std::atoi(line.data() + debug + 6))) {
        const auto* scope = types.follow(*location, "scope");
        const auto* file = scope ? types.follow(*scope, "file") : nullptr;
        place = fmt::format("{}:{}", file ? DebugTypes::text(*file, "filename") : "", DebugTypes::number(*location, "line"));
      }
    throw reports::Error(reports::ErrorCode::Unsupported,
                         fmt::format("inline assembly of the machine ({}) cannot be run", statement.mnemonics.front()), place,
                         "write it in C++ or with __builtin_ipu functions");
  }
}

} // namespace simcore::native
