#include "reports/exchange/folded_stacks.h"

#include "reports/core/text.h"
#include "reports/exchange/folded_tree.h"
#include "reports/exchange/json_scan.h"
#include "reports/exchange/name_cache.h"
#include "reports/exchange/text_lines.h"

#include <algorithm>

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
  // A stack of only empty frames is ignored.
  if (!number || folded.stack.find_first_not_of("; \t") == std::string_view::npos) return std::nullopt;
  if (!isDifferential) return folded;
  auto inner = foldedLine(folded.stack);
  if (inner) inner->second = folded.weight;
  return inner;
}

// Calls f(line) for the first lines of `head` that are not comments, except a last line that may be cut.
template<class F> void forEachOfFirstLines(std::string_view head, F&& f) {
  const char lineEnd = lineEndOf(head);
  const std::size_t whole = head.rfind(lineEnd);
  int lines = 0;
  for (std::size_t at = 0; at < head.size() && lines < 50;) {
    const std::size_t end = std::min(head.find(lineEnd, at), head.size());
    const std::string_view line = head.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.starts_with('#') || line == "\r") continue;
    if (whole != std::string_view::npos && end > whole && lines > 0) break;
    ++lines;
    f(line);
  }
}

// Whether every stack has two counts, as written by difffolded.pl.
bool looksDifferential(std::string_view head) {
  int stacks = 0, differential = 0;
  forEachOfFirstLines(head, [&](std::string_view line) {
    stacks += foldedLine(line).has_value();
    differential += foldedLine(line, true).has_value();
  });
  return stacks > 0 && differential == stacks;
}

class FoldedReader {
public:
  FoldedReader(Window& window, TraceAssembly& assembly)
      : m_lines(window), m_assembly(assembly), m_tree(assembly),
        m_isDifferential((window.size() > 0 || window.grow()) && looksDifferential({window.at(), window.size()})) {}

  void read() {
    std::string_view line;
    while (m_lines.next(line)) {
      if (line.empty() || line.starts_with('#') || line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const auto folded = foldedLine(line, m_isDifferential);
      if (!folded || !addStack(*folded)) m_assembly.counts().mend(Mend::LinesNotRead);
    }
    for (const std::size_t profile : {0, 1}) m_assembly.counts().samples += m_tree.total(profile) / kNanosecondsPerFoldedSample;
    if (!m_tree.isEmpty()) layOutAll();
  }

private:
  bool addStack(const FoldedLine& folded) {
    const auto weightOf = [](const JsonToken& weight) {
      return weight ? scaledOf(weight, kNanosecondsPerFoldedSample).value_or(0) : 0;
    };
    m_frames.clear();
    for (std::size_t at = 0; at <= folded.stack.size();) {
      const std::size_t end = std::min(folded.stack.find(';', at), folded.stack.size());
      const std::string_view frame = folded.stack.substr(at, end - at);
      m_frames.push_back(m_names.get(frame, [&] { return m_assembly.string(frame.empty() ? "(no name)" : validUtf8(frame)); }));
      at = end + 1;
    }
    return m_tree.add(m_frames, {weightOf(folded.weight), weightOf(folded.second)});
  }
  void layOutAll() {
    const std::size_t process = m_assembly.addProcess("folded stacks");
    ImportCounts& counts = m_assembly.counts();
    counts.processes = 1;
    m_assembly.source().clock = "none", m_assembly.source().eventDuration = 0;
    if (m_isDifferential) {
      m_tree.layOut(0, process, "first profile", "first profile", true);
      m_tree.layOut(1, process, "second profile", "second profile", true);
    } else {
      m_tree.layOut(0, process, "all stacks", "call stack", false);
    }
    m_assembly.sink().add(ReportIssueRow{0, "notice", m_assembly.source().name,
                                         "folded stacks have no time: one sample is drawn as 1 µs", "read durations as shares",
                                         counts.samples});
  }

  TextLines m_lines;
  TraceAssembly& m_assembly;
  NameCache<uint32_t> m_names;
  FoldedTree m_tree;
  std::vector<uint32_t> m_frames;
  bool m_isDifferential = false;
};

} // namespace

// Requires one stack of several frames, because lines in many texts end with numbers.
bool looksLikeFoldedStacks(std::string_view head) {
  int stacks = 0, others = 0;
  bool hasFrames = false;
  forEachOfFirstLines(head, [&](std::string_view line) {
    const auto folded = foldedLine(line);
    ++(folded ? stacks : others);
    hasFrames = hasFrames || (folded && folded->stack.find(';') != std::string_view::npos);
  });
  return hasFrames && others <= stacks;
}

void readFoldedStacks(Window& window, TraceAssembly& assembly) { FoldedReader(window, assembly).read(); }

} // namespace reports::exchange
