#include "simcore/native/count/instruction_costs.h"

#include <algorithm>

namespace simcore::native {

namespace {

using Pipe = MachineOp::Pipe;

constexpr int kPartialStoreSlots = 12; // a store of less than a word is a call (060, 5)
constexpr int kDoubleSlots = 80;

bool isFloatOp(const IrInstruction& i) { return i.is("fadd") || i.is("fsub") || i.is("fmul") || i.is("fdiv") || i.is("fneg"); }

bool isSimpleCall(const IrInstruction& i) {
  return i.is("call") &&
         (i.callee.rfind("llvm.fabs", 0) == 0 || i.callee.rfind("llvm.m", 0) == 0 || i.callee.rfind("llvm.fm", 0) == 0 ||
          i.callee.rfind("llvm.sqrt", 0) == 0 || i.callee.rfind("llvm.exp", 0) == 0 || i.callee.rfind("llvm.log", 0) == 0);
}

// Shifts by 32 and the mask of the lower half only select one register of a 64-bit pair, or extend a sign; they cost nothing
// (060, 1).
bool isHalfOfPair(const IrInstruction& i) {
  if (i.type->kind != IrType::Kind::Integer || i.type->bits != 64) return false;
  const auto right = i.operands[1].constant;
  return i.is("and") ? right == 0xffffffff : right == 32 && (i.is("shl") || i.is("ashr") || i.is("lshr"));
}

MachineCost chain(std::initializer_list<std::pair<Pipe, int64_t>> ops) {
  MachineCost cost;
  for (const auto& [pipe, count] : ops)
    for (int64_t n = 0; n < count; ++n) cost.ops.push_back({pipe});
  return cost;
}

} // namespace

InstructionCosts::InstructionCosts(const IrFunction& function)
    : m_function(function), m_isHalf(function.instructions.size(), false) {
  findHalfArithmetic();
}

bool InstructionCosts::isHalfSource(const IrOperand& operand) const {
  if (!operand.type->isFloat()) return true; // the condition of a select
  const IrInstruction* from = m_function.definition(operand);
  if (!from) return operand.isConstant();
  return (from->is("fpext") && from->operands[0].type->isHalf()) || m_isHalf[m_function.definedBy[from->value]] ||
         ((from->is("shufflevector") || from->is("insertelement") || from->is("extractelement")) &&
          std::all_of(from->operands.begin(), from->operands.end(),
                      [&](const IrOperand& o) { return o.isConstant() || isHalfSource(o); }));
}

// Finds operations that the machine computes in half: the host extends halves to float, computes and truncates.
void InstructionCosts::findHalfArithmetic() {
  for (std::size_t i = 0; i < m_function.instructions.size(); ++i) {
    const IrInstruction& instruction = m_function.instructions[i];
    if (!instruction.type->isFloat() || !(isFloatOp(instruction) || instruction.is("select") || isSimpleCall(instruction)))
      continue;
    m_isHalf[i] =
        std::all_of(instruction.operands.begin(), instruction.operands.end(), [&](const auto& o) { return isHalfSource(o); });
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = m_isHalf.size(); i-- > 0;) {
      if (!m_isHalf[i]) continue;
      const IrInstruction& instruction = m_function.instructions[i];
      const auto& users = m_function.usedBy[instruction.value];
      const bool stays = std::all_of(users.begin(), users.end(), [&](int user) {
        return m_isHalf[user] || (m_function.instructions[user].is("fptrunc") && m_function.instructions[user].type->isHalf());
      });
      const bool fed =
          std::all_of(instruction.operands.begin(), instruction.operands.end(), [&](const auto& o) { return isHalfSource(o); });
      if (stays && fed) continue;
      m_isHalf[i] = false;
      changed = true;
    }
  }
}

IrType InstructionCosts::machineType(const IrInstruction& instruction) const {
  IrType type = *instruction.type;
  if (instruction.value < 0 || !m_isHalf[m_function.definedBy[instruction.value]]) return type;
  const auto half = std::make_shared<const IrType>(IrType{IrType::Kind::Half});
  if (type.kind == IrType::Kind::Vector)
    type.parts = {half};
  else
    type = *half;
  return type;
}

bool InstructionCosts::isBranchOnZero(const IrInstruction& compare) const {
  if (!compare.is("icmp") || compare.type->kind == IrType::Kind::Vector || !compare.operands[1].constant) return false;
  const int64_t right = *compare.operands[1].constant;
  const std::string& p = compare.predicate;
  const bool fits =
      (right == 0 && (p == "eq" || p == "ne" || p == "slt" || p == "sge")) || (right == -1 && (p == "sgt" || p == "sle"));
  const auto& users = m_function.usedBy[compare.value];
  return fits && !users.empty() &&
         std::all_of(users.begin(), users.end(), [&](int u) { return m_function.instructions[u].is("br"); });
}

int64_t accessPieces(const IrType& type, int64_t align) {
  if (type.isPointer() || (type.isInteger() && type.element().bits == 64)) return type.lanes();
  if (type.isDouble()) return type.lanes();
  const int64_t bytes = sizeOf(type);
  if ((bytes <= 8 && align >= bytes) || (bytes == 16 && align >= 16)) return 1;
  const int64_t piece = align >= 8 ? 8 : std::min<int64_t>(std::max<int64_t>(1, align), 4);
  return std::max<int64_t>(1, (bytes + piece - 1) / piece);
}

MachineCost InstructionCosts::floatCost(const IrInstruction& i) const {
  const IrType type = i.is("fcmp") ? *i.accessed : machineType(i);
  if (type.isDouble()) return callOps(kDoubleSlots * type.lanes());
  const int64_t words = auxWords(type);
  if (i.is("fdiv")) { // 1 / square root is one instruction
    const IrInstruction* root = m_function.definition(i.operands[1]);
    if (root && root->callee.rfind("llvm.sqrt", 0) == 0 && i.operands[0].isConstant() &&
        m_function.usedBy[root->value].size() == 1)
      return mainOps(0);
    return divisionCost(type);
  }
  if (i.is("frem")) return callOps(69 * type.lanes());
  if (!i.is("fcmp")) return auxOps(words);
  const std::string& p = i.predicate;
  const int64_t more = p == "one" || p == "ueq" || p == "ord" || p == "uno" ? 2 : 0;
  return chain({{Pipe::Aux, words * (1 + more)}, {Pipe::Main, type.lanes()}});
}

MachineCost InstructionCosts::castCost(const IrInstruction& i) const {
  const IrType& from = *i.operands[0].type;
  const int64_t lanes = from.lanes();
  const auto halfUser = [&](int user) { return m_isHalf[user]; };
  if (i.is("bitcast") && from.isDouble() != i.type->isDouble()) return mainOps(0); // how the host passes a pair of floats
  if (from.isDouble() || i.type->isDouble()) return callOps(kDoubleSlots * lanes);
  if (i.is("fpext")) {
    const auto& users = m_function.usedBy[i.value];
    if (!users.empty() && std::all_of(users.begin(), users.end(), halfUser)) return mainOps(0);
    return auxOps((lanes + 1) / 2);
  }
  if (i.is("fptrunc")) {
    const IrInstruction* source = m_function.definition(i.operands[0]);
    if (source && m_isHalf[m_function.definedBy[source->value]]) return mainOps(0);
    return auxOps((lanes + 1) / 2);
  }
  if (i.is("fptosi") || i.is("fptoui")) return chain({{Pipe::Aux, 2 * lanes}, {Pipe::Main, lanes}});
  if (i.is("sitofp") || i.is("uitofp")) return chain({{Pipe::Main, 2 * lanes}, {Pipe::Aux, lanes}});
  if (i.is("bitcast") && from.isInteger() != i.type->isInteger() && !from.isPointer() && sizeOf(from) == sizeOf(*i.type)) {
    const IrInstruction* source = m_function.definition(i.operands[0]);
    if (!source || source->is("load") || i.operands[0].isConstant()) return mainOps(0);
    const auto& users = m_function.usedBy[i.value];
    if (std::all_of(users.begin(), users.end(), [&](int u) { return m_function.instructions[u].is("store"); })) return mainOps(0);
    return mainOps((i.type->isInteger() ? 1 : 2) * ((sizeOf(from) + 3) / 4));
  }
  const int bits = i.type->element().bits;
  if ((i.is("trunc") && (bits == 8 || bits == 16)) || (i.is("sext") && from.element().bits < 32 && from.element().bits > 1)) {
    const IrInstruction* source = m_function.definition(i.operands[0]);
    const auto& users = m_function.usedBy[i.value];
    const bool inMemory =
        (i.is("sext") && source && source->is("load")) ||
        (i.is("trunc") && std::all_of(users.begin(), users.end(), [&](int u) { return m_function.instructions[u].is("store"); }));
    return mainOps(inMemory ? 0 : lanes);
  }
  return mainOps(0);
}

MachineCost InstructionCosts::vectorCost(const IrInstruction& i) const {
  if (i.is("extractelement")) return i.operands[0].type->isHalf() ? auxOps(1) : mainOps(i.operands[1].isConstant() ? 0 : 3);
  if (i.is("insertelement")) {
    const IrInstruction* user =
        m_function.usedBy[i.value].size() == 1 ? &m_function.instructions[m_function.usedBy[i.value][0]] : nullptr;
    if (user && user->is("shufflevector") && std::all_of(user->mask.begin(), user->mask.end(), [](int64_t m) { return m <= 0; }))
      return mainOps(0); // a splat
    return i.type->isHalf() ? auxOps(1) : mainOps(i.operands[2].isConstant() ? 0 : 3);
  }
  const auto& mask = i.mask; // a shuffle
  const int64_t first = mask.empty() ? 0 : mask[0];
  bool isSplat = true, isRun = first >= 0 && first % 2 == 0;
  for (std::size_t m = 0; m < mask.size(); ++m) {
    isSplat &= mask[m] < 0 || mask[m] == first;
    isRun &= mask[m] < 0 || mask[m] == first + static_cast<int64_t>(m);
  }
  if (isSplat || isRun || i.type->isInteger()) return mainOps(0);
  return auxOps(i.type->isHalf() ? (i.type->lanes() + 1) / 2 : (i.type->lanes() + 1) / 2);
}

MachineCost InstructionCosts::integerCost(const IrInstruction& i) const {
  const int64_t lanes = i.type->lanes();
  if (isHalfOfPair(i)) return mainOps(0);
  if (i.is("udiv")) return callOps(259 * lanes);
  if (i.is("sdiv")) return callOps(271 * lanes);
  if (i.is("urem") || i.is("srem")) return callOps(286 * lanes);
  return mainOps(lanes);
}

MachineCost InstructionCosts::of(const IrInstruction& i) const {
  if (i.is("load")) return mainOps(accessPieces(*i.type, i.align));
  if (i.is("store")) {
    const int64_t pieces = accessPieces(*i.accessed, i.align);
    const int64_t bytes = i.accessed->isPointer() ? 4 : sizeOf(*i.accessed) / pieces;
    return bytes >= 4 ? mainOps(pieces) : callOps(kPartialStoreSlots * pieces);
  }
  if (isFloatOp(i) || i.is("frem") || i.is("fcmp")) return floatCost(i);
  if (i.is("select")) {
    const IrType type = machineType(i);
    if (type.isFloat() || type.isHalf()) {
      const int64_t choices = i.operands[0].type->lanes();
      return chain({{Pipe::Main, choices}, {Pipe::Aux, std::max(choices, auxWords(type))}});
    }
    return mainOps(type.lanes());
  }
  if (i.is("icmp")) return mainOps(isBranchOnZero(i) ? 0 : i.operands[0].type->lanes());
  if (i.is("extractelement") || i.is("insertelement") || i.is("shufflevector")) return vectorCost(i);
  if (i.is("trunc") || i.is("zext") || i.is("sext") || i.is("fptrunc") || i.is("fpext") || i.is("fptoui") || i.is("fptosi") ||
      i.is("uitofp") || i.is("sitofp") || i.is("bitcast") || i.is("ptrtoint") || i.is("inttoptr"))
    return castCost(i);
  if (i.is("call")) {
    const auto& users = i.value >= 0 ? m_function.usedBy[i.value] : std::vector<int>();
    if (i.callee.rfind("llvm.sqrt", 0) == 0 && users.size() == 1) {
      const IrInstruction& user = m_function.instructions[users[0]];
      if (user.is("fdiv") && user.operands[0].isConstant() && user.operands[1].value == i.value) {
        IrInstruction inverse = i;
        inverse.callee = "rsqrtf";
        return functionCost(inverse);
      }
    }
    return functionCost(i);
  }
  if (i.type->isInteger() && i.operands.size() == 2 && !i.is("phi") && !i.is("insertvalue")) return integerCost(i);
  return mainOps(0); // phi, freeze, alloca and members of structs are free
}

} // namespace simcore::native
