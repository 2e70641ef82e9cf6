// The numbers of a run that published measurements are compared with, from the rows of its report. Averages over tiles are those
// of a Poplar profile summary: the compute cycles of a tile "including idle threads" are the cycles in which it computed, those
// "excluding idle threads" are the sum of its workers' cycles.
#pragma once

#include "reports/core/categories.h"
#include "reports/rows/report_sink.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simcore::validation {

// The name of the metric as the list of metrics spells it, or bytes.<category>; empty if no metric has this name.
std::optional<std::string> metricCalled(const std::string& name);
std::string metricNames();
std::string runsWithMetric(const std::string& metric); // clause that names the runs with this metric; empty if all have it

// Receives the rows of a simulated run and keeps what the metrics need.
class MetricCollector final : public reports::ForwardingSink<MetricCollector> {
public:
  template<class Row> void receive(const Row& row) {
    if constexpr (std::is_same_v<Row, reports::MachineRow>)
      m_machine = row;
    else if constexpr (std::is_same_v<Row, reports::RunRow>)
      m_runs.push_back(row);
    else if constexpr (std::is_same_v<Row, reports::PlanRow>)
      m_plans.push_back(row);
    else if constexpr (std::is_same_v<Row, reports::ProgramStepRow>)
      m_steps[row.id] = {row.activity, row.computeSetId};
    else if constexpr (std::is_same_v<Row, reports::ComputeSetRow>)
      m_workerCycles[row.id] = row.workerCycles;
    else if constexpr (std::is_same_v<Row, reports::StepProfileRow>)
      addProfile(row.programStepId, row.cycles, row.executions, row.busyCycles);
    else if constexpr (std::is_same_v<Row, reports::TileSeriesRow>)
      m_series[row.name] = {row.sum, row.max};
    else if constexpr (std::is_same_v<Row, reports::MetadataRow>) {
      if (row.key == "samples") m_samples = std::strtod(row.value.c_str(), nullptr);
    }
  }

  // Empty if the run has no such number, e.g. because no plan reports its worst cost.
  std::optional<double> value(const std::string& metric) const;
  double seconds() const; // time of the device, without host streams

private:
  struct Step {
    int64_t activity = 0;
    std::optional<int64_t> computeSet;
  };
  struct Profile {
    Step step;
    int64_t cycles = 0, executions = 0, busy = 0;
  };
  void addProfile(int64_t step, int64_t cycles, int64_t executions, int64_t busy);
  double tileAverage(const std::vector<reports::Activity>& activities) const;
  double excludingIdle() const;
  double vertexCycles() const;
  std::optional<double> told(const char* key) const; // sum over the plans that report it
  std::optional<double> planned(bool worst) const;   // predicted cycles of the chosen plans or of the worst candidates

  std::optional<reports::MachineRow> m_machine;
  std::vector<reports::RunRow> m_runs;
  std::vector<reports::PlanRow> m_plans;
  std::map<int64_t, Step> m_steps;
  std::map<int64_t, int64_t> m_workerCycles;
  std::vector<Profile> m_profiles;
  struct Series {
    int64_t sum = 0, max = 0;
  };
  std::map<std::string, Series> m_series;
  double m_samples = 0; // samples of the whole run; 0 if unknown
};

} // namespace simcore::validation
