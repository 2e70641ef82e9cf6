#include "simcore/validation/metrics.h"

#include "reports/core/json.h"
#include "reports/core/spelling.h"
#include "simcore/codelets/launch.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace simcore::validation {

using reports::Activity;

namespace {

const std::vector<std::string>& names() {
  static const std::vector<std::string> all{"cycles",
                                            "compute_cycles_including_idle",
                                            "compute_cycles_excluding_idle",
                                            "exchange_cycles",
                                            "sync_cycles",
                                            "seconds",
                                            "tflops",
                                            "terabytes_per_second",
                                            "run_seconds",
                                            "samples_per_second",
                                            "fullest_tile",
                                            "vertex_cycles_raw",
                                            "vertex_cycles",
                                            "planner_cost",
                                            "planner_worst_cost"};
  return all;
}

constexpr const char* kBytes = "bytes.";
// Facts that samples put into the details of a plan: the bytes through the tiles' memory ports, and the operations that a
// published rate counts.
constexpr const char *kMemoryBytes = "memory_bytes", *kWorkFlops = "work_flops";

nlohmann::json detailsOf(const reports::PlanRow& plan) {
  return plan.detailsJson.empty() ? nlohmann::json::object() : reports::parseJsonBounded(plan.detailsJson, "plan");
}

bool isOneOf(int64_t activity, const std::vector<Activity>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](Activity a) { return int64_t(a) == activity; });
}

} // namespace

std::optional<std::string> metricCalled(const std::string& name) {
  for (const std::string& n : names())
    if (reports::sameName(n, name)) return n;
  const std::string_view prefix(kBytes);
  if (!name.starts_with(prefix)) return std::nullopt;
  for (int i = 0; i < reports::kMemoryCategoryCount; ++i) {
    const std::string_view category = reports::memoryCategoryName(reports::MemoryCategory(i));
    if (reports::sameName(category, name.substr(prefix.size()))) return kBytes + std::string(category);
  }
  return std::nullopt;
}

std::string metricNames() {
  std::string list;
  for (const std::string& n : names()) list += n + ", ";
  return list + "bytes.<category>, e.g. bytes.vertexCode";
}

std::string runsWithMetric(const std::string& metric) {
  if (metric == "terabytes_per_second")
    return "only elementwise, heat, prng, scaled-add, stencil and triad report the bytes that they move";
  if (metric == "planner_worst_cost") return "only matvec reports its worst plan";
  if (metric == "samples_per_second") return "only runs of models count samples";
  if (metric == "planner_cost") return "only runs with planned operations have it, such as products and convolutions";
  return "the run took no time";
}

void MetricCollector::addProfile(int64_t step, int64_t cycles, int64_t executions, int64_t busy) {
  const auto it = m_steps.find(step);
  if (it != m_steps.end() && executions > 0) m_profiles.push_back({it->second, cycles, executions, busy});
}

double MetricCollector::tileAverage(const std::vector<Activity>& activities) const {
  double sum = 0;
  for (const Profile& p : m_profiles)
    if (isOneOf(p.step.activity, activities)) sum += double(p.busy) * double(p.executions);
  return sum / double(m_machine->ipus * m_machine->tilesPerIpu);
}

double MetricCollector::excludingIdle() const {
  double sum = 0;
  for (const Profile& p : m_profiles) {
    if (!isOneOf(p.step.activity, {Activity::Compute, Activity::OnTileCopy})) continue;
    const auto workers = p.step.computeSet ? m_workerCycles.find(*p.step.computeSet) : m_workerCycles.end();
    sum += double(workers == m_workerCycles.end() ? p.busy : workers->second) * double(p.executions);
  }
  return sum / double(m_machine->ipus * m_machine->tilesPerIpu);
}

double MetricCollector::vertexCycles() const {
  int64_t longest = 0;
  for (const Profile& p : m_profiles)
    if (p.step.activity == int64_t(Activity::Compute)) longest = std::max(longest, p.cycles);
  return double(longest);
}

std::optional<double> MetricCollector::told(const char* key) const {
  std::optional<double> sum;
  for (const auto& plan : m_plans) {
    const nlohmann::json details = detailsOf(plan);
    if (details.contains(key)) sum = sum.value_or(0) + details[key].get<double>();
  }
  return sum;
}

std::optional<double> MetricCollector::planned(bool worst) const {
  std::optional<double> sum;
  for (const auto& plan : m_plans) {
    const nlohmann::json details = detailsOf(plan);
    if (worst == (details.value("candidate", "") == "worst") && !details.contains(kMemoryBytes) && !details.contains(kWorkFlops))
      sum = sum.value_or(0) + double(plan.predictedCycles);
  }
  return sum;
}

double MetricCollector::seconds() const {
  int64_t cycles = 0;
  for (const auto& run : m_runs) cycles += run.cycles - run.hostCycles;
  return double(cycles) / double(m_machine->clockHz);
}

std::optional<double> MetricCollector::value(const std::string& metric) const {
  if (!m_machine || m_runs.empty()) return std::nullopt;
  double total = 0, flops = 0;
  for (const auto& run : m_runs) {
    total += double(run.cycles);
    flops += double(run.flops);
  }
  const double compute = tileAverage({Activity::Compute, Activity::OnTileCopy}),
               exchange = tileAverage({Activity::InternalExchange, Activity::GlobalExchange});
  auto rate = [&](std::optional<double> amount) -> std::optional<double> {
    if (!amount || seconds() <= 0) return std::nullopt;
    return *amount / seconds() / 1e12;
  };
  if (metric == "cycles") return total;
  if (metric == "compute_cycles_including_idle") return compute;
  if (metric == "compute_cycles_excluding_idle") return excludingIdle();
  if (metric == "exchange_cycles") return exchange;
  // A tile waits at the barrier in all cycles in which it does nothing else.
  if (metric == "sync_cycles") return total - compute - exchange - tileAverage({Activity::HostStream});
  if (metric == "seconds") return seconds();
  if (metric == "run_seconds") return total / double(m_machine->clockHz);
  if (metric == "samples_per_second") {
    if (m_samples <= 0 || total <= 0) return std::nullopt;
    return m_samples / (total / double(m_machine->clockHz));
  }
  if (metric == "tflops") return rate(told(kWorkFlops).value_or(flops));
  if (metric == "terabytes_per_second") return rate(told(kMemoryBytes));
  if (metric == "vertex_cycles") return vertexCycles();
  if (metric == "vertex_cycles_raw") return vertexCycles() + double(codelets::kCounterPair.value());
  if (metric == "planner_cost") return planned(false);
  if (metric == "planner_worst_cost") return planned(true);
  if (metric == "fullest_tile") {
    const auto bytes = m_series.find("memory.total");
    if (bytes == m_series.end()) return std::nullopt;
    return double(bytes->second.max) / double(m_machine->memoryPerTileBytes);
  }
  const auto it = m_series.find("memory.category." + metric.substr(std::string(kBytes).size()));
  if (it == m_series.end()) return std::nullopt;
  return double(it->second.sum);
}

} // namespace simcore::validation
