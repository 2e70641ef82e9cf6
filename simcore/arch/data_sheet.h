// The peaks of one IPU of a machine, per second: what `machines --json` lists and every report holds, so that shares of them can be shown.
#pragma once

#include "simcore/arch/machine.h"

namespace simcore::arch {

struct Peak {
  const char* key;   // of JSON and of the report's metadata, e.g. "exchange_bytes_per_second"
  const char* title; // for people
  double perSecond;  // bytes
};

// Memory: each tile loads two words of its data path and stores one per cycle. Exchange: each tile receives at the width of its bus. Links:
// to one neighbour, one direction, with the efficiency that the model counts. Host and streaming memory share one way.
std::vector<Peak> peaksOf(const Machine& machine);

} // namespace simcore::arch
