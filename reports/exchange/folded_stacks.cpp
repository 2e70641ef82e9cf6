#include "reports/exchange/folded_stacks.h"

#include "reports/core/text.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/text_lines.h"

#include <algorithm>

namespace reports::exchange {

namespace {

struct FoldedLine {
  std::string_view stack;
  JsonToken weight;
};

std::optional<FoldedLine> foldedLine(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  const std::size_t space = line.find_last_of(" \t");
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  FoldedLine folded;
  folded.weight.text = line.substr(space + 1);
  folded.weight.kind = JsonToken::Number;
  folded.stack = line.substr(0, line.find_last_not_of(" \t", space) + 1);
  const bool number = folded.weight.text.find_first_not_of("0123456789.") == std::string_view::npos && realOf(folded.weight);
  // A stack of empty frames is none.
  if (!number || folded.stack.find_first_not_of("; \t") == std::string_view::npos) return std::nullopt;
  return folded;
}

// A node of the tree of all stacks; children in the order they came.
struct FoldedNode {
  uint32_t name = 0;
  int64_t total = 0; // nanoseconds
  std::vector<std::size_t> children;
};

class FoldedReader {
public:
  FoldedReader(Window& window, TraceAssembly& assembly) : m_lines(window), m_assembly(assembly), m_nodes(1) {}

  void read() {
    std::string_view line;
    while (m_lines.next(line)) {
      if (line.empty() || line.starts_with('#') || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const auto folded = foldedLine(line);
      if (!folded || !addStack(*folded)) m_assembly.counts().mend(Mend::LinesNotRead);
    }
    m_assembly.counts().samples += m_nodes[0].total / kNanosecondsPerFoldedSample;
    if (m_nodes.size() > 1) layOut();
  }

private:
  // False if the sum of all weights is beyond any time.
  bool addStack(const FoldedLine& folded) {
    const int64_t weight = scaledOf(folded.weight, kNanosecondsPerFoldedSample).value_or(0);
    if (weight >= kMostScaled - m_nodes[0].total) return false;
    std::size_t node = 0;
    m_nodes[0].total += weight;
    for (std::size_t at = 0; at <= folded.stack.size();) {
      const std::size_t end = std::min(folded.stack.find(';', at), folded.stack.size());
      const std::string_view frame = folded.stack.substr(at, end - at);
      node = childOf(node, m_names.get(frame, [&] { return m_assembly.string(frame.empty() ? "(no name)" : validUtf8(frame)); }));
      m_nodes[node].total += weight;
      at = end + 1;
    }
    return true;
  }
  std::size_t childOf(std::size_t parent, uint32_t name) {
    const auto [found, isNew] = m_children.emplace(uint64_t(parent) << 32 | name, m_nodes.size());
    if (isNew) {
      m_nodes[parent].children.push_back(m_nodes.size());
      m_nodes.push_back({name, 0, {}});
    }
    return found->second;
  }
  void layOut() {
    const std::size_t process = m_assembly.addProcess("folded stacks");
    const std::size_t track = m_assembly.addTrack(process, "all stacks");
    m_assembly.tracks()[track].rowKind = "sample";
    const uint8_t channel = m_assembly.channel("call stack");
    auto& slices = m_assembly.tracks()[track].slices;
    struct Visit {
      std::size_t node;
      int64_t start;
    };
    std::vector<Visit> todo{{0, 0}};
    for (uint32_t order = 0; !todo.empty();) {
      const Visit visit = todo.back();
      todo.pop_back();
      const FoldedNode& node = m_nodes[visit.node];
      if (visit.node != 0) slices.push_back({visit.start, visit.start + node.total, node.name, -1, order++, channel, 0});
      int64_t end = visit.start; // of the last child; what is of the node itself comes after it
      for (const std::size_t child : node.children) end += m_nodes[child].total;
      for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
        end -= m_nodes[*child].total;
        todo.push_back({*child, end});
      }
    }
    ImportCounts& counts = m_assembly.counts();
    counts.slices += int64_t(slices.size());
    counts.processes = counts.threads = 1;
    m_assembly.source().clock = "none";
    m_assembly.source().see(0);
    m_assembly.source().see(m_nodes[0].total);
    for (const TraceSlice& s : slices) m_assembly.see(s.start, s.name);
    m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                         "folded stacks have no time: one sample is drawn as 1 µs", "read durations as shares",
                                         counts.samples});
  }

  TextLines m_lines;
  TraceAssembly& m_assembly;
  NameCache<uint32_t> m_names;
  std::vector<FoldedNode> m_nodes; // the first is above all stacks
  std::unordered_map<uint64_t, std::size_t> m_children;
};

} // namespace

// Most lines are stacks. Where some are not, one stack of several frames is wanted: a sentence may end with a number too.
bool looksLikeFoldedStacks(std::string_view head) {
  int stacks = 0, others = 0;
  bool hasFrames = false;
  const std::size_t whole = head.rfind('\n'); // the last line may be cut
  for (std::size_t at = 0; at < head.size() && stacks + others < 50;) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::string_view line = head.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.starts_with('#') || line == "\r") continue;
    if (whole != std::string_view::npos && end > whole && stacks > 0) break;
    const auto folded = foldedLine(line);
    ++(folded ? stacks : others);
    hasFrames = hasFrames || (folded && folded->stack.find(';') != std::string_view::npos);
  }
  return stacks > 0 && (others == 0 || (hasFrames && others <= stacks));
}

void readFoldedStacks(Window& window, TraceAssembly& assembly) { FoldedReader(window, assembly).read(); }

} // namespace reports::exchange
