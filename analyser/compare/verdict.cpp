#include "analyser/compare/verdict.h"

#include "analyser/compare/findings.h"
#include "analyser/session/format.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace analyser::compare {

namespace {

using summary::Summary;

// A setting that a report may state twice: as metadata (`key`) and as the sample's parameter that requested it (`parameter`).
struct SettingName {
  const char *key, *words, *parameter, *standard; // `standard`: the value if a report does not name the setting
};
constexpr SettingName kSettings[] = {{"batch_size", "batch", "batch", ""},
                                     {"iterations", "iterations", "iterations", ""},
                                     {"batches_per_step", "batches per step", "batches", "1"},
                                     {"micro_batches", "micro-batches", "accumulation", "1"},
                                     {"pipeline_stages", "pipeline stages", "", ""},
                                     {"replicas", "replicas", "", "1"},
                                     {"precision", "", "type", ""},
                                     {"recomputation", "recomputation", "recompute", ""},
                                     {"offload", "offloaded", "", ""},
                                     {"sharded_state", "sharded state", "", ""},
                                     {"kept_in_fp16", "in fp16", "", ""},
                                     {"io_tiles", "I/O tiles", "io-tiles", ""},
                                     {"linear_bytes", "least bytes of a tensor on a tile", "", "128"},
                                     {"available_memory", "available memory", "", "0.6"}};

std::string insteadOf(const std::string& other, const std::string& base) {
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("none") : printable(value); };
  return shown(other) + " instead of " + shown(base);
}

// The name of a machine without its I/O tiles and replicas: these are settings of the run.
std::string withoutSettings(std::string machine) {
  for (const std::string_view end : {" I/O tiles each IPU", " replicas"})
    if (machine.ends_with(end)) machine.resize(std::min(machine.size(), machine.rfind(", ")));
  return machine;
}

// The settings that differ, each once: "batch 64 instead of 16". For two different workloads, only settings that both have.
std::vector<std::string> settingsInWords(const Comparison& c, bool isOneWorkload) {
  const std::string parameter = "parameter.", variant = parameter + "variant";
  std::vector<std::string> words;
  std::set<std::string> said{parameter + "ipus", variant}; // already listed: IPUs with the machine, a variant by its settings
  for (const TextDifference& d : c.machine) {
    const std::string base = withoutSettings(d.base), other = withoutSettings(d.other);
    if (d.key == "machine" && base != other) words.push_back(insteadOf(other, base));
    if (d.key == "IPUs") words.push_back("IPUs " + insteadOf(other, base));
  }
  const auto say = [&](const TextDifference& d, std::string name, const std::string& standard) {
    if (!isOneWorkload && (d.base.empty() || d.other.empty())) return;
    if (!name.empty()) name += " ";
    words.push_back(name + insteadOf(d.other.empty() ? standard : d.other, d.base.empty() ? standard : d.base));
  };
  const auto find = [&](const std::string& key) {
    return std::find_if(c.metadata.begin(), c.metadata.end(), [&](const TextDifference& d) { return d.key == key; });
  };
  for (const SettingName& setting : kSettings) {
    const auto d = find(setting.key);
    if (d == c.metadata.end()) continue;
    say(*d, setting.words, setting.standard);
    said.insert(parameter + setting.parameter);
  }
  for (const TextDifference& d : c.metadata)
    if (isEffectiveOption(d.key)) say(d, printable(d.key.substr(kOption.size())), "");
  for (const TextDifference& d : c.metadata) {
    const bool isKnownToBoth = !d.base.empty() && !d.other.empty(); // a newer version may have added a parameter
    if (isKnownToBoth && d.key.starts_with(parameter) && !said.contains(d.key))
      say(d, printable(d.key.substr(parameter.size())), "");
  }
  if (const auto d = find(variant); words.empty() && d != c.metadata.end()) say(*d, "variant", "");
  return words;
}

const Figure& totalOf(const Comparison& c, std::string_view key) {
  return *std::find_if(c.totals.begin(), c.totals.end(), [&](const Figure& f) { return f.key == key; });
}

// Appends clauses to a sentence, separated by commas.
struct Clauses {
  Sentence& words;
  bool isFirst = true;

  void add(double relative, const char* before, const char* more, const char* less) {
    if (relative == 0) return;
    words << (isFirst ? "" : ", ") << before << Sentence::Percent{std::abs(relative)} << (relative > 0 ? more : less);
    isFirst = false;
  }
};

const char* fitInWords(const Comparison& c) {
  if (c.baseFits != c.otherFits) return c.otherFits ? "fits now" : "no longer fits";
  return c.otherFits ? "" : "neither fits";
}

void addTime(Clauses& to, const Comparison& c) {
  const Figure& total = totalOf(c, "total_cycles");
  const double cycles = total.relative().value_or(0), seconds = totalOf(c, "seconds").relative().value_or(0);
  constexpr double kNothing = 5e-4; // prints as 0.0 %
  // Runs of several batches take longer, so the figure per sample comes first.
  if (const auto perSample = total.relativePerSample()) {
    if (std::abs(*perSample) < kNothing && std::abs(cycles) > kNothing)
      to.words << "the same cycles per sample", to.isFirst = false;
    else
      to.add(*perSample, "per sample ", " more cycles", " fewer cycles");
    to.add(cycles, "in all ", " more", " fewer");
  } else {
    to.add(cycles, "", " more cycles", " fewer cycles");
  }
  // At the same clock, time and cycles are equivalent.
  if (std::abs(seconds - cycles) > 1e-9) to.add(seconds, "", " slower", " faster");
  const auto clock = std::find_if(c.machine.begin(), c.machine.end(), [](const TextDifference& d) { return d.key == "clock"; });
  if (clock == c.machine.end()) return;
  const Figure& time = totalOf(c, "seconds");
  to.words << (to.isFirst ? "" : " ") << "(" << insteadOf(formatSeconds(time.other), formatSeconds(time.base)) << " at "
           << insteadOf(clock->other, clock->base) << ")";
  to.isFirst = false;
}

double changeOnFullestTile(const Comparison& c) { return totalOf(c, "memory.max_tile_bytes").relative().value_or(0); }

void addTotals(Sentence& verdict, const Comparison& c) {
  if (const std::string fit = fitInWords(c); !fit.empty()) verdict << fit << ", ";
  Clauses clauses{verdict};
  addTime(clauses, c);
  clauses.add(changeOnFullestTile(c), "", " more on the fullest tile", " less on the fullest tile");
  if (clauses.isFirst) verdict << "same time and same memory";
}

Sentence settingsSentence(const std::vector<std::string>& words, std::size_t left) {
  Sentence settings;
  for (std::size_t i = 0; i < words.size(); ++i) settings << (i == 0 ? "" : ", ") << words[i];
  if (left > 0) settings << " and " << int64_t(left) << (left == 1 ? " more setting" : " more settings");
  if (!words.empty()) settings << ": ";
  return settings;
}

Sentence causeOf(const Comparison& c) {
  Sentence cause;
  if (c.findings.empty()) return cause;
  const Finding& first = c.findings.front();
  cause << (first.isChangedWork    ? "The work changed in "
            : first.standsOut == 0 ? "Largest cause: "
            : c.samplesDiffer()    ? "Not explained by the samples: "
                                   : "Unlike others of its kind: ");
  return cause.append(first.text);
}

// Memory, time and cause, a line each.
Sentence headlineOf(const Comparison& c, Sentence settings) {
  Sentence& lines = settings;
  const std::string fit = fitInWords(c);
  lines << fit;
  Clauses memory{lines, fit.empty()};
  memory.add(changeOnFullestTile(c), "", " more memory on the fullest tile", " less memory on the fullest tile");
  if (memory.isFirst) lines << "same memory on the fullest tile";
  Sentence time;
  Clauses clauses{time};
  addTime(clauses, c);
  lines << "\n"
        << "Time: ";
  if (clauses.isFirst) time << "same";
  lines.append(time);
  if (const Sentence cause = causeOf(c); !cause.empty()) (lines << "\n").append(cause);
  return lines;
}

// "mlp", or "Two workloads are compared, heat instead of mlp"; empty if a report does not name its workload.
std::string workloadsInWords(const std::string& base, const std::string& other) {
  if (base == other) return printable(base);
  return "Two workloads are compared, " + insteadOf(other, base);
}

// For two workloads: which, memory and time. Settings and causes of different programs explain little; the verdict has them.
Sentence headlineOfTwo(const Comparison& c, const std::string& base, const std::string& other) {
  Sentence headline;
  headline << "Two workloads, " + insteadOf(other, base) + ": ";
  Clauses memory{headline};
  memory.add(changeOnFullestTile(c), "", " more memory on the fullest tile", " less memory on the fullest tile");
  if (memory.isFirst) headline << "same memory on the fullest tile";
  if (const std::string fit = fitInWords(c); !fit.empty()) headline << ", " << fit;
  headline << "\n"
           << "Time: ";
  Sentence time;
  Clauses clauses{time};
  addTime(clauses, c);
  if (clauses.isFirst) time << "same";
  return headline.append(time);
}

} // namespace

void judge(Comparison& c, const Summary& a, const Summary& b) {
  const bool isBaseOfHost = a.machine.tiles() == 0, isOtherOfHost = b.machine.tiles() == 0;
  if (isBaseOfHost || isOtherOfHost) {
    c.verdict << (isBaseOfHost ? "The base" : "The other") << " is a trace of a host: it has no device to compare.";
    return;
  }
  if (c.empty()) {
    c.verdict << "No difference: both reports say the same.";
    return;
  }
  constexpr std::size_t kMostSettings = 3;
  const auto workload = [](const Summary& s) {
    const auto it = std::find_if(s.metadata.begin(), s.metadata.end(), [](const auto& fact) { return fact.first == "workload"; });
    return it == s.metadata.end() ? std::string() : it->second;
  };
  const std::string base = workload(a), other = workload(b);
  std::vector<std::string> words = settingsInWords(c, base == other);
  const std::size_t left = words.size() - std::min(words.size(), kMostSettings);
  words.resize(words.size() - left);
  if (const std::string work = workloadsInWords(base, other); !work.empty()) words.insert(words.begin(), work);
  c.verdict = settingsSentence(words, left);
  addTotals(c.verdict, c);
  if (const Sentence cause = causeOf(c); !cause.empty()) (c.verdict << ". ").append(cause);
  c.verdict << ".";
  c.headline = base == other ? headlineOf(c, settingsSentence(words, left)) : headlineOfTwo(c, base, other);
}

} // namespace analyser::compare
