// The program of a synthetic report: steps, operations, compute sets, exchanges and streams, written as it is built.
#pragma once

#include "reports/core/categories.h"
#include "reports/rows/string_pool.h"
#include "tests/support/synthetic_report.h"

#include <map>
#include <string>
#include <vector>

namespace tests {

inline constexpr int64_t kSyntheticTileBytes = 638976;
inline constexpr int64_t kSyntheticInterleavedStart = 319488;

struct SyntheticStep {
  reports::ProgramStepRow row;
  int operation = -1; // index, -1 for none
  std::string name;
};

struct SyntheticOperation {
  std::string name, kind;
  int64_t context = 0;   // debug_context.id
  int firstLiveness = 0; // liveness ordinals [first, end) of its steps
  int endLiveness = 0;
  std::vector<int> steps; // indices of its leaf steps
};

class SyntheticProgram {
public:
  SyntheticProgram(reports::ReportSink& sink, reports::StringPool& strings, const ReportShape& shape);

  const ReportShape& shape() const { return m_shape; }
  int tiles() const { return m_shape.ipus * m_shape.tilesPerIpu; }
  int64_t iterations() const { return m_iterations; }
  const std::vector<SyntheticStep>& steps() const { return m_steps; }
  const std::vector<SyntheticOperation>& operations() const { return m_operations; }
  const std::vector<int>& livenessSteps() const { return m_liveness; } // step index by ordinal
  int initProgram() const { return m_initProgram; }
  int mainProgram() const { return m_mainProgram; }
  const std::vector<int>& initSteps() const { return m_initSteps; } // leaf steps in order of execution
  const std::vector<int>& beforeLoop() const { return m_beforeLoop; }
  const std::vector<int>& loop() const { return m_loop; }
  const std::vector<int>& afterLoop() const { return m_afterLoop; }

  // Cycles of a step on a tile; the variant (0 to 2) depends on the execution, 0 for steps that always cost the same.
  int64_t tileCycles(const SyntheticStep& step, int tile, int variant) const;
  int64_t exchangeBytes(int64_t exchangeId, int tile) const; // received, and sent, by the tile
  int64_t flops(const SyntheticStep& step) const;            // of one execution on all tiles

private:
  int add(int parent, const std::string& kind, const std::string& name, reports::Activity activity, int operation = -1);
  int addStream(int parent, const std::string& name, std::vector<int>& leaves);
  void buildOperation(int parent, int operation);
  void build();
  void countIterations();
  void numberLiveness();
  void writeContexts(reports::ReportSink& sink, reports::StringPool& strings);
  void writeSteps(reports::ReportSink& sink, reports::StringPool& strings);
  void writeComputeSets(reports::ReportSink& sink, reports::StringPool& strings);
  void writeExchanges(reports::ReportSink& sink, reports::StringPool& strings);
  void writeStreams(reports::ReportSink& sink);

  ReportShape m_shape;
  int64_t m_iterations = 4;
  std::vector<SyntheticStep> m_steps;
  std::vector<SyntheticOperation> m_operations;
  std::vector<int> m_liveness, m_initSteps, m_beforeLoop, m_loop, m_afterLoop;
  std::vector<int> m_computeSets, m_exchanges; // step index by id
  std::vector<int> m_streamCopies;             // StreamCopyMid steps, in the order of the streams
  std::map<int, int> m_positions;              // children so far by parent
  int m_initProgram = 0, m_mainProgram = 0, m_repeat = 0;
};

} // namespace tests
