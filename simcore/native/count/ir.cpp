#include "simcore/native/count/ir.h"

#include <algorithm>

namespace simcore::native {

bool IrType::isFloat() const { return element().kind == Kind::Float; }
bool IrType::isHalf() const { return element().kind == Kind::Half; }
bool IrType::isDouble() const { return element().kind == Kind::Double; }
bool IrType::isInteger() const { return element().kind == Kind::Integer; }

bool IrInstruction::isTerminator() const {
  return opcode == "br" || opcode == "ret" || opcode == "switch" || opcode == "unreachable";
}

namespace {

int64_t roundedUp(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

int64_t powerOfTwoFrom(int64_t bytes) {
  int64_t power = 1;
  while (power < bytes && power < (int64_t(1) << 40)) power *= 2;
  return power;
}

} // namespace

int64_t alignmentOf(const IrType& type) {
  switch (type.kind) {
  case IrType::Kind::Integer: return std::min<int64_t>(8, powerOfTwoFrom((type.bits + 7) / 8));
  case IrType::Kind::Half: return 2;
  case IrType::Kind::Float: return 4;
  case IrType::Kind::Double:
  case IrType::Kind::Pointer: return 8;
  case IrType::Kind::Vector: return powerOfTwoFrom(sizeOf(type));
  case IrType::Kind::Array: return alignmentOf(*type.parts.front());
  case IrType::Kind::Struct: {
    int64_t most = 1;
    if (!type.packed)
      for (const auto& part : type.parts) most = std::max(most, alignmentOf(*part));
    return most;
  }
  default: return 1;
  }
}

int64_t memberOffset(const IrType& type, int64_t member) {
  int64_t offset = 0;
  for (std::size_t i = 0; i < type.parts.size(); ++i) {
    if (!type.packed) offset = roundedUp(offset, alignmentOf(*type.parts[i]));
    if (static_cast<int64_t>(i) == member) break;
    offset += sizeOf(*type.parts[i]);
  }
  return offset;
}

int64_t sizeOf(const IrType& type) {
  switch (type.kind) {
  case IrType::Kind::Integer: return powerOfTwoFrom((type.bits + 7) / 8);
  case IrType::Kind::Half: return 2;
  case IrType::Kind::Float: return 4;
  case IrType::Kind::Double:
  case IrType::Kind::Pointer: return 8;
  case IrType::Kind::Vector:
    return type.element().kind == IrType::Kind::Integer ? (type.count * type.element().bits + 7) / 8
                                                        : type.count * sizeOf(type.element());
  case IrType::Kind::Array: return type.count * sizeOf(*type.parts.front());
  case IrType::Kind::Struct: return roundedUp(memberOffset(type, static_cast<int64_t>(type.parts.size())), alignmentOf(type));
  default: return 0;
  }
}

} // namespace simcore::native
