// LLVM IR for counting cycles: functions, blocks, and instructions with typed operands. Each keeps its text, because the counting
// copy of a function is the original text with additions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::native {

struct IrType;
using IrTypeRef = std::shared_ptr<const IrType>;

struct IrType {
  enum class Kind { Void, Integer, Half, Float, Double, Pointer, Vector, Array, Struct, Other };
  Kind kind = Kind::Void;
  int bits = 0;                      // of an Integer
  int64_t count = 0;                 // elements of a Vector or an Array
  std::vector<IrTypeRef> parts = {}; // the element of a Vector or an Array, the members of a Struct
  bool packed = false;

  const IrType& element() const { return kind == Kind::Vector ? *parts.front() : *this; }
  int64_t lanes() const { return kind == Kind::Vector ? count : 1; }
  bool isFloat() const;   // float or a vector of it
  bool isHalf() const;    // half or a vector of it
  bool isDouble() const;  // double or a vector of it
  bool isInteger() const; // an integer or a vector of integers
  bool isPointer() const { return element().kind == Kind::Pointer; }
};

int64_t sizeOf(const IrType& type);      // bytes on the host, including the padding at the end of a struct
int64_t alignmentOf(const IrType& type); // bytes
int64_t memberOffset(const IrType& type, int64_t member);

struct IrOperand {
  IrTypeRef type;
  int value = -1;                                 // in the function: an argument or the result of an instruction
  std::optional<int64_t> constant = std::nullopt; // of an integer, 0 for null
  std::string local = {}, global = {};            // names without their prefix; both are empty for other constants
  bool isConstant() const { return value < 0; }
};

struct IrInstruction {
  std::string opcode, result;      // the result's name without its prefix; empty: none
  std::string text;                // one line, without the part after the last operand except alignment
  IrTypeRef type;                  // of the result
  IrTypeRef accessed;              // type in memory: of load, store and alloca; the source type of getelementptr
  std::vector<IrOperand> operands; // getelementptr: pointer, then indices; store: value, pointer; select: condition, values
  std::vector<int> labels;         // blocks: targets of a branch, sources of a phi's operands; switch: default, cases
  std::string predicate;           // of a compare
  std::string callee;              // empty for a call through a pointer; "asm" for inline assembly
  int64_t align = 1;
  int value = -1, block = -1;
  int64_t line = 0;
  bool isVolatile = false, hasAliasScopes = false;
  std::vector<int64_t> mask = {}; // of shufflevector, -1: any

  bool is(std::string_view name) const { return opcode == name; }
  bool isMemory() const { return opcode == "load" || opcode == "store"; }
  bool isTerminator() const;
  const IrOperand& pointer() const { return operands[opcode == "store" ? 1 : 0]; } // of a load, a store, a getelementptr
};

struct IrBlock {
  std::string name;
  bool hasLabel = false;
  int first = 0, end = 0; // instructions
  std::vector<int> successors = {}, predecessors = {};
};

struct IrFunction {
  std::string name, header; // the header's line, from "define"
  std::string returnsText;  // the type that it returns, as text
  int64_t line = 0;
  IrTypeRef returns;
  std::vector<IrTypeRef> arguments;
  std::vector<IrInstruction> instructions;
  std::vector<IrBlock> blocks;
  // Values are arguments, then results of instructions.
  std::vector<int> definedBy;           // by value: the instruction, -1 for an argument
  std::vector<std::vector<int>> usedBy; // by value: instructions
  const IrInstruction& terminator(int block) const { return instructions[blocks[block].end - 1]; }
  const IrInstruction* definition(const IrOperand& operand) const {
    return operand.value >= 0 && definedBy[operand.value] >= 0 ? &instructions[definedBy[operand.value]] : nullptr;
  }
};

struct IrGlobal {
  std::string name, text; // the whole line
  IrTypeRef type;
  int64_t line = 0;
  bool isConstant = false, isDeclaration = false, isInternal = false, isThreadLocal = false;
};

struct IrModule {
  std::vector<std::string> otherLines; // types, attributes, metadata, declarations, in order
  std::vector<IrGlobal> globals;
  std::vector<IrFunction> functions;
  std::map<std::string, IrTypeRef> types; // named structs
  bool opaquePointers = false;
};

} // namespace simcore::native
