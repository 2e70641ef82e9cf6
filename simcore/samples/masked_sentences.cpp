#include "simcore/samples/masked_sentences.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace simcore::samples {

using numerics::ElementType;
using numerics::HostTensor;

namespace {

constexpr int32_t kPadding = 0, kStart = 1, kSeparator = 2, kMask = 3;
constexpr int64_t kCircle = 64; // words the grammar knows

struct Walk { // a walk around the circle of words
  int64_t words, start, stride;
  int32_t word(int64_t i) const { return int32_t(kFirstWord + (start + i * stride) % words); }
};
Walk drawWalk(const SentenceShape& s, std::mt19937_64& random) {
  const int64_t words = std::min(kCircle, s.vocabulary - kFirstWord);
  const int64_t start = int64_t(random() % uint64_t(words));
  return {words, start, 1 + int64_t(random() % 2)};
}
std::mt19937_64 randomOf(uint64_t seed) { return std::mt19937_64(seed * 0x9e3779b97f4a7c15ull + 7); }

struct Sentences {
  std::vector<int32_t> tokens, segments, numbers, places, labels;
};

Sentences draw(const SentenceShape& s, uint64_t seed) {
  std::mt19937_64 random = randomOf(seed);
  const auto below = [&](int64_t n) { return int64_t(random() % uint64_t(n)); };
  Sentences all;
  for (int64_t b = 0; b < s.batch; ++b) {
    Walk walk = drawWalk(s, random);
    const int64_t length = s.padded ? std::max(s.masked, s.sequence - below(s.sequence / 4 + 1)) : s.sequence;
    std::vector<int32_t> sentence;
    for (int64_t i = 0, number = 1; i < s.sequence; ++i) {
      if (i * s.sentences >= number * s.sequence) walk = drawWalk(s, random), ++number;
      sentence.push_back(i < length ? walk.word(i) : kPadding);
      all.numbers.push_back(i < length ? int32_t(number) : 0);
    }
    std::vector<int64_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    for (int64_t m = 0; m < s.masked; ++m) {
      std::swap(order[std::size_t(m)], order[std::size_t(m + below(length - m))]);
      const int64_t at = order[std::size_t(m)];
      all.places.push_back(int32_t(b * s.sequence + at));
      int32_t& word = sentence[std::size_t(at)];
      all.labels.push_back(word);
      const int64_t fate = below(10);
      if (fate < 8)
        word = kMask;
      else if (fate == 8)
        word = int32_t(kFirstWord + below(walk.words));
    }
    all.tokens.insert(all.tokens.end(), sentence.begin(), sentence.end());
    for (int64_t i = 0; i < s.sequence; ++i) all.segments.push_back(i < s.sequence / 2 ? 0 : 1);
  }
  return all;
}

} // namespace

std::map<std::string, HostTensor> maskedSentences(const SentenceShape& s, uint64_t seed) {
  const auto later = [&](numerics::Shape shape, std::vector<int32_t> Sentences::*part) {
    return HostTensor::deferred(ElementType::Int32, shape,
                                [s, seed, shape, part] { return HostTensor::of<int32_t>(shape, draw(s, seed).*part); });
  };
  return {{"tokens", later({s.batch, s.sequence}, &Sentences::tokens)},
          {"segments", later({s.batch, s.sequence}, &Sentences::segments)},
          {"sentences", later({s.batch, s.sequence}, &Sentences::numbers)},
          {"maskedPlaces", later({s.batch * s.masked}, &Sentences::places)},
          {"labels", later({s.batch * s.masked}, &Sentences::labels)}};
}

namespace {
struct Questions {
  std::vector<int32_t> tokens, segments, numbers, starts, ends;
};

Questions ask(const SentenceShape& s, uint64_t seed) {
  std::mt19937_64 random = randomOf(seed);
  const auto below = [&](int64_t n) { return int64_t(random() % uint64_t(n)); };
  Questions all;
  for (int64_t b = 0; b < s.batch; ++b) {
    const Walk walk = drawWalk(s, random);
    const int64_t text = s.sequence - kBeforeText, length = s.padded ? text - below(text / 4 + 1) : text;
    const int32_t word = walk.word(below(length));
    int64_t first = 0; // position of the first token; a text may go around the circle more than once
    while (walk.word(first) != word) ++first;
    all.tokens.insert(all.tokens.end(), {kStart, word, kSeparator});
    for (int64_t i = 0; i < text; ++i) all.tokens.push_back(i < length ? walk.word(i) : kPadding);
    for (int64_t i = 0; i < s.sequence; ++i) {
      all.segments.push_back(i < kBeforeText ? 0 : 1);
      all.numbers.push_back(i < kBeforeText + length ? 1 : 0);
    }
    all.starts.push_back(int32_t(kBeforeText + first));
    all.ends.push_back(int32_t(kBeforeText + std::min(first + kAnswer, length) - 1));
  }
  return all;
}
} // namespace

std::map<std::string, HostTensor> questions(const SentenceShape& s, uint64_t seed) {
  const auto later = [&](numerics::Shape shape, std::vector<int32_t> Questions::*part) {
    return HostTensor::deferred(ElementType::Int32, shape,
                                [s, seed, shape, part] { return HostTensor::of<int32_t>(shape, ask(s, seed).*part); });
  };
  return {{"tokens", later({s.batch, s.sequence}, &Questions::tokens)},
          {"segments", later({s.batch, s.sequence}, &Questions::segments)},
          {"sentences", later({s.batch, s.sequence}, &Questions::numbers)},
          {"startPlaces", later({s.batch}, &Questions::starts)},
          {"endPlaces", later({s.batch}, &Questions::ends)}};
}

std::map<std::string, HostTensor> continuedSentences(const SentenceShape& s, uint64_t seed) {
  const auto words = [s, seed](int64_t first) {
    std::mt19937_64 random = randomOf(seed);
    std::vector<int32_t> all;
    for (int64_t b = 0; b < s.batch; ++b) {
      const Walk walk = drawWalk(s, random);
      for (int64_t i = 0; i < s.sequence; ++i) all.push_back(walk.word(first + i));
    }
    return all;
  };
  const auto later = [&](numerics::Shape shape, int64_t first) {
    return HostTensor::deferred(ElementType::Int32, shape,
                                [words, shape, first] { return HostTensor::of<int32_t>(shape, words(first)); });
  };
  return {{"tokens", later({s.batch, s.sequence}, 0)}, {"labels", later({s.batch * s.sequence}, 1)}};
}

} // namespace simcore::samples
