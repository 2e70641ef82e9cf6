// Memory of an old Poplar graph profile: bytes of each tile, live bytes at each program, and addresses if lowered variables are
// given.
#pragma once

#include "reports/exchange/poplar_execution.h"

#include <map>
#include <string>
#include <vector>

namespace reports::exchange {

class PoplarMemory {
public:
  // `place` names the file in issues.
  PoplarMemory(const MachineRow& machine, StringPool& strings, ReportSink& sink, std::string place);
  void readLiveness(const nlohmann::json& graph);
  std::size_t livenessSteps() const { return m_alive.size(); }
  // False if a tile needs more memory than it has.
  bool write(const nlohmann::json& graph, const nlohmann::json& lowered, const PoplarProgram& program);

private:
  struct Variable {
    VariableRow row;
    std::string name;
    std::vector<std::size_t> alive; // liveness steps, ascending
  };
  Variable& variable(const std::string& name);
  void readLowered(const nlohmann::json& lowered);
  void readTiles(const nlohmann::json& memory);
  void writeLiveness(const PoplarProgram& program);
  std::vector<int64_t>& series(const std::string& name);

  const MachineRow& m_machine;
  StringPool& m_strings;
  ReportSink& m_sink;
  std::string m_place;
  std::vector<Variable> m_variables;
  std::map<std::string, std::size_t, std::less<>> m_variableOf;
  std::vector<int64_t> m_alive; // live bytes at each liveness step
  std::map<std::string, std::vector<int64_t>> m_series;
  int64_t m_alwaysLive = 0;
};

} // namespace reports::exchange
