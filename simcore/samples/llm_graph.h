// The nodes of a language model that decodes. Every call takes some new tokens of each sequence, reads the keys and values of
// earlier tokens from persistent caches, and adds keys and values of the new tokens. Layers as in Llama: root mean square norms,
// rotary positions, heads that share keys and values, a gated feed-forward part.
#pragma once

#include "simcore/samples/network.h"

namespace simcore::samples {

struct LlmShape {
  int64_t layers = 4, hidden = 512, heads = 8, groups = 4, intermediate = 1408, vocabulary = 8192;
  int64_t batch = 1, prompt = 448, context = 512; // tokens; context includes those that are generated
  int weightBits = 0;                             // bits of a weight; 0: as the precision
  bool sparse = false;                            // SparQ
  int64_t components = 32, positions = 128;       // r and k of SparQ
  int64_t buckets = 1;                            // the k positions are selected in equal parts from these ranges
  bool streaming = false;                         // keys and values of the prompt are in streaming memory

  int64_t head() const { return hidden / heads; }
  int64_t rows() const { return batch * groups; } // heads of keys and values in the batch
  int64_t queries() const { return heads / groups; }
  int64_t old() const { return streaming ? prompt : context; } // cached positions, of which SparQ reads a part
  int64_t parametersOfLayer() const;
  int64_t parameters() const;
};

// A value that persists between calls.
struct LlmState {
  std::string name;
  numerics::ElementType type;
  numerics::Shape shape;
  bool isRemote = false; // stored in a remote buffer, which nodes load and store
};

class LlmGraph {
public:
  LlmGraph(Network& net, const LlmShape& shape);

  // Appends the nodes of a call with `count` tokens of each sequence, int32 [batch, count]; `sparse`: with SparQ. Returns the
  // name of the most probable next token, [batch, 1].
  std::string call(const std::string& tokens, int64_t count, bool sparse);

  const std::vector<LlmState>& states() const { return m_states; }
  // The layer of each node so far: -1 before the first layer, the number of layers after the last.
  const std::vector<int>& layerOfNode() const { return m_layerOfNode; }
  // The value of `position` after the last call.
  const std::string& nextPosition() const { return m_nextPosition; }

  static constexpr const char* kToken = "token";
  static constexpr const char* kPosition = "position";

private:
  struct Turn { // values that the layers of a call share
    int64_t count = 1;
    bool sparse = false;
    std::string cosines, sines; // [count, head]
    std::string isOld;          // [1, old]: true for positions before the call
    std::string recent;         // position among the generated tokens, if the prompt is in streaming memory
    std::string isRecent;       // [1, made]: true for generated positions before the call; empty if there are none
    std::string causal;         // [count, count]; empty for one token
  };
  struct Heads {
    std::string queries, keys, values; // [rows, queries x count, head], [rows, head, count], [rows, count, head]
  };
  // Scores [rows, queries x count, length], and the values that they weight [rows, length, head].
  struct Segment {
    std::string scores, values;
    int64_t length;
  };
  // Keys and values of the old positions, in SRAM or loaded from streaming memory.
  struct Cached {
    std::string keys, values, keysByToken; // [rows, head, old], [rows, old, head] twice
  };
  std::string weight(const std::string& name, int64_t in, int64_t out);
  std::string packedWeight(const std::string& name, int64_t in, int64_t out);
  std::string product(const std::string& name, const std::string& x, int64_t out);
  std::string norm(const std::string& name, const std::string& x);
  Turn begin(int64_t count, bool sparse);
  std::string layer(int64_t number, const std::string& x, const Turn& turn);
  Heads project(const std::string& name, const std::string& x, const Turn& turn);
  std::string dense(const std::string& name, const Heads& heads, const Cached& cached, const Turn& turn);
  std::string sparse(const std::string& name, const Heads& heads, const std::string& mean, const Turn& turn);
  std::string masked(const std::string& name, const std::string& scores, const std::string& isThere);
  std::vector<Segment> newSegments(const std::string& name, const Heads& heads, const Turn& turn);
  std::string joined(const std::string& name, const std::vector<Segment>& segments);
  std::string weighed(const std::string& name, const std::string& weights, const std::vector<Segment>& segments);
  Cached cachedOf(const std::string& name, const Turn& turn);
  std::string rowsOf(const std::string& name, const std::string& buffer, const std::string& places, int64_t each, int64_t perRow,
                     int64_t columns);
  void write(const std::string& name, const Heads& heads, const Cached& cached, const std::string& mean, const Turn& turn);
  void declareStates(const std::string& name);
  bool readsRows() const { return m_s.streaming && m_s.sparse; }
  std::string withMean(const std::string& name, const Heads& heads, const Turn& turn);
  void state(const std::string& name, const numerics::Shape& shape, bool isRemote = false);
  std::string add(const std::string& op, const std::vector<std::string>& inputs, const std::string& name,
                  model::Attributes attributes = {});
  std::string own(const std::string& op, const std::vector<std::string>& inputs, const std::string& name,
                  model::Attributes attributes = {});
  std::vector<std::string> split(const std::string& x, int64_t axis, const std::vector<int64_t>& sizes, const std::string& name);
  std::string transposed(const std::string& x, const std::vector<int64_t>& order, const std::string& name);
  void tellLayer(int layer) { m_layerOfNode.resize(m_net.graph().graph().nodes.size(), layer); }

  Network& m_net;
  model::GraphBuilder& m_g;
  const LlmShape m_s;
  std::vector<LlmState> m_states;
  std::vector<int> m_layerOfNode;
  std::map<std::string, std::string> m_weights; // constants by name
  std::string m_nextPosition;
};

} // namespace simcore::samples
