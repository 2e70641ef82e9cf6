// The machines that findings propose, from resources/machines/machines.json, the simulator's own catalogue.
#pragma once

#include <string>
#include <string_view>

namespace analyser::insights {

struct CatalogueMachine {
  std::string name;
  int mostIpus = 1;   // largest number that a run can request
  std::string larger; // the machine with more IPUs; empty if this is the largest
  std::string next;   // the machine with the next chip generation; empty if this is the latest
};

// nullptr for a machine that is not in the catalogue: a report may come from another tool.
const CatalogueMachine* catalogueMachine(std::string_view name);

} // namespace analyser::insights
