// Call stacks in Perfetto traces: samples of perf (PerfSample) and of programs that sample themselves (StreamingProfilePacket).
// Frames and stacks are numbered within a sequence of packets.
#pragma once

#include "reports/exchange/perfetto_rows.h"
#include "reports/exchange/proto_fields.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reports::exchange {

// Number and text of an InternedString, and of messages with the same first fields.
std::pair<uint64_t, std::string> internedText(std::string_view bytes);

// The call stacks of one sequence of packets.
class PerfettoStacks {
public:
  // A field of InternedData; ignores other kinds.
  void add(const ProtoField& interned);
  // Names of the frames of a stack, the outermost first. Empty if a number is unknown.
  std::optional<std::vector<std::string>> stack(uint64_t number) const;
  // PerfettoSamples' numbers of the stacks that were already looked up; cleared when anything is added.
  std::map<uint64_t, std::size_t>& known() { return m_known; }

private:
  struct Frame {
    uint64_t function = 0, mapping = 0, offset = 0; // offset: of the code within the mapping
  };
  std::string nameOf(const Frame& frame) const;
  std::map<uint64_t, std::string> m_functions, m_paths, m_mappings;
  std::map<uint64_t, Frame> m_frames;
  std::map<uint64_t, std::vector<uint64_t>> m_stacks; // frames, the outermost first
  std::map<uint64_t, std::size_t> m_known;
};

class PerfettoSamples {
public:
  PerfettoSamples(TraceAssembly& assembly, PerfettoRows& rows) : m_assembly(assembly), m_rows(rows) {}

  // A session of perf. Two sessions may sample one thread, for different events or for the same event. Each has its own writer.
  struct Session {
    std::string event;                // the event that its samples count; empty if unknown
    uint32_t machine = 0, writer = 0; // writer 0: a program that samples itself
    auto operator<=>(const Session&) const = default;
  };
  struct ThreadKey {
    int64_t pid = -1, tid = 0;
    Session session;
    auto operator<=>(const ThreadKey&) const = default;
  };
  std::size_t numberOf(const std::vector<std::string>& stack);
  void add(ThreadKey thread, int64_t time, std::size_t stack);
  // Makes the rows. Call it when all names of threads are known.
  void finish();

private:
  struct Sample {
    int64_t time = 0;
    std::size_t stack = 0; // in m_stacks
  };
  TraceAssembly& m_assembly;
  PerfettoRows& m_rows;
  std::map<std::vector<uint32_t>, std::size_t> m_numbers; // by names of frames
  std::vector<const std::vector<uint32_t>*> m_stacks;
  std::map<ThreadKey, std::vector<Sample>> m_threads;
};

} // namespace reports::exchange
