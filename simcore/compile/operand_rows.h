// Rows of exchange_operand: why the operands of an exchange move.
#pragma once

#include "reports/rows/exchange_operand.h"
#include "reports/rows/report_sink.h"
#include "simcore/graph/layout_note.h"

namespace simcore::compile {

// `rowOf`: row numbers by variable of the graph; -1: no row.
inline void addOperandRows(reports::ReportSink& sink, int64_t exchange, const std::vector<graph::MoveNote>& notes,
                           const std::vector<int64_t>& rowOf) {
  int64_t position = 0;
  for (const graph::MoveNote& note : notes) {
    reports::ExchangeOperandRow row;
    row.exchangeId = exchange;
    row.position = position++;
    const int64_t variable = note.variable.valid() ? rowOf[note.variable.value()] : -1;
    if (variable >= 0) row.variableId = variable;
    row.bytes = note.bytes;
    row.heldAs = note.held.cut, row.heldTiles = note.held.tiles;
    row.wantedAs = note.wanted.cut, row.wantedTiles = note.wanted.tiles;
    sink.add(row);
  }
}

} // namespace simcore::compile
