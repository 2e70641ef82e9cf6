#include "simcore/samples/baseline.h"

#include "reports/core/error.h"
#include "reports/core/json.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace simcore::samples {

extern const char* const kBaselinesJson;

namespace {

std::vector<Baseline> parse(const char* text) {
  std::vector<Baseline> all;
  try {
    for (const auto& json : nlohmann::json::parse(text)) {
      Baseline b;
      b.sample = json.at("sample").get<std::string>();
      b.machine = json.at("machine").get<std::string>();
      b.standard = json.at("default").get<Figures>();
      if (json.contains("variant")) b.variant = json.at("variant").get<Figures>();
      all.push_back(std::move(b));
    }
  } catch (const nlohmann::json::exception& error) {
    throw reports::Error(reports::ErrorCode::Internal, error.what(), "resources/samples");
  }
  return all;
}

} // namespace

const Baseline* baselineOf(const std::string& sample) {
  static const std::vector<Baseline> all = parse(kBaselinesJson);
  for (const Baseline& b : all)
    if (b.sample == sample) return &b;
  return nullptr;
}

std::string baselineText(const Baseline& b) {
  nlohmann::ordered_json json{{"sample", b.sample}, {"machine", b.machine}, {"default", b.standard}};
  if (!b.variant.empty()) json["variant"] = b.variant;
  return reports::jsonText(json, 1) + "\n";
}

} // namespace simcore::samples
