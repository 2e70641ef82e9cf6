// The program tree of an old Poplar graph profile, and the steps of an execution profile on it.
#pragma once

#include "reports/rows/report_sink.h"
#include "reports/rows/string_pool.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace reports::exchange {

// Numbers the programs depth-first like the report. A program named by several others is written below the first.
class PoplarProgram {
public:
  PoplarProgram(const nlohmann::json& graph, const MachineRow& machine, StringPool& strings, ReportSink& sink);
  // Writes compute sets, exchanges, vertex types and steps. Cycles of compute sets come from `execution`, which may be null.
  // `numbersLiveness`: the leaf steps are the steps of the liveness curve.
  void write(const nlohmann::json& execution, bool numbersLiveness);

  struct Step {
    ProgramStepRow row;
    std::string name;
  };
  const std::vector<Step>& steps() const { return m_steps; }
  // The step of a program, given its index in the profile's list; null if it was not written.
  const Step* stepOf(int64_t program) const;
  // Leaf steps of control programs in depth-first order: the steps of liveness.
  const std::vector<std::size_t>& leaves() const { return m_leaves; }

private:
  void numberExchanges();
  void walk(int64_t program, std::optional<int64_t> parent, int64_t position);
  void writeComputeSets(const nlohmann::json& execution);

  const nlohmann::json& m_graph;
  const MachineRow& m_machine;
  StringPool& m_strings;
  ReportSink& m_sink;
  std::vector<Step> m_steps;
  std::vector<int64_t> m_stepOf; // by program; -1 without a step
  std::vector<std::size_t> m_leaves;
  std::vector<ExchangeRow> m_exchanges;
  Blob m_onNoTile; // one number per tile, all of them 0
  int64_t m_firstGlobal = 0, m_firstHost = 0, m_computeSets = 0, m_shared = 0;
  bool m_inControl = true;
};

struct PoplarRun {
  int64_t tracks = 0, steps = 0;
};
// Writes the run, the profiles of its steps and one track per IPU. Does nothing if the profile has no steps.
PoplarRun writePoplarExecution(const nlohmann::json& execution, const MachineRow& machine, const PoplarProgram& program,
                               StringPool& strings, ReportSink& sink);

} // namespace reports::exchange
