#include "reports/exchange/perfetto_sequence.h"

#include "reports/core/text.h"
#include "reports/exchange/details_json.h"

namespace reports::exchange {

namespace {

// SourceLocation as JSON.
std::pair<uint64_t, std::string> sourceOf(std::string_view bytes) {
  std::pair<uint64_t, std::string> source;
  forEachField(bytes, [&](const ProtoField& f) {
    if (f.number == 1) source.first = f.value;
    if (f.number == 2 && f.isBytes) addMember(source.second, "file", quotedJson(f.bytes));
    if (f.number == 3 && f.isBytes) addMember(source.second, "function", quotedJson(f.bytes));
    if (f.number == 4 && !f.isBytes) addMember(source.second, "line", std::to_string(uint32_t(f.value)));
  });
  return source;
}

// The event that perf samples count: "cpu-clock", "page-faults" or a custom name.
std::string timebaseName(std::string_view timebase) {
  static const char* const counters[] = {"",
                                         "cpu-clock",
                                         "page-faults",
                                         "task-clock",
                                         "context-switches",
                                         "cpu-migrations",
                                         "minor-faults",
                                         "major-faults",
                                         "alignment-faults",
                                         "emulation-faults",
                                         "cycles",
                                         "instructions",
                                         "cache-references",
                                         "cache-misses",
                                         "branches",
                                         "branch-misses",
                                         "bus-cycles",
                                         "stalled-cycles-frontend",
                                         "stalled-cycles-backend",
                                         "ref-cycles"};
  std::string name;
  forEachField(timebase, [&](const ProtoField& f) {
    if (f.number == 4 && !f.isBytes && f.value < std::size(counters) && name.empty()) name = counters[f.value];
    if (f.number == 10 && f.isBytes) name = validUtf8(f.bytes);
    if (f.number == 3 && f.isBytes && name.empty())
      forEachField(f.bytes, [&](const ProtoField& t) {
        if (t.number == 1 && t.isBytes) name = validUtf8(t.bytes);
      });
  });
  return name;
}

} // namespace

void PerfettoSequence::addInterned(std::string_view interned) {
  forEachField(interned, [&](const ProtoField& f) {
    auto* into = f.number == 1    ? &names.categories
                 : f.number == 2  ? &names.events
                 : f.number == 3  ? &names.annotations
                 : f.number == 29 ? &names.strings
                 : f.number == 20 ? &logBodies
                 : f.number == 43 ? &correlations
                 : f.number == 24 ? &gpuStages
                                  : nullptr;
    if (!f.isBytes) return;
    if (into) {
      auto [iid, text] = internedText(f.bytes);
      (*into)[iid] = std::move(text);
      return;
    }
    if (f.number == 4) {
      auto [iid, source] = sourceOf(f.bytes);
      sources[iid] = std::move(source);
    } else if (f.number == 23) {
      uint64_t iid = 0;
      forEachField(f.bytes, [&](const ProtoField& c) {
        if (c.number == 1) iid = c.value;
        if (c.number == 2) graphicsContexts[iid] = int64_t(int32_t(c.value));
      });
    } else if (f.number == 47) {
      uint64_t iid = 0;
      forEachField(f.bytes, [&](const ProtoField& c) {
        if (c.number == 1) iid = c.value;
        if (c.number == 2 && c.isBytes) gpuCounters[iid] = std::string(c.bytes);
      });
    } else {
      stacks.add(f);
    }
  });
}

void PerfettoSequence::addDefaults(std::string_view defaults) {
  forEachField(defaults, [&](const ProtoField& f) {
    if (f.number == 58) clock = uint32_t(f.value);
    if (f.number == 12 && f.isBytes)
      forEachField(f.bytes, [&](const ProtoField& s) {
        if (s.number == 1 && s.isBytes) sampled = timebaseName(s.bytes);
      });
    if (f.number != 11 || !f.isBytes) return;
    extraCounters.clear();
    extraRealCounters.clear();
    forEachField(f.bytes, [&](const ProtoField& d) {
      const auto into = [&](std::vector<uint64_t>& list) {
        d.isBytes ? forEachPacked(d.bytes, [&](uint64_t v) { list.push_back(v); }) : list.push_back(d.value);
      };
      if (d.number == 11) track = d.value;
      if (d.number == 31) into(extraCounters);
      if (d.number == 45) into(extraRealCounters);
    });
  });
}

} // namespace reports::exchange
