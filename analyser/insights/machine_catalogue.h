// The machines that findings propose, from resources/machines/machines.json: the catalogue that the simulator reads, too.
#pragma once

#include <string>
#include <string_view>

namespace analyser::insights {

struct CatalogueMachine {
  std::string name;
  int mostIpus = 1;   // that a run can ask for
  std::string larger; // the machine to take for more; empty if there is none
  std::string next;   // with the chip after its own; empty if there is none
};

// nullptr for a machine that is not in the catalogue: a report may come from another tool.
const CatalogueMachine* catalogueMachine(std::string_view name);

} // namespace analyser::insights
