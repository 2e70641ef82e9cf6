#include "simcore/native/count/loops.h"

#include <algorithm>
#include <bit>

namespace simcore::native {

namespace {

constexpr int kMaxDepth = 24; // of chains of sums that are traced
constexpr std::size_t kMaxTerms = 16;

int64_t maskOf(int bits) { return bits >= 63 ? INT64_MAX : (int64_t(1) << bits) - 1; }

Affine plus(Affine a, const Affine& b, int64_t factor) {
  for (const auto& [value, coefficient] : b.terms) {
    auto& own = a.terms[value];
    own = int64_t(uint64_t(own) + uint64_t(coefficient) * uint64_t(factor));
    if (own == 0) a.terms.erase(value);
  }
  if (!b.global.empty()) a.global = b.global;
  a.constant = int64_t(uint64_t(a.constant) + uint64_t(b.constant) * uint64_t(factor));
  a.varies |= b.varies;
  a.isLow |= b.isLow;
  return a;
}

Affine scaled(const Affine& a, int64_t factor) {
  Affine none;
  Affine result = plus(none, a, factor);
  result.global = a.global;
  return result;
}

// Whether the lowest bits of the expression are 0 for any values of its terms.
bool hasLowZeros(const Affine& a, int64_t bits) {
  const auto isMultiple = [&](int64_t v) { return v == 0 || std::countr_zero(uint64_t(v)) >= bits; };
  return a.global.empty() && isMultiple(a.constant) &&
         std::all_of(a.terms.begin(), a.terms.end(), [&](const auto& term) { return isMultiple(term.second); });
}

Affine atom(int value, bool varies) {
  Affine result;
  result.terms[value] = 1;
  result.varies = varies;
  return result;
}

} // namespace

Loops::Loops(const IrFunction& function) : m_function(function) {
  findDominators();
  findLoops();
  for (std::size_t i = 0; i < m_loops.size(); ++i) findCounted(m_loops[i], static_cast<int>(i));
}

void Loops::findDominators() {
  const int count = static_cast<int>(m_function.blocks.size());
  m_position.assign(count, -1);
  std::vector<std::pair<int, std::size_t>> stack = {{0, 0}};
  std::vector<bool> seen(count, false);
  seen[0] = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const auto& successors = m_function.blocks[block].successors;
    if (next == successors.size()) {
      m_order.push_back(block);
      stack.pop_back();
    } else if (const int target = successors[next++]; !seen[target]) {
      seen[target] = true;
      stack.emplace_back(target, 0);
    }
  }
  std::reverse(m_order.begin(), m_order.end());
  for (std::size_t i = 0; i < m_order.size(); ++i) m_position[m_order[i]] = static_cast<int>(i);
  m_dominator.assign(count, -1);
  m_dominator[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const int block : m_order) {
      if (block == 0) continue;
      int best = -1;
      for (const int p : m_function.blocks[block].predecessors) {
        if (m_position[p] < 0 || m_dominator[p] < 0) continue;
        int a = p, b = best < 0 ? p : best;
        while (a != b) {
          int& later = m_position[a] > m_position[b] ? a : b;
          later = m_dominator[later];
        }
        best = a;
      }
      changed |= m_dominator[block] != best;
      m_dominator[block] = best;
    }
  }
}

bool Loops::dominates(int a, int b) const {
  if (m_position[a] < 0 || m_position[b] < 0) return false;
  while (b != a && b != 0) b = m_dominator[b];
  return a == b;
}

void Loops::findLoops() {
  m_innermost.assign(m_function.blocks.size(), -1);
  for (const int header : m_order) {
    Loop loop;
    loop.header = header;
    for (const int p : m_function.blocks[header].predecessors)
      if (dominates(header, p)) loop.latches.push_back(p);
    if (loop.latches.empty()) continue;
    loop.blocks.insert(header);
    std::vector<int> open = loop.latches;
    while (!open.empty()) {
      const int block = open.back();
      open.pop_back();
      if (!loop.blocks.insert(block).second) continue;
      for (const int p : m_function.blocks[block].predecessors)
        if (m_position[p] >= 0) open.push_back(p);
    }
    loop.parent = m_innermost[header]; // headers come in order, so outer loops are already known
    for (const int block : loop.blocks) m_innermost[block] = static_cast<int>(m_loops.size());
    m_loops.push_back(std::move(loop));
  }
}

const IrOperand& Loops::incoming(const IrInstruction& phi, int loop, bool fromLatch) const {
  for (std::size_t i = 0; i < phi.labels.size(); ++i)
    if (m_loops[loop].blocks.count(phi.labels[i]) == (fromLatch ? 1u : 0u)) return phi.operands[i];
  return phi.operands.front();
}

bool Loops::isInvariant(const IrOperand& operand, int loop) const {
  const IrInstruction* from = m_function.definition(operand);
  return !from || !m_loops[loop].blocks.count(from->block);
}

bool Loops::isInduction(const IrInstruction& phi, int loop) const {
  const Loop& l = m_loops[loop];
  if (!phi.is("phi") || phi.block != l.header || l.latches.size() != 1) return false;
  if (phi.type->kind != IrType::Kind::Integer && phi.type->kind != IrType::Kind::Pointer) return false;
  const IrOperand& next = incoming(phi, loop, true);
  const IrInstruction* from = m_function.definition(next);
  if (!from || from == &phi || !l.blocks.count(from->block)) return false;
  // The phi's next value must be the phi plus a loop-invariant value.
  if (from->is("add") || from->is("sub")) {
    for (int side = 0; side < (from->is("add") ? 2 : 1); ++side)
      if (from->operands[side].value == phi.value && isInvariant(from->operands[1 - side], loop)) return true;
    return false;
  }
  if (!from->is("getelementptr") || from->operands[0].value != phi.value) return false;
  for (std::size_t i = 1; i < from->operands.size(); ++i)
    if (!isInvariant(from->operands[i], loop)) return false;
  return true;
}

std::optional<Affine> Loops::affineAt(const IrOperand& operand, int loop, int depth) const {
  if (operand.value < 0) {
    Affine result;
    result.constant = operand.constant.value_or(0);
    result.global = operand.global;
    if (!operand.constant && operand.global.empty() && operand.type->kind != IrType::Kind::Pointer) return std::nullopt;
    return result;
  }
  const IrInstruction* from = m_function.definition(operand);
  if (!from) return atom(operand.value, false);
  const auto known = m_known.find({operand.value, loop});
  if (known != m_known.end()) return known->second;
  auto form = depth < kMaxDepth ? affineOf(*from, loop, depth + 1) : std::nullopt;
  if (form && form->terms.size() > kMaxTerms) form.reset();
  if (!form && isInvariant(operand, loop)) form = atom(operand.value, false);
  m_known[{operand.value, loop}] = form;
  return form;
}

// Number of low bits of a value that are certainly 0.
int Loops::lowZeros(const IrOperand& operand, int depth) const {
  constexpr int kMost = 31;
  if (operand.constant) return *operand.constant == 0 ? kMost : std::min(kMost, std::countr_zero(uint64_t(*operand.constant)));
  const IrInstruction* from = m_function.definition(operand);
  if (!from || depth > kMaxDepth) return 0;
  const auto part = [&](int i) { return lowZeros(from->operands[i], depth + 1); };
  if (from->is("zext") || from->is("sext") || from->is("freeze")) return part(0);
  if (from->is("mul")) return std::min(kMost, part(0) + part(1));
  if (from->is("shl") && from->operands[1].constant)
    return std::min<int>(kMost, part(0) + int(std::clamp<int64_t>(*from->operands[1].constant, 0, kMost)));
  if (from->is("and")) return std::max(part(0), part(1));
  if (from->is("add") || from->is("sub") || from->is("or")) return std::min(part(0), part(1));
  if (from->is("phi")) { // usually the next value is this one plus a step
    int least = kMost;
    for (const IrOperand& source : from->operands) {
      const IrInstruction* next = m_function.definition(source);
      const bool steps = next && next->is("add") && next->operands[0].value == from->value;
      least = std::min(least, lowZeros(steps ? next->operands[1] : source, std::max(depth, kMaxDepth - 4) + 1));
    }
    return least;
  }
  return 0;
}

// An addition without carries is written as an `or`.
bool Loops::isSum(const IrInstruction& from) const {
  if (!from.is("or") || !from.operands[1].constant || from.type->kind == IrType::Kind::Vector) return false;
  const int64_t constant = *from.operands[1].constant;
  return constant >= 0 && constant < int64_t(1) << lowZeros(from.operands[0], 0);
}

std::optional<Affine> Loops::affineOf(const IrInstruction& from, int loop, int depth) const {
  const bool stays = !m_loops[loop].blocks.count(from.block);
  if (from.is("phi")) {
    if (stays) return atom(from.value, false);
    if (isInduction(from, loop)) return atom(from.value, true);
    return std::nullopt;
  }
  const auto part = [&](int i) { return affineAt(from.operands[i], loop, depth); };
  if (from.is("zext") || from.is("sext") || from.is("trunc") || from.is("ptrtoint") || from.is("inttoptr") ||
      from.is("bitcast") || from.is("freeze")) {
    if (from.operands[0].type->kind == IrType::Kind::Vector || from.operands[0].type->isFloat() || from.type->isFloat())
      return std::nullopt;
    return part(0);
  }
  if (from.type->kind == IrType::Kind::Vector) return std::nullopt;
  if (from.is("add") || from.is("sub") || isSum(from)) {
    const auto a = part(0), b = part(1);
    if (!a || !b) return std::nullopt;
    return plus(*a, *b, from.is("sub") ? -1 : 1);
  }
  if (from.is("and") || from.is("xor") || from.is("ashr") || from.is("lshr")) return wordOf(from, loop, depth);
  if (from.is("mul") || from.is("shl")) {
    const auto a = part(0);
    if (!a) return std::nullopt;
    if (const auto factor = from.operands[1].constant; factor && (from.is("mul") || (*factor >= 0 && *factor < 63)))
      return scaled(*a, from.is("mul") ? *factor : int64_t(1) << *factor);
    if (isInvariant(from.operands[1], loop) || isInvariant(from.operands[0], loop)) {
      const auto b = part(1);
      if (b) return atom(from.value, a->varies || b->varies);
    }
    return std::nullopt;
  }
  if (from.is("getelementptr")) {
    auto sum = part(0);
    const IrType* type = from.accessed.get();
    for (std::size_t i = 1; sum && i < from.operands.size(); ++i) {
      if (i > 1 && type->kind == IrType::Kind::Struct) {
        const int64_t member = from.operands[i].constant.value_or(0);
        if (member < 0 || member >= static_cast<int64_t>(type->parts.size())) return std::nullopt;
        sum->constant += memberOffset(*type, member);
        type = type->parts[member].get();
        continue;
      }
      if (i > 1) {
        if (type->parts.empty()) return std::nullopt;
        type = type->parts.front().get();
      }
      const auto index = affineAt(from.operands[i], loop, depth);
      if (!index) return std::nullopt;
      sum = plus(*sum, *index, sizeOf(*type));
    }
    return sum;
  }
  return std::nullopt;
}

// Handles the operations by which a 64-bit host computes with 32-bit numbers: masking the upper half, extending the sign by two
// shifts, and -x - 1 as a complement.
std::optional<Affine> Loops::wordOf(const IrInstruction& from, int loop, int depth) const {
  const auto right = from.operands[1].constant;
  if (!right) return std::nullopt;
  auto a = affineAt(from.operands[0], loop, depth);
  if (!a) return std::nullopt;
  if (from.is("xor")) {
    if (*right != -1) return std::nullopt;
    Affine complement = scaled(*a, -1);
    complement.constant -= 1;
    return a->global.empty() ? std::optional(complement) : std::nullopt;
  }
  a->isLow = true;
  if (from.is("and")) { // clears only bits that are 0, or above the lower 32
    const int zeros = std::countr_zero(uint64_t(*right));
    const auto kept = uint32_t(uint64_t(*right));
    const bool isWhole = kept == uint32_t(~uint64_t(0) << std::min(zeros, 31));
    return isWhole && (zeros == 0 || hasLowZeros(*a, zeros) || lowZeros(from.operands[0], 0) >= zeros) ? a : std::nullopt;
  }
  if (from.type->bits != 64 || *right < 0 || *right > 32 || !hasLowZeros(*a, *right)) return std::nullopt;
  for (auto& term : a->terms) term.second >>= *right;
  a->constant >>= *right;
  return a;
}

std::optional<Affine> Loops::affine(const IrOperand& operand, int loop) const { return affineAt(operand, loop, 0); }

void Loops::findCounted(Loop& loop, int index) {
  if (loop.latches.size() != 1) return;
  const int latch = loop.latches.front();
  for (const int block : loop.blocks)
    for (const int target : m_function.blocks[block].successors)
      if (!loop.blocks.count(target) && block != latch) return;
  const IrInstruction& branch = m_function.terminator(latch);
  if (!branch.is("br") || branch.labels.size() != 2) return;
  const IrInstruction* compare = m_function.definition(branch.operands[0]);
  if (!compare || !compare->is("icmp") || !loop.blocks.count(compare->block)) return;
  for (int side = 0; side < 2; ++side) {
    if (!isInvariant(compare->operands[1 - side], index)) continue;
    const auto form = affine(compare->operands[side], index);
    if (!form || !form->varies || form->isLow || form->terms.size() != 1 || !form->global.empty()) continue;
    const auto& [value, coefficient] = *form->terms.begin();
    const IrInstruction& phi = m_function.instructions[m_function.definedBy[value]];
    const auto next = phi.is("phi") ? affine(incoming(phi, index, true), index) : std::nullopt;
    if (!next || coefficient != 1 || next->terms != form->terms || next->constant == 0) continue;
    if (form->constant != 0 && form->constant != next->constant) continue;
    loop.isCounted = true;
    loop.compare = m_function.definedBy[compare->value];
    loop.induction = m_function.definedBy[value];
    loop.step = next->constant;
    loop.comparesNext = form->constant != 0;
    loop.inductionIsFirst = side == 0;
    loop.staysOnTrue = loop.blocks.count(branch.labels[0]) > 0;
    return;
  }
}

// Upper bound of an unsigned operand, from masks, shifts, narrow types and assumptions.
std::optional<int64_t> Loops::mostOf(const IrOperand& operand, int depth) const {
  if (operand.constant) return *operand.constant >= 0 ? operand.constant : std::nullopt;
  const IrInstruction* from = m_function.definition(operand);
  std::optional<int64_t> best;
  const auto limit = [&](std::optional<int64_t> value) {
    if (value && (!best || *value < *best)) best = value;
  };
  if (operand.type->kind == IrType::Kind::Integer && operand.type->bits <= 16) limit(maskOf(operand.type->bits));
  if (operand.value >= 0)
    for (const int use : m_function.usedBy[operand.value]) { // llvm.assume(operand < constant)
      const IrInstruction& compare = m_function.instructions[use];
      if (!compare.is("icmp") || compare.operands[0].value != operand.value || !compare.operands[1].constant) continue;
      const bool strict = compare.predicate == "ult" || compare.predicate == "slt";
      if (!strict && compare.predicate != "ule" && compare.predicate != "sle") continue;
      for (const int reader : m_function.usedBy[compare.value])
        if (m_function.instructions[reader].callee == "llvm.assume") limit(*compare.operands[1].constant - (strict ? 1 : 0));
    }
  if (!from || depth > kMaxDepth) return best;
  const auto part = [&](int i) { return mostOf(from->operands[i], depth + 1); };
  if (from->is("zext") || from->is("trunc") || from->is("freeze")) limit(part(0));
  if (from->is("and")) limit(part(0)), limit(part(1));
  if (from->is("select"))
    if (const auto a = part(1), b = part(2); a && b) limit(std::max(*a, *b));
  if (from->is("urem") && from->operands[1].constant) limit(*from->operands[1].constant - 1);
  if ((from->is("lshr") || from->is("udiv")) && from->operands[1].constant && *from->operands[1].constant > 0) {
    const int bits = std::min(32, from->type->bits); // sizes have 32 bits on the machine
    const int64_t whole = part(0).value_or(maskOf(bits));
    if (*from->operands[1].constant < 63)
      limit(from->is("lshr") ? whole >> *from->operands[1].constant : whole / *from->operands[1].constant);
  }
  if ((from->is("add") || from->is("mul")) && from->operands[1].constant && *from->operands[1].constant >= 0)
    if (const auto a = part(0); a && *a < (int64_t(1) << 31) && *from->operands[1].constant < (int64_t(1) << 31))
      limit(from->is("add") ? *a + *from->operands[1].constant : *a * *from->operands[1].constant);
  if (from->callee.rfind("llvm.umin.", 0) == 0) limit(part(0)), limit(part(1));
  return best;
}

std::optional<int64_t> Loops::mostIterations(int index) const {
  const Loop& loop = m_loops[index];
  if (!loop.isCounted) return std::nullopt;
  const IrInstruction& phi = m_function.instructions[loop.induction];
  const IrOperand& start = incoming(phi, index, false);
  const IrOperand& bound = m_function.instructions[loop.compare].operands[loop.inductionIsFirst ? 1 : 0];
  const int64_t extra = loop.comparesNext ? 0 : 1;
  if (start.constant && bound.constant) return (*bound.constant - *start.constant) / loop.step + extra;
  if (loop.step > 0 && start.constant && *start.constant >= 0)
    if (const auto most = mostOf(bound, 0)) return (*most + loop.step - 1) / loop.step + extra;
  if (loop.step < 0 && bound.constant && *bound.constant >= 0)
    if (const auto most = mostOf(start, 0)) return *most / -loop.step + extra;
  return std::nullopt;
}

} // namespace simcore::native
