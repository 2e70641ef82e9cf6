#include "tests/layout/class_sizes.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace layout {

namespace {

constexpr int kMostMethods = 40;
constexpr std::string_view kReasonForMethods = "// over 40 methods because ";

struct Token {
  std::string_view text; // a word, "::", or one character; a literal is its first quote
  int line;
};

// Splits code into tokens without comments, literals' contents and preprocessor lines.
class Tokens {
public:
  explicit Tokens(std::string_view text) : m_text(text) {
    while (m_at < m_text.size()) step();
  }
  std::vector<Token> take() { return std::move(m_tokens); }

private:
  void step() {
    const std::string_view rest = m_text.substr(m_at);
    const char c = rest.front();
    if (std::isspace(static_cast<unsigned char>(c))) {
      m_isLineStart = m_isLineStart || c == '\n';
      skip(1);
    } else if (rest.starts_with("//")) {
      skip(rest.find('\n'));
    } else if (rest.starts_with("/*")) {
      skip(rest.find("*/") == std::string_view::npos ? rest.size() : rest.find("*/") + 2);
    } else if (c == '#' && m_isLineStart) {
      skipDirective();
    } else if (c == '"' || c == '\'') {
      skipLiteral(c);
    } else {
      takeToken(rest);
    }
  }
  void takeToken(std::string_view rest) {
    m_isLineStart = false;
    std::size_t length = 0;
    while (length < rest.size() && isWord(rest[length])) ++length;
    if (length && rest[length] == '\'' && std::isdigit(static_cast<unsigned char>(rest[0]))) { // 10'000
      while (length < rest.size() && (isWord(rest[length]) || rest[length] == '\'')) ++length;
    }
    if (!length) length = rest.starts_with("::") ? 2 : 1;
    m_tokens.push_back({rest.substr(0, length), m_line});
    skip(length);
  }
  void skipDirective() {
    std::size_t end = m_at;
    while ((end = m_text.find('\n', end)) != std::string_view::npos && m_text[end - 1] == '\\') ++end;
    skip(std::min(end, m_text.size()) - m_at);
  }
  void skipLiteral(char quote) {
    const std::size_t begin = m_at;
    const bool isRaw =
        quote == '"' && !m_tokens.empty() && m_tokens.back().text == "R" && m_tokens.back().text.end() == m_text.begin() + begin;
    std::size_t end = begin + 1;
    if (isRaw) {
      const std::size_t open = std::min(m_text.find('(', begin), m_text.size());
      const std::string close = ")" + std::string(m_text.substr(end, open - end)) + "\"";
      end = m_text.find(close, open);
      end = end == std::string_view::npos ? m_text.size() : end + close.size();
    } else {
      while (end < m_text.size() && m_text[end] != quote) end += m_text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, m_text.size());
    }
    m_tokens.push_back({m_text.substr(begin, 1), m_line});
    skip(end - begin);
  }
  void skip(std::size_t length) {
    const std::string_view passed = m_text.substr(m_at, length);
    m_line += int(std::ranges::count(passed, '\n'));
    m_at += passed.size();
  }
  static bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string_view m_text;
  std::vector<Token> m_tokens;
  std::size_t m_at = 0;
  int m_line = 1;
  bool m_isLineStart = true;
};

bool isIdentifier(const Token& token) { return std::isalpha(static_cast<unsigned char>(token.text[0])) || token.text[0] == '_'; }

// The part of a declaration before its body, initial value or semicolon, as tokens outside all brackets but "(" and ")".
struct Declaration {
  std::vector<Token> tokens;

  bool begins(std::initializer_list<std::string_view> words) const {
    return !tokens.empty() && std::ranges::find(words, tokens[0].text) != words.end();
  }
  bool has(std::string_view word) const {
    return std::ranges::any_of(tokens, [&](const Token& t) { return t.text == word; });
  }
};

// The position of the parenthesis that opens the parameters, or -1 if the declaration is not one of a function.
int parametersOf(const Declaration& d) {
  for (std::size_t i = 0; i < d.tokens.size(); ++i) {
    const std::string_view text = d.tokens[i].text;
    if (text == "operator") {
      for (++i; i < d.tokens.size() && d.tokens[i].text != "("; ++i) {
      }
      const bool isCall = i + 2 < d.tokens.size() && d.tokens[i + 1].text == ")" && d.tokens[i + 2].text == "(";
      return int(isCall ? i + 2 : i);
    }
    if (text == "=") return -1;
    if (text != "(") continue;
    const bool isAlignment = i > 0 && (d.tokens[i - 1].text == "alignas" || d.tokens[i - 1].text == "explicit");
    if (!isAlignment)
      return i > 0 && isIdentifier(d.tokens[i - 1]) && d.tokens[i + 1].text != "*" && d.tokens[i + 1].text != "&" ? int(i) : -1;
    while (i < d.tokens.size() && d.tokens[i].text != ")") ++i;
  }
  return -1;
}

bool isMethod(const Declaration& d, std::string_view ofClass) {
  if (d.begins({"using", "friend", "typedef", "enum", "static_assert"})) return false;
  const int open = parametersOf(d);
  if (open < 1 || d.has("override") || d.has("final") || d.has("default") || d.has("delete")) return false;
  return d.has("operator") || d.tokens[open - 1].text != ofClass; // a destructor's name is the class's, too
}

// Walks over the declarations of a file. Each function of it begins at m_at and leaves m_at behind what it read.
class Reader {
public:
  explicit Reader(std::string_view text) : m_tokens(Tokens(text).take()) {}

  std::vector<ClassSize> read() {
    while (m_at < m_tokens.size())
      if (!readClass()) ++m_at;
    return std::move(m_sizes);
  }

private:
  std::string_view text(std::size_t at) const { return at < m_tokens.size() ? m_tokens[at].text : std::string_view(); }
  bool is(std::string_view word) const { return text(m_at) == word; }

  // Reads "class A final : public B {" at m_at and its body; returns false and reads nothing if no class is defined here.
  bool readClass() {
    const bool isOfEnum = m_at > 0 && text(m_at - 1) == "enum";
    if (isOfEnum || !(is("class") || is("struct") || is("union"))) return false;
    std::size_t at = m_at + 1;
    ClassSize size{{}, lineOfDeclaration(), 0};
    for (bool inBases = false; text(at) != "{"; ++at) {
      for (std::string_view other : {"", ";", "(", ")", "=", "*", "&"})
        if (text(at) == other) return false;
      if (text(at) == "<") {
        at = behindBrackets(at) - 1;
        continue;
      }
      if (!inBases && (text(at) == "," || text(at) == ">")) return false; // a parameter of a template
      inBases = inBases || text(at) == ":";
      if (!inBases && isIdentifier(m_tokens[at]) && text(at) != "final") size.name = text(at);
    }
    m_at = at + 1;
    readBody(size);
    m_sizes.push_back(size);
    return true;
  }
  // With "template<…>" before it.
  int lineOfDeclaration() const {
    if (m_at == 0 || text(m_at - 1) != ">") return m_tokens[m_at].line;
    std::size_t at = m_at;
    while (at > 0 && text(at) != "template") --at;
    return m_tokens[at].line;
  }

  void readBody(ClassSize& size) {
    for (bool inSignals = false; m_at < m_tokens.size() && !is("}");) {
      if (readAccess(inSignals)) continue;
      const Declaration d = readDeclaration();
      if (!inSignals && isMethod(d, size.name)) ++size.methods;
    }
    ++m_at;
  }
  bool readAccess(bool& inSignals) {
    std::size_t at = m_at;
    while (std::ranges::find(kAccess, text(at)) != std::end(kAccess)) ++at;
    if (at == m_at || text(at) != ":") return false;
    inSignals = is("signals") || is("Q_SIGNALS");
    m_at = at + 1;
    return true;
  }

  // Up to and with its semicolon or body.
  Declaration readDeclaration() {
    Declaration d;
    bool inInitialisers = false;
    while (m_at < m_tokens.size() && !is("}")) {
      const Token token = m_tokens[m_at];
      const bool hasParameters = parametersOf(d) >= 0;
      if (d.tokens.empty() && token.text.starts_with("Q_")) {
        ++m_at;
        if (is("(")) skipBrackets();
        return d;
      }
      if (readClass()) continue;
      if (token.text == ";") {
        ++m_at;
        break;
      }
      if (token.text == "{") {
        const bool isValue = inInitialisers && (isIdentifier(m_tokens[m_at - 1]) || text(m_at - 1) == ">");
        skipBrackets();
        if (hasParameters && !isValue) {
          if (is(";")) ++m_at;
          break;
        }
      } else if (token.text == "[" || (token.text == "<" && !hasParameters && !d.has("=") && !endsWithOperator(d))) {
        skipBrackets();
      } else if (token.text == "(") {
        d.tokens.push_back(token);
        d.tokens.push_back(m_tokens[std::min(m_at + 1, m_tokens.size() - 1)]); // tells a pointer to a function
        skipBrackets();
        if (d.tokens.back().text != ")") d.tokens.push_back({")", token.line});
      } else {
        inInitialisers = inInitialisers || (token.text == ":" && hasParameters);
        if (token.text != "template") d.tokens.push_back(token);
        ++m_at;
      }
    }
    return d;
  }
  static bool endsWithOperator(const Declaration& d) {
    const std::size_t n = d.tokens.size();
    return (n > 0 && d.tokens[n - 1].text == "operator") || (n > 1 && d.tokens[n - 2].text == "operator");
  }
  // From an opening bracket of any kind to behind the one that closes it; ">" counts only if "<" opened.
  std::size_t behindBrackets(std::size_t at) const {
    const bool isAngle = text(at) == "<";
    int depth = 0;
    do {
      const std::string_view t = text(at++);
      if (t == "(" || t == "[" || t == "{" || (isAngle && t == "<")) ++depth;
      if (t == ")" || t == "]" || t == "}" || (isAngle && t == ">")) --depth;
    } while (depth > 0 && at < m_tokens.size());
    return at;
  }
  void skipBrackets() { m_at = behindBrackets(m_at); }

  static constexpr std::string_view kAccess[] = {"public", "private", "protected", "signals", "Q_SIGNALS", "slots", "Q_SLOTS"};
  std::vector<Token> m_tokens;
  std::vector<ClassSize> m_sizes;
  std::size_t m_at = 0;
};

} // namespace

std::vector<ClassSize> classSizes(std::string_view text) { return Reader(text).read(); }

std::vector<Violation> checkClassSizes(const std::vector<SourceFile>& files) {
  std::vector<Violation> found;
  for (const SourceFile& file : files) {
    if (!isHeader(file) || startsWithFolder(file.path, "tests")) continue;
    const std::vector<Line> lines = linesOf(file.text);
    for (const ClassSize& size : classSizes(file.text)) {
      const bool hasReason = size.line > 1 && lines[size.line - 2].text.starts_with(kReasonForMethods);
      if (size.methods > kMostMethods && !hasReason)
        found.push_back({file.path, size.line,
                         size.name + " has " + std::to_string(size.methods) +
                             " methods; split it by responsibility, or say above it \"" + std::string(kReasonForMethods) +
                             "…\""});
    }
  }
  return found;
}

} // namespace layout
