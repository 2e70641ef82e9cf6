#include "analyser/session/exchange_code.h"

#include "reports/sqlite/reader.h"

namespace analyser {

std::unordered_map<int64_t, int64_t> exchangeCode(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, int64_t> code; // by exchange.id
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement rows(session.reader().connection(), "SELECT id, code_bytes FROM exchange WHERE code_bytes > 0");
  while (rows.step()) {
    int64_t id = 0, bytes = 0;
    rows.read(0, id, "exchange.id");
    rows.read(1, bytes, "exchange.code_bytes");
    code.emplace(id, bytes);
  }
  return code;
}

} // namespace analyser
