// JavaScript profiles within a Chrome trace: an event Profile of the sampled thread, then events ProfileChunk with the same id,
// written by another thread. Old traces have one event CpuProfile.
#pragma once

#include "reports/exchange/chrome_event.h"
#include "reports/exchange/cpu_profile.h"

#include <map>
#include <string>

namespace reports::exchange {

class ChromeProfiles {
public:
  explicit ChromeProfiles(TraceAssembly& assembly) : m_assembly(assembly) {}
  static bool isProfile(const ChromeEvent& e) {
    return e.name.text == "Profile" || e.name.text == "ProfileChunk" || e.name.text == "CpuProfile";
  }
  // `process` is unique to a process; `track` belongs to the event's thread.
  void add(const ChromeEvent& e, const std::string& process, std::size_t track);
  // Adds a row of stacks for each sampled thread. Call it when the names of threads are known.
  void addTo();

private:
  struct Sampled {
    CpuProfile profile;
    std::size_t track = 0;
  };
  TraceAssembly& m_assembly;
  std::map<std::string, Sampled> m_profiles; // key: process and id of the profile
};

} // namespace reports::exchange
