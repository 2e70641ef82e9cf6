#include "simcore/run/block_timer.h"

#include "reports/core/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::run {

using compile::Step;
using compile::StepKind;
using reports::BlockRecord;
using reports::ReportIssueRow;

BlockTimer::BlockTimer(const compile::Executable& executable, BlockFilter filter, reports::StringPool& strings,
                       reports::ReportSink& sink, const std::vector<int64_t>& rowIds)
    : m_e(executable), m_filter(std::move(filter)), m_strings(strings), m_sink(sink), m_rowIds(rowIds),
      m_sets(executable.graph->machine()), m_buffer(executable.program.blockBuffer),
      m_capacity(m_buffer.bytes / kBlockRecordBytes), m_ipuOfSet(std::size_t(m_sets.count()), -1),
      m_buffers(std::size_t(executable.graph->machine().ipus)), m_writer(sink) {
  for (int set = 0; set < m_sets.count(); ++set) {
    const int64_t tile = int64_t(m_sets.ipuOf(set)) * executable.graph->machine().tilesPerIpu + m_buffer.tile;
    if (m_sets.tiles(set).contains(tile)) m_ipuOfSet[std::size_t(set)] = m_sets.ipuOf(set);
  }
}

bool BlockTimer::matches(bool ofBlock, const std::string& name, const std::string& path) {
  const auto [it, added] = m_matches[ofBlock].try_emplace(path, false);
  if (added) it->second = BlockFilter::matches(ofBlock ? m_filter.blocks : m_filter.programs, name, path);
  return it->second;
}

const std::vector<BlockTimer::Wanted>* BlockTimer::known(uint64_t inFrame) const {
  const auto it = m_wanted.find(inFrame);
  return it == m_wanted.end() ? nullptr : &it->second;
}

const std::vector<BlockTimer::Wanted>& BlockTimer::find(uint64_t inFrame, int step, const std::vector<int64_t>& contexts) {
  auto& wanted = m_wanted[inFrame];
  const Step& s = m_e.program.steps[std::size_t(step)];
  std::string path;
  for (const int64_t c : contexts) {
    const std::string& name = m_e.graph->contexts()[std::size_t(c)].name;
    path += (path.empty() ? "" : "/") + name;
    if (matches(false, name, path)) wanted.push_back({c, m_strings.id(path), -1, Kind::Program});
  }
  // The step's name, preceded by its scopes, which differ if layers share a function.
  const std::string scope = m_e.graph->fullName(s.context);
  std::string own = s.name;
  if (!scope.empty() && own.starts_with(scope))
    own = own.size() > scope.size() + 1 ? own.substr(scope.size() + 1) : std::string();
  const bool isBlock = s.kind == StepKind::Block;
  if (own.empty() && isBlock) own = compile::stepKindName(s.kind);
  if (own.empty() || s.kind == StepKind::HostCompute) return wanted;
  path += (path.empty() ? "" : "/") + own;
  const bool asBlock = isBlock && matches(true, own, path);
  if (!asBlock && !matches(false, own, path)) return wanted;
  int first = step; // the three parts of a transfer are one program
  while (first > 0 && (m_e.program.steps[std::size_t(first)].kind == StepKind::StreamCopyMid ||
                       m_e.program.steps[std::size_t(first)].kind == StepKind::StreamCopyEnd))
    --first;
  wanted.push_back(
      {~int64_t(first), m_strings.id(path), m_rowIds[std::size_t(first)], asBlock ? Kind::Block : Kind::Program, first != step});
  return wanted;
}

BlockTimer::List BlockTimer::beginList() {
  List outer = m_list;
  outer.isPart = std::exchange(m_joins, false);
  if (!outer.isPart) m_list = {m_open.size(), {}, false};
  return outer;
}

bool BlockTimer::isOpen(const Wanted& of, std::size_t before) const {
  return std::any_of(m_open.begin(), m_open.begin() + std::ptrdiff_t(before), [&](const Open& o) { return o.of.isSame(of); });
}

// The Blocks of the Calls and Sequences around the step, then the step's own Blocks.
const std::vector<BlockTimer::Wanted>& BlockTimer::withAround(const std::vector<Wanted>& at) {
  if (m_list.around.empty()) return at;
  m_withAround.clear();
  const auto add = [&](const std::vector<Wanted>& list, bool isAround) {
    for (const Wanted& w : list) {
      if (std::any_of(m_withAround.begin(), m_withAround.end(), [&](const Wanted& o) { return o.isSame(w); })) continue;
      m_withAround.push_back(w);
      m_withAround.back().goesOn |= isAround; // join() has already begun a new execution of it
    }
  };
  for (const auto* list : m_list.around) add(*list, true);
  add(at, false);
  return m_withAround;
}

void BlockTimer::arrive(const std::vector<Wanted>& at) {
  const auto& wanted = withAround(at);
  // A layer that began within a call continues after the call; one that began before the call contains it.
  for (std::size_t i = m_open.size(); i-- > m_list.base;)
    if (std::none_of(wanted.begin(), wanted.end(), [&](const Wanted& w) { return w.isSame(m_open[i].of) && w.goesOn; })) close(i);
}

void BlockTimer::open(const std::vector<Wanted>& at, int64_t times) {
  for (const Wanted& w : withAround(at)) {
    if (isOpen(w, m_open.size())) continue;
    m_open.push_back({w, times, std::vector<Span>(m_buffers.size())});
    (w.kind == Kind::Block ? m_anyBlock : m_anyProgram) = true;
  }
}

void BlockTimer::endList(List outer) {
  if (outer.isPart) return;
  closeTo(m_list.base);
  m_list = std::move(outer);
}

bool BlockTimer::canJoin(int step) const {
  const StepKind kind = m_e.program.steps[std::size_t(step)].kind;
  return kind == StepKind::Call || kind == StepKind::Sequence;
}

void BlockTimer::join(const std::vector<Wanted>& at) {
  for (std::size_t i = m_open.size(); i-- > m_list.base;)
    if (std::any_of(at.begin(), at.end(), [&](const Wanted& w) { return w.isSame(m_open[i].of) && !w.goesOn; })) close(i);
  m_list.around.push_back(&at);
  m_joins = true;
}

void BlockTimer::leave() {
  m_list.around.pop_back();
  m_joins = false;
}

void BlockTimer::slice(int set, int64_t start, int64_t end) {
  const int ipu = m_ipuOfSet[std::size_t(set)];
  if (ipu < 0) return;
  for (Open& block : m_open) {
    Span& span = block.spans[std::size_t(ipu)];
    if (span.start < 0) span.start = start;
    span.end = end;
  }
}

int64_t BlockTimer::tileOfCopy(int step, int ipu) {
  const auto [found, isNew] = m_tileOfCopy.emplace(std::pair(step, ipu), -1);
  if (!isNew) return found->second;
  const auto& steps = m_e.program.steps;
  int middle = step;
  if (steps[std::size_t(step)].kind == StepKind::StreamCopyBegin) ++middle;
  if (steps[std::size_t(step)].kind == StepKind::StreamCopyEnd) --middle;
  const int exchange = steps.at(std::size_t(middle)).exchange;
  if (exchange < 0) return -1;
  const auto& moved = m_e.program.exchanges[std::size_t(exchange)];
  const int64_t perIpu = m_e.graph->machine().tilesPerIpu;
  for (const auto* bytes : {&moved.bytesIn, &moved.bytesOut}) {
    const auto here = bytes->within({ipu * perIpu, (ipu + 1) * perIpu});
    if (!here.empty() && found->second < 0) found->second = here.runs().front().tiles.begin;
  }
  return found->second;
}

void BlockTimer::streamCopy(int step, int ipu, int64_t start, int64_t cycles, int64_t times) {
  const bool isFlush = !m_open.empty() && m_open.back().of.kind == Kind::Flush;
  const Step& s = m_e.program.steps[std::size_t(step)];
  if (!m_filter.streamCopies || isFlush) return;
  if (s.kind != StepKind::StreamCopyBegin && s.kind != StepKind::StreamCopyMid && s.kind != StepKind::StreamCopyEnd) return;
  const int64_t tile = tileOfCopy(step, ipu);
  if (tile < 0) return;
  m_executions += times;
  if (int64_t& copies = m_copies[tile]; !m_buffer.flushed && (copies += times) > m_capacity) {
    m_lost += times;
    return;
  }
  m_writer.add(ipu, tile,
               {m_strings.id(s.shownName()), m_rowIds[std::size_t(step)], start, cycles * times, times, Kind::Program});
}

void BlockTimer::close(std::size_t at) {
  const Open block = std::move(m_open[at]);
  m_open.erase(m_open.begin() + std::ptrdiff_t(at));
  for (std::size_t ipu = 0; ipu < block.spans.size(); ++ipu)
    if (block.spans[ipu].start >= 0) record(int(ipu), block, block.spans[ipu]);
}

void BlockTimer::closeTo(std::size_t keep) {
  while (m_open.size() > keep) close(m_open.size() - 1);
}

void BlockTimer::record(int ipu, const Open& block, const Span& span) {
  Buffer& buffer = m_buffers[std::size_t(ipu)];
  BlockRecord done{block.of.nameId, block.of.step, span.start, span.end - span.start, block.times, block.of.kind};
  if (block.of.kind == Kind::Flush) return write(ipu, done);
  m_executions += block.times;
  if (m_buffer.flushed) {
    buffer.used += block.times;
    if (buffer.used >= m_capacity) m_full.push_back({ipu, buffer.used / m_capacity});
    buffer.used %= m_capacity;
    return write(ipu, done);
  }
  const int64_t kept = std::min(m_capacity - buffer.used, block.times), missed = block.times - kept;
  if (missed > 0) {
    m_lost += missed;
    auto& lost = buffer.lost.try_emplace({done.nameId, done.step}, done).first->second;
    if (lost.kind != Kind::Overflow) lost.kind = Kind::Overflow, lost.executions = 0;
    lost.executions += missed;
    lost.cycles = span.end - lost.startCycle;
  }
  if (kept == 0) return;
  buffer.used += kept;
  done.cycles = int64_t(double(done.cycles) * double(kept) / double(block.times));
  done.executions = kept;
  write(ipu, done);
}

void BlockTimer::write(int ipu, const BlockRecord& record) {
  m_writer.add(ipu, int64_t(ipu) * m_e.graph->machine().tilesPerIpu + m_buffer.tile, record);
}

void BlockTimer::beginFlush(const Full& full) {
  const int root = m_e.program.blockFlushes[std::size_t(full.ipu)];
  const Wanted flush{~int64_t(root), m_strings.id("BlockFlush"), m_rowIds[std::size_t(root)], Kind::Flush};
  m_open.push_back({flush, full.times, std::vector<Span>(m_buffers.size())});
}

void BlockTimer::endFlush() { closeTo(m_open.size() - 1); }

void BlockTimer::endRun() {
  m_open.clear();
  m_list = {};
  m_joins = false;
  m_full.clear();
  m_copies.clear();
  for (std::size_t ipu = 0; ipu < m_buffers.size(); ++ipu) {
    for (const auto& [of, lost] : m_buffers[ipu].lost) write(int(ipu), lost);
    m_buffers[ipu] = {};
  }
}

namespace {
void tellUnmatched(const std::string& option, const std::string& text, const char* what, reports::ReportSink& sink) {
  ReportIssueRow row;
  row.severity = "notice";
  row.place = option;
  row.message = fmt::format("no {} that ran matches '{}'", what, text);
  row.advice = "the expression must match a whole name or path: .*layer3.* finds every name with layer3 in it";
  row.count = 1;
  sink.add(row);
}
} // namespace

void BlockTimer::writeIssues(reports::ReportSink& sink) const {
  if (m_filter.blocks && !m_anyBlock) tellUnmatched("profiler.blocks.filter", m_filter.blocksText, "Block", sink);
  if (m_filter.programs && !m_anyProgram)
    tellUnmatched("profiler.programs.filter", m_filter.programsText, "program or scope", sink);
  if (m_lost == 0) return;
  ReportIssueRow row;
  row.severity = "warning";
  row.place = "Block profiling";
  row.message = fmt::format("{} of {} executions of Blocks were lost: the buffer of {} bytes was full", m_lost, m_executions,
                            m_buffer.bytes);
  row.advice = "use --engine-option profiler.blocks.bufferSize=BYTES or profiler.blocks.implicitFlush=true";
  row.count = m_lost;
  sink.add(row);
}

} // namespace simcore::run
