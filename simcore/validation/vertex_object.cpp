#include "simcore/validation/vertex_object.h"

#include "reports/core/error.h"

#include <algorithm>
#include <cstring>

namespace simcore::validation {

using numerics::ElementType;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int kWorkersOfTile = 6; // each issues an instruction once every six cycles
constexpr int64_t kMostInstructions = int64_t(1) << 50;
constexpr std::size_t kSlack = 8; // spare words, see Elements

[[noreturn]] void missing(const graph::Codelet& codelet, const std::string& what) {
  throw Error(ErrorCode::InvalidInput, what, codelet.name);
}

} // namespace

VertexObject::VertexObject(const graph::Codelet& codelet, const std::vector<ConnectedField>& fields,
                           const std::vector<std::pair<std::string, double>>& state)
    : m_codelet(codelet) {
  const auto* body = codelet.native.get();
  if (!body || !body->counted || !body->counters) missing(codelet, "its instructions cannot be counted");
  m_object.assign(std::size_t(body->objectBytes) / 8 + kSlack, 0);
  for (const ConnectedField& field : fields) {
    const auto known =
        std::find_if(codelet.fields.begin(), codelet.fields.end(), [&](const auto& f) { return f.name == field.name; });
    if (known == codelet.fields.end()) missing(codelet, "the codelet has no field '" + field.name + "'");
    std::vector<Elements>& all = m_elements[field.name];
    all.reserve(field.vectors.size()); // so that their addresses never change
    std::vector<uint64_t> words;
    for (const HostTensor& vector : field.vectors) {
      words.push_back(keep(vector, all));
      words.push_back(uint64_t(vector.count()));
    }
    if (known->shape == graph::FieldShape::VectorList) {
      m_lists.push_back(std::move(words));
      words = {reinterpret_cast<uint64_t>(m_lists.back().data()), uint64_t(field.vectors.size())};
    }
    const int64_t offset = body->fields[std::size_t(known - codelet.fields.begin())].offset;
    const std::size_t bytes = known->shape == graph::FieldShape::Scalar ? 8 : 16;
    std::memcpy(reinterpret_cast<std::byte*>(m_object.data()) + offset, words.data(), std::min(bytes, 8 * words.size()));
  }
  for (const auto& [name, value] : state) setState(name, value);
}

uint64_t VertexObject::keep(const HostTensor& value, std::vector<Elements>& all) {
  all.push_back({value.type(), value.count(), std::vector<uint64_t>(value.byteCount() / 8 + kSlack, 0)});
  std::memcpy(all.back().words.data(), value.raw().data(), value.byteCount());
  return reinterpret_cast<uint64_t>(all.back().words.data());
}

void VertexObject::setState(const std::string& name, double value) {
  const auto& places = m_codelet.native->state;
  const auto place = std::find_if(places.begin(), places.end(), [&](const auto& s) { return s.name == name; });
  if (place == places.end()) missing(m_codelet, "the codelet has no member '" + name + "'");
  const HostTensor elements = HostTensor::full(place->type, {place->count}, value);
  std::memcpy(reinterpret_cast<std::byte*>(m_object.data()) + place->offset, elements.raw().data(), elements.byteCount());
}

int64_t VertexObject::run(const std::function<uint64_t()>& random) {
  const graph::NativeBody& body = *m_codelet.native;
  graph::MachineHooks* const hooks = body.hooks ? body.hooks() : nullptr;
  if (hooks && random) {
    hooks->context = const_cast<std::function<uint64_t()>*>(&random);
    hooks->random = [](void* draw) { return (*static_cast<std::function<uint64_t()>*>(draw))(); };
  }
  int64_t most = 0;
  for (int worker = 0; worker < (m_codelet.kind == graph::Codelet::Kind::Multi ? kWorkersOfTile : 1); ++worker) {
    graph::Counters& counters = *body.counters();
    counters = {0, kMostInstructions, [] { std::abort(); }}; // the sources are ours, so their loops end
    body.counted(m_object.data(), unsigned(worker));
    most = std::max(most, counters.cycles);
  }
  if (hooks) *hooks = {};
  return most * (m_codelet.kind == graph::Codelet::Kind::Supervisor ? 1 : kWorkersOfTile);
}

HostTensor VertexObject::values(const std::string& field, std::size_t vector) const {
  const auto found = m_elements.find(field);
  if (found == m_elements.end() || vector >= found->second.size())
    missing(m_codelet, "nothing is connected to field '" + field + "'");
  const Elements& elements = found->second[vector];
  HostTensor tensor(elements.type, {elements.count});
  std::memcpy(tensor.mutableRaw().data(), elements.words.data(), tensor.byteCount());
  return tensor;
}

} // namespace simcore::validation
