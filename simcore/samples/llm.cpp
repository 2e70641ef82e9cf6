#include "simcore/samples/llm.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "reports/core/text.h"
#include "simcore/samples/llm_program.h"
#include "simcore/samples/transformer.h"

#include <fmt/format.h>

#include <random>

namespace simcore::samples {

using numerics::ElementType;
using numerics::HostTensor;

namespace {

struct LlmPreset {
  const char* name;
  int64_t layers, hidden, heads, groups, intermediate, vocabulary;
};
// tiny is small enough to compute its numbers at once; 1.1b is TinyLlama's, 7b Llama 2's.
constexpr LlmPreset kLlmPresets[] = {
    {"tiny", 4, 512, 8, 4, 1408, 8192}, {"1.1b", 22, 2048, 32, 4, 5632, 32'000}, {"7b", 32, 4096, 32, 32, 11'008, 32'000}};

[[noreturn]] void refuseLlm(const std::string& message, const std::string& parameter, const std::string& hint) {
  throw reports::Error(reports::ErrorCode::InvalidInput, message, reports::option("set") + " " + parameter, hint);
}

LlmShape llmShape(const Parameters& p) {
  const std::string preset = p.choice("preset");
  const LlmPreset& base =
      *std::find_if(std::begin(kLlmPresets), std::end(kLlmPresets), [&](const LlmPreset& o) { return preset == o.name; });
  LlmShape s;
  s.layers = givenOr(p, "layers", 512, base.layers);
  s.hidden = givenOr(p, "hidden", 1 << 16, base.hidden);
  s.heads = givenOr(p, "heads", 1024, base.heads);
  s.groups = givenOr(p, "groups", 1024, p.integer("heads", 0, 1024) ? s.heads : base.groups);
  s.intermediate = givenOr(p, "intermediate", 1 << 18, base.intermediate);
  s.vocabulary = givenOr(p, "vocabulary", 1 << 22, base.vocabulary);
  s.batch = p.integer("batch", 1, 4096);
  s.prompt = p.integer("prompt", 1, 1 << 17);
  s.context = s.prompt + p.integer("tokens", 1, 1 << 17);
  if (s.hidden % (2 * s.heads))
    refuseLlm(fmt::format("{} heads cannot share a hidden size of {}", s.heads, s.hidden), "heads",
              "a head has an even number of components");
  if (s.heads % s.groups)
    refuseLlm(fmt::format("{} heads cannot share {} groups of keys and values", s.heads, s.groups), "groups",
              "give a number that divides the heads");
  const std::string weights = p.choice("weights");
  s.weightBits = weights == "int8" ? 8 : weights == "int4" ? 4 : 0;
  if (s.weightBits == 4 && (s.hidden % 2 || s.intermediate % 2))
    refuseLlm("weights of 4 bits come in pairs", "weights", "give even sizes");
  s.streaming = p.choice("cache") == "streaming";
  s.sparse = p.choice("attention") == "sparq";
  if (!s.sparse) return s;
  s.components = p.integer("r", 1, s.head());
  s.positions = p.integer("k", 1, s.old());
  s.buckets = p.integer("buckets", 1, s.positions);
  if (s.positions % s.buckets || s.old() % s.buckets)
    refuseLlm(fmt::format("{} of {} positions cannot be selected from {} equal buckets", s.positions, s.context, s.buckets),
              "buckets", "give a number that divides k and the cached positions");
  return s;
}

HostTensor drawnTokens(int64_t rows, int64_t columns, int64_t vocabulary, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int32_t> words;
  for (int64_t i = 0; i < rows * columns; ++i) words.push_back(int32_t(random() % uint64_t(vocabulary)));
  return HostTensor::of<int32_t>({rows, columns}, words);
}

void refuseOptions(const model::Parallelism& p) {
  const auto refuse = [](const char* message, const char* option, const char* advice) {
    throw reports::Error(reports::ErrorCode::InvalidInput, message, reports::option(option), advice);
  };
  constexpr const char* kByIpus = "give {option ipus} alone: each has a part of the layers";
  if (p.stages > 0) refuse("a token needs the one before it, so llm has no pipeline", "pipeline", kByIpus);
  if (p.shard != "auto") refuse("llm assigns its layers to IPUs itself", "shard", kByIpus);
  if (p.accumulation > 1 || p.batchesPerStep > 1)
    refuse("a token needs the one before it, so llm makes one per run", p.accumulation > 1 ? "accumulation" : "batches-per-step",
           "give {option iterations} for more tokens");
  if (p.quarter) refuse("llm has no products in 8-bit floats", "precision", "give fp16 and {option set} weights=int8");
  model::refuseTrainingOptions(p);
}

graph::Workload buildLlm(const Parameters& p, const BuildOptions& o) {
  const LlmShape s = llmShape(p);
  refuseOptions(o.parallel);
  if (o.iterations > s.context - s.prompt)
    refuseLlm(fmt::format("the cache has room for {}, but each of {} iterations makes one",
                          reports::counted(s.context - s.prompt, "new token"), o.iterations),
              "tokens", "give at least the number of iterations");
  // The prompt is processed in equal parts, so that its scores need little memory.
  const int64_t most = p.integer("part", 1, 1 << 14);
  int64_t part = std::min(most, s.prompt);
  while (s.prompt % part) --part;
  p.means("part", part);

  Network net("llm", uint64_t(o.seed) + 83);
  LlmGraph llm(net, s);
  LlmPrograms programs;
  net.graph().setPath({"token"});
  const std::string token = llm.call(LlmGraph::kToken, 1, s.sparse);
  programs.afterToken = {{LlmGraph::kToken, token}, {LlmGraph::kPosition, llm.nextPosition()}};
  programs.tokenNodes = net.model().graph.nodes.size();
  net.graph().setPath({"prompt"});
  const std::string first = llm.call(net.input("prompt", ElementType::Int32, {s.batch, part}), part, false);
  programs.afterPrompt = {{LlmGraph::kToken, first}, {LlmGraph::kPosition, llm.nextPosition()}};
  programs.prompts = s.prompt / part;

  graph::Workload load = llmWorkload(net, llm, s, programs, o);
  for (int64_t i = 0; i < programs.prompts; ++i)
    load.inputs["prompt"].push_back(drawnTokens(s.batch, part, s.vocabulary, uint64_t(o.seed) * 100'000 + uint64_t(i) + 5));
  load.facts["parameters"] = std::to_string(s.parameters());
  load.facts["token_program"] = "token";
  load.title = fmt::format("Language model, {:.3g} M parameters, {} in {}, batch {}, {} cached tokens{}",
                           double(s.parameters()) / 1e6, reports::counted(s.heads, "head"), reports::counted(s.groups, "group"),
                           s.batch, s.context, s.sparse ? fmt::format(", SparQ r {} k {}", s.components, s.positions) : "");
  return load;
}

} // namespace

Sample llm() {
  Sample s;
  s.name = "llm";
  s.title = "Language model that decodes";
  s.text =
      "Llama's layers: the prompt runs once, in parts, and each iteration makes a token of each sequence from the cached keys "
      "and values. A token is one row, so a product mostly loads its weights: a step reaches less than 1 % of the peak FLOP "
      "rate, and with batch=8 it takes a tenth more cycles. Over several IPUs ({option ipus}) each keeps the weights and the "
      "cache of its layers, and only one of them works at a time. With cache=streaming each step loads the cache, and the load "
      "takes most of its time; attention=sparq loads r components of all keys and k whole positions: with layers=1, hidden=4096, "
      "heads=32, prompt=2048 in fp16 a step is 2.8 times as fast. With cache=sram nothing is loaded, and SparQ is slower, "
      "because selecting the positions takes longer than reading all. preset=1.1b fits 4 IPUs with {option precision} fp16.";
  s.lesson = {{"tilescope:?view=trace&set.tab=flames",
               "Reading the prompt takes most cycles; then each token is generated from the cache."},
              {"tilescope:?view=operations&set.picture=cycles&set.rows=kind",
               "Matrix products take the most cycles. Writing the cache comes second, without any FLOPs."},
              {"tilescope:?view=memory&set.tab=largest", "Embedding and head are the largest weights: a row for every word."}};
  s.parameters = {
      {"preset",
       "tiny",
       "tiny (4 layers, hidden 512, 8 heads in 4 groups), 1.1b (TinyLlama: 22, 2048, 32 in 4) or 7b (Llama 2: 32, 4096, 32)",
       {"tiny", "1.1b", "7b"}},
      {"layers", "0", "layers; 0: the preset's"},
      {"hidden", "0", "hidden size; 0: the preset's"},
      {"heads", "0", "attention heads; 0: the preset's"},
      {"groups", "0", "groups of heads that share keys and values; 0: the preset's, or one head each if heads are given"},
      {"intermediate", "0", "width of the feed-forward part; 0: the preset's"},
      {"vocabulary", "0", "words; 0: the preset's"},
      {"batch", "1", "sequences"},
      {"prompt", "448", "tokens of a prompt"},
      {"tokens", "64", "new tokens that the cache has room for"},
      {"part", "64", "largest number of prompt tokens that are processed at once"},
      {"attention",
       "dense",
       "dense: a new token reads all keys and values; sparq: only those with the highest approximate scores, computed from the "
       "largest components of the query",
       {"dense", "sparq"}},
      {"cache",
       "sram",
       "keys and values of the prompt in the tiles' memory (sram) or in streaming memory, from which each step loads them "
       "(streaming)",
       {"sram", "streaming"}},
      {"r", "32", "sparq: components of a query that approximate its scores"},
      {"k", "128", "sparq: positions that are read whole"},
      {"buckets", "1",
       "sparq: number of parts of the context from which equal shares of the k positions are selected; 1: the k best of all"},
      {"weights",
       "full",
       "full: in the precision of the run; int8 or int4: integers with a scale per column, converted in each step",
       {"full", "int8", "int4"}}};
  s.build = buildLlm;
  s.distributes = true;
  s.variant = {"tuned",
               {{"part", "448"}},
               "The whole prompt at once instead of seven parts: its products load their weights once, at the price of scores "
               "for all pairs "
               "of its tokens. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples
