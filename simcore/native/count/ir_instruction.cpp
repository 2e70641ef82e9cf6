#include "simcore/native/count/ir_instruction.h"

#include "simcore/native/count/ir_line.h"

#include <fmt/format.h>

#include <set>

namespace simcore::native {

namespace {

using Labels = std::vector<std::string>;

const std::set<std::string_view>& words(std::string_view kind) {
  static const std::set<std::string_view> binary = {"add",  "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl",  "lshr",
                                                    "ashr", "and", "or",  "xor",  "fadd", "fsub", "fmul", "fdiv", "frem"};
  static const std::set<std::string_view> casts = {"trunc",    "zext",    "sext",         "fptrunc", "fpext",
                                                   "fptoui",   "fptosi",  "uitofp",       "sitofp",  "ptrtoint",
                                                   "inttoptr", "bitcast", "addrspacecast"};
  static const std::set<std::string_view> flags = {"nuw",  "nsw", "exact", "disjoint", "nneg", "samesign", "fast",     "nnan",
                                                   "ninf", "nsz", "arcp",  "contract", "afn",  "reassoc",  "inbounds", "nusw"};
  return kind == "binary" ? binary : kind == "casts" ? casts : flags;
}

void skipFlags(IrLine& line) {
  while (words("flags").count(line.peek())) line.next();
  if (line.accept("inrange")) line.skipBalanced();
}

IrTypeRef booleanLike(const IrTypeRef& compared) {
  auto bit = std::make_shared<const IrType>(IrType{IrType::Kind::Integer, 1});
  if (compared->kind != IrType::Kind::Vector) return bit;
  IrType type{IrType::Kind::Vector};
  type.count = compared->count;
  type.parts.push_back(bit);
  return std::make_shared<const IrType>(std::move(type));
}

// ", align 8, !tbaa !5, !noalias !7"
void readEnding(IrLine& line, IrInstruction& out) {
  while (line.accept(",")) {
    if (line.accept("align"))
      out.align = line.integer();
    else if (line.peek().substr(0, 1) == "!")
      out.hasAliasScopes = (line.peek() == "!noalias" || line.peek() == "!alias.scope") | out.hasAliasScopes, line.next(),
      line.skipBalanced();
    else
      return;
  }
}

void readBinary(IrLine& line, IrInstruction& out) {
  skipFlags(line);
  out.type = line.type();
  out.operands.push_back(line.operand(out.type));
  line.expect(",");
  out.operands.push_back(line.operand(out.type));
}

void readCompare(IrLine& line, IrInstruction& out) {
  skipFlags(line);
  out.predicate = line.next();
  out.accessed = line.type();
  out.operands.push_back(line.operand(out.accessed));
  line.expect(",");
  out.operands.push_back(line.operand(out.accessed));
  out.type = booleanLike(out.accessed);
}

void readCast(IrLine& line, IrInstruction& out) {
  skipFlags(line);
  out.operands.push_back(line.typedOperand());
  line.expect("to");
  out.type = line.type();
}

void readMemory(IrLine& line, IrInstruction& out) {
  if (line.peek() == "atomic") line.fail("atomic accesses are not supported");
  out.isVolatile = line.accept("volatile");
  if (out.is("load")) {
    out.accessed = out.type = line.type();
    line.expect(",");
    out.operands.push_back(line.typedOperand());
  } else {
    out.accessed = line.type();
    out.operands.push_back(line.operand(out.accessed));
    line.expect(",");
    out.operands.push_back(line.typedOperand());
  }
  out.align = alignmentOf(*out.accessed);
  readEnding(line, out);
}

void readAddress(IrLine& line, IrInstruction& out) {
  skipFlags(line);
  out.accessed = line.type();
  while (line.accept(",")) {
    if (line.peek().substr(0, 1) == "!") break;
    line.accept("inrange");
    out.operands.push_back(line.typedOperand());
  }
  if (out.operands.empty()) line.fail("an address without a base");
  out.type = out.operands.front().type;
}

void readPhi(IrLine& line, IrInstruction& out, Labels& labels) {
  skipFlags(line);
  out.type = line.type();
  do {
    if (!line.accept("[")) break;
    out.operands.push_back(line.operand(out.type));
    line.expect(",");
    labels.push_back(line.name());
    line.expect("]");
  } while (line.accept(","));
}

void readBranch(IrLine& line, IrInstruction& out, Labels& labels) {
  if (line.accept("label")) {
    labels.push_back(line.name());
    return;
  }
  out.operands.push_back(line.typedOperand());
  for (int i = 0; i < 2; ++i) {
    line.expect(",");
    line.expect("label");
    labels.push_back(line.name());
  }
}

void readSwitch(IrLine& line, IrInstruction& out, Labels& labels) {
  out.operands.push_back(line.typedOperand());
  line.expect(",");
  line.expect("label");
  labels.push_back(line.name());
  line.expect("[");
  while (!line.accept("]")) {
    line.typedOperand();
    line.expect(",");
    line.expect("label");
    labels.push_back(line.name());
  }
}

void readSelect(IrLine& line, IrInstruction& out) {
  skipFlags(line);
  out.operands.push_back(line.typedOperand());
  for (int i = 0; i < 2; ++i) {
    line.expect(",");
    out.operands.push_back(line.typedOperand());
  }
  out.type = out.operands[1].type;
}

// extractelement, insertelement, insertvalue, freeze, fneg: operands with types; the first gives the type of the result.
void readTypedList(IrLine& line, IrInstruction& out) {
  skipFlags(line);
  do {
    const auto next = line.peek();
    if (next.empty() || next[0] == '!') break;
    if (out.is("insertvalue") || out.is("extractvalue"))
      if (!out.operands.empty() && std::isdigit(static_cast<unsigned char>(next[0]))) {
        line.next();
        continue;
      }
    out.operands.push_back(line.typedOperand());
  } while (line.accept(","));
  if (out.operands.empty()) line.fail("operands are missing");
  out.type = out.operands.front().type;
  if (out.is("extractelement") && out.type->kind == IrType::Kind::Vector) out.type = out.type->parts.front();
}

void readExtractValue(IrLine& line, IrInstruction& out) {
  out.operands.push_back(line.typedOperand());
  out.type = out.operands.front().type;
  while (line.accept(",")) {
    if (line.peek().substr(0, 1) == "!") break;
    const int64_t member = line.integer();
    const auto& parts = out.type->parts;
    if (out.type->kind == IrType::Kind::Struct && (member < 0 || member >= static_cast<int64_t>(parts.size())))
      line.fail("the struct has no member of this number");
    if (parts.empty()) line.fail("the value has no members");
    out.type = out.type->kind == IrType::Kind::Struct ? parts[member] : parts.front();
  }
}

// The numbers of "<4 x i32> <i32 0, i32 undef, …>".
std::vector<int64_t> readMask(IrLine& line, int64_t count) {
  std::vector<int64_t> mask(count, 0);
  if (!line.accept("<")) {
    if (line.peek() != "zeroinitializer") std::fill(mask.begin(), mask.end(), -1);
    line.next();
    if (line.peek() == "(") line.skipBalanced(); // splat (i32 1)
    return mask;
  }
  for (auto& m : mask) {
    const IrOperand lane = line.typedOperand();
    m = lane.constant.value_or(-1);
    if (!line.accept(",")) break;
  }
  line.expect(">");
  return mask;
}

void readShuffle(IrLine& line, IrInstruction& out) {
  out.operands.push_back(line.typedOperand());
  line.expect(",");
  out.operands.push_back(line.typedOperand());
  line.expect(",");
  const IrTypeRef mask = line.type();
  if (mask->kind != IrType::Kind::Vector || out.operands[0].type->kind != IrType::Kind::Vector || mask->count > 4096)
    line.fail("the operand of a shuffle is not a vector");
  out.mask = readMask(line, mask->count);
  IrType type{IrType::Kind::Vector};
  type.count = mask->count;
  type.parts = out.operands[0].type->parts;
  out.type = std::make_shared<const IrType>(std::move(type));
}

void readCall(IrLine& line, IrInstruction& out) {
  skipFlags(line);
  line.skipAttributes();
  out.type = line.type();
  if (line.accept("asm")) {
    out.callee = "asm";
    return;
  }
  const auto token = line.peek();
  if (token.substr(0, 1) == "@")
    out.callee = line.name();
  else if (token == "bitcast") {
    line.next();
    line.expect("(");
    line.type();
    out.callee = line.name();
    line.expect("to");
    line.type();
    line.expect(")");
  } else
    out.operands.push_back(line.operand(out.type)); // the called pointer; it comes before the arguments here
  line.expect("(");
  if (line.accept(")")) return;
  do {
    IrTypeRef type = line.type();
    line.skipAttributes();
    if (type->kind == IrType::Kind::Other) { // metadata
      while (!line.atEnd() && line.peek() != "," && line.peek() != ")") line.skipBalanced();
      continue;
    }
    out.operands.push_back(line.operand(std::move(type)));
  } while (line.accept(","));
  line.expect(")");
}

void readOpcode(IrLine& line, IrInstruction& out, Labels& labels) {
  const std::string& op = out.opcode;
  if (words("binary").count(op)) return readBinary(line, out);
  if (words("casts").count(op)) return readCast(line, out);
  if (op == "icmp" || op == "fcmp") return readCompare(line, out);
  if (op == "load" || op == "store") return readMemory(line, out);
  if (op == "getelementptr") return readAddress(line, out);
  if (op == "phi") return readPhi(line, out, labels);
  if (op == "br") return readBranch(line, out, labels);
  if (op == "switch") return readSwitch(line, out, labels);
  if (op == "select") return readSelect(line, out);
  if (op == "shufflevector") return readShuffle(line, out);
  if (op == "extractvalue") return readExtractValue(line, out);
  if (op == "fneg" || op == "freeze" || op == "extractelement" || op == "insertelement" || op == "insertvalue")
    return readTypedList(line, out);
  if (op == "call") return readCall(line, out);
  if (op == "unreachable") return;
  if (op == "ret") {
    const IrTypeRef type = line.type();
    if (type->kind != IrType::Kind::Void) out.operands.push_back(line.operand(type));
    return;
  }
  if (op == "alloca") {
    line.accept("inalloca");
    out.accessed = line.type();
    while (line.accept(",") && line.peek() != "align" && line.peek().substr(0, 1) != "!")
      out.operands.push_back(line.typedOperand());
    return;
  }
  line.fail(fmt::format("'{}' is not supported", op));
}

std::string withoutDebugLocation(std::string text) {
  const auto at = text.find(", !dbg !");
  if (at == std::string::npos) return text;
  auto end = at + 8;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  return text.erase(at, end - at);
}

} // namespace

IrInstruction readInstruction(const std::string& text, int64_t number, IrModule& module, std::vector<std::string>& labels) {
  IrLine line(text, number, module);
  IrInstruction out;
  out.line = number;
  out.text = withoutDebugLocation(text);
  out.type = std::make_shared<const IrType>(IrType{IrType::Kind::Void});
  if (line.peek().substr(0, 1) == "%") {
    out.result = line.name();
    line.expect("=");
  }
  while (line.peek() == "tail" || line.peek() == "musttail" || line.peek() == "notail") line.next();
  out.opcode = line.next();
  readOpcode(line, out, labels);
  if (!out.result.empty() && out.is("alloca")) {
    out.type = std::make_shared<const IrType>(IrType{IrType::Kind::Pointer});
  }
  return out;
}

} // namespace simcore::native
