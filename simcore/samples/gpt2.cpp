#include "simcore/samples/gpt2.h"

#include "reports/core/text.h"
#include "simcore/samples/masked_sentences.h"
#include "simcore/samples/transformer.h"

#include <fmt/format.h>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;

namespace {

struct GptShape {
  TransformerShape block;
  int64_t layers = 2, vocabulary = 50'257;
};

// Published sizes: Radford et al. 2019; tiny is BERT's.
constexpr TransformerPreset kGptPresets[] = {
    {"tiny", 2, 128, 2}, {"small", 12, 768, 12}, {"medium", 24, 1024, 16}, {"large", 36, 1280, 20}};

GptShape gptShape(const Parameters& p) {
  const TransformerSize size = transformerSize(p, kGptPresets);
  GptShape s;
  s.block = size.block, s.layers = size.layers;
  s.block.gelu = "tanh";
  s.block.dropout = dropoutOf(p, "dropout");
  s.vocabulary = p.integer("vocabulary", kFirstWord + 2, 1 << 22);
  return s;
}

graph::Workload buildGpt2(const Parameters& p, const BuildOptions& o) {
  const GptShape s = gptShape(p);
  const TransformerShape& b = s.block;
  Network net("gpt2", uint64_t(o.seed) + 71);
  model::GraphBuilder& g = net.graph();
  const std::string words = net.parameter("embeddings/words.weight", {s.vocabulary, b.hidden}, 816),
                    tokens = net.input("tokens", ElementType::Int32, {b.batch, b.sequence});
  const std::string places = net.parameter("embeddings/positions.weight", {b.sequence, b.hidden}, 2500);
  std::string x = net.sum("embeddings/addPositions", net.embedding("embeddings/words", words, tokens), places);
  x = net.dropout("embeddings/dropout", g.reshape(x, {b.tokens(), b.hidden}), b.dropout);
  AttentionForm form;
  form.fused = fusedProjections(p);
  form.dropout = dropoutOf(p, "attention-dropout");
  form.mask = p.choice("attention", {"causal", "full"}) == "causal" ? causalMask(net, b.sequence) : "";
  for (int64_t i = 0; i < s.layers; ++i) x = decoderLayer(net, "layer" + std::to_string(i), x, b, form);
  const std::string scores = g.add("Gemm", {net.layerNorm("head/norm", x), words}, attributes({{"transB", int64_t(1)}}),
                                   "head/decoder"),
                    labels = net.input("labels", ElementType::Int32, {b.tokens()});
  net.lossOf(scores, labels);
  const SentenceShape text{b.batch, b.sequence, 1, s.vocabulary};
  graph::Workload load =
      workloadOf(net, p, o, [&](int64_t i) { return continuedSentences(text, uint64_t(o.seed * 100'000 + i)); });
  load.title =
      fmt::format("GPT-2 {}, hidden {}, {}, batch {} x {} tokens{}", reports::counted(s.layers, "layer"), b.hidden,
                  reports::counted(b.heads, "head"), b.batch, b.sequence, p.text("training") == "0" ? ", forward only" : "");
  return load;
}

} // namespace

Sample gpt2() {
  Sample s;
  s.name = "gpt2";
  s.title = "GPT-2 in training";
  s.text = "Decoder layers with causal attention: a token reads those before it, all scores are computed and half of them thrown "
           "away. "
           "Every token has a next one to guess, so the product with the table of words has a row for each: in the tiny preset "
           "operations of the head and the loss are most of the cycles, and scores of 50,257 words a token are the peak in "
           "Liveness. Set "
           "attention=full to see what the mask costs: one selection of each layer's scores, and one of their gradients. Presets "
           "small and "
           "more want {option precision} fp16 and several IPUs, with embedding and head on the first: {option pipeline} 5 "
           "{option shard} "
           "layers:0,4,4,4,0@0 for the small one.";
  s.parameters = {{"preset", "tiny",
                   "tiny (2 layers, hidden 128, 2 heads), small (12, 768, 12), medium (24, 1024, 16) or large (36, 1280, 20)"},
                  {"layers", "0", "decoder layers; 0: the preset's"},
                  {"hidden", "0", "hidden size, a multiple of the heads; 0: the preset's"},
                  {"heads", "0", "attention heads; 0: the preset's"},
                  {"sequence", "128", "tokens of a sequence"},
                  {"batch", "1", "sequences of a micro-batch"},
                  {"vocabulary", "50257", "words"},
                  {"attention", "causal", "causal: a token reads itself and those before it; full: all"},
                  dropoutParameter("0.1"),
                  attentionDropoutParameter("0.1"),
                  projectionParameter("fused")};
  // The scale keeps gradients in the range of fp16.
  for (Parameter& parameter : trainingParameters("adamw", "0.001")) s.parameters.push_back(std::move(parameter));
  for (Parameter& parameter : s.parameters)
    if (parameter.name == "loss-scale") parameter.defaultValue = "128";
  s.build = buildGpt2;
  s.distributes = true;
  s.variant = {"naive",
               {{"projections", "separate"}},
               "Three products make queries, keys and values instead of one: the input is exchanged three times, and none of the "
               "products is wide enough for all tiles. Cycles rise.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
