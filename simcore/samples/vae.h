// Variational autoencoder with contrastive divergence: a Markov chain improves the codes of the encoder (Ruiz and Titsias 2019).
#pragma once

#include "simcore/samples/network.h"

namespace simcore::samples {

Sample vae();

struct VaeShape {
  int64_t batch, hidden, code, draws, leapfrogs;
  double step;
};
// Adds the model of the sample and its loss, for images [batch, 784] whose pixels are 0 or 1. The value "chain/end" has the codes
// at the end of the chain; the decoder is three dense layers, "decoder/layer1.weight" and so on.
void addVae(Network& net, const VaeShape& shape, const std::string& images);

} // namespace simcore::samples
