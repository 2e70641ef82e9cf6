// The attributes of a node. Values are kept as the file has them (64-bit integers, floats as written, tensors, subgraphs);
// the typed getters say what the operator expects and name the attribute when the file has something else.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace simcore::model {

struct Graph;

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                               std::vector<std::string>, numerics::HostTensor, std::shared_ptr<const Graph>>;

class Attributes {
public:
  void set(const std::string& name, Attribute value) { m_values[name] = std::move(value); }
  bool has(const std::string& name) const { return m_values.count(name) != 0; }
  const std::map<std::string, Attribute>& all() const { return m_values; }
  std::map<std::string, Attribute>& all() { return m_values; }

  // The value, or `standard` where the node does not have the attribute. Throw reports::Error(InvalidInput) if the
  // attribute has another kind.
  std::int64_t integer(const std::string& name, std::int64_t standard) const { return get(name, standard); }
  float real(const std::string& name, float standard) const { return get(name, standard); }
  std::string text(const std::string& name, const std::string& standard) const { return get(name, standard); }
  std::vector<std::int64_t> integers(const std::string& name) const { return get(name, std::vector<std::int64_t>{}); }
  std::vector<float> reals(const std::string& name) const { return get(name, std::vector<float>{}); }
  std::vector<std::string> texts(const std::string& name) const { return get(name, std::vector<std::string>{}); }
  // These throw also if the attribute is missing.
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

} // namespace simcore::model
