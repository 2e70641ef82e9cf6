#include "simcore/samples/llm_graph.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <random>

namespace simcore::samples {

using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using Integers = std::vector<int64_t>;

namespace {

constexpr double kNoScore = -1e4; // score of a masked position: so low that its weight is 0, but in the range of fp16
constexpr double kRotaryBase = 10'000;
constexpr double kNormEpsilon = 1e-5;

// [context, head]: the cosine of each position's angle for each component, or the sine, negative in the first half of the head.
HostTensor rotaryTable(int64_t context, int64_t head, bool sines) {
  std::vector<float> values;
  for (int64_t position = 0; position < context; ++position)
    for (int64_t i = 0; i < head; ++i) {
      const double angle = double(position) * std::pow(kRotaryBase, -2.0 * double(i % (head / 2)) / double(head));
      values.push_back(float(!sines ? std::cos(angle) : i < head / 2 ? -std::sin(angle) : std::sin(angle)));
    }
  return HostTensor::of<float>({context, head}, values);
}

HostTensor counted(int64_t count, int64_t step = 1) {
  std::vector<int32_t> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(int32_t(i * step));
  return HostTensor::of<int32_t>({count}, numbers);
}

} // namespace

int64_t LlmShape::parametersOfLayer() const {
  return hidden * (heads + 2 * groups) * head() + hidden * hidden + 3 * hidden * intermediate + 2 * hidden;
}
int64_t LlmShape::parameters() const { return layers * parametersOfLayer() + 2 * vocabulary * hidden + hidden; }

LlmGraph::LlmGraph(Network& net, const LlmShape& shape) : m_net(net), m_g(net.graph()), m_s(shape) {
  m_states = {{kToken, ElementType::Int32, {m_s.batch, 1}}, {kPosition, ElementType::Int32, {1}}};
  for (const LlmState& s : m_states) m_g.declare(s.name, {s.type, s.shape});
}

std::string LlmGraph::add(const std::string& op, const std::vector<std::string>& inputs, const std::string& name,
                          model::Attributes a) {
  return m_g.add(op, inputs, std::move(a), name);
}
std::string LlmGraph::own(const std::string& op, const std::vector<std::string>& inputs, const std::string& name,
                          model::Attributes a) {
  return m_g.addOwn(op, inputs, std::move(a), name);
}
std::vector<std::string> LlmGraph::split(const std::string& x, int64_t axis, const Integers& sizes, const std::string& name) {
  return m_g.addMany("Split", {x, m_g.integers(sizes)}, attributes({{"axis", axis}}), std::vector<bool>(sizes.size(), true),
                     name);
}
std::string LlmGraph::transposed(const std::string& x, const Integers& order, const std::string& name) {
  return add("Transpose", {x}, name, attributes({{"perm", order}}));
}

void LlmGraph::state(const std::string& name, const numerics::Shape& shape, bool isRemote) {
  for (const LlmState& s : m_states)
    if (s.name == name) return;
  m_states.push_back({name, ElementType::Float, shape, isRemote});
  m_g.declare(name, {ElementType::Float, shape});
}

// Keys have the layout of the product with queries. SparQ needs a second copy, because it reads keys by components and by
// positions.
void LlmGraph::declareStates(const std::string& name) {
  const int64_t d = m_s.head(), n = m_s.rows(), old = m_s.old();
  if (readsRows()) {
    state(name + "/keysByComponent", {n * d, old}, true);
    state(name + "/keysAndValues", {n * old, 2 * d}, true);
  } else {
    state(name + "/keys", {n, d, old}, m_s.streaming);
    state(name + "/values", {n, old, d}, m_s.streaming);
    if (m_s.sparse) state(name + "/keysByToken", {n, old, d});
  }
  if (m_s.streaming) {
    state(name + "/recentKeys", {n, d, m_s.context - old});
    state(name + "/recentValues", {n, m_s.context - old, d});
  }
  if (m_s.sparse) state(name + "/meanValue", {n, 1, d});
}

std::string LlmGraph::packedWeight(const std::string& name, int64_t in, int64_t out) {
  // A byte holds two values of 4 bits or one of 8. Each column has a scale.
  const int64_t values = 8 / m_s.weightBits, rows = in / values;
  const bool isByte = m_s.weightBits == 8;
  std::string& bytes = m_weights[name];
  std::string& scale = m_weights[name + ".scale"];
  if (bytes.empty()) {
    const uint64_t seed = uint64_t(m_weights.size()) * 0x9e3779b97f4a7c15ull;
    const auto type = isByte ? ElementType::Int8 : ElementType::UInt8;
    bytes = m_g.constant(name, HostTensor::deferred(type, {rows, out}, [rows, out, seed, type] {
                           std::mt19937_64 random(seed);
                           HostTensor value = HostTensor::uninitialised(type, {rows, out});
                           for (std::byte& v : value.mutableRaw()) v = std::byte(random() >> 56);
                           return value;
                         }));
    const double limit = isByte ? 128 : 8;
    scale = m_g.constant(name + ".scale", HostTensor::full(ElementType::Float, {out}, 1 / (std::sqrt(double(in)) * limit)));
  }
  if (isByte) return add("DequantizeLinear", {bytes, scale}, name + "/dequantise", attributes({{"axis", int64_t(1)}}));
  const std::string wide = add("Cast", {bytes}, name + "/bytes", attributes({{"to", int64_t(6)}}));
  const auto number = [&](int64_t v) { return m_g.constant("four bits", HostTensor::full(ElementType::Int32, {}, double(v))); };
  const auto real = [&](const std::string& x, const char* what) {
    const std::string f = add("Cast", {x}, name + "/" + what, attributes({{"to", int64_t(1)}}));
    return add("Mul", {add("Sub", {f, m_g.number(8, ElementType::Float)}, name + "/" + what + "/sub"), scale},
               name + "/" + what + "/scale");
  };
  const std::string high = add("Div", {wide, number(16)}, name + "/high"),
                    low = add("Sub", {wide, add("Mul", {high, number(16)}, name + "/above")}, name + "/low");
  return add("Concat", {real(high, "highValues"), real(low, "lowValues")}, name + "/join", attributes({{"axis", int64_t(0)}}));
}

std::string LlmGraph::weight(const std::string& name, int64_t in, int64_t out) {
  if (m_s.weightBits) return packedWeight(name, in, out);
  std::string& known = m_weights[name];
  if (known.empty()) known = m_net.parameter(name, {in, out}, in);
  return known;
}

std::string LlmGraph::product(const std::string& name, const std::string& x, int64_t out) {
  const std::string w = weight(name + ".weight", m_g.shape(x).back(), out);
  return add("MatMul", {x, w}, name);
}

std::string LlmGraph::norm(const std::string& name, const std::string& x) {
  std::string& scale = m_weights[name + ".weight"];
  const int64_t width = m_g.shape(x).back();
  if (scale.empty()) scale = m_net.parameter(name + ".weight", {width}, 0, 1);
  // x is scaled before it is squared, because the sum of squares would exceed the range of fp16.
  const std::string small = add("Mul", {x, m_g.number(1 / std::sqrt(double(width)), ElementType::Float)}, name + "/scale");
  const std::string mean = add("ReduceSumSquare", {small}, name + "/meanSquare", attributes({{"axes", Integers{-1}}}));
  const std::string root =
      add("Sqrt", {add("Add", {mean, m_g.number(kNormEpsilon, ElementType::Float)}, name + "/epsilon")}, name + "/root");
  return add("Mul", {add("Div", {x, root}, name + "/divide"), scale}, name + "/weight");
}

LlmGraph::Turn LlmGraph::begin(int64_t count, bool sparse) {
  Turn turn;
  turn.count = count, turn.sparse = sparse;
  std::string& cosines = m_weights["cosines"];
  std::string& sines = m_weights["sines"];
  std::string& places = m_weights["positions"];
  if (cosines.empty()) {
    cosines = m_g.constant("cosines", rotaryTable(m_s.context, m_s.head(), false));
    sines = m_g.constant("sines", rotaryTable(m_s.context, m_s.head(), true));
    places = m_g.constant("positions", counted(m_s.old()).reshaped({1, m_s.old()}));
  }
  const std::string at = add("Add", {m_g.constant("steps", counted(count)), kPosition}, "positionsOfTokens");
  turn.cosines = m_net.embedding("cosines", cosines, at);
  turn.sines = m_net.embedding("sines", sines, at);
  turn.isOld = add("Less", {places, kPosition}, "isOld");
  if (m_s.streaming && count == 1) {
    const int64_t made = m_s.context - m_s.old();
    turn.recent =
        add("Sub", {kPosition, m_g.constant("promptLength", HostTensor::full(ElementType::Int32, {1}, double(m_s.prompt)))},
            "recentPosition");
    turn.isRecent = add("Less", {m_g.constant("madePositions", counted(made).reshaped({1, made})), turn.recent}, "isRecent");
  }
  m_nextPosition =
      add("Add", {kPosition, m_g.constant("count", HostTensor::full(ElementType::Int32, {1}, double(count)))}, "nextPosition");
  if (count > 1) {
    std::vector<uint8_t> reads(std::size_t(count * count));
    for (int64_t q = 0; q < count; ++q) std::fill_n(reads.begin() + q * count, q + 1, uint8_t(1));
    turn.causal = m_g.constant("causalMask", HostTensor::of<uint8_t>({count, count}, reads).cast(ElementType::Bool));
  }
  return turn;
}

LlmGraph::Heads LlmGraph::project(const std::string& name, const std::string& x, const Turn& t) {
  const int64_t both = m_s.heads + m_s.groups, d = m_s.head(), count = t.count;
  const auto parts =
      split(product(name + "/qkv", x, (both + m_s.groups) * d), 1, {both * d, m_s.groups * d}, name + "/splitValues");
  // Applies rotary positions to queries and keys: x cos + swapped x sin; the table of sines has the signs.
  const std::string qk = m_g.reshape(parts[0], {m_s.batch, count, both, d});
  const auto halves = split(qk, 3, {d / 2, d / 2}, name + "/halves");
  const std::string swapped = add("Concat", {halves[1], halves[0]}, name + "/swap", attributes({{"axis", int64_t(3)}}));
  const auto table = [&](const std::string& of) { return m_g.reshape(of, {1, count, 1, d}); };
  const std::string turned = add(
      "Add",
      {add("Mul", {qk, table(t.cosines)}, name + "/rotary/cosine"), add("Mul", {swapped, table(t.sines)}, name + "/rotary/sine")},
      name + "/rotary");
  const auto qAndK = split(turned, 2, {m_s.heads, m_s.groups}, name + "/splitKeys");
  const std::string q =
      transposed(m_g.reshape(qAndK[0], {m_s.batch, count, m_s.groups, m_s.queries(), d}), {0, 2, 3, 1, 4}, name + "/queryHeads");
  Heads h;
  h.queries = add(
      "Mul", {m_g.reshape(q, {m_s.rows(), m_s.queries() * count, d}), m_g.number(1 / std::sqrt(double(d)), ElementType::Float)},
      name + "/scale");
  h.keys = m_g.reshape(transposed(qAndK[1], {0, 2, 3, 1}, name + "/keyHeads"), {m_s.rows(), d, count});
  const std::string v = m_g.reshape(parts[1], {m_s.batch, count, m_s.groups, d});
  h.values = m_g.reshape(transposed(v, {0, 2, 1, 3}, name + "/valueHeads"), {m_s.rows(), count, d});
  return h;
}

std::string LlmGraph::masked(const std::string& name, const std::string& scores, const std::string& isThere) {
  return add("Where", {isThere, scores, m_g.number(kNoScore, ElementType::Float)}, name);
}

// The positions that every call reads completely: its new ones, and those in SRAM if the prompt is in streaming memory.
std::vector<LlmGraph::Segment> LlmGraph::newSegments(const std::string& name, const Heads& h, const Turn& t) {
  std::vector<Segment> segments;
  if (!t.isRecent.empty())
    segments.push_back(
        {masked(name + "/recentMask", add("MatMul", {h.queries, name + "/recentKeys"}, name + "/recentScores"), t.isRecent),
         name + "/recentValues", m_s.context - m_s.old()});
  std::string own = add("MatMul", {h.queries, h.keys}, name + "/scoresOfNew");
  if (!t.causal.empty()) {
    const numerics::Shape shape = m_g.shape(own);
    own =
        m_g.reshape(masked(name + "/causal", m_g.reshape(own, {m_s.rows() * m_s.queries(), t.count, t.count}), t.causal), shape);
  }
  segments.push_back({own, h.values, t.count});
  return segments;
}

// One softmax over the scores of all segments.
std::string LlmGraph::joined(const std::string& name, const std::vector<Segment>& segments) {
  std::vector<std::string> scores;
  for (const Segment& s : segments) scores.push_back(s.scores);
  return add("Softmax", {add("Concat", scores, name + "/join", attributes({{"axis", int64_t(2)}}))}, name + "/softmax",
             attributes({{"axis", int64_t(-1)}}));
}

std::string LlmGraph::weighed(const std::string& name, const std::string& weights, const std::vector<Segment>& segments) {
  Integers sizes;
  for (const Segment& s : segments) sizes.push_back(s.length);
  const auto parts = split(weights, 2, sizes, name + "/splitWeights");
  std::string sum;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::string one = add("MatMul", {parts[i], segments[i].values}, fmt::format("{}/context{}", name, i));
    sum = sum.empty() ? one : add("Add", {sum, one}, fmt::format("{}/addContext{}", name, i));
  }
  return sum;
}

std::string LlmGraph::dense(const std::string& name, const Heads& h, const Cached& cached, const Turn& t) {
  std::vector<Segment> segments{
      {masked(name + "/mask", add("MatMul", {h.queries, cached.keys}, name + "/scores"), t.isOld), cached.values, m_s.old()}};
  for (const Segment& s : newSegments(name, h, t)) segments.push_back(s);
  return weighed(name, joined(name, segments), segments);
}

// Reads `each` rows of a remote buffer per head and sequence: [rows, each, columns]. `places` count within the `perRow` rows of
// that head and sequence.
std::string LlmGraph::rowsOf(const std::string& name, const std::string& buffer, const std::string& places, int64_t each,
                             int64_t perRow, int64_t columns) {
  const int64_t n = m_s.rows();
  std::string& first = m_weights[fmt::format("firstOf{}", perRow)];
  if (first.empty()) first = m_g.constant(fmt::format("firstOf{}", perRow), counted(n, perRow).reshaped({n, 1}));
  const std::string at = add("Add", {places, first}, name + "/rows");
  return m_g.reshape(own("RemoteRows", {m_g.reshape(at, {n * each})}, name,
                         attributes({{"buffer", buffer}, {"rows", n * perRow}, {"columns", columns}})),
                     {n, each, columns});
}

LlmGraph::Cached LlmGraph::cachedOf(const std::string& name, const Turn& t) {
  const int64_t n = m_s.rows(), d = m_s.head(), old = m_s.old();
  Cached c{name + "/keys", name + "/values", name + "/keysByToken"};
  if (!m_s.streaming) return c;
  const auto loaded = [&](const std::string& what) {
    return own("RemoteLoad", {name + what}, name + "/load" + what, attributes({{"buffer", name + what}}));
  };
  if (!m_s.sparse) return {loaded("/keys"), loaded("/values"), ""};
  if (t.sparse) return {};
  const auto all = [&](const std::string& what, int64_t rows, int64_t columns) {
    std::string& every = m_weights[fmt::format("every{}", rows)];
    if (every.empty()) every = m_g.constant(fmt::format("every{}", rows), counted(n * rows));
    return own("RemoteRows", {every}, name + "/load" + what,
               attributes({{"buffer", name + what}, {"rows", n * rows}, {"columns", columns}}));
  };
  const auto parts = split(m_g.reshape(all("/keysAndValues", old, 2 * d), {n, old, 2 * d}), 2, {d, d}, name + "/splitCached");
  return {m_g.reshape(all("/keysByComponent", d, old), {n, d, old}), parts[1], parts[0]};
}

// The running mean of the values up to the call's last token: [rows, 1, head].
std::string LlmGraph::withMean(const std::string& name, const Heads& h, const Turn& t) {
  const std::string mean = name + "/meanValue";
  const std::string sum = add("ReduceSum", {h.values, m_g.integers({1})}, name + "/sumOfNew");
  const std::string old = t.count == 1 ? mean : m_g.scaled(mean, double(t.count));
  const std::string tokens = add("Cast", {m_nextPosition}, name + "/tokens", attributes({{"to", int64_t(1)}}));
  return add("Add", {mean, add("Div", {add("Sub", {sum, old}, name + "/meanChange"), tokens}, name + "/meanStep")},
             name + "/mean");
}

// SparQ (Ribar et al. 2024): r components of the queries give approximate scores. The k best positions are read completely; the
// mean of all values stands in for the other positions.
std::string LlmGraph::sparse(const std::string& name, const Heads& h, const std::string& mean, const Turn& t) {
  const int64_t n = m_s.rows(), queries = m_s.queries(), k = m_s.positions, b = m_s.buckets, old = m_s.old(), d = m_s.head();
  const auto sumOver = [&](const std::string& x, int64_t axis, bool keep, const std::string& what) {
    return add("ReduceSum", {x, m_g.integers({axis})}, name + "/" + what, attributes({{"keepdims", int64_t(keep)}}));
  };
  struct Best {
    std::string values, places;
  };
  const auto best = [&](const std::string& x, int64_t count, const std::string& what, const model::Attributes& how,
                        bool wantsValues) {
    const auto found = m_g.addMany("TopK", {x, m_g.integers({count})}, how, {wantsValues, true}, name + "/" + what);
    return Best{found[0], add("Cast", {found[1]}, name + "/" + what + "/int32", attributes({{"to", int64_t(6)}}))};
  };
  const auto ofColumns = [&](const std::string& x, const std::string& places,
                             const std::string& what) { // x [n, queries, columns]
    return own("GroupedRows", {transposed(x, {0, 2, 1}, name + "/" + what + "Rows"), places}, name + "/" + what);
  };
  const std::string size = add("Abs", {h.queries}, name + "/sizes");
  const std::string components =
      best(sumOver(size, 1, false, "sizeOfComponents"), m_s.components, "components", attributes({{"axis", int64_t(-1)}}), false)
          .places;
  const std::string few = transposed(ofColumns(h.queries, components, "queryComponents"), {0, 2, 1}, name + "/fewColumns");
  const std::string fewKeys = m_s.streaming
                                  ? rowsOf(name + "/keyComponents", name + "/keysByComponent", components, m_s.components, d, old)
                                  : own("GroupedRows", {name + "/keys", components}, name + "/keyComponents");
  // The temperature corrects the scores for the components left out.
  const std::string share =
      add("Div", {sumOver(add("Abs", {few}, name + "/fewSizes"), 2, true, "sumOfFew"), sumOver(size, 2, true, "sumOfAll")},
          name + "/share");
  const std::string rough =
      add("Div", {add("MatMul", {few, fewKeys}, name + "/roughScores"), add("Sqrt", {share}, name + "/temperature")},
          name + "/rough");
  const std::vector<Segment> whole = newSegments(name, h, t);
  std::vector<Segment> all{{masked(name + "/roughMask", rough, t.isOld), "", old}};
  Integers sizes{old, 0};
  for (const Segment& s : whole) all.push_back(s), sizes[1] += s.length;
  const auto rest = split(joined(name + "/rough", all), 2, sizes, name + "/splitRough");
  const std::string ofPositions = queries == 1 ? m_g.reshape(rest[0], {n, old}) : sumOver(rest[0], 1, false, "weightOfPositions");
  // The best of many positions are found by counting, because their order is not needed.
  const Best positions = best(m_g.reshape(ofPositions, {n * b, old / b}), k / b, "positions",
                              attributes({{"axis", int64_t(-1)}, {"counted", int64_t(1)}}), queries == 1);
  std::string places = positions.places;
  if (b > 1) {
    std::string& first = m_weights["firstOfBucket"];
    if (first.empty()) first = m_g.constant("firstOfBucket", counted(b, old / b).reshaped({1, b, 1}));
    places = add("Add", {m_g.reshape(places, {n, b, k / b}), first}, name + "/placesInAll");
  }
  places = m_g.reshape(places, {n, k});
  std::string bestKeys, bestValues;
  if (m_s.streaming) {
    const auto both =
        split(rowsOf(name + "/bestRows", name + "/keysAndValues", places, k, old, 2 * d), 2, {d, d}, name + "/splitBest");
    bestKeys = both[0], bestValues = both[1];
  } else {
    bestKeys = own("GroupedRows", {name + "/keysByToken", places}, name + "/bestKeys");
    bestValues = own("GroupedRows", {name + "/values", places}, name + "/bestValues");
  }
  const std::string scores =
      add("MatMul", {h.queries, transposed(bestKeys, {0, 2, 1}, name + "/bestKeyColumns")}, name + "/scores");
  const std::string isThere = m_g.reshape(add("Less", {places, kPosition}, name + "/isThere"), {n, 1, k});
  std::vector<Segment> segments{{masked(name + "/mask", scores, isThere), bestValues, k}};
  for (const Segment& s : whole) segments.push_back(s);
  const std::string context = weighed(name, joined(name, segments), segments);
  // The total weight of the positions that are read completely, according to the approximate scores. With a single query it is
  // already known.
  const std::string weights = queries == 1 ? m_g.reshape(positions.values, {n, k, 1}) : ofColumns(rest[0], places, "selected");
  const std::string selected = m_g.reshape(sumOver(weights, 1, false, "weightOfSelected"), {n, queries, 1});
  const std::string known = add("Add", {selected, sumOver(rest[1], 2, true, "weightOfNew")}, name + "/known");
  return add("Add", {mean, add("Mul", {known, add("Sub", {context, mean}, name + "/apart")}, name + "/part")}, name + "/blend");
}

// Writes the keys and values of the call to the caches that the next call reads.
void LlmGraph::write(const std::string& name, const Heads& h, const Cached& cached, const std::string& mean, const Turn& t) {
  const auto put = [&](const std::string& cache, const std::string& part, const std::string& at, int64_t axis,
                       const std::string& what) {
    return own("CacheWrite", {cache, part, at}, name + "/write" + what, attributes({{"axis", axis}}));
  };
  const bool toRecent = !t.recent.empty();
  const std::string at = toRecent ? t.recent : kPosition;
  const std::string keys = put(toRecent ? name + "/recentKeys" : cached.keys, h.keys, at, 2, "Keys"),
                    values = put(toRecent ? name + "/recentValues" : cached.values, h.values, at, 1, "Values");
  std::string byToken;
  if (m_s.sparse && !toRecent)
    byToken = put(cached.keysByToken, transposed(h.keys, {0, 2, 1}, name + "/newKeyRows"), at, 1, "KeysByToken");
  if (m_s.streaming && !toRecent) {
    if (m_s.sparse) {
      const int64_t n = m_s.rows(), d = m_s.head(), old = m_s.old();
      const auto store = [&](const std::string& what, const std::string& rows, const std::string& every) {
        own("RemoteRowsStore", {m_weights.at(every), rows}, name + "/store" + what, attributes({{"buffer", name + what}}));
      };
      store("/keysByComponent", m_g.reshape(keys, {n * d, old}), fmt::format("every{}", d));
      const std::string both = add("Concat", {byToken, values}, name + "/joinCached", attributes({{"axis", int64_t(2)}}));
      store("/keysAndValues", m_g.reshape(both, {n * old, 2 * d}), fmt::format("every{}", old));
    } else {
      own("RemoteStore", {keys}, name + "/store/keys", attributes({{"buffer", name + "/keys"}}));
      own("RemoteStore", {values}, name + "/store/values", attributes({{"buffer", name + "/values"}}));
    }
  }
  if (!m_s.sparse) return;
  put(name + "/meanValue", mean, m_g.constant("firstRow", HostTensor::full(ElementType::Int32, {1}, 0)), 1, "Mean");
}

std::string LlmGraph::layer(int64_t number, const std::string& x, const Turn& t) {
  const int64_t d = m_s.head();
  const std::string layer = fmt::format("layer{}", number), name = layer + "/attention";
  declareStates(name);
  const Heads h = project(name, norm(name + "/norm", x), t);
  const std::string mean = m_s.sparse ? withMean(name, h, t) : "";
  const Cached cached = cachedOf(name, t);
  const std::string context = t.sparse ? sparse(name, h, mean, t) : dense(name, h, cached, t);
  const std::string merged =
      transposed(m_g.reshape(context, {m_s.batch, m_s.groups, m_s.queries(), t.count, d}), {0, 3, 1, 2, 4}, name + "/mergeHeads");
  const std::string attended = product(name + "/output", m_g.reshape(merged, {m_s.batch * t.count, m_s.hidden}), m_s.hidden);
  const std::string middle = m_net.sum(name + "/residual", x, attended);
  const std::string wide = product(layer + "/feedForward/up", norm(layer + "/feedForward/norm", middle), 2 * m_s.intermediate);
  const auto gate = split(wide, 1, {m_s.intermediate, m_s.intermediate}, layer + "/feedForward/splitGate");
  const std::string open =
      add("Mul", {own("Swish", {gate[0]}, layer + "/feedForward/swish"), gate[1]}, layer + "/feedForward/gate");
  const std::string y =
      m_net.sum(layer + "/feedForward/residual", middle, product(layer + "/feedForward/down", open, m_s.hidden));
  write(name, h, cached, mean, t);
  return y;
}

std::string LlmGraph::call(const std::string& tokens, int64_t count, bool sparse) {
  std::string& table = m_weights["embedding"];
  if (table.empty()) table = m_net.parameter("embedding.weight", {m_s.vocabulary, m_s.hidden}, 1);
  std::string x = m_g.reshape(m_net.embedding("embedding", table, tokens), {m_s.batch * count, m_s.hidden});
  const Turn turn = begin(count, sparse);
  tellLayer(-1);
  for (int64_t i = 0; i < m_s.layers; ++i) {
    x = layer(i, x, turn);
    tellLayer(int(i));
  }
  if (count > 1) {
    const std::string all = m_g.reshape(x, {m_s.batch, count, m_s.hidden});
    x = m_g.reshape(split(all, 1, {count - 1, 1}, "lastTokens")[1], {m_s.batch, m_s.hidden});
  }
  const std::string scores = product("head", norm("head/norm", x), m_s.vocabulary);
  const std::string next = add("ArgMax", {scores}, "head/argMax", attributes({{"axis", int64_t(1)}}));
  const std::string word = add("Cast", {next}, "head/token", attributes({{"to", int64_t(6)}}));
  tellLayer(int(m_s.layers));
  return word;
}

} // namespace simcore::samples
