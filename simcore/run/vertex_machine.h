// Services of the machine for compiled codelets at run time: tile and worker number, cycle counter, random numbers, an output
// stream, and the end of the run if an assertion fails.
#pragma once

#include "simcore/run/vertex_memory.h"

#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simcore::run {

// The state of the machine when a compute set begins.
struct MachineNow {
  std::function<int64_t(int64_t tile)> cycle; // the cycle counter of a tile
  std::ostream* out = nullptr;                // where codelets print
};

// The text that the vertices of a compute set print, from any thread.
class PrintedText {
public:
  void add(uint32_t vertex, std::string_view text);
  void writeTo(std::ostream& out); // in the order of the vertices, whatever the threads

private:
  std::mutex m_mutex;
  std::vector<std::pair<uint32_t, std::string>> m_texts; // by vertex
  std::size_t m_bytes = 0;
};

// The vertices of one tile, one after the other on one thread. A vertex gets the worker that is free first (list scheduling,
// workers.h); MultiVertices and supervisors use the whole tile.
class VertexMachine {
public:
  VertexMachine(VertexMemory& memory, PrintedText& printed, const MachineNow& now, int64_t tile, int workers);

  unsigned workerOf(graph::Codelet::Kind kind) const; // of the next vertex
  // Provides the services to the body that this thread calls next.
  void serve(const graph::NativeBody& body, uint32_t vertex, graph::Codelet::Kind kind, unsigned worker);
  // Reports the vertex's cycles, as in Codelet::cycles; -1: unknown.
  void ran(graph::Codelet::Kind kind, int64_t cycles);
  const std::string& whyFailed() const { return m_why; } // message of the assertion that ended a body

private:
  static uint64_t random(void* self);
  static void print(void* self, const char* text, uint64_t bytes);
  [[noreturn]] static void fail(void* self, const char* why);

  VertexMemory& m_memory;
  PrintedText& m_printed;
  int64_t m_tile, m_begin, m_serial = 0; // m_serial: cycles of MultiVertices and supervisors
  std::vector<int64_t> m_freeAt;         // when each worker is free, in worker cycles
  uint32_t m_vertex = 0;
  unsigned m_worker = 0;
  std::string m_why;
};

} // namespace simcore::run
