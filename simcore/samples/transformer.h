// Blocks of a transformer: encoder layers as in BERT, decoder layers as in GPT-2. Activations are matrices [batch x sequence,
// hidden], so that every dense layer is one product. Attention is one grouped product, or one product per head.
#pragma once

#include "simcore/samples/network.h"

#include <span>

namespace simcore::samples {

struct TransformerShape {
  std::string gelu = "none"; // form of the activation: none (of erf) or tanh
  double dropout = 0;        // rate for the outputs of attention and feed-forward part, before each residual
  int64_t batch = 1, sequence = 128, hidden = 128, heads = 2, intermediate = 512;
  int64_t tokens() const { return batch * sequence; }
};

// Layers, hidden size and heads of a published size.
struct TransformerPreset {
  const char* name;
  int64_t layers, hidden, heads;
};
struct TransformerSize {
  TransformerShape block; // without dropout; `gelu` has its default
  int64_t layers = 2;
};
// Reads the parameters preset, layers, hidden and heads (0: those of the preset), batch and sequence. Throws Error(InvalidInput)
// if the heads do not divide the hidden size.
TransformerSize transformerSize(const Parameters& p, std::span<const TransformerPreset> presets);
// The value of a parameter, or `otherwise` if it is 0.
int64_t givenOr(const Parameters& p, const char* name, int64_t most, int64_t otherwise);

// Forms of attention with equal numbers but different work for the machine.
struct AttentionForm {
  bool fused = true;      // one product computes queries, keys and values; else three products
  bool grouped = true;    // all heads in one grouped product; else one product per head
  std::string mask;       // Bool [sequence, sequence]: true where a query reads a key; empty: all keys
  std::string subtracted; // [sequence, sequence], subtracted from the scores; empty: nothing
  // Sentence numbers of the tokens, int32 [batch, sequence]. A mask computed from them is added to the scores of every layer, as
  // in published programs. "": none.
  std::string sentences;
  bool packed = false; // a token reads only tokens of its own sentence; else tokens of number 0 are padding and are not read
  double dropout = 0;  // dropout rate of the attention weights
};

// The mask with which a token reads only itself and earlier tokens.
std::string causalMask(Network& net, int64_t sequence);
// The causal mask as numbers to subtract from scores: 0 where a query reads a key, 10,000 elsewhere.
std::string causalPenalty(Network& net, int64_t sequence);

std::string selfAttention(Network& net, const std::string& name, const std::string& x, const TransformerShape& shape,
                          const AttentionForm& form);
// Attention, then a feed-forward part of two dense layers with GELU; each has a residual and a layer norm after it.
std::string encoderLayer(Network& net, const std::string& name, const std::string& x, const TransformerShape& shape,
                         const AttentionForm& form);
// The same parts, each with a layer norm before it.
std::string decoderLayer(Network& net, const std::string& name, const std::string& x, const TransformerShape& shape,
                         const AttentionForm& form);

// The dropout rate if `training` is 1, else 0.
Parameter dropoutParameter(const std::string& value);
Parameter attentionDropoutParameter(const std::string& value);
double dropoutOf(const Parameters& parameters, const std::string& name);

// "separate" or "fused".
Parameter projectionParameter(const std::string& value);
bool fusedProjections(const Parameters& parameters);

} // namespace simcore::samples
