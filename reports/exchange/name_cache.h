// Caches a value by a piece of JSON text, so that a name that occurs a million times is decoded and looked up once.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace reports::exchange {

// Not noexcept: libstdc++ then keeps the hash in each node and compares texts only if hashes are equal.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

template<class Value> class NameCache {
public:
  // The value of a text; `make` computes it the first time.
  template<class Make> const Value& get(std::string_view text, Make&& make) {
    if (m_last && text == m_last->first) return m_last->second;
    auto found = m_values.find(text);
    if (found == m_values.end()) found = m_values.emplace(std::string(text), make()).first;
    m_last = &*found;
    return found->second;
  }
  std::size_t size() const { return m_values.size(); }
  auto begin() { return m_values.begin(); }
  auto end() { return m_values.end(); }

private:
  using Map = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
  Map m_values;
  const typename Map::value_type* m_last = nullptr; // nodes of the map never move
};

} // namespace reports::exchange
