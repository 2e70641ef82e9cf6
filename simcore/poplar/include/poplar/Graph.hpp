// Variables mapped to tiles, compute sets of vertices, streams and functions, for one target. An engine compiles the graph as it
// is when the engine is made. Failed calls throw an exception of exceptions.hpp whose message names the object.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/CodeletFileType.hpp"
#include "poplar/DataStream.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Device.hpp"
#include "poplar/GraphElements.hpp"
#include "poplar/Interval.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/PerfEstimateFunc.hpp"
#include "poplar/Program.hpp"
#include "poplar/ReplicatedStreamMode.hpp"
#include "poplar/SerializationFormat.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/Target.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/TensorCloneMethod.hpp"
#include "poplar/TensorRearranger.hpp"
#include "poplar/Type.hpp"
#include "poplar/TypeTraits.hpp"
#include "poplar/VariableMappingMethod.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <istream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace poplar {

namespace core {
struct GraphAccess;

// A number for a tensor or field: whole numbers stay exact.
struct Number {
  enum class Kind { Signed, Unsigned, Floating };
  Number() : kind(Kind::Floating), whole(0), floating(0) {}
  template<class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
  Number(T value)
      : kind(std::is_floating_point<T>::value ? Kind::Floating
             : std::is_signed<T>::value       ? Kind::Signed
                                              : Kind::Unsigned),
        whole(static_cast<unsigned long long>(value)), floating(static_cast<double>(value)) {}
  Kind kind;
  unsigned long long whole;
  double floating;
};
template<class T> std::vector<Number> numbers(const T* values, std::size_t count) {
  std::vector<Number> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) all.push_back(Number(values[i]));
  return all;
}
} // namespace core

// By tile: the intervals of a tensor's elements on it.
using TileToTensorMapping = std::vector<std::vector<Interval>>;

// The number of replicas of a graph.
struct replication_factor {
  explicit replication_factor(unsigned n) : factor(n) {}
  operator unsigned() const { return factor; }
  unsigned factor;
};

class Graph {
public:
  using TileToTensorMapping = poplar::TileToTensorMapping;
  // A connection of a vertex that is made when the vertex is added.
  struct ConnectionDesc {
    ConnectionDesc(StringRef fieldName, Tensor tensor) : field(fieldName.cloneAsString()), tensors(1, std::move(tensor)) {}
    ConnectionDesc(StringRef fieldName, ArrayRef<Tensor> list)
        : field(fieldName.cloneAsString()), tensors(list.cloneAsVector()), isList(true) {}
    template<class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    ConnectionDesc(StringRef fieldName, T constant) : field(fieldName.cloneAsString()), value(constant), isNumber(true) {}

    std::string field;
    std::vector<Tensor> tensors;
    core::Number value;
    bool isList = false, isNumber = false;
  };
  using HostFunctionArgument = std::tuple<Type, std::size_t>; // the type and number of elements

  explicit Graph(const Target& target, replication_factor replicas = replication_factor(1));
  explicit Graph(const Device& device, replication_factor replicas = replication_factor(1));
  Graph(const Target& target, int virtualFactor, replication_factor replicas);
  Graph(); // without a target: throws at first use
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  const Target& getTarget() const; // as seen by this graph
  unsigned getReplicationFactor() const;
  Tensor addReplicationIndexConstant(const DebugContext& context = {});
  Graph getTopLevelGraph() const;

  // The same graph, seen as a machine with fewer tiles.
  Graph createVirtualGraph(unsigned tilesPerIpu);
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(const std::vector<unsigned>& perIpuTiles);
  Graph createReplicatedGraph(unsigned replicas);
  unsigned convertVirtualTileToPhysicalTile(unsigned tile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned tile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tileOnIpu) const;
  unsigned convertTileToTopLevelGraphTile(unsigned tile) const { return convertVirtualTileToPhysicalTile(tile); }
  unsigned convertTopLevelGraphTileToTile(unsigned tile) const { return convertPhysicalTileToVirtualTile(tile); }

  // Codelets from C++ source, compiled now, or from a .gp file of popc. Paths are relative to the program's working directory.
  // False for a file that was added before. Throws file_load_error (no such file) or graph_program_compilation_error (it does not
  // compile).
  bool addCodelets(StringRef source, CodeletFileType type = CodeletFileType::Auto, StringRef compileFlags = "",
                   std::ostream& compileOutput = std::cerr, const std::string& target = "");
  bool addCodelets(ArrayRef<std::string> sources, StringRef compileFlags = "", std::ostream& compileOutput = std::cerr,
                   const std::string& target = "");
  bool addCodelets(std::initializer_list<std::string> sources, StringRef compileFlags = "",
                   std::ostream& compileOutput = std::cerr, const std::string& target = "");
  // Adds the codelets of a source in a stream.
  bool addCodelets(std::istream& source, StringRef compileFlags = "", std::ostream& compileOutput = std::cerr,
                   CodeletFileType type = CodeletFileType::CppSource, const std::string& target = "");
  bool addCodelets(std::istream& source, CodeletFileType type, StringRef compileFlags = "",
                   std::ostream& compileOutput = std::cerr);
  // The same calls as in later releases, which take a target instead of a stream for messages.
  bool addCodelets(StringRef source, CodeletFileType type, StringRef compileFlags, StringRef target) {
    return addCodelets(source, type, compileFlags, std::cerr, target.cloneAsString());
  }
  bool addCodelets(ArrayRef<std::string> sources, StringRef compileFlags, StringRef target) {
    return addCodelets(sources, compileFlags, std::cerr, target.cloneAsString());
  }
  bool addCodelets(std::istream& source, StringRef compileFlags, CodeletFileType type, StringRef target = "") {
    return addCodelets(source, compileFlags, std::cerr, type, target.cloneAsString());
  }
  bool hasCodelet(StringRef name) const;

  Tensor addVariable(const Type& type, ArrayRef<std::size_t> shape, const DebugContext& context = {});
  Tensor addVariable(const Type& type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                     const DebugContext& context = {});
  Tensor addVariable(const Type& type, ArrayRef<std::size_t> shape, const DebugContext& context, VariableMappingMethod method) {
    return addVariable(type, shape, method, context);
  }
  // `metadata` must be a Tensor() without a value, also for QUARTER, which is always F143 with scale 0 here.
  Tensor addVariable(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape, const DebugContext& context = {}) {
    refuseMetadata(metadata);
    return addVariable(type, shape, context);
  }
  Tensor addVariable(const Type& type, const Tensor& metadata, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                     const DebugContext& context = {}) {
    refuseMetadata(metadata);
    return addVariable(type, shape, method, context);
  }
  // A constant with one value for all elements, or one value for each.
  template<class T>
  typename std::enable_if<std::is_arithmetic<T>::value, Tensor>::type
  addConstant(const Type& type, ArrayRef<std::size_t> shape, T value, const DebugContext& context = {"<const>"}) {
    return addConstantOf(type, shape, core::numbers(&value, 1), context);
  }
  template<class T>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     const DebugContext& context = {"<const>"}) {
    return addConstantOf(type, shape, core::numbers(values.data(), values.size()), context);
  }
  template<class T>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, const std::vector<T>& values,
                     const DebugContext& context = {"<const>"}) {
    return addConstantOf(type, shape, core::numbers(values.data(), values.size()), context);
  }
  template<class T>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, std::initializer_list<T> values,
                     const DebugContext& context = {"<const>"}) {
    return addConstantOf(type, shape, core::numbers(values.begin(), values.size()), context);
  }
  template<class T>
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, const T* values, const DebugContext& context = {"<const>"}) {
    return addConstantOf(type, shape, core::numbers(values, elementsOf(shape)), context);
  }
  // Takes the values from memory: one for each element or, with `broadcast`, one for all. Throws tensor_creation_failed for
  // traits that do not describe a number.
  Tensor addConstant(const Type& type, ArrayRef<std::size_t> shape, const void* values, const TypeTraits& traits, bool broadcast,
                     const DebugContext& context = {"<const>"});
  // Constants of type HALF; each value is its two bytes.
  Tensor addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, std::uint16_t value,
                         const DebugContext& context = {"<const>"});
  Tensor addConstantHalf(const Type& type, ArrayRef<std::size_t> shape, const std::uint16_t* values,
                         const DebugContext& context = {"<const>"});
  Tensor addLinearlyMappedVariable(const Type& type, ArrayRef<std::size_t> shape, const DebugContext& context = {}) {
    return addVariable(type, shape, VariableMappingMethod::LINEAR, context);
  }
  // A new variable of the same shape, each element on the tile of the original.
  Tensor clone(const Type& type, const Tensor& tensor, const DebugContext& context = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor& tensor, const DebugContext& context = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return clone(tensor.elementType(), tensor, context, method);
  }
  Tensor clone(const Type& type, const Tensor& metadata, const Tensor& tensor, const DebugContext& context = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    refuseMetadata(metadata);
    return clone(type, tensor, context, method);
  }
  Tensor cloneN(const Type& type, const Tensor& tensor, std::size_t n, const DebugContext& context, TensorCloneMethod method,
                TensorCloneDuplicationMethod) {
    return cloneN(type, tensor, n, context, method);
  }
  Tensor cloneN(const Tensor& tensor, std::size_t n, const DebugContext& context, TensorCloneMethod method,
                TensorCloneDuplicationMethod) {
    return cloneN(tensor, n, context, method);
  }
  // n clones, with one additional dimension in front.
  Tensor cloneN(const Type& type, const Tensor& tensor, std::size_t n, const DebugContext& context = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor cloneN(const Tensor& tensor, std::size_t n, const DebugContext& context = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return cloneN(tensor.elementType(), tensor, n, context, method);
  }

  ComputeSet addComputeSet(const DebugContext& context = {});
  VertexRef addVertex(ComputeSet computeSet, StringRef vertexType, ArrayRef<ConnectionDesc> connections = {});
  VertexRef addVertex(ComputeSet computeSet, StringRef vertexType, std::initializer_list<ConnectionDesc> connections) {
    return addVertex(computeSet, vertexType, ArrayRef<ConnectionDesc>(connections.begin(), connections.size()));
  }
  // Throw unknown_field, type_error, or graph_connection_error for a field that is already connected or cannot be connected.
  void connect(FieldRef field, const Tensor& tensor);
  void connect(FieldRef field, ArrayRef<Tensor> list);
  void connect(FieldRef field, const std::vector<Tensor>& list) { connect(field, ArrayRef<Tensor>(list)); }
  template<class T> typename std::enable_if<std::is_arithmetic<T>::value>::type connect(FieldRef field, T constant) {
    connectNumbers(field, core::numbers(&constant, 1), false);
  }
  template<class T> typename std::enable_if<std::is_arithmetic<T>::value>::type connect(FieldRef field, ArrayRef<T> constants) {
    connectNumbers(field, core::numbers(constants.data(), constants.size()), true);
  }
  void setFieldSize(FieldRef field, std::size_t size);
  std::size_t getFieldSize(FieldRef field) const;

  // Sets the value that a plain member of a vertex, or a tensor, has when the program is loaded.
  template<class T> typename std::enable_if<std::is_arithmetic<T>::value>::type setInitialValue(FieldRef field, T value) {
    setFieldValues(field, core::numbers(&value, 1), false);
  }
  template<class T> void setInitialValue(FieldRef field, ArrayRef<T> values) {
    setFieldValues(field, core::numbers(values.data(), values.size()), true);
  }
  template<class T> void setInitialValue(FieldRef field, const std::vector<T>& values) {
    setFieldValues(field, core::numbers(values.data(), values.size()), true);
  }
  template<class T> typename std::enable_if<std::is_arithmetic<T>::value>::type setInitialValue(const Tensor& tensor, T value) {
    setTensorValues(tensor, core::numbers(&value, 1));
  }
  template<class T> void setInitialValue(const Tensor& tensor, ArrayRef<T> values) {
    setTensorValues(tensor, core::numbers(values.data(), values.size()));
  }
  template<class T> void setInitialValue(const Tensor& tensor, const std::vector<T>& values) {
    setTensorValues(tensor, core::numbers(values.data(), values.size()));
  }
  template<class T> void setInitialValue(const Tensor& tensor, std::initializer_list<T> values) {
    setTensorValues(tensor, core::numbers(values.begin(), values.size()));
  }
  void setInitialValueHalf(FieldRef field, std::uint16_t value);
  void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> values);
  void setInitialValueHalf(const Tensor& tensor, std::uint16_t value) {
    setInitialValueHalf(tensor, ArrayRef<std::uint16_t>(&value, 1));
  }
  void setInitialValueHalf(const Tensor& tensor, ArrayRef<std::uint16_t> values);

  // Set the tile of a vertex or of elements; the last mapping of an element counts.
  void setTileMapping(VertexRef vertex, unsigned tile);
  void setTileMapping(const Tensor& tensor, unsigned tile);
  void setTileMapping(const Tensor& tensor, const TileToTensorMapping& mapping);
  // Returns intervals by tile. Throws invalid_tile_mapping if an element is not mapped, unless `requireComplete` is off.
  TileToTensorMapping getTileMapping(const Tensor& tensor, bool requireComplete = true) const;
  TileToTensorMapping getTileMapping(const Tensor& tensor, bool* isComplete) const;
  TileToTensorMapping getTileMapping(const Tensor& tensor, bool requireComplete, bool) const {
    return getTileMapping(tensor, requireComplete);
  }
  TileToTensorMapping getTileMapping(const Tensor& tensor, bool* isComplete, bool) const {
    return getTileMapping(tensor, isComplete);
  }
  TileToTensorMapping getVariableTileMapping(const Tensor& tensor) const { return getTileMapping(tensor); }
  // Sets the cycles that a vertex takes on an IPUModel, and its floating-point operations.
  void setPerfEstimate(VertexRef vertex, std::uint64_t cycles, std::uint64_t flops = 0);
  void setPerfEstimate(VertexRef vertex, const VertexPerfEstimate& estimate) {
    setPerfEstimate(vertex, estimate.cycles, estimate.flops);
  }
  // Throws missing_cycle_estimate if it was not set.
  VertexPerfEstimate getPerfEstimate(const VertexRef& vertex) const;
  // Has no effect, and warns once: vertices without setPerfEstimate() have their cycles counted from the code.
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);
  std::size_t getNumVertices() const; // only those added by addVertex
  // 2^32 - 1 for every field: the chip's layouts with shorter counts and pointers are not simulated.
  std::size_t getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimension) const;
  std::size_t getMaxVertexFieldValue(StringRef vertexType, StringRef field) const; // for a plain member
  template<class T> T getMaxVertexFieldValueAs(StringRef vertexType, StringRef field) const {
    return static_cast<T>(std::min<unsigned long long>(getMaxVertexFieldValue(vertexType, field),
                                                       static_cast<unsigned long long>(std::numeric_limits<T>::max())));
  }
  void setCycleEstimate(VertexRef vertex, unsigned cycles) { setPerfEstimate(vertex, cycles, 0); }

  DataStream addHostToDeviceFIFO(StringRef handle, const Type& type, std::size_t elements,
                                 ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE, const OptionFlags& options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type& type, std::size_t elements, const OptionFlags& options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type& type, std::size_t elements, ReplicatedStreamMode mode,
                                 const OptionFlags& options = {});
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type& type, std::size_t elements, std::size_t repeats = 1,
                               bool rearrangeOnHost = false, bool optimiseMemory = false);
  void createHostRead(StringRef handle, const Tensor& tensor, bool rearrangeOnHost = false);
  void createHostWrite(StringRef handle, const Tensor& tensor, bool rearrangeOnHost = false);
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs, ArrayRef<HostFunctionArgument> outputs);
  Function addFunction(const program::Program& program);
  FunctionBuffer addFunctionBuffer(const Function& function, FunctionBufferMappingType mapping);

  // For libraries: the regions, cut into intervals that are each contiguous in memory.
  std::vector<std::vector<Interval>> getSortedContiguousRegions(const Tensor& tensor, ArrayRef<Interval> regions,
                                                                bool removeAliases = false,
                                                                std::vector<std::size_t>* aliases = nullptr) const;
  // Makes each of the tensors a vector, with the elements in the order of the first tensor's elements in memory.
  void reorderToSimplify(Tensor* tensor, ArrayRef<Tensor*> others, bool requireSimplestOrder = true) const;
  TensorRearranger getSimplifyingRearranger(const Tensor& tensor) const;
  Tensor getVariable(VariableRef variable) const; // the whole variable
  Tensor findUnbroadcastTensor(const Tensor& tensor) const;
  bool isConstant(const VariableRef& variable) const;

  // Plots as Graphviz text.
  void outputComputeGraph(std::ostream& out, ArrayRef<program::Program> programs = {}) const;
  void outputVertexGraph(std::ostream& out, ArrayRef<program::Program> programs = {}) const;
  void serialize(std::ostream& out, SerializationFormat format) const;
  void serialize(std::ostream& out, ArrayRef<program::Program> programs, SerializationFormat format) const;
  void serializeTensors(std::ostream& out, ArrayRef<Tensor> tensors, SerializationFormat format) const;
  // Throws poplar_error: the text of serializeTensors() has no variables to make, and Poplar's format is not public.
  std::vector<Tensor> deserializeTensors(std::istream& in, SerializationFormat format);

  struct Inside;

private:
  friend struct core::GraphAccess;
  explicit Graph(std::shared_ptr<Inside> inside);
  static std::size_t elementsOf(ArrayRef<std::size_t> shape) {
    std::size_t n = 1;
    for (std::size_t extent : shape) n *= extent;
    return n;
  }
  static void refuseMetadata(const Tensor& metadata) {
    if (metadata.valid()) throw poplar_error("metadata of QUARTER tensors is not simulated: they are always F143 with scale 0");
  }
  Tensor addConstantOf(const Type& type, ArrayRef<std::size_t> shape, const std::vector<core::Number>& values,
                       const DebugContext& context);
  void connectNumbers(const FieldRef& field, const std::vector<core::Number>& values, bool isList);
  void setFieldValues(const FieldRef& field, const std::vector<core::Number>& values, bool isList);
  void setTensorValues(const Tensor& tensor, const std::vector<core::Number>& values);
  std::shared_ptr<Inside> m_inside;
};

std::string versionString();
std::string packageHash();

} // namespace poplar
