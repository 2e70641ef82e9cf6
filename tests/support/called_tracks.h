// The tracks of a host timeline whose slices call one another.
#pragma once

#include "analyser/host/host_timeline.h"

#include <vector>

namespace tests {

inline std::vector<analyser::trace::CalledTrack> calledTracks(const analyser::host::HostTimeline& timeline) {
  std::vector<analyser::trace::CalledTrack> tracks;
  for (const auto& process : timeline.processes())
    for (const auto& thread : process.threads)
      if (!analyser::host::isWorkOfNoThread(thread)) tracks.push_back({thread.track, thread.depths});
  return tracks;
}

} // namespace tests
