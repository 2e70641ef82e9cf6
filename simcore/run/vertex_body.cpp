#include "simcore/run/vertex_body.h"

#include "reports/core/error.h"
#include "simcore/run/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <sys/mman.h>

namespace simcore::run {

using graph::Codelet;
using graph::ElementType;
using graph::FieldShape;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int64_t kApart = 64;              // alignment of gathered fields, in bytes
constexpr int64_t kMostTwice = 10'000'000;  // a vertex with more cycles is not tried with both ends guarded
constexpr int64_t kMostSearched = 64 << 10; // larger variables are not searched for addresses
constexpr std::uintptr_t kLeastAddress = 1 << 16;

// Memory that a vertex needs while it runs, reused for the next vertex of the thread.
struct Scratch {
  std::vector<graph::VertexFields::Edge> edges; // the fields as the body sees them
  std::vector<std::byte*> places;               // addresses of the original or gathered fields
  std::vector<std::size_t> slotOf;              // by edge: slot of its guarded copy; rows that are copied together share one
  std::vector<std::byte> memory;
  GuardedFields guarded, otherEnd;
  GuardedFields* used = &guarded; // the one in use

  bool isGathered(const std::byte* address) const { return address >= memory.data() && address < memory.data() + memory.size(); }

  // Memory with the alignment of a gathered field; valid until the next call.
  std::byte* room(int64_t bytes) {
    if (int64_t(memory.size()) < bytes + kApart) memory.resize(std::size_t(bytes + kApart));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (reports::roundUp(int64_t(begin % kApart), kApart) - int64_t(begin % kApart));
  }
};
thread_local Scratch t_scratch;

// Whether a float is infinite or not a number. Without branches, because every result is tested.
bool hasSpecialFloat(const std::byte* floats, int64_t count) {
  constexpr uint32_t kExponent = 0x7f800000;
  uint32_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, floats + i * int64_t(sizeof bits), sizeof bits);
    found |= uint32_t((bits & kExponent) == kExponent);
  }
  return found != 0;
}

bool letsPass(const std::byte* address, std::optional<bool> writes) {
  return writes && t_scratch.used->letPass(address, *writes);
}
bool letsWrite(const std::byte* address, std::optional<bool>) { return t_scratch.used->letWrite(address); }
bool letsBoth(const std::byte* address, std::optional<bool> writes) {
  return letsWrite(address, writes) || letsPass(address, writes);
}

int64_t bytesInBody(const VertexPlan::Edge& e) { return e.asFloat ? e.count * int64_t(sizeof(float)) : e.bytes(); }

} // namespace

int64_t VertexBody::run(const VertexPlan::Vertex& vertex, VertexWay way, uint64_t firstResult, VertexMachine* machine) {
  m_machine = machine;
  m_form = &m_plan.forms[vertex.form];
  m_guarded = way.guarded;
  m_writtenInputs.clear();
  m_storedInputs.clear();
  m_readsOutside.clear();
  m_writesOutside.clear();
  gather(vertex);
  int64_t cycles = 0;
  const graph::NativeBody* const native = m_form->native();
  if (native) {
    t_scratch.used = &t_scratch.guarded;
    t_scratch.used->clear();
    void* const object = buildObject(vertex, way);
    const bool keepsAddresses = way.guarded && native->globals && !native->globals->empty();
    if (keepsAddresses) moveKept(true);
    if (way.guarded && way.zerosBeside) VertexFaults::mendAccesses(letsPass);
    cycles = call(vertex.index, object, way.counted);
    if (way.guarded) {
      VertexFaults::mendAccesses(nullptr);
      checkOutside(way.zerosBeside);
    }
    if (keepsAddresses) moveKept(false);
    findWrittenInputs(vertex);
    const bool changesState = !native->state.empty() && keepState(vertex, static_cast<const std::byte*>(object));
    if (way.guarded && way.bothEnds)
      findStoredInputs(vertex, way,
                       cycles < kMostTwice && !changesState && !m_machine && !(native->globals && !native->globals->empty()));
  } else {
    graph::VertexFields fields(*m_form->codelet, t_scratch.edges, m_form->state);
    m_form->codelet->compute(fields);
  }
  putBack(vertex, firstResult);
  if (!m_writtenInputs.empty()) putBackInputs(vertex);
  requireNumbers();
  return cycles;
}

// Finds the Inputs that the code stores to. If the code does not depend on data, it stores to the same fields in all vertices of
// the form, which then run without guards. If the body cannot run again, every Input counts as stored to.
void VertexBody::findStoredInputs(const VertexPlan::Vertex& vertex, VertexWay way, bool runsAgain) {
  if (runsAgain) tryOtherEnd(vertex, way);
  for (std::size_t e = 0; e < m_form->edges.size(); ++e)
    if (!m_form->edges[e].writes && (!runsAgain || t_scratch.otherEnd.wasWritten(t_scratch.slotOf[e])))
      m_storedInputs.push_back(uint32_t(e));
}

// Runs the body a second time on copies guarded at their other end, and drops the results. The body must depend only on its
// fields.
void VertexBody::tryOtherEnd(const VertexPlan::Vertex& vertex, VertexWay way) {
  Scratch& s = t_scratch;
  const std::vector<graph::VertexFields::Edge> edges = s.edges;
  s.used = &s.otherEnd;
  s.used->clear();
  way.atEnd = !way.atEnd;
  void* const object = buildObject(vertex, way);
  for (std::size_t e = 0; e < m_form->edges.size(); ++e)
    if (!m_form->edges[e].writes) s.otherEnd.watchStores(e + 1); // slot 0 is the object
  VertexFaults::mendAccesses(way.zerosBeside ? letsBoth : letsWrite);
  call(vertex.index, object, way.counted);
  VertexFaults::mendAccesses(nullptr);
  checkOutside(way.zerosBeside);
  s.used = &s.guarded;
  s.edges = edges;
}

void VertexBody::findOutside(const std::vector<GuardedFields::Escape>& escapes, std::vector<std::string>& names) const {
  for (const GuardedFields::Escape& escape : escapes)
    names.push_back(escape.field == 0 ? std::string() : m_form->codelet->fields[m_form->edges[escape.field - 1].field].name);
}

// Adjusts addresses stored in a tile's global variables: before a body runs, addresses of fields become those of their copies,
// and afterwards the reverse. So a vertex can keep addresses as on the machine. An address in memory that the next vertex reuses
// (its object, gathered fields) becomes one that faults.
void VertexBody::moveKept(bool toCopies) {
  static std::byte* const gone = [] {
    void* const page = mmap(nullptr, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return page == MAP_FAILED ? nullptr : static_cast<std::byte*>(page) + (1 << 19);
  }();
  Scratch& s = t_scratch;
  const auto moved = [&](std::uintptr_t value) {
    for (const int64_t end : {0, 1}) // an address after the last element may be another field's first one
      for (std::size_t e = 0; e < m_form->edges.size(); ++e) {
        if (m_form->edges[e].count == 0 || s.isGathered(s.places[e])) continue;
        const auto copy = reinterpret_cast<std::uintptr_t>(s.edges[e].elements),
                   place = reinterpret_cast<std::uintptr_t>(s.places[e]);
        const std::uintptr_t from = toCopies ? place : copy;
        if (value >= from && value - from < std::uintptr_t(m_form->edges[e].bytes() + end))
          return value - from + (toCopies ? copy : place);
      }
    const auto* const address = reinterpret_cast<const std::byte*>(value); // NOLINT(performance-no-int-to-ptr)
    const bool passes = !toCopies && (s.isGathered(address) || s.used->locate(address));
    return passes ? reinterpret_cast<std::uintptr_t>(gone) : value;
  };
  for (const auto& global : *m_form->native()->globals) {
    if (global.bytes > kMostSearched) continue;
    auto* const first = static_cast<std::byte*>(global.address());
    for (int64_t at = 0; at + int64_t(sizeof(std::uintptr_t)) <= global.bytes; at += int64_t(sizeof(std::uintptr_t))) {
      std::uintptr_t value = 0;
      std::memcpy(&value, first + at, sizeof value);
      if (value < kLeastAddress) continue;
      const std::uintptr_t now = moved(value);
      if (now != value) std::memcpy(first + at, &now, sizeof now);
    }
  }
}

void VertexBody::gather(const VertexPlan::Vertex& vertex) {
  Scratch& s = t_scratch;
  const auto& edges = m_form->edges;
  s.edges.resize(edges.size());
  s.places.resize(edges.size());
  const int64_t* const places = m_plan.places.data() + vertex.firstPlace;
  std::byte* const memory = m_tensors.vertexMemory().begin();
  const int64_t ofObject = reports::roundUp(int64_t(m_form->object.size()), kApart);
  int64_t bytes = ofObject;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (isCopied(vertex, uint32_t(e))) bytes += reports::roundUp(bytesInBody(edges[e]), kApart);
  std::byte* room = bytes > 0 ? s.room(bytes) + ofObject : nullptr;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const VertexPlan::Edge& edge = edges[e];
    const bool isCopy = isCopied(vertex, uint32_t(e));
    s.places[e] = isCopy ? room : memory + places[e];
    s.edges[e] = {edge.field, edge.asFloat ? ElementType::Float : edge.type, s.places[e], edge.count};
    if (!isCopy) continue;
    std::byte* to = room;
    if (places[e] >= 0) { // an Input that the codelet writes
      if (edge.count) std::memcpy(to, memory + places[e], std::size_t(edge.bytes()));
      room += reports::roundUp(edge.bytes(), kApart);
      continue;
    }
    const auto piece = std::size_t(~places[e]);
    for (uint32_t p = m_plan.firstPiece[piece]; p < m_plan.firstPiece[piece + 1]; ++p) {
      const std::byte* const from = memory + m_plan.pieces[p].place;
      const int64_t n = m_plan.pieces[p].bytes;
      if (!edge.asFloat) {
        std::memcpy(to, from, std::size_t(n));
        to += n;
        continue;
      }
      for (int64_t i = 0; i < n; i += int64_t(sizeof(numerics::Half)), to += sizeof(float)) {
        numerics::Half half;
        std::memcpy(&half, from + i, sizeof half);
        const float value(half);
        std::memcpy(to, &value, sizeof value);
      }
    }
    room += reports::roundUp(bytesInBody(edge), kApart);
  }
}

// One past the last row that directly follows row `e` of a list in the tile's memory. These rows are copied together, because a
// codelet that continues after a row's end is in the next row, as on the machine.
std::size_t VertexBody::neighbours(const VertexPlan::Vertex& vertex, std::size_t e) const {
  const auto& edges = m_form->edges;
  std::size_t next = e + 1;
  for (; next < edges.size(); ++next) {
    const VertexPlan::Edge &before = edges[next - 1], &edge = edges[next];
    if (edge.field != edges[e].field || edge.asFloat || before.asFloat || isCopied(vertex, uint32_t(next)) ||
        isCopied(vertex, uint32_t(next - 1)) || t_scratch.places[next] != t_scratch.places[next - 1] + before.bytes() ||
        before.bytes() % std::max<int64_t>(1, edge.alignment) != 0)
      break;
  }
  return next;
}

void* VertexBody::buildObject(const VertexPlan::Vertex& vertex, VertexWay way) {
  Scratch& s = t_scratch;
  const VertexPlan::Form& form = *m_form;
  const int64_t size = int64_t(form.object.size());
  std::byte* const object = way.guarded
                                ? s.used->add(size, std::max<int64_t>(16, form.native()->alignment), way.atEnd, form.readsOutside)
                                : s.room(size);
  std::memcpy(object, form.object.data(), form.object.size());
  const auto point = [&](int64_t at, std::byte* to) { std::memcpy(object + at, &to, sizeof to); };
  std::size_t together = 0; // edges before this one already have memory
  s.slotOf.resize(form.edges.size());
  for (std::size_t e = 0; e < form.edges.size(); ++e) {
    const VertexPlan::Edge& edge = form.edges[e];
    std::byte* elements = s.places[e];
    if (way.guarded && e < together) {
      s.used->add(0, edge.alignment, way.atEnd,
                  form.readsOutside); // an empty slot, so that slots are numbered by edge, after the object
      s.slotOf[e] = s.slotOf[e - 1];
      elements = s.edges[e - 1].elements + form.edges[e - 1].bytes();
    } else if (way.guarded) {
      together = neighbours(vertex, e);
      s.slotOf[e] = e + 1;
      int64_t bytes = 0;
      for (std::size_t i = e; i < together; ++i) bytes += form.edges[i].bytes();
      elements = s.used->add(bytes, edge.alignment, way.atEnd, form.readsOutside);
    }
    if (way.guarded && edge.count) std::memcpy(elements, s.places[e], std::size_t(edge.bytes()));
    s.edges[e].elements = elements;
    point(edge.pointer, elements);
  }
  for (const auto& [at, vectors] : form.lists) point(at, object + vectors);
  if (form.native()->state.empty()) return object;
  const VertexMemory::Bytes& kept = m_tensors.vertexMemory().states.at(m_set)[vertex.index];
  if (kept.empty()) return object;
  const std::byte* from = kept.data();
  for (const auto& place : form.native()->state) {
    const std::size_t n = std::size_t(place.count) * numerics::hostSize(place.type);
    std::memcpy(object + place.offset, from, n);
    from += n;
  }
  return object;
}

int64_t VertexBody::call(uint32_t vertex, void* object, bool counted) {
  const graph::NativeBody& native = *m_form->native();
  const Codelet::Kind kind = m_form->codelet->kind;
  const unsigned workers = kind == Codelet::Kind::Multi ? m_workers : 1;
  int64_t most = 0;
  const unsigned first = m_machine ? m_machine->workerOf(kind) : 0;
  for (unsigned worker = first; worker < first + workers; ++worker) {
    if (m_machine && native.hooks) m_machine->serve(native, vertex, kind, worker);
    if (!counted) {
      native.compute(object, worker);
      continue;
    }
    if (m_countersOf != native.counters) m_counters = native.counters(), m_countersOf = native.counters;
    graph::Counters& counters = *m_counters;
    counters = {0, m_maxInstructions, VertexFaults::exhausted};
    native.counted(object, worker);
    most = std::max(most, counters.cycles);
  }
  return kind == Codelet::Kind::Multi ? most * int64_t(m_workers) : most; // the workers run in turn, so the slowest decides
}

void VertexBody::putBack(const VertexPlan::Vertex& vertex, uint64_t firstResult) {
  Scratch& s = t_scratch;
  const int64_t* const places = m_plan.places.data() + vertex.firstPlace;
  for (std::size_t e = 0; e < m_form->edges.size(); ++e) {
    const VertexPlan::Edge& edge = m_form->edges[e];
    if (!edge.writes || edge.count == 0) continue;
    if (places[e] < 0) {
      scatter(edge, s.edges[e].elements, ~places[e], firstResult);
      firstResult += edge.asFloat;
    } else if (s.edges[e].elements != s.places[e]) {
      std::memcpy(s.places[e], s.edges[e].elements, std::size_t(edge.bytes()));
    }
  }
}

// Passes on the values written to Inputs. An Input in several pieces is a copy on the machine too, so its values are lost.
void VertexBody::putBackInputs(const VertexPlan::Vertex& vertex) {
  const int64_t* const places = m_plan.places.data() + vertex.firstPlace;
  for (const uint32_t e : m_writtenInputs)
    if (places[e] >= 0) m_inputWritten(vertex, e, m_tensors.vertexMemory().begin() + places[e], t_scratch.edges[e].elements);
}

// Whether the body works on a copy of its field. A written Input does, because stores must not be visible before its readers are
// known.
bool VertexBody::isCopied(const VertexPlan::Vertex& vertex, uint32_t e) const {
  return m_plan.places[vertex.firstPlace + e] < 0 || m_form->writtenInputs.count(e) > 0;
}

void VertexBody::scatter(const VertexPlan::Edge& edge, std::byte* from, int64_t gathered, uint64_t result) {
  std::byte* const memory = m_tensors.vertexMemory().begin();
  const uint32_t first = m_plan.firstPiece[std::size_t(gathered)], end = m_plan.firstPiece[std::size_t(gathered) + 1];
  if (edge.asFloat) m_tensors.roundResult({reinterpret_cast<float*>(from), std::size_t(edge.count)}, result);
  for (uint32_t p = first; p < end; ++p) {
    const VertexPlan::Piece& piece = m_plan.pieces[p];
    if (!edge.asFloat) {
      std::memcpy(memory + piece.place, from, std::size_t(piece.bytes));
      from += piece.bytes;
      continue;
    }
    for (int64_t i = 0; i < piece.bytes; i += int64_t(sizeof(numerics::Half)), from += sizeof(float)) {
      float value;
      std::memcpy(&value, from, sizeof value);
      const numerics::Half half(value);
      std::memcpy(memory + piece.place + i, &half, sizeof half);
    }
  }
}

// Checks the body's results (for lambdas, halves after rounding). The exception names the field.
void VertexBody::requireNumbers() const {
  const auto& fp = m_tensors.floatingPoint();
  if (!(fp.inv || fp.div0 || fp.oflo)) return;
  for (std::size_t e = 0; e < m_form->edges.size(); ++e) {
    const VertexPlan::Edge& edge = m_form->edges[e];
    if (!edge.writes || !numerics::isFloating(edge.type)) continue;
    if (t_scratch.edges[e].type == ElementType::Float && !hasSpecialFloat(t_scratch.edges[e].elements, edge.count)) continue;
    numerics::visitAny(t_scratch.edges[e].type, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t i = 0; i < edge.count; ++i) {
        T element;
        std::memcpy(&element, t_scratch.edges[e].elements + i * int64_t(sizeof element), sizeof element);
        double value;
        if constexpr (numerics::kStoresFloat<T>)
          value = double(float(element));
        else
          value = double(element);
        const bool infinite = std::isinf(value);
        if ((std::isnan(value) && fp.inv) || (infinite && (fp.oflo || fp.div0)))
          throw Error(ErrorCode::InvalidInput, "floating-point exception: element " + std::to_string(i) + " of " + fieldOf(e) +
                                                   " is " + (infinite ? "infinite" : "NaN"));
      }
    });
  }
}

// Stores the changed state members of a vertex; returns whether any changed.
bool VertexBody::keepState(const VertexPlan::Vertex& vertex, const std::byte* object) {
  bool changed = false;
  for (const auto& place : m_form->native()->state) {
    const std::size_t n = std::size_t(place.count) * numerics::hostSize(place.type);
    changed |= std::memcmp(object + place.offset, m_form->object.data() + place.offset, n) != 0;
  }
  auto& kept = m_tensors.vertexMemory().states.at(m_set)[vertex.index];
  kept.clear();
  if (!changed) return false;
  for (const auto& place : m_form->native()->state) {
    const std::byte* const first = object + place.offset;
    kept.insert(kept.end(), first, first + std::size_t(place.count) * numerics::hostSize(place.type));
  }
  return true;
}

// Errors.

std::string VertexBody::fieldOf(std::size_t e) const {
  const VertexPlan::Edge& edge = m_form->edges[e];
  const auto& field = m_form->codelet->fields[edge.field];
  return "field '" + field.name + (field.shape == FieldShape::VectorList ? "[" + std::to_string(edge.vector) + "]'" : "'");
}

VertexBody::Explained VertexBody::escaped(const GuardedFields::Escape& escape, const char* does) const {
  const std::string advice = "look at the bounds of its loops, and at how the field is connected";
  if (escape.field == 0) return {std::string("the codelet ") + does + " memory beside its own members", "", advice};
  const VertexPlan::Edge& edge = m_form->edges[escape.field - 1];
  const int64_t size = edge.elementBytes(), element = escape.byte < 0 ? -((size - 1 - escape.byte) / size) : escape.byte / size;
  return {std::string("the codelet ") + does + " element " + std::to_string(element) + " of " + fieldOf(escape.field - 1) +
              ", which has " + std::to_string(edge.count),
          m_form->codelet->fields[edge.field].name, advice};
}

void VertexBody::checkOutside(bool zerosBeside) {
  GuardedFields& fields = *t_scratch.used;
  const std::vector<GuardedFields::Escape> overwritten = fields.overwritten();
  if (!overwritten.empty() && !zerosBeside) {
    const Explained e = escaped(overwritten.front(), "writes");
    throw Error(ErrorCode::InvalidInput, e.message, e.field, e.advice);
  }
  findOutside(overwritten, m_writesOutside);
  if (!zerosBeside) return;
  findOutside(fields.outside(false), m_readsOutside);
  findOutside(fields.outside(true), m_writesOutside);
}

void VertexBody::findWrittenInputs(const VertexPlan::Vertex& vertex) {
  if (!m_guarded && m_form->writtenInputs.empty()) return;
  const Scratch& s = t_scratch;
  const std::byte* const memory = m_tensors.vertexMemory().begin();
  for (std::size_t e = 0; e < m_form->edges.size(); ++e) {
    const VertexPlan::Edge& edge = m_form->edges[e];
    const int64_t place = m_plan.places[vertex.firstPlace + e];
    const std::byte* const before = place >= 0 ? memory + place : s.places[e]; // a gathered field is compared only if guarded
    if (!edge.writes && edge.count > 0 && before != s.edges[e].elements &&
        !equalBytes(s.edges[e].elements, before, std::size_t(edge.bytes())))
      m_writtenInputs.push_back(uint32_t(e));
  }
}

VertexBody::Explained VertexBody::explain(const VertexFault& fault, int64_t stackBytes) const {
  using Kind = VertexFault::Kind;
  switch (fault.kind) {
  case Kind::Arithmetic:
    return {"the codelet divides a whole number by zero, or the lowest one by -1", "", "test what it divides by"};
  case Kind::Instruction:
    return {"the codelet stopped itself, or reached an invalid instruction", "",
            "look for a trap or a function without a return"};
  case Kind::Stack:
    return {"the codelet needs more stack than a tile has memory, " + std::to_string(stackBytes) + " bytes", "",
            "let its arrays be fields of the vertex"};
  case Kind::Budget:
    return {"the codelet did not end after " + std::to_string(m_maxInstructions) + " instructions", "",
            "let its loop end, or allow more with the engine option tilescope.maxVertexInstructions"};
  case Kind::Assertion: return {m_machine->whyFailed(), "", "look at the data and state of the vertex"};
  case Kind::Access: break;
  }
  const char* const does = !fault.writes ? "touches" : *fault.writes ? "writes" : "reads";
  if (m_guarded)
    if (const auto escape = t_scratch.used->locate(fault.address)) return escaped(*escape, does);
  constexpr std::uintptr_t kNull = 1 << 16;
  if (reinterpret_cast<std::uintptr_t>(fault.address) < kNull)
    return {"the codelet follows a null pointer", "", "a field that is empty has no elements"};
  return {std::string("the codelet ") + does + " memory that is not its own", "", "look at the pointers and indices it computes"};
}

} // namespace simcore::run
