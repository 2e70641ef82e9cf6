// Sums of operations while steps are added, in the order in which operations are met.
#pragma once

#include "reports/rows/operation.h"
#include "simcore/compile/compiler.h"

#include <map>
#include <vector>

namespace simcore::run {

class OperationSums {
public:
  explicit OperationSums(const compile::Executable& executable) : m_e(executable) {}

  // Executions of a step on behalf of an operation; `cycles` is of all of them.
  void addRun(int64_t operation, const compile::Step& step, int64_t executions, int64_t cycles);
  // A step is there once, for the operation it was made for: its code and its vertices.
  void addStep(int64_t operation, const compile::Step& step);
  void addVariable(int64_t operation, int64_t bytes) { of(operation).row.variableBytes += bytes; }

  std::vector<reports::OperationRow> rows() const;

private:
  struct Sums {
    reports::OperationRow row;
    double weightedBalance = 0, weight = 0;
  };
  Sums& of(int64_t operation);

  const compile::Executable& m_e;
  std::map<int64_t, std::size_t> m_index; // by debug context
  std::vector<Sums> m_operations;
};

} // namespace simcore::run
