#include "reports/exchange/scheduling_order.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace reports::exchange {

namespace {

constexpr std::size_t kChangesOfRun = 65'536;  // sorted together
constexpr std::size_t kChangesOfBlock = 1'024; // unpacked together: the merge holds one block of each run

bool isEarlier(const SchedulingChange& a, const SchedulingChange& b) { return a.time < b.time; }

constexpr int64_t SchedulingChange::*kPackedColumns[] = {
    &SchedulingChange::time,          &SchedulingChange::cpu,      &SchedulingChange::thread, &SchedulingChange::previous,
    &SchedulingChange::previousState, &SchedulingChange::priority, &SchedulingChange::name,   &SchedulingChange::state};

} // namespace

void SchedulingOrder::add(const SchedulingChange& change) {
  m_open.push_back(change);
  if (m_open.size() >= kChangesOfRun) pack();
}

void SchedulingOrder::pack() {
  std::stable_sort(m_open.begin(), m_open.end(), isEarlier);
  Run run;
  std::vector<int64_t> column;
  const auto packColumn = [&](std::size_t from, std::size_t to, auto value) {
    column.clear();
    for (std::size_t i = from; i < to; ++i) column.push_back(value(m_open[i]));
    Blob blob = packDeltas(column);
    blob.shrink_to_fit();
    run.back().columns.push_back(std::move(blob));
  };
  for (std::size_t from = 0; from < m_open.size(); from += kChangesOfBlock) {
    const std::size_t to = std::min(from + kChangesOfBlock, m_open.size());
    run.push_back({to - from, {}});
    for (const auto member : kPackedColumns) packColumn(from, to, [&](const SchedulingChange& c) { return c.*member; });
    packColumn(from, to, [](const SchedulingChange& c) { return int64_t(c.kind); });
  }
  m_runs.push_back(std::move(run));
  m_open.clear();
}

std::vector<SchedulingChange> SchedulingOrder::unpacked(const Block& block) {
  std::vector<SchedulingChange> changes(block.count);
  const char* const what = "scheduling in memory";
  std::size_t at = 0;
  for (const auto member : kPackedColumns) {
    const auto values = unpackDeltas(block.columns[at++], block.count, what);
    for (std::size_t i = 0; i < block.count; ++i) changes[i].*member = values[i];
  }
  const auto kinds = unpackDeltas(block.columns[at], block.count, what);
  for (std::size_t i = 0; i < block.count; ++i) changes[i].kind = SchedulingChange::Kind(kinds[i]);
  return changes;
}

void SchedulingOrder::takeAll(const std::function<void(const SchedulingChange&)>& f) {
  if (!m_open.empty()) pack();
  struct Reading {
    std::size_t block = 0, at = 0; // of the next change
    std::vector<SchedulingChange> changes;
  };
  std::vector<Reading> readings(m_runs.size());
  using Next = std::tuple<int64_t, std::size_t>; // time, run: earlier runs were added before later ones
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  const auto await = [&](std::size_t run) {
    Reading& reading = readings[run];
    if (reading.at == reading.changes.size()) {
      reading.changes.clear();
      reading.at = 0;
      if (reading.block == m_runs[run].size()) return;
      Block& block = m_runs[run][reading.block++];
      reading.changes = unpacked(block);
      block = {};
    }
    queue.emplace(reading.changes[reading.at].time, run);
  };
  for (std::size_t run = 0; run < m_runs.size(); ++run) await(run);
  while (!queue.empty()) {
    const std::size_t run = std::get<1>(queue.top());
    queue.pop();
    f(readings[run].changes[readings[run].at++]);
    await(run);
  }
  m_runs.clear();
}

} // namespace reports::exchange
