#include "simcore/samples/bert.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "simcore/samples/masked_sentences.h"
#include "simcore/samples/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;

namespace {

struct BertShape {
  TransformerShape block;
  int64_t layers = 2, vocabulary = 30'522, masked = 20; // masked: tokens per sequence
  std::string mask;                                     // none, padding or packed
  std::string head;                                     // masked, all or qa
};

// Published sizes: Devlin et al. 2018; tiny: Turc et al. 2019.
constexpr TransformerPreset kPresets[] = {{"tiny", 2, 128, 2}, {"base", 12, 768, 12}, {"large", 24, 1024, 16}};

BertShape shapeOf(const Parameters& p) {
  const TransformerSize size = transformerSize(p, kPresets);
  BertShape s;
  s.block = size.block, s.layers = size.layers;
  s.block.gelu = p.choice("gelu") == "tanh" ? "tanh" : "none";
  s.vocabulary = p.integer("vocabulary", kFirstWord + 2, 1 << 22);
  const auto masked = std::max<int64_t>(1, int64_t(std::ceil(0.15 * double(s.block.sequence))));
  s.masked = givenOr(p, "masked", s.block.sequence, masked);
  s.block.dropout = dropoutOf(p, "dropout");
  s.mask = p.choice("mask");
  s.head = p.choice("head");
  if (s.head == "qa" && s.mask == "packed")
    throw reports::Error(reports::ErrorCode::InvalidInput, "mask=packed would hide the question tokens from the text",
                         reports::option("set") + " mask=packed", "use mask=padding with head=qa");
  if (s.head == "qa" && s.block.sequence < kBeforeText + 1)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "the sequence is too short: a question takes " + std::to_string(kBeforeText) +
                             " tokens, its text at least one",
                         reports::option("set") + " sequence");
  return s;
}

// Embeddings of words, positions and segments, summed and normalised.
std::string embeddings(Network& net, const std::string& words, const BertShape& s) {
  const TransformerShape& b = s.block;
  model::GraphBuilder& g = net.graph();
  const std::string tokens = net.input("tokens", ElementType::Int32, {b.batch, b.sequence}),
                    segments = net.input("segments", ElementType::Int32, {b.batch, b.sequence});
  std::string x = net.embedding("embeddings/words", words, tokens);
  std::string places = net.parameter("embeddings/positions.weight", {std::max<int64_t>(512, b.sequence), b.hidden}, 2500);
  if (g.shape(places)[0] != b.sequence)
    places = g.add("Slice", {places, g.integers({0}), g.integers({b.sequence}), g.integers({0})}, {}, "embeddings/positions");
  x = net.sum("embeddings/addPositions", x, places);
  x = net.sum("embeddings/addSegments", x,
              net.embedding("embeddings/segments", net.parameter("embeddings/segments.weight", {2, b.hidden}, 2500), segments));
  return net.dropout("embeddings/dropout", net.layerNorm("embeddings/norm", g.reshape(x, {b.tokens(), b.hidden})), b.dropout);
}

// Scores of all words, only for the masked tokens. The products with the embedding's own table are the widest of the model.
std::string languageHead(Network& net, const std::string& x, const std::string& words, const BertShape& s) {
  const std::string places = net.input("maskedPlaces", ElementType::Int32, {s.block.batch * s.masked});
  const auto transform = [&](const std::string& y) {
    return net.layerNorm("head/norm", net.gelu("head/gelu", net.linear("head/transform", y, s.block.hidden), s.block.gelu));
  };
  const std::string y = s.head == "all" ? net.embedding("head/gatherMasked", transform(x), places)
                                        : transform(net.embedding("head/gatherMasked", x, places));
  return net.graph().add("Gemm", {y, words, net.parameter("head/bias", {s.vocabulary}, 0)}, attributes({{"transB", int64_t(1)}}),
                         "head/decoder");
}

void languageLoss(Network& net, const std::string& x, const std::string& words, const BertShape& s) {
  const std::string scores = languageHead(net, x, words, s);
  net.lossOf(scores, net.input("labels", ElementType::Int32, {s.block.batch * s.masked}));
}

// Two scores per token: for the start and for the end of the answer. The loss is the mean of two cross entropies over the tokens
// of a row (Devlin et al. 2018, section 4.2).
void questionLoss(Network& net, const std::string& x, const BertShape& s, bool trains) {
  model::GraphBuilder& g = net.graph();
  const int64_t batch = s.block.batch, sequence = s.block.sequence;
  const std::string scores = net.linear("head/spans", x, 2);
  const auto lossOf = [&](const std::string& what, int64_t column) {
    const std::string of =
        g.add("Slice", {scores, g.integers({column}), g.integers({column + 1}), g.integers({1})}, {}, "head/" + what);
    const std::string logs = g.add("LogSoftmax", {g.reshape(of, {batch, sequence})}, attributes({{"axis", int64_t(1)}}), what);
    if (!trains) g.output(logs);
    return g.add("NegativeLogLikelihoodLoss", {logs, net.input(what + "Places", ElementType::Int32, {batch})}, {},
                 "loss/" + what);
  };
  const std::string both = net.sum("loss/both", lossOf("start", 0), lossOf("end", 1));
  g.output(g.add("Mul", {both, g.number(0.5, ElementType::Float)}, {}, "loss"));
}

graph::Workload build(const Parameters& p, BuildOptions o, const std::string& name) {
  const BertShape s = shapeOf(p);
  const TransformerShape& b = s.block;
  Network net(name, uint64_t(o.seed) + 41);
  // A uniform number between +-0.035 has the published standard deviation, 0.02.
  const std::string words = net.parameter("embeddings/words.weight", {s.vocabulary, b.hidden}, 816);
  std::string x = embeddings(net, words, s);
  AttentionForm form;
  form.fused = fusedProjections(p);
  form.dropout = dropoutOf(p, "attention-dropout");
  form.packed = s.mask == "packed";
  if (s.mask != "none") form.sentences = net.input("sentences", ElementType::Int32, {b.batch, b.sequence});
  for (int64_t i = 0; i < s.layers; ++i) x = encoderLayer(net, "layer" + std::to_string(i), x, b, form);
  const bool asks = s.head == "qa";
  asks ? questionLoss(net, x, s, p.text("training") != "0") : languageLoss(net, x, words, s);
  const SentenceShape text{
      b.batch, b.sequence, s.masked, s.vocabulary, form.packed ? std::min<int64_t>(2, b.sequence) : 1, s.mask == "padding"};
  graph::Workload load = workloadOf(net, p, o, [&](int64_t i) {
    const auto seed = uint64_t(o.seed * 100'000 + i);
    auto inputs = asks ? questions(text, seed) : maskedSentences(text, seed);
    if (form.sentences.empty()) inputs.erase("sentences");
    return inputs;
  });
  load.title =
      fmt::format("BERT {}, hidden {}, {}, batch {} x {} tokens{}", reports::counted(s.layers, "layer"), b.hidden,
                  reports::counted(b.heads, "head"), b.batch, b.sequence, p.text("training") == "0" ? ", forward only" : "");
  return load;
}

// The parameters with the defaults of the published tiny model, or those in `other`.
std::vector<Parameter> parameters(const std::map<std::string, std::string>& other = {}) {
  std::vector<Parameter> list{
      {"preset",
       "tiny",
       "tiny (2 layers, hidden 128, 2 heads), base (12, 768, 12) or large (24, 1024, 16)",
       {"tiny", "base", "large"}},
      {"layers", "0", "encoder layers; 0: the preset's"},
      {"hidden", "0", "hidden size, a multiple of the heads; 0: the preset's"},
      {"heads", "0", "attention heads; 0: the preset's"},
      {"sequence", "128", "tokens of a sequence"},
      {"batch", "1", "sequences of a micro-batch"},
      {"vocabulary", "30522", "words"},
      {"masked", "0", "masked tokens of a sequence; 0: 15 %"},
      {"gelu",
       "erf",
       "activation of the feed-forward part: erf, or tanh (an approximation that takes a third of the cycles)",
       {"erf", "tanh"}},
      {"mask",
       "padding",
       "mask of attention: padding (tokens after the end of the sentence are not read), packed (two sentences per row, each "
       "reads only itself) or none",
       {"padding", "packed", "none"}},
      {"head",
       "masked",
       "masked: predicts the words of the masked tokens; all: the same, but the layer before the scores is computed for all "
       "tokens; qa: two scores per token, for the start and for the end of an answer",
       {"masked", "all", "qa"}},
      dropoutParameter("0.1"),
      attentionDropoutParameter("0"),
      projectionParameter("separate"),
      loopParameter("auto")};
  // The scale keeps gradients in the range of fp16.
  for (Parameter& parameter : trainingParameters("adam", "0.001")) list.push_back(std::move(parameter));
  for (Parameter& parameter : list) {
    if (parameter.name == "loss-scale") parameter.defaultValue = "128";
    if (const auto found = other.find(parameter.name); found != other.end()) parameter.defaultValue = found->second;
  }
  return list;
}

} // namespace

Sample bert() {
  Sample s;
  s.name = "bert";
  s.title = "BERT in training";
  s.text = "Embeddings, encoder layers (attention as grouped products, layer norm, GELU) and a masked-language-model loss whose "
           "decoder shares the table of the embedding. Look at the operations by layer: in the tiny preset the table of 30,522 "
           "words costs more than half of what both layers cost, and its update most of all; in the large preset the dense "
           "products take most of "
           "the time. In Liveness every layer adds its activations, like stairs, and the backward pass frees them step by step. "
           "Presets base and large need more than one IPU: {option pipeline} N with {option precision} fp16, {option recompute} "
           "standard, {option offload} optimiser, and {option shard-state} with replicas; the help page on training has the "
           "command lines.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The update of the word table (words.weight) takes the most cycles: in this small model the table has more "
               "weights than the layers."},
              {"tilescope:?view=trace&set.tab=flames",
               "The backward pass (bwd) takes most cycles; the weight update (wu) takes about as many as the forward pass "
               "(fwd)."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in the sum of two gradients of the word table, which embedding and decoder share."}};
  s.parameters = parameters();
  s.build = [](const Parameters& p, const BuildOptions& o) { return build(p, o, "bert"); };
  s.distributes = true;
  s.variant = {"tuned",
               {{"projections", "fused"}},
               "One product makes queries, keys and values instead of three: the input is exchanged once and the product is wide "
               "enough for all tiles. Cycles fall, most of all in the layers' attention.",
               "cycles"};
  return s;
}

Sample bertPipeline() {
  Sample s;
  s.name = "bert-pipeline";
  s.title = "BERT over a pipeline of four IPUs";
  s.text = "An eight-layer BERT cut into four stages, one IPU each: activations go forward from IPU to IPU, gradients back. Look "
           "at the trace: the pipeline fills, runs, and is flushed before the weights are updated, and the stage with the loss, "
           "which runs forward and backward at once, keeps the others waiting. Eight micro-batches are few: with {option "
           "accumulation} 32, fill and flush are a smaller share. In Memory the first IPU has the most stashed activations and "
           "the last one none.";
  s.lesson = {{"tilescope:?view=trace&set.tab=range", "The pipeline fills, runs and is flushed; then the weights are updated."},
              {"tilescope:?view=trace&set.tab=pipeline",
               "The first and the last stage wait least: embeddings and head give them more work than the two stages between."},
              {"tilescope:?view=insights&set.list=findings",
               "The pipeline bubble is the costliest finding: with more micro-batches per update, fill and flush are a smaller "
               "share."},
              {"tilescope:?view=memory&set.breakdown=category&set.order=software",
               "The first IPU has the most memory in use: it keeps the activations of more micro-batches than the others."}};
  s.parameters = parameters(
      {{"layers", "8"}, {"hidden", "256"}, {"heads", "4"}, {"batch", "4"}, {"vocabulary", "4096"}, {"accumulation", "8"}});
  s.parameters.push_back({"recompute",
                          "none",
                          "values that are computed again for the backward pass: none, standard, norm-only or pipeline",
                          {"none", "standard", "norm-only", "pipeline"}});
  s.build = [](const Parameters& p, const BuildOptions& given) {
    BuildOptions o = given;
    const std::string kind = p.choice("recompute");
    if (o.parallel.recompute == model::Recompute::None && p.text("training") != "0")
      o.parallel.recompute = model::recomputeKind(kind);
    return build(p, o, "bert-pipeline");
  };
  s.distributes = true;
  s.stages = 4;
  s.variant = {"tuned",
               {{"recompute", "pipeline"}},
               "Only the inputs of a stage are stashed, and the stage runs forward again before it runs backward: the "
               "fullest tile needs less memory, and the step takes more cycles.",
               "max_tile_bytes"};
  return s;
}

} // namespace simcore::samples
