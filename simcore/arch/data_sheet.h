// The peak rates of one IPU. `machines --json` lists them and every report holds them, so that other rates can be shown as shares
// of them.
#pragma once

#include "simcore/arch/machine.h"

namespace simcore::arch {

struct Peak {
  const char* key;   // of JSON and of the report's metadata, e.g. "exchange_bytes_per_second"
  const char* title; // for people
  double perSecond;  // bytes
};

// Memory: each tile loads two words of its data path and stores one per cycle. Exchange: each tile receives at the width of its
// bus. Links: from one IPU to one neighbour in one direction, with the efficiency that the model counts. Host and streaming
// memory share one connection.
std::vector<Peak> peaksOf(const Machine& machine);

} // namespace simcore::arch
