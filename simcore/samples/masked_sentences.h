// Sentences of a small grammar for language models of samples, with masked words, a next word or a question: every sentence walks
// through a circle of words in equal strides, so that a word follows from its neighbours.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <map>
#include <string>

namespace simcore::samples {

inline constexpr int64_t kFirstWord = 4; // 0 to 3: padding, start, separator, mask

struct SentenceShape {
  int64_t batch = 1, sequence = 1, masked = 1, vocabulary = 8;
  int64_t sentences = 1; // number of consecutive sentences in a row
  bool padded = false;   // rows end after three quarters or more
};
// Inputs "tokens", "segments" and "sentences" (the number of a token's sentence, from 1; 0: padding) [batch, sequence], "maskedPlaces" (in
// the flattened tokens) and "labels" [batch x masked], all int32 and made when read. The same seed gives the same. Of the masked words 80 %
// became the mask, 10 % another word.
std::map<std::string, numerics::HostTensor> maskedSentences(const SentenceShape& shape, uint64_t seed);
// Inputs "tokens" [batch, sequence] and "labels" [batch x sequence], the word that follows each.
std::map<std::string, numerics::HostTensor> continuedSentences(const SentenceShape& shape, uint64_t seed);
// Inputs "tokens", "segments", "sentences" as above, "startPlaces" and "endPlaces" [batch]: a row is the start token, a word, the separator
// and a text; the answer begins at the first place of the word in the text, and takes up to kAnswer words.
inline constexpr int64_t kBeforeText = 3, kAnswer = 3;
std::map<std::string, numerics::HostTensor> questions(const SentenceShape& shape, uint64_t seed);

} // namespace simcore::samples
