// Variational autoencoder with contrastive divergence: a Markov chain improves the samples of the encoder (Ruiz and Titsias 2019).
#pragma once

#include "simcore/samples/network.h"

namespace simcore::samples {

Sample vae();

struct VaeShape {
  int64_t batch, hidden, code, draws, leapfrogs;
  double step;
};
// The model of the sample with its loss, from images [batch, 784] whose pixels are 0 or 1. The codes at the end of the chain are the value
// "chain/end"; the decoder is three dense layers, "decoder/layer1.weight" and so on.
void addVae(Network& net, const VaeShape& shape, const std::string& images);

} // namespace simcore::samples
