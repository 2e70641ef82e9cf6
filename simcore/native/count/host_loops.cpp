#include "simcore/native/count/host_loops.h"

#include <algorithm>

namespace simcore::native {

namespace {

class Search {
public:
  Search(const IrFunction& function, const Loops& loops) : m_function(function), m_loops(loops) {}

  std::vector<HostLoop> run() {
    std::vector<HostLoop> found;
    for (const Loop& loop : m_loops.all()) {
      if (!isSimple(loop) || m_function.blocks[loop.header].name.rfind("vector.body", 0) != 0) continue;
      HostLoop host;
      host.vector = loop.header;
      if (findBlocks(host) && findStarts(host)) found.push_back(host);
    }
    return found;
  }

private:
  static bool isSimple(const Loop& loop) { return loop.isCounted && loop.blocks.size() == 1; }
  const IrBlock& block(int index) const { return m_function.blocks[index]; }

  bool findBlocks(HostLoop& host) const {
    for (const int p : block(host.vector).predecessors)
      if (p != host.vector) {
        if (host.from >= 0) return false;
        host.from = p;
      }
    for (const int s : block(host.vector).successors)
      if (s != host.vector) host.middle = s;
    if (host.from < 0 || host.middle < 0 || !m_loops.dominates(0, host.from)) return false;
    if (block(host.middle).predecessors.size() != 1 || !block(host.middle).hasLabel) return false;
    const auto& next = block(host.middle).successors;
    for (const int s : next)
      if (const int scalar = scalarBehind(s); scalar >= 0) host.resume = s, host.scalar = scalar;
    if (host.resume < 0 || next.size() > 2) return false;
    host.alwaysResumes = next.size() == 1;
    const Loop& loop = m_loops.all()[m_loops.innermost(host.vector)];
    const IrInstruction& count = m_function.instructions[loop.induction];
    const IrOperand* const first = incomingFrom(count, host.from);
    host.width = loop.step;
    if (count.type->kind != IrType::Kind::Integer || !first || first->constant != 0 || loop.step < 2) return false;
    return true;
  }

  // The block of the scalar loop that follows a block; -1 if none follows.
  int scalarBehind(int at) const {
    if (block(at).successors.size() != 1) return -1;
    const int header = block(at).successors[0], loop = m_loops.innermost(header);
    return loop >= 0 && m_loops.all()[loop].header == header && isSimple(m_loops.all()[loop]) ? header : -1;
  }

  bool isBefore(const IrOperand& operand, int at) const {
    const IrInstruction* const definition = m_function.definition(operand);
    return !definition || m_loops.dominates(definition->block, at);
  }

  // Finds the start values of the scalar loop's phis. They must be the same on all edges that bypass the vectorised loop.
  bool findStarts(HostLoop& host) const {
    for (int i = block(host.resume).first; i < block(host.resume).end && m_function.instructions[i].is("phi"); ++i) {
      const IrInstruction& phi = m_function.instructions[i];
      const PhiText text = phiText(phi);
      if (text.values.size() != phi.labels.size()) return false;
      std::string start;
      for (std::size_t k = 0; k < phi.labels.size(); ++k) {
        if (phi.labels[k] == host.middle) continue;
        if (!isBefore(phi.operands[k], host.from)) return false;
        if (!start.empty() && start != text.values[k]) return false;
        start = text.values[k];
      }
      if (start.empty()) return false;
      host.starts[i] = start;
    }
    return true;
  }

  const IrFunction& m_function;
  const Loops& m_loops;
};

} // namespace

std::vector<HostLoop> hostLoops(const IrFunction& function, const Loops& loops) { return Search(function, loops).run(); }

PhiText phiText(const IrInstruction& phi) {
  PhiText text;
  std::size_t at = phi.text.find("[ ");
  if (at == std::string::npos) return text;
  text.head = phi.text.substr(0, at);
  while (at != std::string::npos && text.values.size() < phi.labels.size()) {
    const std::size_t end = phi.text.find(" ]", at);
    if (end == std::string::npos) break;
    const std::size_t label = phi.text.rfind(", %", end);
    text.values.push_back(phi.text.substr(at + 2, label - at - 2));
    text.tail = phi.text.substr(end + 2);
    at = phi.text.find("[ ", end);
  }
  return text;
}

const IrOperand* incomingFrom(const IrInstruction& phi, int block) {
  for (std::size_t i = 0; i < phi.labels.size(); ++i)
    if (phi.labels[i] == block) return &phi.operands[i];
  return nullptr;
}

} // namespace simcore::native
