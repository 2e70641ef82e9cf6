#include "simcore/native/count/ir_line.h"

#include "reports/core/error.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace simcore::native {

namespace {

constexpr int kMaxTypeDepth = 64;

bool isWordLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '$' || c == '+';
}

IrTypeRef simpleType(IrType::Kind kind, int bits = 0) { return std::make_shared<const IrType>(IrType{kind, bits}); }

} // namespace

void IrLine::fail(const std::string& what) const {
  throw reports::Error(reports::ErrorCode::InvalidInput, "LLVM IR: " + what,
                       fmt::format("line {}: {}", m_number, m_text.substr(0, 160)), "compile the codelet with clang 14 to 19");
}

void IrLine::skipBlanks() {
  while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t')) ++m_at;
  if (m_at < m_text.size() && m_text[m_at] == ';') m_at = m_text.size();
}

bool IrLine::atEnd() {
  skipBlanks();
  return m_at >= m_text.size();
}

std::string_view IrLine::peek() {
  skipBlanks();
  if (m_at >= m_text.size()) return {};
  std::size_t end = m_at;
  const char first = m_text[m_at];
  if (first == '%' || first == '@' || first == '!' || first == '#' || first == '"' ||
      (first == 'c' && m_text.substr(m_at, 2) == "c\"")) {
    if (first != '"') ++end;
    if (end < m_text.size() && m_text[end] == '"') {
      end = m_text.find('"', end + 1);
      if (end == std::string_view::npos) fail("a quoted name has no end");
      ++end;
    } else {
      while (end < m_text.size() && isWordLetter(m_text[end])) ++end;
    }
  } else if (isWordLetter(first)) {
    while (end < m_text.size() && isWordLetter(m_text[end])) ++end;
    if (m_text.substr(m_at, end - m_at) == "...") return m_text.substr(m_at, 3);
  } else {
    end = m_at + 1;
  }
  return m_text.substr(m_at, end - m_at);
}

std::string_view IrLine::next() {
  const auto token = peek();
  if (token.empty()) fail("the line ends too early");
  m_at += token.size();
  return token;
}

bool IrLine::accept(std::string_view token) {
  if (peek() != token) return false;
  m_at += token.size();
  return true;
}

void IrLine::expect(std::string_view token) {
  if (!accept(token)) fail(fmt::format("expected '{}' before '{}'", token, peek()));
}

std::string IrLine::name() {
  const auto token = next();
  if (token.size() < 2) fail("a name is missing");
  return std::string(token.substr(1));
}

int64_t IrLine::integer() {
  const auto token = next();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (end != token.data() + token.size()) fail(fmt::format("'{}' is not a whole number", token));
  if (error == std::errc::result_out_of_range) fail(fmt::format("{} has more than 64 bits", token));
  return number;
}

void IrLine::skipBalanced() {
  const auto opening = next();
  if (opening != "(" && opening != "[" && opening != "{" && opening != "<") return;
  for (int depth = 1; depth > 0;) {
    const auto token = next();
    if (token == "(" || token == "[" || token == "{" || token == "<") ++depth;
    if (token == ")" || token == "]" || token == "}" || token == ">") --depth;
  }
}

// Skips words of functions, arguments and calls before a type that do not affect the meaning of an instruction.
void IrLine::skipAttributes() {
  static const auto isType = [](std::string_view word) {
    if (word.size() > 1 && word[0] == 'i' && std::isdigit(static_cast<unsigned char>(word[1]))) return true;
    return word == "void" || word == "half" || word == "float" || word == "double" || word == "ptr" || word == "x86_fp80" ||
           word == "fp128" || word == "bfloat" || word == "metadata" || word == "label" || word == "token" || word == "opaque";
  };
  while (true) {
    const auto word = peek();
    if (word.empty() || isType(word)) return;
    if (word[0] == '#' || word[0] == '"') {
      next();
      if (accept("=")) next();
      continue;
    }
    if (!std::isalpha(static_cast<unsigned char>(word[0]))) return;
    const bool takesNumber = word == "align" || word == "cc" || word == "alignstack";
    next();
    if (peek() == "(")
      skipBalanced();
    else if (takesNumber && !peek().empty() && std::isdigit(static_cast<unsigned char>(peek()[0])))
      next();
    if (peek() == "=") { // an attribute with a value
      next();
      next();
    }
  }
}

IrTypeRef IrLine::structType(std::string_view closing, bool packed) {
  IrType type{IrType::Kind::Struct};
  type.packed = packed;
  if (!accept(closing)) {
    do type.parts.push_back(this->type());
    while (accept(","));
    expect(closing);
  }
  return std::make_shared<const IrType>(std::move(type));
}

IrTypeRef IrLine::sequenceType(IrType::Kind kind, std::string_view closing) {
  IrType type{kind};
  type.count = integer();
  expect("x");
  type.parts.push_back(this->type());
  expect(closing);
  if (type.count < 0 || type.count > (int64_t(1) << 32)) fail("the number of elements is out of range");
  return std::make_shared<const IrType>(std::move(type));
}

IrTypeRef IrLine::baseType() {
  const auto word = next();
  if (word == "void") return simpleType(IrType::Kind::Void);
  if (word == "half") return simpleType(IrType::Kind::Half);
  if (word == "float") return simpleType(IrType::Kind::Float);
  if (word == "double") return simpleType(IrType::Kind::Double);
  if (word == "ptr") {
    m_module.opaquePointers = true;
    return simpleType(IrType::Kind::Pointer);
  }
  if (word == "[") return sequenceType(IrType::Kind::Array, "]");
  if (word == "{") return structType("}", false);
  if (word == "<") {
    if (!accept("{")) return sequenceType(IrType::Kind::Vector, ">");
    auto type = structType("}", true);
    expect(">");
    return type;
  }
  if (word[0] == '%') {
    const auto found = m_module.types.find(std::string(word.substr(1)));
    if (found != m_module.types.end()) return found->second;
    return simpleType(IrType::Kind::Other);
  }
  if (word.size() > 1 && word[0] == 'i') {
    int bits = 0;
    const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), bits);
    if (end == word.data() + word.size() && bits > 0 && bits <= 512) return simpleType(IrType::Kind::Integer, bits);
  }
  if (word == "metadata" || word == "label" || word == "token" || word == "opaque" || word == "x86_fp80" || word == "fp128" ||
      word == "bfloat")
    return simpleType(IrType::Kind::Other);
  fail(fmt::format("'{}' is not a type", word));
}

IrTypeRef IrLine::type() {
  if (++m_depth > kMaxTypeDepth) fail("types are nested too deeply");
  IrTypeRef result = baseType();
  while (true) {
    if (accept("*")) {
      result = simpleType(IrType::Kind::Pointer);
    } else if (peek() == "(") { // the type of a function
      skipBalanced();
      result = simpleType(IrType::Kind::Other);
    } else if (peek() == "addrspace") {
      next();
      skipBalanced();
    } else {
      break;
    }
  }
  --m_depth;
  return result;
}

IrOperand IrLine::operand(IrTypeRef type) {
  IrOperand result{std::move(type)};
  const auto token = peek();
  if (token.empty()) fail("an operand is missing");
  if (token[0] == '%') {
    result.local = name();
  } else if (token[0] == '@') {
    result.global = name();
  } else if (token == "true" || token == "false") {
    result.constant = next() == "true";
  } else if (token == "null" || token == "zeroinitializer") {
    next();
    result.constant = 0;
  } else if (token[0] == '-' || std::isdigit(static_cast<unsigned char>(token[0]))) {
    if (result.type->kind == IrType::Kind::Integer && token.size() < 19) // longer numbers may need more than 64 bits
      result.constant = integer();
    else
      next();
  } else { // undef, poison, <…>, {…}, splat (…), getelementptr inbounds (…), inttoptr (…)
    while (!atEnd() && peek() != "," && peek() != "]" && peek() != ")" && peek() != ">") {
      const auto at = m_text.find('@', m_at);
      if (result.global.empty() && at != std::string_view::npos && (peek() == "(" || peek() == "<")) {
        IrLine inner(m_text.substr(at), m_number, m_module);
        result.global = inner.name();
      }
      skipBalanced();
    }
  }
  return result;
}

} // namespace simcore::native
