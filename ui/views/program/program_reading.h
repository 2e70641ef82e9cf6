// Data that workers read for the Program view, of one report or of two.
#pragma once

#include "analyser/compare/program_difference.h"
#include "ui/parts/reports_of_view.h"
#include "ui/views/program/program_tables.h"
#include "ui/views/program/step_panel.h"

#include <array>

namespace ui::program {

enum Report { InA, InB };

struct ProgramAnswer {
  std::array<analyser::program::Program, 2> programs; // B's is empty for one report
  // For two reports: the steps aligned by kind and name, and the cycles by the paths in names.
  std::shared_ptr<const analyser::compare::ProgramDifference> steps, paths;
  std::shared_ptr<const tables::Tree> tree;   // row ids are indices of its rows
  std::shared_ptr<const tables::Table> roots; // row ids as in the tree
  std::vector<std::array<int, 2>> nodes;      // by row of the tree: the nodes in A and in B; -1: none
  std::array<std::vector<int>, 2> rows;       // of the tree, by node

  // The node of a row, and the row of a step; null and -1: there is none.
  const analyser::program::Node* nodeAt(int row, Report report) const;
  int rowOf(reports::ProgramStepId step, Report report = InA) const;
  const analyser::program::Node& shown(int row) const { return nodeAt(row, InA) ? *nodeAt(row, InA) : *nodeAt(row, InB); }
};

ProgramAnswer readProgram(const shell::ReportsOfView& reports, ColourBy by, const std::stop_token& stop);
// The steps inside a row; nullopt if the row contains none.
std::optional<StepsInside> insideOf(const ProgramAnswer& answer, int row, Report report);
StepAnswer readStep(const shell::ReportsOfView& reports, const ProgramAnswer& answer, int row, const std::stop_token& stop);

} // namespace ui::program
