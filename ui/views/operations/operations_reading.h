// Data that workers read for the Operations view, of one report or of two, and the rows made of it.
#pragma once

#include "analyser/compare/operation_pairs.h"
#include "ui/parts/reports_of_view.h"
#include "ui/views/operations/operations_tables.h"

#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ui::operations {

enum Report { InA, InB };

struct OperationsAnswer {
  struct OfReport {
    analyser::operations::Operations operations;
    std::vector<analyser::operations::OperationStep> steps;
    std::vector<std::string> layers;
    bool isOnSeveralIpus = false; // not all work on the same IPUs
  };
  std::array<OfReport, 2> in;                                      // B's is empty for one report
  std::optional<analyser::compare::OperationsOfBoth> both, byIpus; // with two reports; byIpus: pairs on different IPUs are split
};
OperationsAnswer readOperations(const shell::ReportsOfView& reports, const analyser::compare::PairingRules& rules,
                                const std::stop_token& stop);

struct LayerAnswer {
  std::string name;
  std::array<analyser::operations::Layer, 2> in;
  std::optional<analyser::compare::OperationsOfBoth> both;
};
LayerAnswer readLayer(const shell::ReportsOfView& reports, const std::string& layer, const std::stop_token& stop);

enum class Rows { All, Tree, ByIpu, ByKind, Layer };

// The rows that the view shows. Entry i of both reports is row i; those of B are empty for one report.
struct ShownRows {
  std::array<std::vector<Entry>, 2> in;
  std::vector<analyser::compare::OperationPair> pairs; // for two reports

  std::size_t size() const { return in[InA].size(); }
  bool areOfTwo() const { return !in[InB].empty(); }
  const Entry* at(int64_t row, Report report) const; // null if the row does not exist or the report lacks it
  const Entry& shown(int64_t row) const;             // entry of A; of B if A lacks it
};
ShownRows rowsOf(const OperationsAnswer& answer, Rows rows);
ShownRows rowsOf(const LayerAnswer& answer);

// The same tables as for one report; row ids are indices of `rows`.
std::shared_ptr<const tables::Table> rowTable(const ShownRows& rows, const QString& first, const QStringList& columns);
std::shared_ptr<const tables::Tree> rowTree(const ShownRows& rows, const QStringList& columns);

} // namespace ui::operations
