// BERT with its masked-language-model loss: embeddings, encoder layers, and a head with the weights of the embedding. The data
// are sentences of a small grammar, so a network can learn something from them.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample bert();
Sample bertPipeline(); // BERT as a pipeline of four IPUs

} // namespace simcore::samples
