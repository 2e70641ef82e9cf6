// A model as a graph of named values, in memory. It is independent of the file format; values are referred to by name as in ONNX,
// and a subgraph (a branch of If, the body of Loop) may use the names of the graphs around it.
#pragma once

#include "reports/core/error.h"
#include "simcore/graph/source_location.h"
#include "simcore/numerics/host_tensor.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace simcore::model {

// Names that this module uses often.
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

struct Graph;

// Attributes of a node, as in the file: 64-bit integers, floats in file precision, tensors, subgraphs. The typed getters return
// the type that the operator expects; if the file has another type, the error names the attribute.
using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                               std::vector<std::string>, numerics::HostTensor, std::shared_ptr<const Graph>>;

// Element types by their numbers in TensorProto.DataType (files, attributes); none for strings, complex and unknown types.
std::optional<numerics::ElementType> elementTypeOfOnnx(std::int64_t number);
std::int64_t onnxTypeOf(numerics::ElementType type);

class Attributes {
public:
  void set(const std::string& name, Attribute value) { m_values[name] = std::move(value); }
  bool has(const std::string& name) const { return m_values.count(name) != 0; }
  const std::map<std::string, Attribute>& all() const { return m_values; }
  std::map<std::string, Attribute>& all() { return m_values; }

  // Returns the value, or `standard` if the node lacks the attribute. Throws Error(InvalidInput) if it is of another kind.
  std::int64_t integer(const std::string& name, std::int64_t standard) const { return get(name, standard); }
  float real(const std::string& name, float standard) const { return get(name, standard); }
  std::string text(const std::string& name, const std::string& standard) const { return get(name, standard); }
  std::vector<std::int64_t> integers(const std::string& name) const { return get(name, std::vector<std::int64_t>{}); }
  std::vector<float> reals(const std::string& name) const { return get(name, std::vector<float>{}); }
  std::vector<std::string> texts(const std::string& name) const { return get(name, std::vector<std::string>{}); }
  // The following also throw if the attribute is missing.
  const numerics::HostTensor& tensor(const std::string& name) const;
  const Graph& graph(const std::string& name) const;
  std::int64_t requiredInteger(const std::string& name) const;

private:
  [[noreturn]] static void failKind(const std::string& name);
  [[noreturn]] static void failMissing(const std::string& name);
  template<class T> T get(const std::string& name, const T& standard) const {
    const auto found = m_values.find(name);
    if (found == m_values.end()) return standard;
    if (const T* value = std::get_if<T>(&found->second)) return *value;
    failKind(name);
  }

  std::map<std::string, Attribute> m_values;
};

// Type and shape of a value, known before the run.
struct TensorType {
  numerics::ElementType type = numerics::ElementType::Float;
  numerics::Shape shape;
  bool operator==(const TensorType&) const = default;
};

struct Node {
  std::string opType, domain, name; // the domain "" is the standard one
  std::vector<std::string> inputs;  // "" = absent optional input
  std::vector<std::string> outputs; // "" = unused optional output
  Attributes attributes;
  int opset = 0; // of the node's domain
  // In the body of a function: attributes set by a call, each with its name at the calling node. Else empty.
  std::map<std::string, std::string> fromCall;
  // Debug contexts in which the node is lowered, outermost first, e.g. {"bwd", "conv1"}.
  std::vector<std::string> path;
  // The nodes that a fusion pass merged into this one, in order; empty for a node as in the file.
  struct Origin {
    std::string name, opType;
  };
  std::vector<Origin> fused;
  graph::SourceLocation source; // of the user's code that added it; unknown for nodes of files
  std::string doc;              // the node's text in the file, e.g. the lines of the program that exported it

  // "node 'conv_3'", or the first output's name if the node has no name.
  std::string label() const;
};

// A declared input or output. A dimension is a number, a symbol ("batch") or unknown (neither).
struct Dimension {
  std::optional<std::int64_t> size;
  std::string symbol;
};
struct ValueDeclaration {
  std::string name;
  std::optional<numerics::ElementType> type;  // none: not a tensor of a numeric type
  std::optional<std::vector<Dimension>> dims; // none: unknown rank
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<ValueDeclaration> inputs; // without those that are only initialisers
  std::vector<ValueDeclaration> outputs;
  std::unordered_map<std::string, numerics::HostTensor> initialisers;
  // Initialisers that the run changes: they have an initial value, and their readers are unknown before the run.
  std::set<std::string> trained;
  // Filled by resolveTypes(): the type of every value of the graph.
  std::unordered_map<std::string, TensorType> types;
};

// A graph with the other data of its file.
struct Model {
  Graph graph;
  std::string file; // the user's name for it, for messages
  // Notes of the file as pairs of name and value (simcore/onnx/onnx_notes.h).
  std::vector<std::pair<std::string, std::string>> notes;
  int opset = 0; // of the standard domain
  // The static shape of each input after bindShapes(); inputs with a static shape in the file are always included.
  std::unordered_map<std::string, TensorType> inputTypes;
};

// The name of a model: the name of its file, or of its folder if the file is "model.onnx".
std::string modelName(const std::filesystem::path& file);

// Sorts the nodes of this graph and its subgraphs so that each comes after the nodes it reads from; otherwise keeps the order of
// the file. Throws reports::Error(InvalidInput) naming a node for a cycle, an undefined input, or a value that is defined twice.
void sortNodes(Graph& graph);

// Names read by a graph's nodes (and their subgraphs) that the graph itself does not define.
std::set<std::string> outerNames(const Graph& graph);

// Gives every input of the model a static shape: sizes in the file are kept, `shapes` supplies the others by input name. Throws
// reports::Error(InvalidInput) naming the input if a size stays unknown, contradicts the file, or `shapes` names no input.
void bindShapes(Model& model, const std::unordered_map<std::string, numerics::Shape>& shapes);

// Makes inputs constants of the model: they are removed from the inputs and become initialisers. This is for values that shapes
// depend on, e.g. the target of a Reshape. Throws reports::Error(InvalidInput) for a wrong name or type.
void bindConstants(Model& model, const std::unordered_map<std::string, numerics::HostTensor>& values);

} // namespace simcore::model
