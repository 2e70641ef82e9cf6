// Embeddings of a knowledge graph: entities sharded over the IPUs, which send each other the rows that their triples need.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample kge();

} // namespace simcore::samples
