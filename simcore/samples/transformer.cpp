#include "simcore/samples/transformer.h"

#include "reports/core/error.h"
#include "reports/core/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using Integers = std::vector<int64_t>;
using Strings = std::vector<std::string>;

int64_t givenOr(const Parameters& p, const char* name, int64_t most, int64_t otherwise) {
  const int64_t given = p.integer(name, 0, most), value = given ? given : otherwise;
  p.means(name, value);
  return value;
}

TransformerSize transformerSize(const Parameters& p, std::span<const TransformerPreset> presets) {
  std::vector<std::string> names;
  for (const TransformerPreset& preset : presets) names.emplace_back(preset.name);
  const std::string wanted = p.choice("preset", names);
  const auto& preset =
      *std::find_if(presets.begin(), presets.end(), [&](const TransformerPreset& o) { return wanted == o.name; });
  TransformerSize s;
  s.layers = givenOr(p, "layers", 512, preset.layers);
  s.block.hidden = givenOr(p, "hidden", 1 << 16, preset.hidden);
  s.block.heads = givenOr(p, "heads", 1024, preset.heads);
  s.block.batch = p.integer("batch", 1, 4096);
  if (p.has("sequence")) s.block.sequence = p.integer("sequence", 1, 1 << 14);
  s.block.intermediate = 4 * s.block.hidden;
  if (s.block.hidden % s.block.heads)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         fmt::format("{} heads cannot share a hidden size of {}", s.block.heads, s.block.hidden),
                         reports::option("set") + " heads", "the hidden size must be a multiple of the heads");
  return s;
}

namespace {

Strings split(Network& net, const std::string& name, const std::string& x, std::size_t axis, int64_t parts) {
  return net.graph().addMany("Split", {x, net.graph().integers(Integers(std::size_t(parts), net.graph().shape(x)[axis] / parts))},
                             attributes({{"axis", int64_t(axis)}}), std::vector<bool>(std::size_t(parts), true), name);
}

std::string transposed(Network& net, const std::string& name, const std::string& x, const Integers& order) {
  return net.graph().add("Transpose", {x}, attributes({{"perm", order}}), name);
}

// The value of a masked score: its softmax is 0, and fp16 can hold it.
constexpr double kMasked = -1e4;

// The mask that is added to scores of shape [batch, heads, query, key], or without heads: 0 where a query may read a key.
// Published programs compute it like this: the difference of the sentence numbers, its absolute value, and the hyperbolic tangent
// of that, which is at least 0.76 if the sentences differ.
std::string sentenceMask(Network& net, const std::string& name, const AttentionForm& form, const numerics::Shape& scores) {
  model::GraphBuilder& g = net.graph();
  const int64_t batch = scores[0], sequence = scores.back();
  const std::string ids = g.add("Cast", {form.sentences}, attributes({{"to", int64_t(1)}}), name + "/numbers");
  Integers row(scores.size(), 1), column(scores.size(), 1);
  row.front() = column.front() = batch;
  row.back() = column[column.size() - 2] = sequence;
  const std::string keys = g.reshape(ids, row), zero = g.number(0, ElementType::Float);
  const std::string differ =
      form.packed
          ? g.add("Tanh", {g.add("Abs", {g.add("Sub", {g.reshape(ids, column), keys}, {}, name + "/differ")}, {}, name + "/abs")},
                  {}, name + "/tanh")
          : g.add("Cast", {g.add("Equal", {keys, zero}, {}, name + "/isPadding")}, attributes({{"to", int64_t(1)}}),
                  name + "/padding");
  return g.add("Mul", {differ, g.number(kMasked, ElementType::Float)}, {}, name + "/scale");
}

// softmax(scale q k) v over the last two dimensions. As in the published programs (BERT, GPT-2), the scores are scaled, although
// there are fewer queries than scores.
std::string weighted(Network& net, const std::string& name, const std::string& q, const std::string& k, const std::string& v,
                     const AttentionForm& form) {
  model::GraphBuilder& g = net.graph();
  std::string scores = g.add("MatMul", {q, k}, {}, name + "/scores");
  const double scale = 1 / std::sqrt(double(g.shape(q).back()));
  scores = g.add("Mul", {scores, g.number(scale, g.type(scores).type)}, {}, name + "/scale");
  if (!form.mask.empty())
    scores = g.add("Where", {form.mask, scores, g.number(kMasked, g.type(scores).type)}, {}, name + "/mask");
  if (!form.subtracted.empty()) scores = g.add("Sub", {scores, form.subtracted}, {}, name + "/mask");
  if (!form.sentences.empty())
    scores = net.sum(name + "/addMask", scores, sentenceMask(net, name + "/mask", form, g.shape(scores)));
  std::string weights = g.add("Softmax", {scores}, attributes({{"axis", int64_t(-1)}}), name + "/softmax");
  weights = net.dropout(name + "/dropout", weights, form.dropout);
  return g.add("MatMul", {weights, v}, {}, name + "/context");
}

std::string allHeads(Network& net, const std::string& name, const Strings& qkv, const TransformerShape& s,
                     const AttentionForm& form) {
  model::GraphBuilder& g = net.graph();
  const auto headed = [&](std::size_t i, const char* what, const Integers& order) {
    return transposed(net, name + "/" + what, g.reshape(qkv[i], {s.batch, s.sequence, s.heads, s.hidden / s.heads}), order);
  };
  const std::string context = weighted(net, name, headed(0, "queryHeads", {0, 2, 1, 3}), headed(1, "keyHeads", {0, 2, 3, 1}),
                                       headed(2, "valueHeads", {0, 2, 1, 3}), form);
  return g.reshape(transposed(net, name + "/mergeHeads", context, {0, 2, 1, 3}), {s.tokens(), s.hidden});
}

std::string headByHead(Network& net, const std::string& name, const Strings& qkv, const TransformerShape& s,
                       const AttentionForm& form) {
  model::GraphBuilder& g = net.graph();
  const Strings q = split(net, name + "/splitQuery", qkv[0], 1, s.heads), k = split(net, name + "/splitKey", qkv[1], 1, s.heads),
                v = split(net, name + "/splitValue", qkv[2], 1, s.heads);
  Strings parts;
  const numerics::Shape one{s.batch, s.sequence, s.hidden / s.heads};
  for (std::size_t i = 0; i < q.size(); ++i) {
    const std::string head = name + "/head" + std::to_string(i);
    const std::string key = transposed(net, head + "/key", g.reshape(k[i], one), {0, 2, 1});
    parts.push_back(g.reshape(weighted(net, head, g.reshape(q[i], one), key, g.reshape(v[i], one), form), {s.tokens(), one[2]}));
  }
  return parts.size() == 1 ? parts[0] : g.add("Concat", parts, attributes({{"axis", int64_t(1)}}), name + "/mergeHeads");
}

} // namespace

std::string selfAttention(Network& net, const std::string& name, const std::string& x, const TransformerShape& s,
                          const AttentionForm& form) {
  Strings qkv;
  if (form.fused)
    qkv = split(net, name + "/splitQkv", net.linear(name + "/qkv", x, 3 * s.hidden), 1, 3);
  else
    for (const char* what : {"query", "key", "value"}) qkv.push_back(net.linear(name + "/" + what, x, s.hidden));
  const std::string context = form.grouped ? allHeads(net, name, qkv, s, form) : headByHead(net, name, qkv, s, form);
  return net.dropout(name + "/dropout", net.linear(name + "/output", context, s.hidden), s.dropout);
}

namespace {
std::string feedForward(Network& net, const std::string& name, const std::string& x, const TransformerShape& s) {
  const std::string wide = net.gelu(name + "/gelu", net.linear(name + "/up", x, s.intermediate), s.gelu);
  return net.dropout(name + "/dropout", net.linear(name + "/down", wide, s.hidden), s.dropout);
}
} // namespace

std::string causalMask(Network& net, int64_t sequence) {
  std::vector<uint8_t> reads(std::size_t(sequence * sequence));
  for (int64_t query = 0; query < sequence; ++query) std::fill_n(reads.begin() + query * sequence, query + 1, uint8_t(1));
  return net.graph().constant("causalMask", HostTensor::of<uint8_t>({sequence, sequence}, reads).cast(ElementType::Bool));
}

std::string causalPenalty(Network& net, int64_t sequence) {
  std::vector<float> penalty(std::size_t(sequence * sequence), float(-kMasked));
  for (int64_t query = 0; query < sequence; ++query) std::fill_n(penalty.begin() + query * sequence, query + 1, 0.0f);
  return net.fixed("causalPenalty", HostTensor::of<float>({sequence, sequence}, penalty));
}

std::string encoderLayer(Network& net, const std::string& name, const std::string& x, const TransformerShape& s,
                         const AttentionForm& form) {
  const std::string attention = selfAttention(net, name + "/attention", x, s, form);
  const std::string middle = net.layerNorm(name + "/attention/norm", net.sum(name + "/attention/residual", x, attention));
  const std::string narrow = feedForward(net, name + "/feedForward", middle, s);
  return net.layerNorm(name + "/feedForward/norm", net.sum(name + "/feedForward/residual", middle, narrow));
}

std::string decoderLayer(Network& net, const std::string& name, const std::string& x, const TransformerShape& s,
                         const AttentionForm& form) {
  const std::string attention = selfAttention(net, name + "/attention", net.layerNorm(name + "/attention/norm", x), s, form);
  const std::string middle = net.sum(name + "/attention/residual", x, attention);
  const std::string narrow = feedForward(net, name + "/feedForward", net.layerNorm(name + "/feedForward/norm", middle), s);
  return net.sum(name + "/feedForward/residual", middle, narrow);
}

Parameter dropoutParameter(const std::string& value) {
  return {"dropout", value, "dropout rate in training of the output that a layer adds; 0: none"};
}
Parameter attentionDropoutParameter(const std::string& value) {
  return {"attention-dropout", value, "dropout rate of the attention weights"};
}
double dropoutOf(const Parameters& p, const std::string& name) {
  const double ratio = p.number(name, 0, 0.999);
  return p.integer("training", 0, 1) ? ratio : 0;
}

Parameter projectionParameter(const std::string& value) {
  return {"projections", value, "queries, keys and values by three products (separate) or one (fused)", {"separate", "fused"}};
}
bool fusedProjections(const Parameters& p) { return p.choice("projections") == "fused"; }

} // namespace simcore::samples
