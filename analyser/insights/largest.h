// The largest items in memory, by kind, for a tile, an IPU or a model that needs too much.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/insights/insight.h"

#include <span>
#include <stop_token>

namespace analyser::insights {

struct LargestPart {
  enum class Kind { VertexState, VertexCode, Variable, ExchangeCode };
  Kind kind{};
  std::string name; // of a vertex type, a variable or an exchange: foreign text
  Sentence what;    // a few words: "12 vertices in 3 compute sets"
  Bytes bytes;      // on the requested tiles
  Evidence evidence;
};
std::string_view kindTitle(LargestPart::Kind kind); // "Vertex state"

// The largest `each` of every kind on some tiles (all if empty), kind by kind, largest first. Variables are those of the program
// that are always live. Each tile with a vertex of a type has a copy of its code. Reports before schema version 7 do not have the
// code of an exchange by tile: then exchanges are left out.
std::vector<LargestPart> largestParts(Session& session, std::span<const TileId> tiles, std::size_t each,
                                      std::stop_token stop = {});

const columns::Columns<LargestPart>& largestColumns();
columns::Subjects subjectsOf(const LargestPart& part);

} // namespace analyser::insights
