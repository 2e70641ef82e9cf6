// The scripts that give a sweep to a scheduler: for people to read, edit and submit.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace app::cli {

enum class Scheduler { Slurm, Parallel, Kubernetes };

struct ScriptRequest {
  Scheduler scheduler = Scheduler::Slurm;
  std::filesystem::path manifest;      // absolute
  std::string program;                 // the tilescope-cli on the nodes
  std::vector<std::string> executable; // programs that the runs may start
  std::vector<std::string> readable;   // files and folders that the runs may read besides the manifest's own folder
  std::size_t runs = 0;                // number of runs in the manifest
  std::size_t count = 0;               // runs per task; 0: a default for the scheduler
  int most = 0;                        // tasks at the same time; 0: a default for the scheduler
};
std::string sweepScript(const ScriptRequest& request);

} // namespace app::cli
