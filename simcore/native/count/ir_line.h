// One line of LLVM IR, read from left to right. Errors name the line.
#pragma once

#include "simcore/native/count/ir.h"

namespace simcore::native {

class IrLine {
public:
  IrLine(std::string_view text, int64_t number, IrModule& module) : m_text(text), m_number(number), m_module(module) {}

  [[noreturn]] void fail(const std::string& what) const;

  bool atEnd();
  bool accept(std::string_view token); // a word or a symbol, skipped if it is next
  void expect(std::string_view token);
  std::string_view peek(); // the next word, symbol or name
  std::string_view next();
  std::string name(); // after %, @, ! or #; includes quotes
  int64_t integer();
  IrTypeRef type();
  IrOperand operand(IrTypeRef type); // a value of that type
  IrOperand typedOperand() { return operand(type()); }
  void skipAttributes(); // words, numbers and (…) before a type
  void skipBalanced();   // from an opening bracket to its closing one, or one token
  std::size_t position() const { return m_at; }
  std::string_view rest() const { return m_text.substr(m_at); }

private:
  IrTypeRef baseType();
  IrTypeRef structType(std::string_view closing, bool packed);
  IrTypeRef sequenceType(IrType::Kind kind, std::string_view closing);
  void skipBlanks();

  std::string_view m_text;
  std::size_t m_at = 0;
  int64_t m_number = 0;
  IrModule& m_module;
  int m_depth = 0;
};

} // namespace simcore::native
