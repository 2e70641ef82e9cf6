// The best of several reports: the one with the least time, and the one with the smallest peak tile.
#include "analyser/compare/compare.h"
#include "analyser/session/format.h"

#include <algorithm>

namespace analyser::compare {

namespace {

struct Entry {
  std::string name;
  double value = 0;
  bool fits = true; // a program that does not fit has no result
};

const Figure* figureOf(const Comparison& c, std::string_view key) {
  const auto it = std::find_if(c.totals.begin(), c.totals.end(), [&](const Figure& f) { return f.key == key; });
  return it == c.totals.end() || !it->missing.empty() ? nullptr : &*it;
}

// The reports with this figure, the base first; empty if the base lacks the figure.
std::vector<Entry> entriesOf(const std::vector<Comparison>& all, std::string_view key, bool perSample) {
  std::vector<Entry> entries;
  for (const Comparison& c : all)
    if (const Figure* f = figureOf(c, key)) {
      if (entries.empty()) entries.push_back({c.base.fileName, perSample ? *f->basePerSample : f->base, c.baseFits});
      entries.push_back({c.other.fileName, perSample ? *f->otherPerSample : f->other, c.otherFits});
    }
  return entries;
}

const Entry* least(const std::vector<Entry>& entries) {
  const Entry* best = nullptr;
  for (const Entry& e : entries)
    if (e.fits && (!best || e.value < best->value)) best = &e;
  return best;
}

// Adds e.g. "mlp.tsr" as the best report, its value "1.2 us", and the reduction against the base.
void add(Sentence& sentence, const std::vector<Entry>& entries, const char* does, const std::string& amount) {
  const Entry &best = *least(entries), &base = entries.front();
  sentence << Sentence::Name{printable(best.name)} << does << amount;
  if (&best == &base)
    sentence << " (the base)";
  else if (base.value > best.value && base.fits)
    sentence << " (" << Sentence::Percent{1 - best.value / base.value} << " less than the base)";
}

} // namespace

Sentence verdictOfAll(const std::vector<Comparison>& all) {
  const bool perSample = std::all_of(all.begin(), all.end(), [](const Comparison& c) {
    const Figure* f = figureOf(c, "seconds");
    return f && f->basePerSample && f->otherPerSample;
  });
  const auto times = entriesOf(all, "seconds", perSample), tiles = entriesOf(all, "memory.max_tile_bytes", false);
  Sentence sentence;
  if (all.empty() || !least(times) || !least(tiles)) return sentence;
  sentence << "Of " << int64_t(all.size() + 1) << " reports ";
  add(sentence, times, perSample ? " takes the least time per sample, " : " takes the least time, ",
      formatSeconds(least(times)->value));
  sentence << "; ";
  add(sentence, tiles, " fills its fullest tile least, ", formatBytes(Bytes(int64_t(least(tiles)->value))));
  const auto tooLarge = std::count_if(tiles.begin(), tiles.end(), [](const Entry& e) { return !e.fits; });
  if (tooLarge > 0) sentence << "; " << int64_t(tooLarge) << (tooLarge == 1 ? " does not fit" : " do not fit");
  return sentence << ".";
}

} // namespace analyser::compare
