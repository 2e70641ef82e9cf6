#include "reports/exchange/folded_stacks.h"

#include "reports/core/text.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/text_lines.h"

#include <algorithm>
#include <array>

namespace reports::exchange {

namespace {

struct FoldedLine {
  std::string_view stack;
  JsonToken weight;
  JsonToken second; // of a differential line: `stack before after`
};

std::optional<FoldedLine> foldedLine(std::string_view line, bool isDifferential = false) {
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
  if (!isDifferential) return folded;
  auto inner = foldedLine(folded.stack);
  if (inner) inner->second = folded.weight;
  return inner;
}

// Calls f(line) for the first lines of `head` that are no comments, but not for one that the head may have cut.
template<class F> void forEachOfFirstLines(std::string_view head, F&& f) {
  const std::size_t whole = head.rfind('\n');
  int lines = 0;
  for (std::size_t at = 0; at < head.size() && lines < 50;) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::string_view line = head.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.starts_with('#') || line == "\r") continue;
    if (whole != std::string_view::npos && end > whole && lines > 0) break;
    ++lines;
    f(line);
  }
}

// Every stack has two counts, as difffolded.pl writes them.
bool looksDifferential(std::string_view head) {
  int stacks = 0, differential = 0;
  forEachOfFirstLines(head, [&](std::string_view line) {
    stacks += foldedLine(line).has_value();
    differential += foldedLine(line, true).has_value();
  });
  return stacks > 0 && differential == stacks;
}

// A node of the tree of all stacks; children in the order they came.
struct FoldedNode {
  uint32_t name = 0;
  std::array<int64_t, 2> totals{}; // nanoseconds; the second of the second profile, if there is one
  std::vector<std::size_t> children;
};

class FoldedReader {
public:
  FoldedReader(Window& window, TraceAssembly& assembly)
      : m_lines(window), m_assembly(assembly), m_nodes(1),
        m_isDifferential((window.size() > 0 || window.grow()) && looksDifferential({window.at(), window.size()})) {}

  void read() {
    std::string_view line;
    while (m_lines.next(line)) {
      if (line.empty() || line.starts_with('#') || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const auto folded = foldedLine(line, m_isDifferential);
      if (!folded || !addStack(*folded)) m_assembly.counts().mend(Mend::LinesNotRead);
    }
    for (const int64_t total : m_nodes[0].totals) m_assembly.counts().samples += total / kNanosecondsPerFoldedSample;
    if (m_nodes.size() > 1) layOutAll();
  }

private:
  // False if the sum of all weights is beyond any time.
  bool addStack(const FoldedLine& folded) {
    std::array<int64_t, 2> weights{};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const JsonToken& weight = i == 0 ? folded.weight : folded.second;
      weights[i] = weight ? scaledOf(weight, kNanosecondsPerFoldedSample).value_or(0) : 0;
      if (weights[i] >= kMostScaled - m_nodes[0].totals[i]) return false;
    }
    const auto add = [&](FoldedNode& node) {
      for (std::size_t i = 0; i < weights.size(); ++i) node.totals[i] += weights[i];
    };
    std::size_t node = 0;
    add(m_nodes[0]);
    for (std::size_t at = 0; at <= folded.stack.size();) {
      const std::size_t end = std::min(folded.stack.find(';', at), folded.stack.size());
      const std::string_view frame = folded.stack.substr(at, end - at);
      node = childOf(node, m_names.get(frame, [&] { return m_assembly.string(frame.empty() ? "(no name)" : validUtf8(frame)); }));
      add(m_nodes[node]);
      at = end + 1;
    }
    return true;
  }
  std::size_t childOf(std::size_t parent, uint32_t name) {
    const auto [found, isNew] = m_children.emplace(uint64_t(parent) << 32 | name, m_nodes.size());
    if (isNew) {
      m_nodes[parent].children.push_back(m_nodes.size());
      m_nodes.push_back({name, {}, {}});
    }
    return found->second;
  }
  void layOutAll() {
    const std::size_t process = m_assembly.addProcess("folded stacks");
    ImportCounts& counts = m_assembly.counts();
    counts.processes = 1;
    m_assembly.source().clock = "none";
    m_assembly.source().see(0);
    if (m_isDifferential) {
      layOut(0, process, "first profile", "first profile");
      layOut(1, process, "second profile", "second profile");
    } else {
      layOut(0, process, "all stacks", "call stack");
    }
    m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                         "folded stacks have no time: one sample is drawn as 1 µs", "read durations as shares",
                                         counts.samples});
  }
  void layOut(std::size_t profile, std::size_t process, const char* name, const char* channelName) {
    const std::size_t track = m_assembly.addTrack(process, name);
    m_assembly.tracks()[track].rowKind = "sample";
    const uint8_t channel = m_assembly.channel(channelName);
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
      const int64_t total = node.totals[profile];
      if (m_isDifferential && total == 0) continue; // of the other profile alone
      if (visit.node != 0) slices.push_back({visit.start, visit.start + total, node.name, -1, order++, channel, 0});
      int64_t end = visit.start; // of the last child; what is of the node itself comes after it
      for (const std::size_t child : node.children) end += m_nodes[child].totals[profile];
      for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
        end -= m_nodes[*child].totals[profile];
        todo.push_back({*child, end});
      }
    }
    ImportCounts& counts = m_assembly.counts();
    counts.slices += int64_t(slices.size());
    ++counts.threads;
    m_assembly.source().see(m_nodes[0].totals[profile]);
    for (const TraceSlice& s : slices) m_assembly.see(s.start, s.name);
  }

  TextLines m_lines;
  TraceAssembly& m_assembly;
  NameCache<uint32_t> m_names;
  std::vector<FoldedNode> m_nodes; // the first is above all stacks
  bool m_isDifferential = false;
  std::unordered_map<uint64_t, std::size_t> m_children;
};

} // namespace

// Most lines are stacks. Where some are not, one stack of several frames is wanted: a sentence may end with a number too.
bool looksLikeFoldedStacks(std::string_view head) {
  int stacks = 0, others = 0;
  bool hasFrames = false;
  forEachOfFirstLines(head, [&](std::string_view line) {
    const auto folded = foldedLine(line);
    ++(folded ? stacks : others);
    hasFrames = hasFrames || (folded && folded->stack.find(';') != std::string_view::npos);
  });
  return stacks > 0 && (others == 0 || (hasFrames && others <= stacks));
}

void readFoldedStacks(Window& window, TraceAssembly& assembly) { FoldedReader(window, assembly).read(); }

} // namespace reports::exchange
