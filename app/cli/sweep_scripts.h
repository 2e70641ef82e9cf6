// The text that hands a sweep to a scheduler: for people to read, edit and submit.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace app::cli {

enum class Scheduler { Slurm, Parallel, Kubernetes };

struct ScriptRequest {
  Scheduler scheduler = Scheduler::Slurm;
  std::filesystem::path manifest; // absolute
  std::string program;            // the tilescope-cli that the nodes have
  std::size_t runs = 0;           // of the manifest
  std::size_t count = 0;          // runs of a task; 0: as the scheduler does best
  int most = 0;                   // tasks at a time; 0: as the scheduler does best
};
std::string sweepScript(const ScriptRequest& request);

} // namespace app::cli
