// The debug layers of a step as rows of a tree: from the outermost layer inwards, with the notes of each layer and its source
// line. Nothing is listed twice. Program and Trace show the same rows.
#pragma once

#include "analyser/session/debug_contexts.h"
#include "ui/tables/table.h"

#include <QString>

#include <memory>
#include <vector>

namespace ui::shell {

struct DebugRow {
  int parent = -1; // an earlier row
  QString what, text;
  bool isLayer = false; // a layer of the chain itself; else a note of a layer
};

// `chain` is innermost first, as analyser::debugChain gives it.
std::vector<DebugRow> debugRows(const std::vector<analyser::DebugLayer>& chain);
// The same rows as a tree of two columns; an id is the index of a row.
std::shared_ptr<const tables::Tree> debugTree(const std::vector<analyser::DebugLayer>& chain);

} // namespace ui::shell
