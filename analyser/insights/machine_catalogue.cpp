#include "analyser/insights/machine_catalogue.h"

#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace analyser::insights {

extern const char* const kMachinesJson; // resources/machines/machines.json, embedded at build time

const CatalogueMachine* catalogueMachine(std::string_view name) {
  static const std::vector<CatalogueMachine> machines = [] {
    std::vector<CatalogueMachine> all;
    const nlohmann::json catalogue = reports::parseJsonBounded(kMachinesJson, "machines.json");
    for (const auto& entry : catalogue.at("machines"))
      all.push_back({entry.at("name"), entry.at("ipu_counts").back(), entry.value("larger", ""), entry.value("next", "")});
    return all;
  }();
  const auto found = std::find_if(machines.begin(), machines.end(), [name](const auto& m) { return m.name == name; });
  return found == machines.end() ? nullptr : &*found;
}

} // namespace analyser::insights
