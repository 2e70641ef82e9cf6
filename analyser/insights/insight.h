// One finding of a rule: the problem and its location, its cost, the confidence, its evidence and what to try. A value type, so
// that the command line, the window and tests read the same data.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/session/session.h"
#include "analyser/trials/trials.h"
#include "reports/core/range.h"

#include <string>
#include <vector>

namespace analyser::insights {

// How reliable the saving is.
enum class Confidence {
  High,   // the report counts it, and the change removes exactly that
  Medium, // an upper bound: the saving depends on how well the change works
  Low,    // a rule of thumb
};
std::string_view confidenceName(Confidence confidence); // "high", "medium", "low"

// The view that shows the finding, and its selection there. Invalid ids select nothing.
struct Evidence {
  std::string view; // id of a view: memory, liveness, program, operations, trace
  std::vector<TileId> tiles = {};
  reports::ProgramStepId step = {};
  reports::VariableId variable = {};
  reports::OperationId operation = {}; // set because several operations may share the step
  std::string words = {};              // "tile 0 in Memory"
  std::string tab = {};                // id of a tab in the view; empty: the current one
};

using trials::Trial;

// One line of the parts of the finding: "Internal exchange code  +12.0 KiB".
struct Part {
  std::string name;
  Sentence::Part amount; // Bytes, Cycles, Percent or a count
};

struct Insight {
  std::string rule;       // id, "memory.fullest-tiles": from the table of rules
  std::string title;      // for people: "Fullest tiles"; from the table unless the rule gives a narrower one
  Sentence what;          // one sentence with the numbers
  std::string where;      // operation, step, variable or tile: foreign text
  Bytes bytes;            // possible saving; 0: the finding saves time instead
  bool lacks = false;     // true: `bytes` are missing for the program to run, they are not a saving
  bool onOneTile = false; // true: on the fullest tile; false: over all tiles
  Cycles cycles;          // possible saving in the run
  double share = 0;       // share of the memory (of a tile, an IPU or all tiles) or of the run
  Confidence confidence = Confidence::Medium;
  Evidence evidence;
  std::vector<Part> parts;
  std::vector<std::string> advice; // what to try, most promising first
  std::vector<Trial> trials;       // empty: no option of a run addresses the problem

  bool savesMemory() const { return bytes > Bytes(); }
};

} // namespace analyser::insights
