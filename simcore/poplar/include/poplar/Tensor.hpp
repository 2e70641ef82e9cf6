// A view of variables of a graph. Slicing, reshaping and joining make other views; they neither copy nor compute elements.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Interval.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/Type.hpp"
#include "poplar/VariableRef.hpp"

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace poplar {

class Graph;
class Tensor;

enum class UpsampleMethod { REPEAT };

namespace core {
struct TensorAccess; // gives the implementation access to the object behind a handle
}

// Joins tensors along a dimension; their other dimensions must be equal. Throws poplar_error for an empty list, different types
// or wrong shapes.
Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor& first, const Tensor& second, unsigned dimension = 0);
// Joins a tensor with one that lacks a dimension and becomes its last slice along `dimension`.
Tensor append(const Tensor& first, const Tensor& second, unsigned dimension = 0);

// Views throw poplar_error naming the tensor if the arguments do not fit its shape.
class Tensor {
public:
  Tensor(); // not valid()
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  bool valid() const;
  Type elementType() const;
  std::vector<std::size_t> shape() const;
  std::size_t rank() const;
  std::size_t dim(unsigned dimension) const;
  std::size_t numElements() const;

  Tensor operator[](std::size_t index) const; // without dimension 0
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  Tensor slice(std::size_t begin, std::size_t end) const { return slice(begin, end, 0); }
  Tensor slice(const Interval& region, unsigned dimension = 0) const { return slice(region.begin(), region.end(), dimension); }
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const; // slices the first dimensions
  std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
  std::vector<Tensor> slices(const std::vector<std::vector<Interval>>& intervals, unsigned dimension = 0) const;
  std::vector<Tensor> slices(ArrayRef<unsigned> indices, unsigned dimension = 0) const;
  Tensor index(ArrayRef<std::size_t> indices) const; // t[i][j]…
  Tensor flatten() const;
  Tensor flatten(unsigned firstDimension, unsigned endDimension) const;
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  Tensor reshapePartial(unsigned beginDimension, unsigned endDimension, ArrayRef<std::size_t> shape) const;
  Tensor dimShuffle(ArrayRef<unsigned> order) const;
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  Tensor dimRoll(unsigned dimension, unsigned newPlace = 0) const;
  Tensor transpose() const;                                   // reverses the dimensions
  Tensor expand(ArrayRef<std::size_t> before) const;          // new dimensions of extent 1 before these
  Tensor squeeze(ArrayRef<std::size_t> dimensions) const;     // removes these dimensions, whose extent is 1
  Tensor broadcast(unsigned count, unsigned dimension) const; // repeats all of it `count` times along the dimension
  Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod method) const; // repeats every element `scale` times
  Tensor subSample(unsigned stride, unsigned dimension) const;                      // keeps every stride-th element
  Tensor reverse(unsigned dimension) const;
  // The same bytes as another type of the same size. Throws poplar_error for HALF and QUARTER, which the simulator stores differently.
  Tensor reinterpret(const Type& type) const;

  bool isContiguous() const;
  bool containsAliases() const;
  bool containsConstant() const; // made by addConstant, also through views; results of libraries count as variables
  // The value of one element of a constant; false, and no value, for every other tensor.
  template<class T> typename std::enable_if<std::is_arithmetic<T>::value, bool>::type getConstantValue(T* value) const {
    long double number = 0;
    if (!constantValue(number)) return false;
    *value = static_cast<T>(number);
    return true;
  }
  bool isParallelWriteable() const;
  const std::vector<Interval> getContiguousRegions() const;
  const std::vector<VariableInterval> getVarRegions() const;
  bool intersectsWith(const Tensor& other) const;
  std::string shapeToString() const; // "[3,4]"
  std::string getDebugStr() const;
  void dump() const;
  void dump(std::ostream& out) const;
  void dumpRegions() const;
  std::string getVarStr() const { return getDebugStr(); }
  bool hasMetadata() const { return false; } // of QUARTER, which is always F143 with scale 0 here
  Tensor getMetadata() const { return Tensor(); }
  std::string getVarName() const { return getDebugStr(); }
  std::ostream& output(std::ostream& out) const;
  std::ostream& outputRegions(std::ostream& out) const;

  bool operator==(const Tensor& other) const; // the same elements in the same shape
  bool operator!=(const Tensor& other) const { return !(*this == other); }

  struct Inside;

private:
  bool constantValue(long double& value) const;
  friend struct core::TensorAccess;
  std::shared_ptr<const Inside> m_inside;
};

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

} // namespace poplar
