// What a planner decided, for the report: names and values in their order, written as braces within braces. Plain values, because
// a JSON library costs each source that includes it more than its own code.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace simcore::ops {

struct PlanFact;
using PlanFacts = std::vector<PlanFact>;

class PlanValue {
public:
  PlanValue() = default; // unknown: null in JSON
  PlanValue(bool value) : m_value(value) {}
  PlanValue(double value) : m_value(value) {}
  template<std::integral T>
  requires(!std::same_as<T, bool>) PlanValue(T value) : m_value(int64_t(value)) {}
  PlanValue(const char* text) : m_value(std::string(text)) {}
  PlanValue(std::string text) : m_value(std::move(text)) {}
  PlanValue(std::vector<std::string> texts) : m_value(std::move(texts)) {}
  PlanValue(std::vector<int64_t> numbers) : m_value(std::move(numbers)) {}
  PlanValue(const std::array<int64_t, 2>& numbers) : m_value(std::vector<int64_t>(numbers.begin(), numbers.end())) {}
  PlanValue(std::initializer_list<PlanFact> facts);
  // Compiled once: GCC 12 warns falsely about uninitialised values where it inlines them.
  PlanValue(const PlanValue& other);
  PlanValue(PlanValue&& other) noexcept;
  PlanValue& operator=(const PlanValue& other);
  PlanValue& operator=(PlanValue&& other) noexcept;
  ~PlanValue();

  const auto& value() const { return m_value; }

private:
  // The facts are behind a pointer, because PlanFact is not complete here.
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<std::string>, std::vector<int64_t>,
               std::shared_ptr<const PlanFacts>>
      m_value;
};

struct PlanFact {
  std::string name;
  PlanValue value;
};

inline PlanValue::PlanValue(std::initializer_list<PlanFact> facts) : m_value(std::make_shared<const PlanFacts>(facts)) {}

// As a JSON object.
std::string jsonText(const PlanFacts& facts);

} // namespace simcore::ops
