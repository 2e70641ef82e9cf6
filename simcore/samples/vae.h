// Variational autoencoder with contrastive divergence: a Markov chain improves what the encoder draws (Ruiz and Titsias 2019).
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample vae();

} // namespace simcore::samples
