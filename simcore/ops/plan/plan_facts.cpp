#include "simcore/ops/plan/plan_facts.h"

#include "reports/core/json.h"

#include <nlohmann/json.hpp>

namespace simcore::ops {

namespace {
using Json = nlohmann::ordered_json;

Json objectOf(const PlanFacts& facts);

struct ToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const std::shared_ptr<const PlanFacts>& facts) const { return objectOf(*facts); }
  template<class T> Json operator()(const T& value) const { return value; }
};

Json objectOf(const PlanFacts& facts) {
  Json object = Json::object();
  for (const PlanFact& fact : facts) object[fact.name] = std::visit(ToJson(), fact.value.value());
  return object;
}
} // namespace

PlanValue::PlanValue(const PlanValue& other) = default;
PlanValue::PlanValue(PlanValue&& other) noexcept = default;
PlanValue& PlanValue::operator=(const PlanValue& other) = default;
PlanValue& PlanValue::operator=(PlanValue&& other) noexcept = default;
PlanValue::~PlanValue() = default;

std::string jsonText(const PlanFacts& facts) { return reports::jsonText(objectOf(facts)); }

} // namespace simcore::ops
