// Operators in files of language models: attention with fewer heads of keys than of queries, positions as rotations, norms without a mean,
// weights of a few bits, sampled tokens. Meaning as in the operator documentation of ONNX (opsets 23 and 24) and of ONNX Runtime. They are
// expanded once types are known, because ranks and lengths matter.
#include "simcore/model/graph/expansion.h"
#include "simcore/model/graph/graph_builder.h"

#include <limits>
#include <map>

namespace simcore::model {

namespace {

using Integers = std::vector<std::int64_t>;

class LanguageWriter {
public:
  explicit LanguageWriter(const Call& call) : w(call.node(), call.node().opset), m_call(call) {}
  std::vector<Node> take() { return w.take(); }

protected:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::Unsupported, m_call.node().opType + " with " + what + " is not supported", {},
                m_call.node().domain.empty() ? "export it with opset_version=18, which writes attention as products" : "");
  }
  [[noreturn]] void wrong(const std::string& what) const {
    throw Error(ErrorCode::InvalidInput, m_call.node().opType + ": " + what);
  }
  void refuseInput(std::size_t i, const char* what) const {
    if (m_call.has(i)) refuse(what);
  }
  void refuseOutput(std::size_t i, const char* what) const {
    if (w.wants(i)) refuse(what);
  }
  const Shape& shape(std::size_t i) const { return m_call.shape(i); }
  std::int64_t integer(const char* name, std::int64_t standard) const { return w.integer(name, standard); }
  std::string number(double value, ElementType type) { return w.constant(HostTensor::full(type, {}, value)); }
  std::string reshaped(const std::string& x, const Integers& to) { return w.add("Reshape", {x, w.integers(to)}); }
  std::string concatenated(const std::vector<std::string>& parts, std::int64_t axis) {
    const std::string y = w.add("Concat", parts);
    w.set("axis", axis);
    return y;
  }

  // [batch, length, heads x size] as [batch, heads, length, size].
  std::string headsOf(const std::string& x, std::int64_t heads) {
    return w.transposed(reshaped(x, {0, 0, heads, -1}), {0, 2, 1, 3});
  }

  // Rotates the pairs of each head by the angle of their position. `x`: [batch, heads, length, size]; `cosine`, `sine`: one value per
  // position and pair, broadcast to [batch, 1, length, pairs].
  std::string turned(const std::string& x, std::int64_t size, std::int64_t turning, const std::string& cosine,
                     const std::string& sine, bool interleaved) {
    const std::int64_t pairs = turning / 2;
    std::vector<std::string> parts{x};
    if (turning < size) parts = w.split(x, 3, {turning, size - turning});
    std::string a, b;
    if (interleaved) { // neighbouring elements form a pair
      const auto both = w.split(reshaped(parts[0], {0, 0, 0, pairs, 2}), 4, {1, 1});
      a = reshaped(both[0], {0, 0, 0, pairs}), b = reshaped(both[1], {0, 0, 0, pairs});
    } else {
      const auto both = w.split(parts[0], 3, {pairs, pairs});
      a = both[0], b = both[1];
    }
    const auto times = [&](const std::string& p, const std::string& q) { return w.add("Mul", {p, q}); };
    const std::string first = w.add("Sub", {times(a, cosine), times(b, sine)});
    const std::string second = w.add("Add", {times(a, sine), times(b, cosine)});
    std::string y;
    if (interleaved)
      y = reshaped(concatenated({reshaped(first, {0, 0, 0, pairs, 1}), reshaped(second, {0, 0, 0, pairs, 1})}, 4),
                   {0, 0, 0, turning});
    else
      y = concatenated({first, second}, 3);
    return turning < size ? concatenated({y, parts[1]}, 3) : y;
  }

  // Rows of a table of [positions, pairs], as [batch, 1, length, pairs].
  std::string rowsOf(const std::string& table, const std::string& positions) {
    return w.add("Unsqueeze", {w.add("Gather", {table, positions}), w.integers({1})});
  }

  // `query`: [batch, heads, queries, size], `key` and `value`: [batch, kept heads, keys, size]. `limit` changes the scores. `sink`:
  // scores of a key without a value, [batch, heads, queries, 1]; empty for none.
  template<class Limit>
  std::string attended(const std::string& query, std::string key, std::string value, std::int64_t group, double scale,
                       ElementType type, Limit limit, const std::string& sink = {}) {
    if (group > 1) { // each head of keys serves neighbouring heads of queries
      const auto each = [&](const std::string& x) {
        const std::string five = w.add("Unsqueeze", {x, w.integers({2})});
        const std::string many = w.add("Expand", {five, w.integers({1, 1, group, 1, 1})});
        return w.add("Reshape", {many, w.integers(repeatedShape(x == key))});
      };
      const std::string keys = each(key), values = each(value);
      key = keys, value = values;
    }
    const std::string scores = w.add("Mul", {w.add("MatMul", {query, w.transposed(key, {0, 1, 3, 2})}), number(scale, type)});
    const std::string limited = limit(scores);
    std::string weights = w.add("Softmax", {sink.empty() ? limited : concatenated({limited, sink}, 3)});
    w.set("axis", 3);
    if (!sink.empty()) weights = w.add("Slice", {weights, w.integers({0}), w.integers({-1}), w.integers({3})});
    return w.add("MatMul", {weights, value});
  }
  virtual Integers repeatedShape(bool) const { return {}; }
  virtual ~LanguageWriter() = default;

  NodeWriter w;
  const Call& m_call;
};

class NormWriter : public LanguageWriter {
public:
  using LanguageWriter::LanguageWriter;
  void rootMeanSquare() {
    const ElementType type = m_call.elementType(0);
    const std::int64_t rank = std::int64_t(shape(0).size()), axis = integer("axis", -1);
    if (axis < -rank || axis >= rank) wrong("axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
    Integers axes;
    for (std::int64_t i = axis < 0 ? axis + rank : axis; i < rank; ++i) axes.push_back(i);
    const bool isNarrow = type != ElementType::Float && integer("stash_type", 1) == 1;
    const ElementType inside = isNarrow ? ElementType::Float : type;
    const std::string x = isNarrow ? w.cast(w.in(0), inside) : w.in(0);
    const std::string mean = w.add("ReduceMean", {w.add("Mul", {x, x}), w.integers(axes)});
    const std::string root = w.add("Sqrt", {w.add("Add", {mean, number(w.real("epsilon", 1e-5), inside)})});
    std::string y = w.add("Div", {x, root});
    if (isNarrow) y = w.cast(y, type);
    w.give(0, "Mul", {y, w.in(1)});
  }
  void swish() {
    const std::string x = w.in(0);
    const std::string scaled = w.add("Mul", {x, number(w.real("alpha", 1), m_call.elementType(0))});
    w.give(0, "Mul", {x, w.add("Sigmoid", {scaled})});
  }
};

class RotaryWriter : public LanguageWriter {
public:
  using LanguageWriter::LanguageWriter;

  // The input is [batch, heads, length, size] or [batch, length, heads x size]. The two operators order their inputs differently.
  void write() {
    const bool isContrib = !m_call.node().domain.empty();
    const std::size_t cosine = isContrib ? 2 : 1, sine = cosine + 1, positions = isContrib ? 1 : 3;
    if (integer("is_packed_batching", 0)) refuse("packed batches");
    if (w.real("scale", 1) != 1) refuse("a scale");
    const Shape& x = shape(0);
    const bool hasHeads = x.size() == 4;
    if (!hasHeads && x.size() != 3) wrong("the input has " + std::to_string(x.size()) + " dimensions, not 3 or 4");
    const std::int64_t batch = x[0], length = hasHeads ? x[2] : x[1], width = x.back();
    std::int64_t turning = integer("rotary_embedding_dim", 0), heads = hasHeads ? x[1] : integer("num_heads", 0);
    if (turning == 0) turning = 2 * shape(cosine).back();
    if (heads == 0 && isContrib && integer("rotary_embedding_dim", 0) == 0 && turning > 0) heads = width / turning;
    if (heads < 1 || width % (hasHeads ? 1 : heads))
      wrong("num_heads " + std::to_string(heads) + " does not divide the hidden size " + std::to_string(width));
    const std::int64_t size = hasHeads ? width : width / heads;
    if (turning > size || turning % 2 || shape(cosine).back() != turning / 2)
      wrong(std::to_string(shape(cosine).back()) + " angles in the table do not fit heads of size " + std::to_string(size));
    std::string tables[2];
    for (const std::size_t i : {std::size_t(0), std::size_t(1)}) {
      const std::size_t table = i ? sine : cosine;
      if (!m_call.has(positions)) { // rows for exactly this input
        if (shape(table).size() != 3) wrong("tables without position_ids must have 3 dimensions");
        tables[i] = w.add("Unsqueeze", {w.in(table), w.integers({1})});
      } else {
        tables[i] = rowsOf(w.in(table), placesOf(positions, batch, length));
      }
    }
    const std::string y =
        turned(hasHeads ? w.in(0) : headsOf(w.in(0), heads), size, turning, tables[0], tables[1], integer("interleaved", 0) != 0);
    if (hasHeads) return w.give(0, y);
    w.give(0, "Reshape", {w.transposed(y, {0, 2, 1, 3}), w.integers({0, 0, -1})});
  }

private:
  // Positions [batch, length]; the node may give only the first position of all texts.
  std::string placesOf(std::size_t input, std::int64_t batch, std::int64_t length) {
    const Shape& given = shape(input);
    if (given == Shape{batch, length} || given.size() == 2) return w.in(input);
    if (numerics::elementCount(given) != 1) wrong("position_ids " + numerics::toString(given) + " are not [batch, length]");
    Integers count;
    for (std::int64_t i = 0; i < length; ++i) count.push_back(i);
    const std::string first = reshaped(w.cast(w.in(input), ElementType::Int64), {1, 1});
    return w.add("Add", {first, w.constant(HostTensor::vector(count).reshaped({1, length}))});
  }
};

// Attention of opset 23.
class StandardAttention : public LanguageWriter {
public:
  using LanguageWriter::LanguageWriter;

  void write() {
    refuseOutput(3, "the output of its scores");
    refuseInput(6, "lengths of padded keys (opset 24)");
    const Shape& q = shape(0);
    const bool hasHeads = q.size() == 4;
    for (const std::size_t i : {0, 1, 2})
      if (shape(i).size() != (hasHeads ? 4u : 3u)) wrong("query, key and value have different numbers of dimensions");
    const std::int64_t heads = hasHeads ? q[1] : integer("q_num_heads", 0),
                       kept = hasHeads ? shape(1)[1] : integer("kv_num_heads", 0);
    if (heads < 1 || kept < 1 || heads % kept) wrong("the number of query heads is not a multiple of the number of key heads");
    const auto in = [&](std::size_t i, std::int64_t count) { return hasHeads ? w.in(i) : headsOf(w.in(i), count); };
    const std::string query = in(0, heads);
    std::string key = in(1, kept), value = in(2, kept);
    m_batch = q[0], m_heads = heads;
    m_queries = hasHeads ? q[2] : q[1], m_keys = hasHeads ? shape(1)[2] : shape(1)[1];
    m_size = hasHeads ? q[3] : q[2] / heads, m_valueSize = hasHeads ? shape(2)[3] : shape(2)[2] / kept;
    const bool hasPast = m_call.has(4);
    if (hasPast != m_call.has(5)) wrong("past keys and past values must be given together");
    if (hasPast) {
      m_keys += shape(4).at(2);
      key = concatenated({w.in(4), key}, 2), value = concatenated({w.in(5), value}, 2);
    }
    if (w.wants(1)) w.give(1, key);
    if (w.wants(2)) w.give(2, value);
    const bool isCausal = integer("is_causal", 0) != 0;
    if (isCausal && hasPast && m_queries != m_keys) refuse("is_causal together with past keys");
    const double softcap = w.real("softcap", 0), scale = w.real("scale", 0);
    if (softcap != 0 && (m_call.has(3) || isCausal)) refuse("softcap together with a mask");
    const ElementType type = m_call.elementType(0);
    const std::string mixed = attended(
        query, key, value, heads / kept, scale != 0 ? scale : 1 / std::sqrt(double(m_size)), type, [&](std::string scores) {
          if (softcap != 0)
            scores = w.add("Mul", {w.add("Tanh", {w.add("Div", {scores, number(softcap, type)})}), number(softcap, type)});
          if (isCausal) scores = chosen(below(), scores, type);
          if (m_call.has(3)) scores = masked(scores, type);
          return scores;
        });
    if (hasHeads) return w.give(0, mixed);
    w.give(0, "Reshape", {w.transposed(mixed, {0, 2, 1, 3}), w.integers({0, 0, -1})});
  }

private:
  Integers repeatedShape(bool isKey) const override { return {m_batch, m_heads, m_keys, isKey ? m_size : m_valueSize}; }
  std::string chosen(const std::string& looks, const std::string& scores, ElementType type) {
    const double lowest = type == ElementType::Half ? -65504.0 : double(std::numeric_limits<float>::lowest());
    return w.add("Where", {looks, scores, number(lowest, type)});
  }
  std::string below() { // the keys up to the query's position
    Integers looks;
    for (std::int64_t q = 0; q < m_queries; ++q)
      for (std::int64_t k = 0; k < m_keys; ++k) looks.push_back(k <= q);
    return w.constant(HostTensor::vector(looks).cast(ElementType::Bool).reshaped({m_queries, m_keys}));
  }
  std::string masked(const std::string& scores, ElementType type) {
    const Shape& mask = shape(3);
    if (mask.empty() || (mask.back() != m_keys && mask.back() != 1)) refuse("a mask of shape " + numerics::toString(mask));
    if (m_call.elementType(3) == ElementType::Bool) return chosen(w.in(3), scores, type);
    return w.add("Add", {scores, w.in(3)});
  }

  std::int64_t m_batch = 0, m_heads = 0, m_queries = 0, m_keys = 0, m_size = 0, m_valueSize = 0;
};

// GroupQueryAttention of com.microsoft: keys and values are cached, and each text of the batch has its own length.
class GroupedAttention : public LanguageWriter {
public:
  using LanguageWriter::LanguageWriter;

  void write() {
    refuseInput(11, "a sink of heads");
    for (const std::size_t i : {12, 13}) refuseInput(i, "quantised keys and values");
    refuseOutput(3, "the output of its scores");
    for (const char* name : {"k_quant_type", "v_quant_type"})
      if (const std::string said = w.text(name); !said.empty() && said != "NONE") refuse(name);
    const std::int64_t heads = integer("num_heads", 0), kept = integer("kv_num_heads", 0);
    if (heads < 1 || kept < 1 || heads % kept) wrong("the number of query heads is not a multiple of the number of key heads");
    m_type = m_call.elementType(0);
    m_batch = shape(0).at(0), m_new = shape(0).at(1), m_heads = heads, m_kept = kept;
    const bool isPacked = !m_call.has(1);
    if (isPacked != !m_call.has(2)) wrong("key and value must be given together");
    m_size = shape(0).at(2) / (isPacked ? heads + 2 * kept : heads);
    std::vector<std::string> parts;
    if (isPacked)
      parts = w.split(w.in(0), 2, {heads * m_size, kept * m_size, kept * m_size});
    else
      parts = {w.in(0), w.in(1), w.in(2)};
    std::string query = headsOf(parts[0], heads), key = headsOf(parts[1], kept), value = headsOf(parts[2], kept);
    m_ends = reshaped(w.cast(w.in(5), ElementType::Int64), {m_batch, 1}); // position of each text's last token
    placeKeys();
    if (integer("do_rotary", 0)) {
      const std::string at = m_call.has(9) ? w.cast(w.in(9), ElementType::Int64) : m_places;
      const std::string cosine = rowsOf(w.in(7), at), sine = rowsOf(w.in(8), at);
      const std::int64_t turning = 2 * shape(7).back();
      const bool interleaved = integer("rotary_interleaved", 0) != 0;
      query = turned(query, m_size, turning, cosine, sine, interleaved);
      key = turned(key, m_size, turning, cosine, sine, interleaved);
    }
    key = withCached(key, 3), value = withCached(value, 4);
    if (w.wants(1)) w.give(1, key);
    if (w.wants(2)) w.give(2, value);
    const double scale = w.real("scale", 0), softcap = w.real("softcap", 0);
    if (softcap != 0 && m_call.has(10)) refuse("softcap together with an attention_bias");
    const std::string mixed = attended(
        query, key, value, heads / kept, scale != 0 ? scale : 1 / std::sqrt(double(m_size)), m_type,
        [&](std::string scores) {
          if (softcap != 0)
            scores = w.add("Mul", {w.add("Tanh", {w.add("Div", {scores, number(softcap, m_type)})}), number(softcap, m_type)});
          if (m_call.has(10)) scores = w.add("Add", {scores, w.in(10)});
          return w.add("Where",
                       {looks(), scores, number(m_type == ElementType::Half ? -65504.0 : -3.4028234663852886e38, m_type)});
        },
        sink());
    w.give(0, "Reshape", {w.transposed(mixed, {0, 2, 1, 3}), w.integers({0, 0, -1})});
  }

private:
  Integers repeatedShape(bool) const override { return {m_batch, m_heads, m_all, m_size}; }

  // Sets the number of keys, including cached ones, and the positions of the new keys in each text.
  void placeKeys() {
    const std::int64_t past = m_call.has(3) ? shape(3).at(2) : 0;
    if (m_call.isKnown(6))
      m_all = std::max<std::int64_t>(past, std::int64_t(m_call.value(6).at(0)));
    else if (past == 0)
      m_all = m_new;
    else
      refuse("a total_sequence_length that is not known before the run");
    m_past = past;
    m_isPrompt = past == 0 || (m_call.isKnown(6) && std::int64_t(m_call.value(6).at(0)) == m_new);
    Integers count;
    for (std::int64_t i = 0; i < m_new; ++i) count.push_back(i + 1 - m_new);
    // A prompt shorter than the others starts at position 0; no query reads the positions after its end.
    const std::string from = m_isPrompt ? w.constant(HostTensor::vector(Integers(1, m_new - 1)).reshaped({1, 1})) : m_ends;
    m_places = w.add("Add", {from, w.constant(HostTensor::vector(count).reshaped({1, m_new}))});
    if (m_isPrompt) m_places = w.add("Expand", {m_places, w.integers({m_batch, m_new})});
    Integers all;
    for (std::int64_t i = 0; i < m_all; ++i) all.push_back(i);
    m_keyPlaces = w.constant(HostTensor::vector(all).reshaped({1, m_all}));
  }

  // The cached values with the new ones at their positions.
  std::string withCached(const std::string& fresh, std::size_t cached) {
    if (m_past == 0 && m_all == m_new) return fresh;
    const auto limit = [&](std::int64_t v) { return w.constant(HostTensor::vector(Integers(1, v)).reshaped({1, 1})); };
    // For each key position: its index among the new keys, if the key is new.
    const std::string first = w.add("Sub", {m_ends, limit(m_new - 1)});
    const std::string which = w.add("Sub", {m_keyPlaces, m_isPrompt ? limit(0) : first});
    const std::string isNew = w.add("And", {w.add("GreaterOrEqual", {which, limit(0)}), w.add("Less", {which, limit(m_new)})});
    const std::string inside = w.add("Min", {w.add("Max", {which, limit(0)}), limit(m_new - 1)});
    const std::string wide = w.add("Expand", {reshaped(inside, {-1, 1, m_all, 1}), w.integers({m_batch, m_kept, m_all, m_size})});
    const std::string placed = w.add("GatherElements", {fresh, wide});
    w.set("axis", 2);
    const std::string none = w.constant(HostTensor::full(m_type, {}, 0));
    std::string old = none;
    if (m_past > 0) {
      old = w.in(cached);
      if (m_all > m_past) {
        old = w.add("Pad", {old, w.integers({0, 0, 0, 0, 0, 0, m_all - m_past, 0})});
        w.set("mode", std::string("constant"));
      }
      // Cached elements after the end of a text do not belong to it.
      old = w.add("Where", {reshaped(w.add("Less", {which, limit(0)}), {-1, 1, m_all, 1}), old, none});
    }
    return w.add("Where", {reshaped(isNew, {-1, 1, m_all, 1}), placed, old});
  }

  // Smooth softmax: one additional score of 0, whose weight is dropped.
  std::string sink() {
    if (integer("smooth_softmax", 0) <= 0) return {};
    return w.add("Expand", {number(0, m_type), w.integers({m_batch, m_heads, m_new, 1})});
  }

  // Keys up to the query's position and inside its window, whose size is counted as in ONNX Runtime 1.20.
  std::string looks() {
    const std::string query = reshaped(m_places, {-1, 1, m_new, 1}), key = reshaped(m_keyPlaces, {1, 1, 1, m_all});
    std::string seen = w.add("LessOrEqual", {key, query});
    if (const std::int64_t window = integer("local_window_size", -1); window > 0) {
      const std::string start = w.add("Sub", {query, w.constant(HostTensor::vector(Integers(1, window + 1)))});
      seen = w.add("And", {seen, w.add("Greater", {key, start})});
    }
    return seen;
  }

  ElementType m_type = ElementType::Float;
  std::int64_t m_batch = 0, m_new = 0, m_heads = 0, m_kept = 0, m_size = 0, m_all = 0, m_past = 0;
  bool m_isPrompt = true;
  std::string m_ends, m_places, m_keyPlaces; // [batch, 1], [batch, new], [1, all]
};

// A product with weights of a few bits in blocks, each with a scale. The weights become floats before the run.
class FewBits : public LanguageWriter {
public:
  using LanguageWriter::LanguageWriter;

  void write() {
    refuseInput(4, "an order of groups (g_idx)");
    const std::int64_t bits = integer("bits", 4), k = integer("K", 0), n = integer("N", 0), block = integer("block_size", 0);
    if (bits != 4 && bits != 8 && bits != 2) refuse("weights of " + std::to_string(bits) + " bits");
    if (k < 1 || n < 1 || block < 1) wrong("K, N and block_size must be at least 1");
    const std::int64_t blocks = (k + block - 1) / block;
    const ElementType type = m_call.elementType(0);
    if (numerics::elementCount(shape(1)) != n * blocks * block * bits / 8)
      wrong("the weights do not have the size that K, N and bits say");
    const std::string values = unpacked(w.in(1), n * blocks, block, bits);
    std::string zero = number(double(1 << (bits - 1)), ElementType::Float);
    if (m_call.has(3)) {
      if (m_call.elementType(3) == ElementType::UInt8) {
        const std::int64_t each = 8 / bits, bytes = (blocks + each - 1) / each;
        const std::string points = unpacked(w.in(3), n, bytes * each, bits);
        zero = reshaped(w.add("Slice", {points, w.integers({0}), w.integers({blocks}), w.integers({1})}), {n * blocks, 1});
      } else {
        zero = reshaped(w.cast(w.in(3), ElementType::Float), {n * blocks, 1});
      }
    }
    const std::string scale = reshaped(w.cast(w.in(2), ElementType::Float), {n * blocks, 1});
    const std::string real = w.add("Mul", {w.add("Sub", {values, zero}), scale});
    std::string rows = reshaped(real, {n, blocks * block});
    if (blocks * block > k) rows = w.add("Slice", {rows, w.integers({0}), w.integers({k}), w.integers({1})});
    std::string weights = w.transposed(rows, {1, 0});
    if (type != ElementType::Float) weights = w.cast(weights, type);
    if (!m_call.has(5)) return w.give(0, "MatMul", {w.in(0), weights});
    w.give(0, "Add", {w.add("MatMul", {w.in(0), weights}), w.in(5)});
  }

private:
  // [rows, columns] as floats; the first value of a byte is in its lowest bits.
  std::string unpacked(const std::string& bytes, std::int64_t rows, std::int64_t columns, std::int64_t bits) {
    if (bits == 8) return reshaped(w.cast(bytes, ElementType::Float), {rows, columns});
    const std::int64_t each = 8 / bits, range = std::int64_t(1) << bits;
    std::string rest = reshaped(w.cast(bytes, ElementType::Int32), {rows, columns / each, 1});
    const std::string radix = w.constant(HostTensor::full(ElementType::Int32, {}, double(range)));
    std::vector<std::string> parts;
    for (std::int64_t i = 0; i < each; ++i) {
      const std::string above = w.add("Div", {rest, radix});
      parts.push_back(w.add("Sub", {rest, w.add("Mul", {above, radix})}));
      rest = above;
    }
    return w.cast(reshaped(concatenated(parts, 2), {rows, columns}), ElementType::Float);
  }
};

// Samples classes from the logarithms of their probabilities: adds noise of Gumbel's distribution and takes the largest sum.
class Drawing : LanguageWriter {
public:
  using LanguageWriter::LanguageWriter;
  using LanguageWriter::take;

  void write() {
    const std::int64_t samples = integer("sample_size", 1);
    if (shape(0).size() != 2) wrong("the input has the shape " + numerics::toString(shape(0)) + ", not [batch, classes]");
    if (samples < 1) wrong("sample_size is " + std::to_string(samples) + ", but must be at least 1");
    const std::string uniform = w.add("RandomUniform", {});
    w.set("shape", Integers{shape(0)[0], samples, shape(0)[1]}).setReal("high", 1 - 0x1p-24).keep({"seed"});
    const auto lessLog = [&](const std::string& x) { return w.add("Neg", {w.add("Log", {x})}); };
    const std::string rows = reshaped(w.cast(w.in(0), ElementType::Float), {shape(0)[0], 1, shape(0)[1]});
    const std::string best = w.add("ArgMax", {w.add("Add", {rows, lessLog(lessLog(uniform))})});
    w.set("axis", 2).set("keepdims", std::int64_t(0));
    w.give(0, "Cast", {best});
    w.set("to", integer("dtype", onnxTypeOf(ElementType::Int32)));
  }
};

template<class Writer, void (Writer::*write)()> std::vector<Node> written(const Call& call) {
  Writer writer(call);
  (writer.*write)();
  return writer.take();
}

using LanguageRule = std::vector<Node> (*)(const Call&);
const std::map<std::string, LanguageRule>& languageRules() { // by domain and type
  static const std::map<std::string, LanguageRule> all{
      {":Attention", written<StandardAttention, &StandardAttention::write>},
      {":Multinomial", written<Drawing, &Drawing::write>},
      {":RMSNormalization", written<NormWriter, &NormWriter::rootMeanSquare>},
      {":RotaryEmbedding", written<RotaryWriter, &RotaryWriter::write>},
      {":Swish", written<NormWriter, &NormWriter::swish>},
      {"com.microsoft:GroupQueryAttention", written<GroupedAttention, &GroupedAttention::write>},
      {"com.microsoft:MatMulNBits", written<FewBits, &FewBits::write>},
      {"com.microsoft:RotaryEmbedding", written<RotaryWriter, &RotaryWriter::write>},
  };
  return all;
}

} // namespace

bool isLanguageOperator(const Node& node) { return languageRules().contains(node.domain + ":" + node.opType); }

std::vector<Node> expandLanguageOperator(const Call& call) {
  return languageRules().at(call.node().domain + ":" + call.node().opType)(call);
}

} // namespace simcore::model
