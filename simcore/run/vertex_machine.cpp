#include "simcore/run/vertex_machine.h"

#include "simcore/run/vertex_faults.h"

#include <algorithm>
#include <ostream>

namespace simcore::run {

using codelets::Xoroshiro128aox;
using graph::Codelet;

namespace {
constexpr std::size_t kMostPrinted = 16 << 20; // maximum bytes printed by one execution of a compute set
} // namespace

void PrintedText::add(uint32_t vertex, std::string_view text) {
  const std::lock_guard lock(m_mutex);
  m_bytes += text.size();
  if (m_bytes <= kMostPrinted) m_texts.emplace_back(vertex, text);
}

void PrintedText::writeTo(std::ostream& out) {
  const std::lock_guard lock(m_mutex);
  std::stable_sort(m_texts.begin(), m_texts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [vertex, text] : m_texts) out << text;
  if (m_bytes > kMostPrinted) out << "\n[codelets printed " << m_bytes << " bytes in one compute set; the rest is left out]\n";
  if (!m_texts.empty()) out << std::flush;
  m_texts.clear();
}

VertexMachine::VertexMachine(VertexMemory& memory, PrintedText& printed, const MachineNow& now, int64_t tile, int workers)
    : m_memory(memory), m_printed(printed), m_tile(tile), m_begin(now.cycle ? now.cycle(tile) : 0),
      m_freeAt(std::size_t(workers), 0) {}

unsigned VertexMachine::workerOf(Codelet::Kind kind) const {
  if (kind != Codelet::Kind::Worker) return 0;
  return unsigned(std::min_element(m_freeAt.begin(), m_freeAt.end()) - m_freeAt.begin());
}

void VertexMachine::serve(const graph::NativeBody& body, uint32_t vertex, Codelet::Kind kind, unsigned worker) {
  const bool isAlone = kind != Codelet::Kind::Worker;
  const int64_t waited = isAlone ? *std::max_element(m_freeAt.begin(), m_freeAt.end()) : m_freeAt[worker];
  m_vertex = vertex;
  m_worker = worker;
  graph::MachineHooks& hooks = *body.hooks();
  hooks.context = this;
  hooks.random = random;
  hooks.print = print;
  hooks.fail = fail;
  hooks.startCycle = uint64_t(m_begin + m_serial + waited * int64_t(m_freeAt.size()));
  hooks.tile = uint32_t(m_tile);
  hooks.worker = worker;
  hooks.isSupervisor = kind == Codelet::Kind::Supervisor;
}

void VertexMachine::ran(Codelet::Kind kind, int64_t cycles) {
  cycles = std::max<int64_t>(cycles, 0);
  if (kind == Codelet::Kind::Worker)
    m_freeAt[workerOf(kind)] += std::max<int64_t>(cycles, 1); // unknown cycles count as 1, so that workers still take turns
  else
    m_serial += cycles;
}

uint64_t VertexMachine::random(void* self) {
  VertexMachine& m = *static_cast<VertexMachine*>(self);
  auto& generators = m.m_memory.generators[std::size_t(m.m_tile)];
  // A seed of its own, because poprand's generators start with the seed itself.
  const uint64_t master = (m.m_memory.seed + 1) * 0x9e3779b97f4a7c15ull ^ (uint64_t(m.m_memory.replica) << 32);
  for (uint32_t w = uint32_t(generators.size()); w < m.m_freeAt.size(); ++w)
    generators.push_back(Xoroshiro128aox::forWorker(master, w, uint32_t(m.m_tile)));
  return generators[m.m_worker].next();
}

void VertexMachine::print(void* self, const char* text, uint64_t bytes) {
  VertexMachine& m = *static_cast<VertexMachine*>(self);
  m.m_printed.add(m.m_vertex, {text, std::size_t(bytes)});
}

void VertexMachine::fail(void* self, const char* why) {
  static_cast<VertexMachine*>(self)->m_why = why;
  VertexFaults::failed();
}

} // namespace simcore::run
