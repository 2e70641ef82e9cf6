#include "analyser/query/query.h"

#include "analyser/session/format.h"
#include "reports/core/text.h"
#include "reports/sqlite/query.h"

#include <limits>

namespace analyser::query {

namespace {

Value valueFrom(const reports::SqlValue& v) {
  if (const auto* i = std::get_if<int64_t>(&v)) return *i;
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  if (const auto* b = std::get_if<reports::Blob>(&v)) return BlobSize{Bytes(static_cast<int64_t>(b->size()))};
  return Null();
}

int64_t bytesOf(const Value& v) {
  const auto* text = std::get_if<std::string>(&v);
  return static_cast<int64_t>(sizeof v + (text ? text->capacity() : 0));
}

[[noreturn]] void refuseSize(const Session& session, Bytes limit) {
  throw reports::Error(reports::ErrorCode::Unsupported, "the result takes more than " + formatBytes(limit) + " of memory",
                       reports::displayText(session.identity().path), "ask for fewer rows or columns");
}

} // namespace

Result run(Session& session, const std::string& sql, const Limits& limits, std::stop_token stop) {
  reports::QueryLimits bounds;
  bounds.rows = static_cast<int64_t>(std::min<std::size_t>(limits.maxRows, std::numeric_limits<int64_t>::max()));
  bounds.time = limits.maxTime;
  const auto begin = std::chrono::steady_clock::now();
  Result result;
  int64_t bytes = 0;
  // Row by row: BLOBs are replaced by their size at once instead of being stored.
  const auto summary = reports::runQuery(session.reader(), sql, bounds, std::move(stop),
                                         [&](const reports::QueryResult&, const std::vector<reports::SqlValue>& row) {
                                           auto& values = result.rows.emplace_back();
                                           values.reserve(row.size());
                                           for (const auto& v : row) {
                                             values.push_back(valueFrom(v));
                                             bytes += bytesOf(values.back());
                                           }
                                           if (bytes > limits.maxBytes.value()) refuseSize(session, limits.maxBytes);
                                           return true;
                                         });
  result.columns = summary.columns;
  result.truncated = summary.truncated;
  result.elapsed = std::chrono::steady_clock::now() - begin;
  return result;
}

} // namespace analyser::query
