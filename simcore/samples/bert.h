// BERT with its masked-language-model loss: embeddings, encoder layers, and a head whose weights are those of the embedding.
// The data are sentences of a small grammar that the sample makes, so that a loss has something to learn.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample bert();
Sample bertPipeline(); // the same over four IPUs

} // namespace simcore::samples
