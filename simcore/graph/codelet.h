// A user's vertex type: named fields, a body (a function of this program, or code compiled from source), and a cycle estimate.
#pragma once

#include "simcore/graph/machine_hooks.h"
#include "simcore/graph/tensor.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace simcore::graph {

enum class FieldDirection { Input, Output, InOut };
// Scalar: Input<T>; Vector: Input<Vector<T>>; VectorList: Vector<Input<Vector<T>>> and VectorList<T>, many edges in one field.
enum class FieldShape { Vector, Scalar, VectorList };
// The format in which a vertex stores the pointer to its elements; sizes as in ipu-reference 8.
enum class VectorLayout { Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128, CompactPtr, DeltaN, DeltaNElements };
int64_t layoutBytes(VectorLayout layout); // in the vertex's state
// Bytes of the descriptor of each vector of a VectorList, outside the state.
int64_t listEntryBytes(VectorLayout layout);

struct CodeletField {
  std::string name;
  FieldDirection direction = FieldDirection::Input;
  std::optional<ElementType> type = std::nullopt; // required type of connected tensors; none: any type
  FieldShape shape = FieldShape::Vector;
  VectorLayout layout = VectorLayout::Span;
  int minAlign = 0;         // bytes, a power of two; 0: the alignment of the element type
  bool interleaved = false; // wide loads: the data must be in the interleaved region
  int64_t size = 0;         // required number of elements (of each vector, for a VectorList); 0: any
};

// A plain member of a vertex.
struct StateField {
  StateField(std::string n, ElementType t = ElementType::Float, int64_t c = 1) : name(std::move(n)), type(t), count(c) {}
  StateField(const char* n, ElementType t = ElementType::Float, int64_t c = 1) : StateField(std::string(n), t, c) {}
  std::string name;
  ElementType type;
  int64_t count; // more than 1: an array
};

// The initial value of a vertex member, exactly as given.
struct StateValue {
  uint16_t field = 0;   // index of Codelet::state
  uint32_t element = 0; // of an array
  std::variant<double, int64_t, uint64_t> value;
  double number() const {
    return std::visit([](auto v) { return double(v); }, value);
  }
};

class VertexFields;

// Counters that instrumented code updates while it runs, one object per thread. The instrumented code depends on this layout.
struct Counters {
  int64_t cycles = 0;            // worker cycles, or tile cycles of a supervisor, as in Codelet::cycles
  int64_t budget = 0;            // remaining instructions
  void (*exhausted)() = nullptr; // called when the budget is used up; never returns
};

// Code of a vertex class compiled from source. The engine builds the vertex object without a constructor: zero bytes, then each
// field at its offset. A Scalar field is a pointer to its element. A vector in any layout is a pointer and a 64-bit count of
// elements. A VectorList is a pointer to such pairs and their count. Elements have the machine's formats: a half has two bytes.
struct NativeBody {
  struct FieldPlace {
    int64_t offset = 0; // bytes
  };
  struct StatePlace { // a plain member
    std::string name;
    int64_t offset = 0;
    ElementType type = ElementType::Float;
    int64_t count = 1; // more than 1: an array
  };
  struct Global { // a thread-local variable in the library, which holds the variable of the current tile
    void* (*address)() = nullptr;
    int64_t bytes = 0;
  };
  int64_t objectBytes = 0, alignment = 8;
  std::vector<FieldPlace> fields; // one per entry of Codelet::fields, in order
  std::vector<StatePlace> state;
  // `worker`: 0 to 5 for a Multi vertex, which runs once for each of them; else 0.
  bool (*compute)(void* vertex, unsigned worker) = nullptr;
  bool (*counted)(void* vertex, unsigned worker) = nullptr; // compute() that counts cycles; null: cannot be counted
  Counters* (*counters)() = nullptr;                        // the counters of this thread
  // Whether a branch or an address depends on loaded values. Then vertices are counted and guarded at every run, else once per
  // type, sizes and state.
  bool dependsOnData = true;
  std::shared_ptr<void> library; // keeps the code loaded
  std::string sourceFile;        // of compute() …
  int sourceLine = 0;
  std::shared_ptr<const std::vector<Global>> globals; // of the library; null: none
  MachineHooks* (*hooks)() = nullptr;                 // hooks of this thread; null: the code does not use them
};

struct Codelet {
  enum class Kind { Worker, Multi, Supervisor };
  std::string name;
  Kind kind = Kind::Worker;
  std::vector<CodeletField> fields;
  std::vector<StateField> state; // if empty, taken from `native`
  // Writes outputs (vertex_fields.h); may be empty for a codelet that only has a cost. Called once per vertex, on several threads.
  std::function<void(VertexFields&)> compute;
  std::shared_ptr<const NativeBody> native; // runs instead of `compute`
  // Worker cycles (tile cycles for Multi and Supervisor) from field sizes; launch overhead is not added.
  std::function<int64_t(const std::map<std::string, int64_t>& sizes)> cycles;
  std::function<int64_t(const std::map<std::string, int64_t>& sizes)> flops;
  int64_t codeBytes = 400;
  // Fields whose data must not share a memory element, as Poplar writes it: "elem(*a)!=elem(*b)". Such a pair can be loaded
  // in one cycle, so the allocator keeps them apart.
  std::vector<std::string> constraints = {};
};

// The pairs of field indices named in `constraints`. Throws Error(InvalidInput) for text of another form or an unknown field.
std::vector<std::pair<uint16_t, uint16_t>> separatedFields(const Codelet& codelet);

} // namespace simcore::graph
