// Sums per operation, in the order in which operations first appear.
#pragma once

#include "reports/rows/operation.h"
#include "simcore/compile/compiler.h"

#include <map>
#include <vector>

namespace simcore::run {

class OperationSums {
public:
  using Callers = std::map<int64_t, int64_t>; // executions by operation

  explicit OperationSums(const compile::Executable& executable) : m_e(executable) {}

  // Adds executions of a step on behalf of an operation; `cycles` is the sum over all of them.
  void addRun(int64_t operation, const compile::Step& step, int64_t executions, int64_t cycles);
  // Adds a step, which exists once and was made for `operation`. Its code and vertices are divided among the operations that run
  // it; without callers they belong to `operation`.
  void addStep(int64_t operation, const Callers& callers, const compile::Step& step);
  void addVariable(int64_t operation, const Callers& callers, int64_t bytes);

  std::vector<reports::OperationRow> rows() const;

private:
  struct Sums {
    reports::OperationRow row;
    double weightedBalance = 0, weight = 0;
  };
  Sums& of(int64_t operation);
  // Divides `amount` into whole numbers in proportion to the executions.
  void shareOut(int64_t operation, const Callers& callers, int64_t reports::OperationRow::*sum, int64_t amount);

  const compile::Executable& m_e;
  std::map<int64_t, std::size_t> m_index; // by debug context
  std::vector<Sums> m_operations;
};

} // namespace simcore::run
