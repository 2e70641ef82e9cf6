// Sentences of a small grammar for the language models of samples, with masked words, a next word or a question. Every sentence
// steps around a circle of words with a constant stride, so that a word follows from its neighbours.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <map>
#include <string>

namespace simcore::samples {

inline constexpr int64_t kFirstWord = 4; // 0 to 3: padding, start, separator, mask

struct SentenceShape {
  int64_t batch = 1, sequence = 1, masked = 1, vocabulary = 8;
  int64_t sentences = 1; // number of consecutive sentences in a row
  bool padded = false;   // rows end after at least three quarters
};
// Inputs, all int32 and made when read: "tokens", "segments" and "sentences" (the number of a token's sentence, from 1; 0:
// padding) [batch, sequence], "maskedPlaces" (positions in the flattened tokens) and "labels" [batch x masked]. The same seed
// gives the same sentences. 80 % of the masked words are replaced by the mask, 10 % by another word.
std::map<std::string, numerics::HostTensor> maskedSentences(const SentenceShape& shape, uint64_t seed);
// Inputs "tokens" [batch, sequence] and "labels" [batch x sequence], the word that follows each.
std::map<std::string, numerics::HostTensor> continuedSentences(const SentenceShape& shape, uint64_t seed);
// Inputs "tokens", "segments", "sentences" as above, "startPlaces" and "endPlaces" [batch]. A row is the start token, a word, the
// separator and a text. The answer begins at the word's first position in the text and has up to kAnswer words.
inline constexpr int64_t kBeforeText = 3, kAnswer = 3;
std::map<std::string, numerics::HostTensor> questions(const SentenceShape& shape, uint64_t seed);

} // namespace simcore::samples
