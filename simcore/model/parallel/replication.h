// Data-parallel replicas: the same program on IPUs of their own, each with its own part of the data. They are identical, so
// one is simulated on a machine of its IPUs alone, and the machine remembers how many there are: collectives count the
// traffic of all of them.
#pragma once

#include "simcore/arch/machine.h"

namespace simcore::model {

// The machine of one of `replicas` replicas. With `stages` > 0 a replica is a pipeline of that many IPUs. Throws
// Error(InvalidInput) unless replicas x IPUs of one are the machine's IPUs.
arch::Machine replicaOf(arch::Machine machine, int replicas, int stages);

} // namespace simcore::model
