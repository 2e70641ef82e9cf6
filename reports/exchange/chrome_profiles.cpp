#include "reports/exchange/chrome_profiles.h"

namespace reports::exchange {

void ChromeProfiles::add(const ChromeEvent& e, const std::string& process, std::size_t track) {
  const std::string key = process + '\x1f' + std::string(e.id ? e.id.text : e.id2.text);
  auto found = m_profiles.find(key);
  if (found == m_profiles.end()) found = m_profiles.emplace(key, Sampled{CpuProfile(m_assembly), track}).first;
  Sampled& sampled = found->second;
  if (e.name.text != "ProfileChunk") sampled.track = track;
  const JsonToken data = memberOf(e.args.text, "data");
  if (const JsonToken start = memberOf(data.text, "startTime")) sampled.profile.setStart(start);
  if (const JsonToken nodes = memberOf(data.text, "cpuProfile")) sampled.profile.add(nodes.text);
  if (memberOf(data.text, "timeDeltas")) sampled.profile.add(data.text);
}

void ChromeProfiles::addTo() {
  for (auto& [key, sampled] : m_profiles) {
    if (sampled.profile.isEmpty()) {
      m_assembly.counts().mend(Mend::ProfilesNotRead);
      continue;
    }
    const TraceTrack& thread = m_assembly.tracks()[sampled.track];
    const std::size_t track = m_assembly.addTrack(thread.process, "call stacks of " + thread.name, thread.tid);
    m_assembly.tracks()[track].sortOrder = m_assembly.tracks()[sampled.track].sortOrder;
    sampled.profile.addTo(track, false);
  }
}

} // namespace reports::exchange
