#include "simcore/native/count/prices.h"

#include "simcore/native/count/addresses.h"
#include "simcore/native/count/instruction_costs.h"

#include <algorithm>

namespace simcore::native {

namespace {

constexpr int kCyclesOfInstruction = 6; // cycles of an instruction of the supervisor
constexpr int kFloatCallInstructions = 27;
constexpr int64_t kUnknownCallSlots = 20;
constexpr int kCopySlots = 20;
constexpr std::size_t kWindow = 2048;            // operations that are scheduled together
constexpr int64_t kMostSlots = int64_t(1) << 24; // of a block, so that its slots times a loop's iterations fit in 63 bits

class Pricer {
public:
  Pricer(const IrFunction& function, const Loops& loops, const PriceOptions& options)
      : m_function(function), m_loops(loops), m_options(options), m_addresses(function, loops, !options.isSupervisor),
        m_costs(function) {}

  FunctionPrices price() {
    m_prices.entries.assign(m_loops.all().size(), 0);
    for (std::size_t loop = 0; loop < m_loops.all().size(); ++loop)
      m_prices.entries[loop] = inUnits(m_addresses.pointers(static_cast<int>(loop)));
    for (std::size_t block = 0; block < m_function.blocks.size(); ++block)
      m_prices.blocks.push_back(priceBlock(static_cast<int>(block)));
    m_prices.blocks.front() += inUnits(frame());
    return std::move(m_prices);
  }

private:
  int64_t inUnits(int64_t instructions) const { return instructions * (m_options.isSupervisor ? kCyclesOfInstruction : 1); }

  bool isCallOfCode(const IrInstruction& i) const {
    return i.is("call") && (i.callee.empty() || (m_options.defined && m_options.defined->count(i.callee)));
  }

  int64_t frame() const {
    const bool calls = std::any_of(m_function.instructions.begin(), m_function.instructions.end(),
                                   [&](const auto& i) { return isCallOfCode(i); });
    return !calls ? 0 : m_options.isVertex ? 1 : 4;
  }

  // The loop that consists of only this block and that the hardware counts; -1 if none.
  int countedBlock(int block) const {
    const int loop = m_loops.innermost(block);
    if (loop < 0 || m_options.isSupervisor) return -1;
    const Loop& l = m_loops.all()[loop];
    return l.isCounted && l.blocks.size() == 1 ? loop : -1;
  }

  bool mayRepeat(int loop) const {
    const int block = m_loops.all()[loop].header;
    for (int i = m_function.blocks[block].first; i < m_function.blocks[block].end; ++i) {
      const IrInstruction& instruction = m_function.instructions[i];
      if (!instruction.is("call") || isMarker(instruction.callee)) continue;
      if (isCallOfCode(instruction) || instruction.callee == "asm") return false;
      for (const auto& op : m_costs.of(instruction).ops)
        if (op.alone) return false;
    }
    const auto most = m_loops.mostIterations(loop);
    return most && *most <= m_options.repeatLimit;
  }

  // Number of branch instructions at the end of a block; the last may share its bundle.
  int64_t branches(int block) {
    const IrInstruction& last = m_function.terminator(block);
    if (last.is("ret")) return 1;
    if (last.is("unreachable")) return 0;
    const auto isNext = [&](int target) { return target == block + 1; };
    if (last.is("switch")) return 2 * (1 + static_cast<int64_t>(last.labels.size() - 1) / 2);
    if (last.labels.size() == 1) return isNext(last.labels[0]) ? 0 : 1;
    const int loop = m_loops.innermost(block);
    const bool isLatch = loop >= 0 && m_loops.all()[loop].isCounted && m_loops.all()[loop].latches.front() == block;
    // The compiler places the code that follows a loop right after it.
    const bool isBackEdge =
        loop >= 0 && (last.labels[0] == m_loops.all()[loop].header || last.labels[1] == m_loops.all()[loop].header);
    int64_t count = isNext(last.labels[0]) || isNext(last.labels[1]) || isBackEdge ? 1 : 2;
    if (isLatch && !m_options.isSupervisor) {
      m_prices.entries[loop] += 1;
      if (countedBlock(block) == loop && mayRepeat(loop)) --count;
    }
    return count;
  }

  MachineCost costOf(const IrInstruction& i, int index) {
    if (m_addresses.isFree(index)) return mainOps(0);
    if (i.is("getelementptr")) return mainOps(m_addresses.addressOps(i));
    if (i.is("icmp") && !m_options.isSupervisor)
      for (const auto& loop : m_loops.all())
        if (loop.isCounted && loop.compare == index) return mainOps(0);
    if (!i.is("call")) {
      const bool isDouble = i.type->isDouble() || (!i.operands.empty() && i.operands[0].type->isDouble());
      if (isDouble && !i.is("bitcast") && !i.isMemory()) m_prices.unknown.insert("double");
      return m_costs.of(i);
    }
    return callCost(i, index);
  }

  MachineCost callCost(const IrInstruction& i, int index) {
    if (i.callee == "asm") {
      m_prices.unknown.insert("inline assembly");
      return callOps(kUnknownCallSlots);
    }
    if (const int slots = copySlots(i.callee); slots > 0 && i.operands.size() > 2) {
      const auto length = i.operands[2].constant;
      if (length && *length <= 64) return mainOps((std::max<int64_t>(0, *length) + 7) / 8 * slots);
      if (!length) m_prices.lengths[index] = inUnits(slots);
      return callOps(std::min(kMostSlots, kCopySlots + (length ? *length / 8 * slots : 0)));
    }
    if (i.callee.empty()) m_prices.unknown.insert("a call through a pointer");
    if (isCallOfCode(i)) return callOps(1 + static_cast<int64_t>(i.operands.size()));
    MachineCost cost = m_costs.of(i);
    if (cost.isKnown) return cost;
    m_prices.unknown.insert(i.callee);
    return callOps(kUnknownCallSlots);
  }

  // Appends the operations of an instruction; they depend on the operations that make its operands.
  void append(const MachineCost& cost, const IrInstruction& i) {
    std::vector<int> sources;
    for (const auto& operand : i.operands)
      if (operand.value >= 0 && !i.is("phi"))
        for (const int op : m_made[operand.value]) sources.push_back(op);
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    if (sources.size() > 16) sources.erase(sources.begin(), sources.end() - 16);
    std::vector<int> made;
    for (const auto& op : cost.ops) {
      MachineOp next = op;
      const int index = static_cast<int>(m_ops.size());
      next.after = sources;
      if (cost.isChain && !made.empty()) next.after = {index - 1};
      if (cost.isChain) made.clear();
      made.push_back(index);
      m_ops.push_back(std::move(next));
    }
    if (i.value >= 0) {
      m_made[i.value] = made.empty() ? sources : made;
      m_touched.push_back(i.value);
    }
  }

  int64_t priceBlock(int block) {
    for (const int value : m_touched) m_made[value].clear();
    m_touched.clear();
    m_ops.clear();
    m_made.resize(m_function.definedBy.size());
    const IrBlock& b = m_function.blocks[block];
    int64_t total = 0;
    const auto length = [&] {
      if (!m_options.isSupervisor) return std::min(kMostSlots, scheduledSlots(m_ops));
      int64_t instructions = 0;
      for (const auto& op : m_ops)
        instructions += op.pipe == MachineOp::Pipe::Main ? op.slots : int64_t(op.slots) * kFloatCallInstructions;
      return std::min(kMostSlots, instructions * kCyclesOfInstruction);
    };
    for (int i = b.first; i + 1 < b.end; ++i) {
      append(costOf(m_function.instructions[i], i), m_function.instructions[i]);
      if (m_ops.size() < kWindow) continue; // a full window is scheduled separately, so later operations cannot share its bundles
      total += length();
      for (const int value : m_touched) m_made[value].clear();
      m_ops.clear();
    }
    appendBranches(branches(block), m_function.terminator(block));
    return std::min(kMostSlots, total + length());
  }

  void appendBranches(int64_t count, const IrInstruction& last) {
    for (int64_t n = 0; n < count; ++n) {
      MachineOp branch{MachineOp::Pipe::Main};
      for (const auto& operand : last.operands)
        if (operand.value >= 0)
          branch.after.insert(branch.after.end(), m_made[operand.value].begin(), m_made[operand.value].end());
      m_ops.push_back(std::move(branch));
    }
  }

  const IrFunction& m_function;
  const Loops& m_loops;
  const PriceOptions& m_options;
  Addresses m_addresses;
  InstructionCosts m_costs;
  FunctionPrices m_prices;
  std::vector<MachineOp> m_ops;         // of the block
  std::vector<std::vector<int>> m_made; // by value: indices of the operations that make it
  std::vector<int> m_touched;           // values of the block
};

} // namespace

FunctionPrices priceFunction(const IrFunction& function, const Loops& loops, const PriceOptions& options) {
  return Pricer(function, loops, options).price();
}

} // namespace simcore::native
