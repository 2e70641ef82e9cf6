#include "simcore/native/count/addresses.h"

#include "simcore/native/count/function_costs.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace simcore::native {

namespace {

bool isPointerCast(const IrInstruction& i) { return i.is("bitcast") && i.type->kind == IrType::Kind::Pointer; }

bool isMarkerUse(const IrInstruction& user) { return user.is("call") && isMarker(user.callee); }

// The type selected by the indices before `index`.
const IrType* indexedType(const IrInstruction& address, std::size_t index) {
  const IrType* type = address.accessed.get();
  for (std::size_t i = 2; i <= index; ++i) {
    if (type->parts.empty()) return type;
    const auto member = type->kind == IrType::Kind::Struct ? address.operands[i].constant.value_or(0) : 0;
    type = type->parts[std::max<int64_t>(0, member) % type->parts.size()].get();
  }
  return type;
}

} // namespace

Addresses::Addresses(const IrFunction& function, const Loops& loops, bool countedLoops)
    : m_function(function), m_loops(loops), m_countedLoops(countedLoops), m_free(function.instructions.size(), false),
      m_pointers(loops.all().size(), 0) {
  std::vector<int> open;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (isCandidate(function.instructions[i])) {
      m_free[i] = true;
      open.push_back(static_cast<int>(i));
    }
  // An address with another use is not free. Its operands then have another use too, so they are checked again.
  for (std::size_t next = 0; next < open.size(); ++next) {
    const IrInstruction& instruction = function.instructions[open[next]];
    if (!m_free[open[next]]) continue;
    const auto& users = function.usedBy[instruction.value];
    const bool stays = std::all_of(users.begin(), users.end(), [&](int user) {
      return m_free[user] || isAddressUse(function.instructions[user], instruction.value);
    });
    if (stays) continue;
    m_free[open[next]] = false;
    for (const auto& operand : instruction.operands)
      if (const IrInstruction* from = function.definition(operand)) open.push_back(function.definedBy[from->value]);
  }
  countPointers();
}

bool Addresses::isCandidate(const IrInstruction& i) const {
  const int loop = m_loops.innermost(i.block);
  if (loop < 0 || i.value < 0) return false;
  if (i.type->kind != IrType::Kind::Integer && i.type->kind != IrType::Kind::Pointer) return false;
  IrOperand self{i.type, i.value};
  const auto form = m_loops.affine(self, loop);
  return form && form->varies;
}

bool Addresses::isAddressUse(const IrInstruction& user, int value) const {
  if (user.is("load")) return true;
  if (user.is("store")) return user.operands[0].value != value;
  if (user.is("icmp") && m_countedLoops) {
    const int loop = m_loops.innermost(user.block);
    if (loop < 0 || !m_loops.all()[loop].isCounted || m_function.definedBy[user.value] != m_loops.all()[loop].compare)
      return false;
    return !m_loops.isInvariant(IrOperand{user.operands[0].type, value}, loop);
  }
  return isMarkerUse(user);
}

int64_t Addresses::addressOps(const IrInstruction& address) const {
  int64_t variable = 0, scales = 0, accessBytes = 0;
  bool onlyAccesses = true;
  for (const int use : m_function.usedBy[address.value]) {
    const IrInstruction& user = m_function.instructions[use];
    if (user.isMemory() && (user.is("load") || user.operands[0].value != address.value)) {
      const IrType& type = *user.accessed;
      if (accessBytes == 0) accessBytes = type.isPointer() ? 8 : sizeOf(type);
    } else if (!isPointerCast(user) && !user.is("getelementptr") && !isMarkerUse(user)) {
      onlyAccesses = false;
    }
  }
  bool hasOffset = false;
  for (std::size_t i = 1; i < address.operands.size(); ++i) {
    if (address.operands[i].isConstant()) {
      hasOffset |= address.operands[i].constant.value_or(0) != 0;
      continue;
    }
    ++variable;
    const int64_t bytes = sizeOf(*indexedType(address, i));
    if (bytes != 1 && !(onlyAccesses && bytes == accessBytes)) ++scales;
  }
  if (onlyAccesses) return scales + std::max<int64_t>(0, variable - 2);
  return scales + variable + (variable == 0 && hasOffset ? 1 : 0);
}

void Addresses::countPointers() {
  using Key = std::pair<std::string, std::vector<std::pair<int, int64_t>>>;
  std::vector<std::set<Key>> keys(m_pointers.size());
  for (const auto& i : m_function.instructions) {
    const int loop = m_loops.innermost(i.block);
    if (!i.isMemory() || loop < 0) continue;
    const auto form = m_loops.affine(i.pointer(), loop);
    if (!form || !form->varies) continue;
    Key key{form->global, {}};
    for (const auto& [value, coefficient] : form->terms) {
      const int from = m_function.definedBy[value];
      const bool isInduction = from >= 0 && m_function.instructions[from].is("phi") &&
                               m_function.instructions[from].block == m_loops.all()[loop].header;
      if (!isInduction || m_function.instructions[from].type->kind == IrType::Kind::Pointer)
        key.second.emplace_back(value, coefficient);
    }
    keys[loop].insert(std::move(key));
  }
  for (std::size_t loop = 0; loop < keys.size(); ++loop) m_pointers[loop] = static_cast<int64_t>(keys[loop].size());
}

} // namespace simcore::native
