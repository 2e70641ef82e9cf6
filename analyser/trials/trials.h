// Changes of a run that may improve a report, each defined once: its title, its options, and a default reason. Insights offer the
// trials for a finding; the button "Try" of a view offers the trials that apply to the report.
#pragma once

#include "analyser/session/session.h"

#include <string>
#include <vector>

namespace analyser::trials {

// A run that shows whether a change helps: words for `tilescope-cli run`, added after those of the report's run.
struct Trial {
  std::string title;                // "Half precision"
  std::vector<std::string> options; // --precision fp16
  std::string why;                  // one sentence

  Trial because(std::string reason) && {
    why = std::move(reason);
    return std::move(*this);
  }
};

// The value of --available-memory in lessRoom(): half of the default.
inline constexpr double kLessRoom = 0.3;

Trial halfPrecision();
Trial recompute();
Trial lessRoom();
Trial halfSums();
Trial halfState();
Trial offloadState();
Trial offloadWeights();
Trial offloadStateAndWeights();
Trial keepOnChip();
Trial shardState();
Trial ioTiles();
Trial moreBatchesARun();
Trial spreadWider();
Trial spreadWide();
Trial fewerFullerTiles();
Trial pipelineOf(int stages);                 // on the present number of IPUs
Trial balancedStages(const std::string& cut); // "layers:2,2,2,2"
Trial replicasOf(int64_t replicas);
Trial microBatchesOf(int64_t count);
Trial batchOf(int64_t samples);

// Whether the report is of a program that `run` started. Trials do not apply: the program itself decides what their options set.
bool isOfProgram(const Session& session);
// Whether the report is of a model: only then does it have the samples of a micro-batch. Options that place a model need one.
bool isModel(const Session& session);
// Whether the report is of a training run, by its metadata or its command.
bool trains(const Session& session);

// The figure that a trial should lower.
enum class Goal { Memory, Cycles };
// The trials for a report, largest saving first. If the goal is memory, or the program does not fit, no trial takes more memory.
// The list depends on the precision, on whether the run trains, and on its options. A sample that places its work itself has
// trials of its own parameters; all other trials are for models.
std::vector<Trial> trialsOf(const Session& session, Goal goal);

} // namespace analyser::trials
