#include "simcore/samples/gpt2.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "simcore/samples/masked_sentences.h"
#include "simcore/samples/transformer.h"

#include <fmt/format.h>

#include <numeric>

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

// Reads a parameter that cuts something into equal parts; it must divide `whole`.
int64_t numberOfParts(const Parameters& p, const std::string& name, int64_t whole, const std::string& what) {
  const int64_t parts = p.integer(name, 1, whole);
  if (whole % parts)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         fmt::format("{} {} cannot be cut into {} equal parts", whole, what, parts),
                         reports::option("set") + " " + name, fmt::format("give a number that divides the {}", what));
  return parts;
}

// The positions 0, 1, 2 … of the tokens of a sequence.
std::string countedTokens(Network& net, int64_t sequence) {
  std::vector<int32_t> numbers(static_cast<std::size_t>(sequence));
  std::iota(numbers.begin(), numbers.end(), 0);
  return net.graph().constant("places", numerics::HostTensor::of<int32_t>({sequence}, numbers));
}

std::vector<std::string> cutInParts(Network& net, const std::string& name, const std::string& x, std::size_t axis,
                                    int64_t parts) {
  if (parts == 1) return {x};
  const std::vector<int64_t> sizes(std::size_t(parts), net.graph().shape(x)[axis] / parts);
  return net.graph().addMany("Split", {x, net.graph().integers(sizes)}, attributes({{"axis", int64_t(axis)}}),
                             std::vector<bool>(std::size_t(parts), true), name);
}

// The scores of all words for each token, by one product per part of the words.
std::string decoded(Network& net, const std::string& x, const std::string& words, int64_t parts) {
  std::vector<std::string> scores;
  const auto tables = cutInParts(net, "head/splitWords", words, 0, parts);
  for (std::size_t i = 0; i < tables.size(); ++i)
    scores.push_back(net.graph().add("Gemm", {x, tables[i]}, attributes({{"transB", int64_t(1)}}),
                                     tables.size() == 1 ? "head/decoder" : fmt::format("head/decoder/part{}", i)));
  return scores.size() == 1
             ? scores[0]
             : net.graph().add("Concat", scores, attributes({{"axis", int64_t(1)}}), std::string("head/joinWords"));
}

// Whether and how the program computes the accuracy from the scores.
struct Accuracy {
  bool wanted = false;
  bool remaps = false; // first spreads the scores linearly over the tiles
};

// The number of tokens whose label has the highest score.
std::string hits(Network& net, const std::string& name, const std::string& scores, const std::string& labels, bool remaps) {
  model::GraphBuilder& g = net.graph();
  const std::string guessed = g.add("ArgMax", {remaps ? g.addOwn("Remap", {scores}, {}, name + "/remap") : scores},
                                    attributes({{"axis", int64_t(1)}, {"keepdims", int64_t(0)}}), name + "/argMax");
  const std::string isHit =
      g.add("Equal", {g.add("Cast", {guessed}, attributes({{"to", int64_t(6)}}), name + "/words"), labels}, {}, name + "/isHit");
  return g.add("ReduceSum", {g.add("Cast", {isHit}, attributes({{"to", int64_t(1)}}), name + "/hits")},
               attributes({{"keepdims", int64_t(0)}}), name + "/sum");
}

// The mean loss, and optionally the share of correctly predicted tokens, computed in parts of the tokens, one after another. The
// logarithm of a softmax is used, because PopTorch lowers the log_softmax of train_gpt2.py to these two (SoftmaxOps.cpp).
void lossInParts(Network& net, const std::string& scores, const std::string& labels, int64_t parts, const Accuracy& wanted) {
  model::GraphBuilder& g = net.graph();
  const int64_t tokens = g.shape(labels)[0];
  const auto scoresOf = cutInParts(net, "head/splitScores", scores, 0, parts),
             labelsOf = cutInParts(net, "head/splitLabels", labels, 0, parts);
  std::string loss, accuracy;
  const auto addTo = [&](std::string& sum, const std::string& name, const std::string& value) {
    sum = sum.empty() ? value : net.sum(name, sum, value);
  };
  for (std::size_t i = 0; i < scoresOf.size(); ++i) {
    const std::string name = fmt::format("loss/part{}", i);
    const std::string chances = g.add("Softmax", {scoresOf[i]}, attributes({{"axis", int64_t(1)}}), name + "/softmax"),
                      logs = g.add("Log", {chances}, {}, name + "/log");
    addTo(loss, name + "/add",
          g.add("NegativeLogLikelihoodLoss", {logs, labelsOf[i]}, attributes({{"reduction", std::string("sum")}}),
                name + "/likelihood"));
    if (wanted.wanted) addTo(accuracy, name + "/addHits", hits(net, name + "/accuracy", scoresOf[i], labelsOf[i], wanted.remaps));
  }
  const auto mean = [&](const std::string& name, const std::string& sum) {
    g.output(g.add("Mul", {sum, g.number(1.0 / double(tokens), ElementType::Float)}, {}, name));
  };
  mean("loss", loss);
  if (wanted.wanted) mean("accuracy", accuracy);
}

AttentionForm attentionOf(const Parameters& p, Network& net, int64_t sequence) {
  AttentionForm form;
  form.fused = fusedProjections(p);
  form.dropout = dropoutOf(p, "attention-dropout");
  const bool subtracts = p.choice("mask") == "subtract";
  if (p.choice("attention") == "full") {
    if (subtracts)
      throw reports::Error(reports::ErrorCode::InvalidInput, "mask=subtract needs a mask, but attention=full has none",
                           reports::option("set") + " mask", "leave mask out, or choose attention=causal");
    return form;
  }
  if (subtracts)
    form.subtracted = causalPenalty(net, sequence);
  else
    form.mask = causalMask(net, sequence);
  return form;
}

graph::Workload buildGpt2(const Parameters& p, const BuildOptions& o) {
  const GptShape s = gptShape(p);
  const TransformerShape& b = s.block;
  Network net("gpt2", uint64_t(o.seed) + 71);
  model::GraphBuilder& g = net.graph();
  const std::string words = net.parameter("embeddings/words.weight", {s.vocabulary, b.hidden}, 816),
                    tokens = net.input("tokens", ElementType::Int32, {b.batch, b.sequence});
  const std::string places = net.parameter("embeddings/positions.weight", {b.sequence, b.hidden}, 2500);
  const std::string position = p.choice("positions") == "gathered"
                                   ? net.embedding("embeddings/positions", places, countedTokens(net, b.sequence))
                                   : places;
  const int64_t wordParts = numberOfParts(p, "head-parts", s.vocabulary, "words");
  const std::string looked = p.choice("table") == "tied"
                                 ? g.addOwn("TiedGather", {words, tokens}, attributes({{"parts", wordParts}}), "embeddings/words")
                                 : net.embedding("embeddings/words", words, tokens);
  std::string x = net.sum("embeddings/addPositions", looked, position);
  x = net.dropout("embeddings/dropout", g.reshape(x, {b.tokens(), b.hidden}), b.dropout);
  const AttentionForm form = attentionOf(p, net, b.sequence);
  for (int64_t i = 0; i < s.layers; ++i) x = decoderLayer(net, "layer" + std::to_string(i), x, b, form);
  const std::string scores = decoded(net, net.layerNorm("head/norm", x), words, wordParts),
                    labels = net.input("labels", ElementType::Int32, {b.tokens()});
  const int64_t parts = numberOfParts(p, "loss-parts", b.tokens(), "tokens");
  const Accuracy wanted{p.integer("accuracy", 0, 1) == 1, p.integer("remap", 0, 1) == 1};
  if (wanted.remaps && !wanted.wanted)
    throw reports::Error(reports::ErrorCode::InvalidInput, "remap=1 is only for the accuracy, which is not computed",
                         reports::option("set") + " remap", "give accuracy=1 too, or leave remap out");
  if (parts == 1 && !wanted.wanted)
    net.lossOf(scores, labels);
  else
    lossInParts(net, scores, labels, parts, wanted);
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
  s.text = "Decoder layers with causal attention: a token reads the tokens before it; all scores are computed and half "
           "of them are masked out. Every token has a next one to predict, so the product with the vocabulary table has a "
           "row for each token: in the tiny preset the head and the loss are half of the cycles, and the scores of 50,257 "
           "words per token are the peak in Liveness. Set attention=full to see the cost of the mask: one selection of each "
           "layer's scores, and one of their gradients. Presets small and larger need {option precision} fp16 and several "
           "IPUs, with embedding and head on the first: {option pipeline} 5 with {option shard} layers:0,4,4,4,0@0 for the "
           "small one.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The update of the word table takes the most cycles, then the products of the head with the same table."},
              {"tilescope:?view=trace&set.tab=flames",
               "In the forward pass, head and loss take more cycles than the layers: every token has a row of scores."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in a gradient of the head: its received operands (in) are the largest variable."}};
  // The parameters from mask to accuracy choose forms of the published program: graphcore/examples, nlp/gpt2/pytorch,
  // optimized_gpt2_attn.py and train_gpt2.py.
  s.parameters = {
      {"preset",
       "tiny",
       "tiny (2 layers, hidden 128, 2 heads), small (12, 768, 12), medium (24, 1024, 16) or large (36, 1280, 20)",
       {"tiny", "small", "medium", "large"}},
      {"layers", "0", "decoder layers; 0: the preset's"},
      {"hidden", "0", "hidden size, a multiple of the heads; 0: the preset's"},
      {"heads", "0", "attention heads; 0: the preset's"},
      {"sequence", "128", "tokens of a sequence"},
      {"batch", "1", "sequences of a micro-batch"},
      {"vocabulary", "50257", "words"},
      {"attention", "causal", "causal: a token reads itself and those before it; full: all", {"causal", "full"}},
      {"mask",
       "select",
       "select: scores of masked tokens are replaced; subtract: 10,000 is subtracted from them",
       {"select", "subtract"}},
      {"positions",
       "added",
       "added: the position table is an operand; gathered: a row is gathered for each token",
       {"added", "gathered"}},
      {"head-parts", "1", "number of products that make the scores, each for a part of the words; must divide the vocabulary"},
      {"table",
       "planned",
       "planned: the embedding table has the layout of a look-up plan; tied: it has the layout of the head's products, as with "
       "PopART's TiedGather. With tied, each look-up and each gradient sum first moves the table to tiles that hold whole "
       "columns, head-parts parts one after the other; a gradient sum then moves it back",
       {"planned", "tied"}},
      {"loss-parts", "1", "number of token groups whose losses are computed one after the other"},
      {"accuracy", "0", "on: also computes the accuracy, the share of correctly predicted tokens", {"0", "1"}},
      {"remap", "0", "on: scores are spread linearly over the tiles before the accuracy is computed (RemapCE)", {"0", "1"}},
      dropoutParameter("0.1"),
      attentionDropoutParameter("0.1"),
      projectionParameter("fused"),
      loopParameter("auto")};
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
