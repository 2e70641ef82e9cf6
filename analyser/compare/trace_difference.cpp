#include "analyser/compare/trace_difference.h"

#include "reports/core/categories.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <limits>
#include <map>

namespace analyser::compare {

namespace {

// Numbers for steps that both traces share, by path and kind of activity.
class StepNumbers {
public:
  std::size_t of(const std::string& path, uint8_t activity) {
    const auto [at, isNew] = m_numbers.try_emplace({path, activity}, m_paths.size());
    if (isNew) m_paths.push_back(path);
    return at->second;
  }
  const std::string& path(std::size_t number) const { return m_paths[number]; }
  std::size_t size() const { return m_paths.size(); }

private:
  std::map<std::pair<std::string, uint8_t>, std::size_t> m_numbers;
  std::vector<std::string> m_paths;
};

// Walks over the steps of one trace, in the same order each time.
class Steps {
public:
  Steps(trace::Slices& slices, StepNumbers& numbers, std::stop_token stop)
      : m_slices(slices), m_numbers(numbers), m_stop(std::move(stop)) {
    reports::Statement profiles(slices.session().reader().connection(),
                                "SELECT p.id, s.name_id FROM step_profile p JOIN program_step s ON s.id = p.program_step_id");
    while (profiles.step()) {
      int64_t profile = 0, name = 0;
      profiles.read(0, profile, "step_profile.id");
      profiles.read(1, name, "program_step.name_id");
      m_pathOfProfile[profile] = name;
    }
  }

  // f(number of the step, slice, track, depth)
  template<class F> void forEach(F&& f) {
    constexpr auto kScope = uint8_t(reports::Activity::Scope);
    for (const trace::Track& track : m_slices.tracks())
      for (int depth = 0; depth < track.depths; ++depth)
        m_slices.forEach(track.id, depth, m_slices.range(), m_stop, [&](const trace::Slice& s) {
          if (s.category != kScope) f(numberOf(s), s, track.id, depth);
        });
  }

private:
  std::size_t numberOf(const trace::Slice& s) {
    const std::pair key(s.ref >= 0 ? s.ref : -1 - int64_t(s.name.value()), s.category);
    const auto [at, isNew] = m_known.try_emplace(key, 0);
    if (!isNew) return at->second;
    const auto path = m_pathOfProfile.find(s.ref);
    const std::string text =
        path == m_pathOfProfile.end() ? m_slices.session().text(s.name) : m_slices.session().text(path->second);
    return at->second = m_numbers.of(text, s.category);
  }

  trace::Slices& m_slices;
  StepNumbers& m_numbers;
  std::stop_token m_stop;
  std::unordered_map<int64_t, int64_t> m_pathOfProfile;       // string ids
  std::map<std::pair<int64_t, uint8_t>, std::size_t> m_known; // by profile; by name if it has no profile
};

struct Growth {
  StepGrowth step;
  std::vector<uint32_t> before;                       // ticks of each execution in the base; at most 2^32 - 1
  int64_t most = std::numeric_limits<int64_t>::min(); // growth of the execution that grew most
  int64_t which = -1;                                 // its number
};

} // namespace

std::vector<StepGrowth> slowerSteps(trace::Slices& base, trace::Slices& other, std::stop_token stop) {
  StepNumbers numbers;
  std::vector<Growth> all;
  const auto of = [&](std::size_t number) -> Growth& {
    if (number >= all.size()) all.resize(number + 1);
    return all[number];
  };
  Steps before(base, numbers, stop), after(other, numbers, stop);
  before.forEach([&](std::size_t number, const trace::Slice& s, reports::TrackId, int) {
    Growth& g = of(number);
    g.step.base += s.duration(), ++g.step.baseCount;
    g.before.push_back(uint32_t(std::min<int64_t>(s.duration(), std::numeric_limits<uint32_t>::max())));
  });
  after.forEach([&](std::size_t number, const trace::Slice& s, reports::TrackId track, int depth) {
    Growth& g = of(number);
    const auto k = std::size_t(g.step.otherCount++);
    g.step.other += s.duration();
    const int64_t growth = s.duration() - (k < g.before.size() ? int64_t(g.before[k]) : 0);
    if (growth > g.most) g.most = growth, g.which = int64_t(k), g.step.inOther = {track, depth, s.ticks};
  });
  std::vector<int64_t> seen(all.size());
  before.forEach([&](std::size_t number, const trace::Slice& s, reports::TrackId track, int depth) {
    Growth& g = all[number];
    if (const int64_t wanted = std::min(g.which, g.step.baseCount - 1); seen[number]++ == wanted)
      g.step.inBase = {track, depth, s.ticks};
  });
  std::vector<StepGrowth> slower;
  for (std::size_t number = 0; number < all.size(); ++number) {
    if (all[number].step.difference() <= 0) continue;
    slower.push_back(std::move(all[number].step));
    slower.back().name = numbers.path(number);
  }
  std::sort(slower.begin(), slower.end(), [](const StepGrowth& a, const StepGrowth& b) {
    return std::pair(b.difference(), a.name) < std::pair(a.difference(), b.name);
  });
  return slower;
}

} // namespace analyser::compare
