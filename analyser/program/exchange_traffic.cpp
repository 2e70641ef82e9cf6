#include "analyser/program/exchange_traffic.h"

#include "reports/core/amounts.h"
#include "reports/rows/exchange_pairs.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

namespace analyser::program {

namespace {

bool hasMoreBytes(const ExchangeFlow& a, const ExchangeFlow& b) {
  const auto place = [](TileId tile) { return tile.valid() ? int64_t(tile.value()) : -1; };
  return std::tuple(-a.bytes.value(), place(a.from), place(a.to)) < std::tuple(-b.bytes.value(), place(b.from), place(b.to));
}

// Keeps the kNamedFlows largest.
void keepMost(std::vector<ExchangeFlow>& flows) {
  const auto kept = std::min(kNamedFlows, flows.size());
  std::partial_sort(flows.begin(), flows.begin() + std::ptrdiff_t(kept), flows.end(), hasMoreBytes);
  flows.resize(kept);
}

// Adds the senders and receivers. If the report has pairs of tiles, these give each tile's number of partners, and the bytes that
// a sender sends to all of them.
void addFlows(ExchangeTraffic& traffic, const reports::ExchangeRow& row, std::size_t tiles, const std::stop_token& stop) {
  const auto in = reports::unpackAmounts(row.bytesInByTile, tiles, "exchange.bytes_in_by_tile"),
             out = reports::unpackAmounts(row.bytesOutByTile, tiles, "exchange.bytes_out_by_tile");
  std::vector<int64_t> receivers(tiles, 0), senders(tiles, 0);
  if (row.pairs) {
    traffic.knowsPairs = true;
    constexpr std::size_t kMostAtOnce = 64 * kNamedFlows; // an exchange may have two million pairs
    reports::PairSweep sweep(reports::decodePairs(row, tiles));
    while (sweep.next()) {
      reports::throwIfStopped(stop);
      for (const auto& [from, bytes] : sweep.senders()) {
        ++receivers[std::size_t(from)], ++senders[std::size_t(sweep.receiver())], ++traffic.pairCount;
        traffic.pairs.push_back({TileId(std::size_t(from)), TileId(std::size_t(sweep.receiver())), Bytes(bytes), {}});
      }
      if (traffic.pairs.size() > kMostAtOnce) keepMost(traffic.pairs);
    }
    keepMost(traffic.pairs);
  }
  for (std::size_t t = 0; t < tiles; ++t) {
    traffic.received += Bytes(in[t]);
    if (out[t] > 0) traffic.senders.push_back({TileId(t), {}, Bytes(out[t]), columns::knownIf(traffic.knowsPairs, receivers[t])});
    if (in[t] > 0) traffic.receivers.push_back({{}, TileId(t), Bytes(in[t]), columns::knownIf(traffic.knowsPairs, senders[t])});
  }
  traffic.senderCount = int64_t(traffic.senders.size()), traffic.receiverCount = int64_t(traffic.receivers.size());
  keepMost(traffic.senders), keepMost(traffic.receivers);
}

// Whether the text describes a cut into parts ("rows in 16, columns in 4"); other texts describe an order.
bool isCut(const std::string& text) {
  const auto at = text.rfind(" in ");
  return at != std::string::npos && at + 4 < text.size() &&
         std::all_of(text.begin() + std::ptrdiff_t(at) + 4, text.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
}

void addClause(Sentence& sentence, const char* verb, const std::string& as, int64_t tiles, bool isEach) {
  sentence << verb;
  if (as == "whole")
    sentence << (isEach && tiles > 1 ? " whole by each of " : " whole on ");
  else if (isCut(as))
    sentence << " by " + as + (as.ends_with(" in 1") ? " part on " : " parts on ");
  else if (!as.empty())
    sentence << " as " + as + ", on ";
  else
    sentence << " on ";
  sentence << tiles << (tiles == 1 ? " tile" : " tiles");
}

} // namespace

ExchangeTraffic exchangeTraffic(Session& session, reports::ExchangeId exchange, std::stop_token stop) {
  ExchangeTraffic traffic;
  const auto id = int64_t(exchange.value());
  const auto row = session.reader().first<reports::ExchangeRow>("id = ?", {id});
  if (!row) return traffic;
  traffic.kind = row->kind;
  addFlows(traffic, *row, std::size_t(session.machine().tiles()), stop);
  session.reader().forEach<reports::ExchangeOperandRow>(
      "exchange_id = ? ORDER BY position", {id}, [&](const reports::ExchangeOperandRow& of) {
        ExchangeOperand operand{{}, {}, Bytes(of.bytes), of.heldAs, of.wantedAs, of.heldTiles, of.wantedTiles};
        if (of.variableId)
          if (const auto variable = session.reader().first<reports::VariableRow>("id = ?", {*of.variableId})) {
            operand.variable = reports::VariableId(std::size_t(*of.variableId));
            operand.name = session.text(variable->nameId);
          }
        traffic.operands.push_back(std::move(operand));
      });
  std::stable_sort(traffic.operands.begin(), traffic.operands.end(),
                   [](const ExchangeOperand& a, const ExchangeOperand& b) { return a.bytes > b.bytes; });
  return traffic;
}

Sentence reasonOf(const ExchangeOperand& operand) {
  Sentence sentence;
  if (operand.name.empty())
    sentence << "An operand";
  else
    sentence << Sentence::Name{operand.name};
  sentence << ", " << operand.bytes << ": ";
  addClause(sentence, "held", operand.heldAs, operand.heldTiles, false);
  addClause(sentence, ", wanted", operand.wantedAs, operand.wantedTiles, true);
  return sentence << ".";
}

Sentence reasonOf(const ExchangeTraffic& traffic) {
  Sentence sentence;
  if (traffic.kind == "host") return sentence;
  const auto tiles = [&](int64_t count) { sentence << count << (count == 1 ? " tile" : " tiles"); };
  tiles(traffic.senderCount);
  sentence << (traffic.senderCount == 1 ? " sends to " : " send to ");
  tiles(traffic.receiverCount);
  if (traffic.knowsPairs)
    sentence << " in " << traffic.pairCount << (traffic.pairCount == 1 ? " pair." : " pairs.");
  else
    sentence << "; the report does not list the pairs of tiles.";
  constexpr std::size_t kMostTold = 3; // operands in the sentence; the table has all
  for (std::size_t i = 0; i < std::min(kMostTold, traffic.operands.size()); ++i)
    sentence << " ", sentence.append(reasonOf(traffic.operands[i]));
  return sentence;
}

Sentence reasonOfStep(Session& session, reports::ProgramStepId step, std::stop_token stop) {
  const auto row = session.reader().first<reports::ProgramStepRow>("id = ?", {int64_t(step.value())});
  if (!row || !row->exchangeId) return {};
  return reasonOf(exchangeTraffic(session, reports::ExchangeId(std::size_t(*row->exchangeId)), stop));
}

columns::Subjects subjectsOf(const ExchangeFlow& flow) {
  columns::Subjects subjects = columns::about(columns::Thing::Tile, flow.from);
  for (const auto& subject : columns::about(columns::Thing::Tile, flow.to)) subjects.push_back(subject);
  return subjects;
}

columns::Columns<ExchangeFlow> flowColumns(const ExchangeTraffic& traffic, bool ofPairs) {
  using columns::Kind;
  using Row = ExchangeFlow;
  const auto share = [all = traffic.received](const Row& row) {
    return all.value() > 0 ? columns::Cell(ratio(row.bytes, all)) : columns::Cell();
  };
  columns::Columns<Row> all;
  all.push_back({"from", "From tile", Kind::Count, "The tile that sends; empty: all partners", &Row::from});
  all.push_back({"to", "To tile", Kind::Count, "The tile that receives; empty: all partners", &Row::to});
  all.push_back({"bytes", "Bytes", Kind::Bytes,
                 ofPairs ? "Of one execution. A word for several tiles counts for each of them" : "Of one execution", &Row::bytes,
                 columns::Sum::Yes});
  all.push_back({"share", "Share", Kind::Percent, "Of the bytes that all tiles receive", share});
  if (!ofPairs) all.push_back({"partners", "Partners", Kind::Count, "Tiles at the other end; empty: not known", &Row::partners});
  return all;
}

const columns::Columns<ExchangeOperand>& operandColumns() {
  using columns::Kind;
  using Row = ExchangeOperand;
  static const columns::Columns<Row> all{
      {"operand", "Tensor", Kind::Name, "The variable that moves; empty: a view of several", &Row::name},
      {"bytes", "Bytes", Kind::Bytes, "Received by all tiles in one execution", &Row::bytes, columns::Sum::Yes},
      {"held", "Held", Kind::Text, "How it is cut before: the dimensions and their parts", &Row::heldAs},
      {"heldTiles", "On tiles", Kind::Count, "Tiles that hold a part", &Row::heldTiles},
      {"wanted", "Wanted", Kind::Text, "How the receivers want it; whole: each wants all of it", &Row::wantedAs},
      {"wantedTiles", "By tiles", Kind::Count, "Tiles that want a part", &Row::wantedTiles}};
  return all;
}

} // namespace analyser::program
