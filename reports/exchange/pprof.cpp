#include "reports/exchange/pprof.h"

#include "reports/core/text.h"
#include "reports/exchange/folded_tree.h"
#include "reports/exchange/proto_fields.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

namespace reports::exchange {

namespace {

constexpr std::size_t kMostPprofBytes = std::size_t(1) << 30;
constexpr std::size_t kMostPprofFrames = 4096; // of a stack; deeper ones are cut at their innermost end
constexpr std::size_t kMostPprofTypes = 16;    // kinds of values in a profile; a heap profile has four
constexpr std::size_t kMostPprofLetters = 200; // of a file's name that is added to an address
// Limit of frames of all stacks: 100,000 and this many per byte of the file, because a byte may name one frame of each value.
constexpr std::size_t kMostPprofFramesAByte = 8;

std::string_view wholeProfile(Window& window) {
  while (window.size() < kMostPprofBytes && window.grow()) {
  }
  if (!window.atEnd() && window.size() >= kMostPprofBytes)
    throw Error(ErrorCode::Unsupported, "the pprof profile is larger than 1 GiB", "", "export a part of it");
  return {window.at(), window.size()};
}

// The numbers of a repeated field: packed or one by one.
void addNumbers(const ProtoField& field, std::vector<uint64_t>& numbers) {
  if (field.isBytes)
    forEachPacked(field.bytes, [&](uint64_t value) { numbers.push_back(value); });
  else
    numbers.push_back(field.value);
}

// Numbers of fields are those of profile.proto (github.com/google/pprof/proto).
class PprofReader {
public:
  PprofReader(std::string_view bytes, TraceAssembly& assembly) : m_bytes(bytes), m_assembly(assembly) {}

  void read() {
    const bool whole = forEachField(m_bytes, [this](const ProtoField& field) { takeTable(field); });
    if (!whole) m_assembly.counts().mend(Mend::TornFile);
    if (m_types.size() > kMostPprofTypes) {
      m_assembly.counts().mend(Mend::ProfilesNotRead, int64_t(m_types.size() - kMostPprofTypes));
      m_types.resize(kMostPprofTypes);
    }
    for (std::size_t v = 0; v < m_types.size(); ++v) m_trees.emplace_back(m_assembly), m_nanoseconds.push_back(nanosecondsOf(v));
    forEachField(m_bytes, [this](const ProtoField& field) {
      if (field.number == 2 && field.isBytes) addSample(field.bytes);
    });
    const std::size_t first = defaultValue();
    if (first < m_trees.size()) layOut(first);
    for (std::size_t v = 0; v < m_trees.size(); ++v)
      if (v != first && !m_trees[v].isEmpty()) layOut(v);
  }

private:
  struct Location {
    uint64_t mapping = 0, address = 0;
    std::vector<uint64_t> functions; // innermost of the inlined functions first
  };

  // The value that pprof shows: the one that the file names, else the last. It is laid out first, because views show the first one.
  std::size_t defaultValue() const {
    std::size_t last = m_trees.size();
    for (std::size_t v = 0; v < m_trees.size(); ++v) {
      if (m_trees[v].isEmpty()) continue;
      last = v;
      if (m_default != 0 && text(m_types[v].first) == text(m_default)) break;
    }
    return last;
  }

  // Reads the tables first, because they may come after the samples that use them.
  void takeTable(const ProtoField& field) {
    if (field.number == 14 && !field.isBytes) m_default = field.value;
    if (!field.isBytes) return;
    uint64_t id = 0, first = 0, second = 0;
    Location location;
    const auto read = [&](uint32_t firstField, uint32_t secondField) {
      forEachField(field.bytes, [&](const ProtoField& f) {
        if (f.number == 1 && !f.isBytes) id = f.value;
        if (f.number == firstField && !f.isBytes) first = f.value;
        if (f.number == secondField && !f.isBytes) second = f.value;
      });
    };
    switch (field.number) {
    case 1: read(1, 2), m_types.emplace_back(first, second); break;
    case 3: read(5, 0), m_files[id] = first; break;
    case 5: read(2, 3), m_functions[id] = first != 0 ? first : second; break; // its name, else its system name
    case 6: m_texts.push_back(field.bytes); break;
    case 4:
      forEachField(field.bytes, [&](const ProtoField& f) {
        if (f.number == 1 && !f.isBytes) id = f.value;
        if (f.number == 2 && !f.isBytes) location.mapping = f.value;
        if (f.number == 3 && !f.isBytes) location.address = f.value;
        if (f.number == 4 && f.isBytes)
          forEachField(f.bytes, [&](const ProtoField& line) {
            if (line.number == 1 && !line.isBytes) location.functions.push_back(line.value);
          });
      });
      m_locations[id] = std::move(location);
      break;
    default: break;
    }
  }

  std::string text(uint64_t index) const { return index < m_texts.size() ? validUtf8(m_texts[index]) : std::string(); }

  uint32_t named(const std::string& name) { return m_assembly.string(name.empty() ? "(no name)" : name); }

  // Looked up by number, because many functions may share a text, which may be long.
  uint32_t namedText(uint64_t index) {
    const auto [known, isNew] = m_names.try_emplace(index, 0);
    if (isNew) known->second = named(text(index));
    return known->second;
  }

  // "0x4012 (libc.so)": a location without symbols.
  uint32_t addressOf(const Location& location) {
    const auto file = m_files.find(location.mapping);
    std::string_view path = file == m_files.end() || file->second >= m_texts.size() ? std::string_view() : m_texts[file->second];
    path = path.substr(path.rfind('/') + 1);
    const std::string address = fmt::format("0x{:x}", location.address);
    return named(path.empty() ? address : address + " (" + validUtf8(path.substr(0, kMostPprofLetters)) + ")");
  }

  // The frames of a location, outermost first.
  const std::vector<uint32_t>& framesOf(uint64_t id) {
    const auto [known, isNew] = m_frames.try_emplace(id);
    if (!isNew) return known->second;
    const auto found = m_locations.find(id);
    if (found == m_locations.end()) {
      m_assembly.counts().mend(Mend::UnknownNames);
      known->second = {named({})};
    } else if (found->second.functions.empty()) {
      known->second = {addressOf(found->second)};
    } else {
      for (auto function = found->second.functions.rbegin(); function != found->second.functions.rend(); ++function) {
        const auto name = m_functions.find(*function);
        known->second.push_back(name == m_functions.end() ? named({}) : namedText(name->second));
      }
    }
    return known->second;
  }

  void addSample(std::string_view sample) {
    std::vector<uint64_t> locations, values;
    forEachField(sample, [&](const ProtoField& field) {
      if (field.number == 1) addNumbers(field, locations);
      if (field.number == 2) addNumbers(field, values);
    });
    std::vector<uint32_t> frames;
    for (auto id = locations.rbegin(); id != locations.rend() && frames.size() <= kMostPprofFrames; ++id)
      for (const uint32_t frame : framesOf(*id)) {
        frames.push_back(frame);
        if (frames.size() > kMostPprofFrames) break; // the stack is cut after the loop
      }
    ImportCounts& counts = m_assembly.counts();
    ++counts.samples;
    if (frames.empty()) return counts.mend(Mend::SamplesWithoutStack);
    if (frames.size() > kMostPprofFrames) frames.resize(kMostPprofFrames), counts.mend(Mend::StacksCut);
    for (std::size_t v = 0; v < std::min(values.size(), m_trees.size()); ++v) {
      const auto value = int64_t(values[v]);
      if (value == 0) continue;
      // A difference of two profiles has values below 0.
      const std::size_t before = m_trees[v].nodes();
      if (value < 0 || value > std::numeric_limits<int64_t>::max() / m_nanoseconds[v] ||
          !m_trees[v].add(frames, {value * m_nanoseconds[v], 0}))
        counts.mend(Mend::WeightsNotNumbers);
      m_nodes += m_trees[v].nodes() - before;
    }
    if (m_nodes > 100'000 + kMostPprofFramesAByte * m_bytes.size())
      throw Error(ErrorCode::Unsupported, "the pprof profile has implausibly many stack frames for its file size", "",
                  "export a part of it");
  }

  int64_t nanosecondsOf(std::size_t value) const {
    const std::string unit = text(m_types[value].second);
    return unit == "nanoseconds"    ? 1
           : unit == "milliseconds" ? 1'000'000
           : unit == "seconds"      ? 1'000'000'000
                                    : kNanosecondsPerFoldedSample;
  }

  // Values of one unit share a process, so that bytes are not added to nanoseconds.
  void layOut(std::size_t value) {
    const std::string type = text(m_types[value].first), unit = text(m_types[value].second);
    const auto [process, isNew] = m_processes.try_emplace(unit, 0);
    if (isNew) process->second = m_assembly.addProcess("profile (" + unit + ")"), ++m_assembly.counts().processes;
    m_assembly.source().clock = "none", m_assembly.source().eventDuration = 0;
    m_trees[value].layOut(0, process->second, type, type + " (" + unit + ")", true);
    const bool isTime = m_nanoseconds[value] != kNanosecondsPerFoldedSample || unit == "microseconds";
    m_assembly.sink().add(
        ReportIssueRow{0, "notice", m_assembly.source().name,
                       "the stacks of “" + type + "” are side by side, not in time; in queries and exports " +
                           (isTime ? "they last as long as their value" : "a value of 1 (" + unit + ") lasts 1 µs"),
                       "read durations as shares", m_assembly.counts().samples});
  }

  std::string_view m_bytes;
  TraceAssembly& m_assembly;
  std::vector<std::pair<uint64_t, uint64_t>> m_types; // type, unit
  uint64_t m_default = 0;                             // text: the type of the value to show; 0: none
  std::vector<std::string_view> m_texts;
  std::unordered_map<uint64_t, uint64_t> m_files, m_functions; // names by id
  std::unordered_map<uint64_t, Location> m_locations;
  std::unordered_map<uint64_t, std::vector<uint32_t>> m_frames;
  std::map<std::string, std::size_t> m_processes; // by unit
  std::unordered_map<uint64_t, uint32_t> m_names; // by number of the text
  std::vector<FoldedTree> m_trees;                // by value
  std::vector<int64_t> m_nanoseconds;             // by value: nanoseconds in one unit
  std::size_t m_nodes = 0;                        // of all trees
};

} // namespace

// Writers put the fields in any order. So all fields in the head must fit profile.proto, and there must be a minimum number of
// its messages.
bool looksLikePprof(std::string_view head) {
  // By field number: whether the field holds bytes, and the largest field number inside its message (0: it is not a message).
  constexpr struct {
    bool isBytes;
    uint32_t mostInside;
  } kKnown[] = {{false, 0}, {true, 2},  {true, 3},  {true, 10}, {true, 5},  {true, 5},  {true, 0}, {false, 0},
                {false, 0}, {false, 0}, {false, 0}, {true, 2},  {false, 0}, {false, 0}, {false, 0}};
  int types = 0, messages = 0;
  bool fits = true;
  const bool whole = forEachField(head, [&](const ProtoField& field) {
    if (!fits) return;
    const bool isKnown = field.number > 0 && field.number < std::size(kKnown);
    const bool mayBePacked = field.number == 13; // comments
    fits = isKnown && (kKnown[field.number].isBytes == field.isBytes || mayBePacked);
    if (!fits || kKnown[field.number].mostInside == 0) return;
    fits = forEachField(field.bytes,
                        [&](const ProtoField& inside) {
                          fits = fits && inside.number > 0 && inside.number <= kKnown[field.number].mostInside;
                        }) &&
           fits && !field.bytes.empty();
    ++(field.number == 1 ? types : messages);
  });
  return fits && messages > 0 && (whole ? types + messages > 1 : messages > 2);
}

void readPprof(Window& window, TraceAssembly& assembly) { PprofReader(wholeProfile(window), assembly).read(); }

} // namespace reports::exchange
