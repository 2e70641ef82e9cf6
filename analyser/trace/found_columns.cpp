#include "analyser/trace/found_columns.h"

namespace analyser::trace {

const columns::Columns<FoundSlice>& foundColumns(bool isHost) {
  using columns::Kind;
  using Row = FoundSlice;
  const auto columnsIn = [](Kind begin, Kind duration, const char* beginsAt) {
    return columns::Columns<Row>{{"name", "Name", Kind::Name, "", &Row::name},
                                 {"in", "In", Kind::Name, "The scopes around it", &Row::scopes},
                                 {"track", "Track", Kind::Text, "", &Row::track},
                                 {"beginsAt", beginsAt, begin, "", &Row::beginsAt},
                                 {"duration", "Duration", duration, "", &Row::duration}};
  };
  static const auto ofHost = columnsIn(Kind::Nanoseconds, Kind::Nanoseconds, "Begins at"),
                    ofMachine = columnsIn(Kind::Count, Kind::Cycles, "Begins at cycle");
  return isHost ? ofHost : ofMachine;
}

} // namespace analyser::trace
