#include "simcore/samples/vit.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "simcore/samples/striped_images.h"
#include "simcore/samples/transformer.h"

#include <fmt/format.h>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;

namespace {

// Published sizes: Dosovitskiy et al. 2020; tiny and small: Touvron et al. 2020.
constexpr TransformerPreset kVitPresets[] = {
    {"tiny", 12, 192, 3}, {"small", 12, 384, 6}, {"base", 12, 768, 12}, {"large", 24, 1024, 16}};

// One class token, then one token per patch.
std::string tokensOf(Network& net, const std::string& images, int64_t patch, const TransformerShape& s) {
  model::GraphBuilder& g = net.graph();
  std::string x = net.conv("embeddings/patches", images, s.hidden, patch, patch, 0, true);
  x = g.transpose(g.reshape(x, {s.batch, s.hidden, s.sequence - 1}), {0, 2, 1});
  const std::string first = g.expand(net.parameter("embeddings/class.weight", {1, 1, s.hidden}, 2500), {s.batch, 1, s.hidden});
  x = g.add("Concat", {first, x}, attributes({{"axis", int64_t(1)}}), "embeddings/tokens");
  x = net.sum("embeddings/addPositions", x, net.parameter("embeddings/positions.weight", {s.sequence, s.hidden}, 2500));
  return net.dropout("embeddings/dropout", g.reshape(x, {s.tokens(), s.hidden}), s.dropout);
}

graph::Workload buildVit(const Parameters& p, const BuildOptions& o) {
  const TransformerSize size = transformerSize(p, kVitPresets);
  const int64_t patch = p.integer("patch", 1, 4096);
  const PictureShape pictures{size.block.batch, p.integer("size", 1, 4096), p.integer("classes", 1, 1 << 20)};
  if (pictures.size % patch)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         fmt::format("{} pixels do not divide into patches of {}", pictures.size, patch),
                         reports::option("set") + " patch", "the size must be a multiple of the patch");
  TransformerShape s = size.block;
  s.sequence = 1 + (pictures.size / patch) * (pictures.size / patch);
  s.dropout = dropoutOf(p, "dropout");
  const bool trains = p.integer("training", 0, 1) == 1;
  Network net("vit", uint64_t(o.seed) + 61);
  model::GraphBuilder& g = net.graph();
  const std::string images = net.input("images", ElementType::Float, {s.batch, 3, pictures.size, pictures.size});
  std::string x = tokensOf(net, images, patch, s);
  AttentionForm form;
  form.fused = fusedProjections(p);
  form.dropout = dropoutOf(p, "attention-dropout");
  for (int64_t i = 0; i < size.layers; ++i) x = decoderLayer(net, "layer" + std::to_string(i), x, s, form);
  const std::string all = g.reshape(net.layerNorm("head/norm", x), {s.batch, s.sequence, s.hidden});
  x = g.add("Slice", {all, g.integers({0}), g.integers({1}), g.integers({1})}, {}, "head/class");
  const std::string scores = net.linear("head/fc", g.reshape(x, {s.batch, s.hidden}), pictures.classes);
  if (trains)
    net.lossOf(scores, net.input("labels", ElementType::Int32, {s.batch}));
  else
    g.output(g.add("Softmax", {scores}, {}, "predictions"));
  graph::Workload load =
      workloadOf(net, p, o, [&](int64_t i) { return stripedBatch(pictures, uint64_t(o.seed * 100'000 + i) + 1, trains); });
  load.title = fmt::format("ViT {}, hidden {}, {}, batch {} of {} tokens, {}", reports::counted(size.layers, "layer"), s.hidden,
                           reports::counted(s.heads, "head"), s.batch, s.sequence, trains ? "training" : "inference");
  return load;
}

} // namespace

Sample vit() {
  Sample s;
  s.name = "vit";
  s.title = "Vision transformer with random weights";
  s.text = "Images of 224 x 224 pixels become 196 patches, which one convolution turns into tokens; transformer layers "
           "follow, in which each token reads all others. Look at the convolution of the patches: its windows do not "
           "overlap, so it is in fact a matrix product, and takes 2 % of the cycles. Then compare a layer with one of gpt2: "
           "197 tokens do not divide evenly for the matrix unit, and attention has no mask. Only the first token goes to "
           "the head. In inference, base fits one IPU, large too with {option precision} fp16.";
  s.lesson = {{"tilescope:?view=operations&set.picture=cycles&set.rows=all",
               "The convolution that makes rows of the image's patches takes the most cycles of all operations."},
              {"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "Products with weights (Gemm) take more than three times the cycles of attention's products (MatMul)."},
              {"tilescope:?view=program&set.list=steps", "The twelve layers are calls of one function, because they are equal."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in the patches' convolution: its received operands (in) are the largest variable."}};
  s.parameters = {{"preset",
                   "tiny",
                   "tiny (12 layers, hidden 192, 3 heads), small (12, 384, 6), base (12, 768, 12) or large (24, 1024, 16)",
                   {"tiny", "small", "base", "large"}},
                  {"layers", "0", "layers; 0: the preset's"},
                  {"hidden", "0", "hidden size, a multiple of the heads; 0: the preset's"},
                  {"heads", "0", "attention heads; 0: the preset's"},
                  {"size", "224", "pixels along each side"},
                  {"patch", "16", "pixels along each side of a patch"},
                  {"batch", "1", "images of a micro-batch"},
                  {"classes", "1000", "outputs of the last layer"},
                  // graphcore/examples, vision/vit/pytorch, configs.yml: b16_in1k_pretrain
                  dropoutParameter("0.1"),
                  attentionDropoutParameter("0.1"),
                  projectionParameter("separate"),
                  loopParameter("auto")};
  for (Parameter& parameter : trainingParameters("adamw", "0.001")) {
    if (parameter.name == "training") parameter.defaultValue = "0";
    s.parameters.push_back(std::move(parameter));
  }
  s.build = buildVit;
  s.distributes = true;
  s.variant = {
      "tuned",
      {{"projections", "fused"}},
      "One product makes queries, keys and values instead of three, in each of the twelve layers: the tokens are exchanged "
      "once and the product is wide enough for more tiles. Cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples
