// One exchange of a step: its senders and receivers, the bytes between them, and why its operands move.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/session/sentence.h"
#include "analyser/session/session.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::program {

struct ExchangeOperand {
  reports::VariableId variable; // invalid: a view of several variables, or unknown
  std::string name;             // of the variable
  Bytes bytes;                  // received from other tiles
  std::string heldAs, wantedAs; // as in the table exchange_operand
  int64_t heldTiles = 0, wantedTiles = 0;
};
// Bytes of a pair of tiles, or of one tile with all of its partners.
struct ExchangeFlow {
  TileId from, to; // invalid: all tiles
  Bytes bytes;
  std::optional<int64_t> partners; // number of partners of a single tile; unknown if the report has no pairs
};
struct ExchangeTraffic {
  std::string kind; // internal, global or host
  bool knowsPairs = false;
  std::vector<ExchangeFlow> pairs, senders, receivers; // most bytes first; at most kNamedFlows
  int64_t pairCount = 0, senderCount = 0, receiverCount = 0;
  Bytes received;                        // by all tiles
  std::vector<ExchangeOperand> operands; // most bytes first
};
inline constexpr std::size_t kNamedFlows = 1000;

ExchangeTraffic exchangeTraffic(Session& session, reports::ExchangeId exchange, std::stop_token stop = {});

// "x, 1.2 MiB: held by rows in 16 on 1,216 tiles, wanted by channels in 90 on 1,440 tiles."
Sentence reasonOf(const ExchangeOperand& operand);
// The number of senders and receivers, and the reasons of the largest operands.
Sentence reasonOf(const ExchangeTraffic& traffic);

// The reason of the exchange that the step runs; empty if it runs none.
Sentence reasonOfStep(Session& session, reports::ProgramStepId step, std::stop_token stop = {});

columns::Columns<ExchangeFlow> flowColumns(const ExchangeTraffic& traffic, bool ofPairs);
const columns::Columns<ExchangeOperand>& operandColumns();
columns::Subjects subjectsOf(const ExchangeFlow& flow);
inline columns::Subjects subjectsOf(const ExchangeOperand& operand) {
  return columns::about(columns::Thing::Variable, operand.variable);
}

} // namespace analyser::program
