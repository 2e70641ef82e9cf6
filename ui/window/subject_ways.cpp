#include "ui/window/subject_ways.h"

#include "analyser/operations/rollup.h"
#include "reports/core/categories.h"
#include "ui/theme/report_text.h"
#include "ui/window/link_navigator.h"
#include "ui/window/message_bar.h"
#include "ui/window/open_reports.h"
#include "ui/window/view_stack.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>

namespace ui::shell {

using analyser::columns::Thing;
using theme::reportText;

namespace {

const QString kMemory = QStringLiteral("memory"), kLiveness = QStringLiteral("liveness"), kProgram = QStringLiteral("program"),
              kOperations = QStringLiteral("operations"), kTrace = QStringLiteral("trace"), kQuery = QStringLiteral("query"),
              kCompare = QStringLiteral("compare"), kTab = QStringLiteral("tab");

// The views that can show an item. A link to the item leads to the first one.
QStringList viewsOf(Thing thing) {
  switch (thing) {
  case Thing::Variable: return {kMemory, kLiveness, kProgram, kOperations, kTrace, kQuery};
  case Thing::Step: return {kProgram, kMemory, kLiveness, kOperations, kTrace, kQuery};
  case Thing::Operation: return {kOperations, kMemory, kLiveness, kProgram, kTrace, kQuery};
  case Thing::Tile: return {kMemory, kLiveness, kOperations, kTrace, kQuery};
  case Thing::VertexType: return {kOperations, kMemory, kProgram, kTrace, kQuery};
  case Thing::Category: return {kMemory, kLiveness, kQuery};
  case Thing::Region: return {kMemory};
  case Thing::ComputeSet: break;
  }
  return {kProgram, kOperations, kTrace, kQuery};
}

// A filter condition for the text column `column`.
QString filterOf(const QString& column, const std::string& value, QChar sign = '=') {
  return QStringLiteral("%1 %2 \"%3\"").arg(column, sign, reportText(value));
}

// Each kind of code has a table of its own in Memory.
void showCategory(const analyser::columns::Subject& subject, const QString& view, FieldValues& fields) {
  const auto category = reports::MemoryCategory(subject.id);
  const auto filter = [&](const QString& table) {
    fields[kTab] = table;
    fields[table + QStringLiteral(".filter")] = filterOf(QStringLiteral("category"), subject.name);
  };
  if (view == kLiveness) return filter(QStringLiteral("notAlways"));
  if (view != kMemory) return;
  if (category == reports::MemoryCategory::VertexCode || category == reports::MemoryCategory::VertexInstanceState)
    fields[kTab] = QStringLiteral("vertices");
  else if (category == reports::MemoryCategory::InternalExchangeCode || category == reports::MemoryCategory::GlobalExchangeCode ||
           category == reports::MemoryCategory::HostExchangeCode)
    fields[kTab] = QStringLiteral("exchanges");
  else if (category == reports::MemoryCategory::Variable || category == reports::MemoryCategory::Constant)
    filter(QStringLiteral("largest"));
  else { // a category on one tile whose parts are not variables of the program
    fields[kTab] = QStringLiteral("variables");
    fields[QStringLiteral("placed.filter")] = filterOf(QStringLiteral("category"), subject.name);
  }
}

QString sqlOf(const analyser::columns::Subject& subject, const analyser::program::Related& related) {
  const auto with = [](const char* sql, int64_t id) { return QString::fromLatin1(sql).arg(id); };
  switch (subject.thing) {
  case Thing::Variable:
    return with(
        "SELECT v.id AS variable_id, text(v.name_id) AS name, path(v.debug_context_id) AS path,\n"
        "  memory_category_name(v.category) AS category, v.element_type, v.shape, v.total_bytes, v.max_tile_bytes, v.tiles,\n"
        "  l.first_step, l.end_step, l.always_live\n"
        "FROM variable v LEFT JOIN variable_lifetime l ON l.variable_id = v.id WHERE v.id = %1",
        subject.id);
  case Thing::Step:
    return with(
        "SELECT s.id AS program_step_id, s.kind, text(s.name_id) AS name, s.liveness_step, p.ipu, p.cycles, p.executions,\n"
        "  p.active_tiles, p.busy_cycles, p.bytes_in, p.bytes_out, p.flops\n"
        "FROM program_step s LEFT JOIN step_profile p ON p.program_step_id = s.id WHERE s.id = %1",
        subject.id);
  case Thing::Operation:
    return with("SELECT id AS operation_id, name, kind, compute_cycles, exchange_cycles, sync_cycles, host_cycles, flops,\n"
                "  exchange_bytes, code_bytes, variable_bytes\n"
                "FROM operation WHERE id = %1",
                int64_t(related.operation.value()));
  case Thing::Tile:
    return with("SELECT tile, variable_id, name, category, address, size_bytes, own_bytes\n"
                "FROM lowered_variable WHERE tile = %1 ORDER BY own_bytes DESC",
                subject.id);
  case Thing::VertexType:
    return with("SELECT u.compute_set_id, text(c.name_id) AS compute_set, u.vertices, u.cycles, u.flops, u.state_bytes\n"
                "FROM compute_set_vertices u JOIN compute_set c ON c.id = u.compute_set_id\n"
                "WHERE u.vertex_type_id = %1 ORDER BY u.cycles DESC",
                *related.vertexType);
  case Thing::Category:
    return with("SELECT tile, variable_id, name, address, size_bytes, own_bytes\n"
                "FROM lowered_variable WHERE tile = (SELECT max_tile FROM tile_series WHERE name = 'memory.total') AND\n"
                "  category = memory_category_name(%1) ORDER BY own_bytes DESC",
                subject.id);
  case Thing::Region:
  case Thing::ComputeSet: break;
  }
  return with("SELECT id AS program_step_id, kind, text(name_id) AS name FROM program_step WHERE compute_set_id = %1",
              subject.id);
}

} // namespace

SubjectWays::SubjectWays(ViewState& state, jobs::JobBoard& jobs, const OpenReports& reports, const ViewStack& views,
                         LinkNavigator& links, MessageBar& message, QObject* parent)
    : QObject(parent), m_state(state), m_reports(reports), m_views(views), m_links(links), m_message(message),
      m_job(tr("Looking up the row"), &jobs) {}

void SubjectWays::forget() {
  m_job.drop();
  m_workers = {};
}

bool SubjectWays::isOther(const Subject& subject) const {
  if (subject.in == Subject::In::Shown) return m_reports.sessions().other && m_state.shown() == Shown::Other;
  return subject.in == Subject::In::Other;
}

// Ctrl with the digit of the view: 3 shows Memory, Ctrl+3 shows the row in Memory.
QKeySequence SubjectWays::keyOf(const QString& view) const {
  int digit = 0;
  for (const ViewEntry& entry : m_views.list()) {
    if (entry.section == Section::Report) ++digit;
    if (entry.id == view) return digit <= 9 ? QKeySequence(int(Qt::CTRL) | (Qt::Key_0 + digit)) : QKeySequence();
  }
  return {};
}

std::vector<tables::RowGuide::Way> SubjectWays::waysOf(const Subject& subject) const {
  auto* self = const_cast<SubjectWays*>(this);
  std::vector<Way> ways;
  const QStringList there = viewsOf(subject.thing);
  for (const ViewEntry& entry : m_views.list()) { // in the order of the rail
    if (!there.contains(entry.id)) continue;
    ways.push_back({tr("Show in %1").arg(entry.title), entry.id, keyOf(entry.id),
                    [self, subject, view = entry.id] { self->start(subject, view, &SubjectWays::go); }});
  }
  const bool isCompared = subject.thing == Thing::Variable || subject.thing == Thing::Operation || subject.thing == Thing::Step ||
                          subject.thing == Thing::Tile;
  if (m_reports.sessions().other && isCompared && m_views.entryOf(kCompare))
    ways.push_back({tr("Compare this in both reports"), kCompare, QKeySequence(int(Qt::CTRL) | Qt::Key_0),
                    [self, subject] { self->start(subject, kCompare, &SubjectWays::go); }, true});
  ways.push_back({tr("Copy link"), QStringLiteral("copy"), QKeySequence(int(Qt::CTRL) | int(Qt::SHIFT) | Qt::Key_L),
                  [self, subject, there] { self->start(subject, there.front(), &SubjectWays::copy); }, true});
  return ways;
}

QString SubjectWays::titleOf(const Subject& subject) const {
  const std::string_view thing = analyser::columns::titleOf(subject.thing);
  QString title = QString::fromLatin1(thing.data(), qsizetype(thing.size()));
  title[0] = title[0].toUpper();
  const bool isNumbered = subject.thing == Thing::Tile || subject.thing == Thing::Step; // other ids mean nothing to the user
  if (subject.in == Subject::In::Base || subject.in == Subject::In::Other)
    return (subject.in == Subject::In::Base ? tr("%1 in A") : tr("%1 in B"))
        .arg(isNumbered && subject.id >= 0 ? QStringLiteral("%1 %2").arg(title).arg(subject.id) : title);
  return subject.id < 0 || !subject.name.empty() ? QStringLiteral("%1 %2").arg(title, reportText(subject.name))
                                                 : QStringLiteral("%1 %2").arg(title).arg(subject.id);
}

void SubjectWays::start(const Subject& subject, const QString& view, Then then) {
  const bool other = isOther(subject);
  const SessionPointer& session = other ? m_reports.sessions().other : m_reports.sessions().base;
  if (!session) return;
  auto& worker = m_workers[other];
  if (!worker) worker = std::make_shared<WorkerSession>(session);
  m_job.start(
      [worker, subject](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& opened) { return analyser::program::relatedOf(opened, subject, stop); });
      },
      [this, subject, view, then](const Related& related) {
        const Target target = view == kCompare ? comparisonOf(related) : targetOf(subject, related, view);
        if (!target.missing.isEmpty()) return m_message.say(target.missing, Tone::Neutral);
        (this->*then)(target);
      },
      [this](const reports::Error& error) { m_message.say(error); });
}

SubjectWays::Target SubjectWays::targetOf(const Subject& subject, const Related& related, const QString& view) const {
  Target target;
  Place& place = target.link.place;
  FieldValues& fields = target.link.fields;
  const Shown shown = isOther(subject) ? Shown::Other : Shown::Base;
  place = m_state.place();
  if (place.shown != shown) place = Place();
  place.shown = shown, place.view = view;
  if (related.variable.valid()) place.variable = related.variable, place.beside.clear();
  if (related.tile) place.tiles = {*related.tile};
  if (related.step.valid() && related.step != place.step) place.step = related.step, place.operation = {}, place.range = {};
  if (related.operation.valid()) place.operation = related.operation;
  const QString name = reportText(related.name);
  const auto missing = [&](const QString& why) { target.missing = why.arg(name); };
  switch (subject.thing) {
  case Thing::Variable:
    if (view == kMemory) fields[kTab] = QStringLiteral("variables");
    if (view == kLiveness) fields[kTab] = related.isAlwaysLive ? QStringLiteral("always") : QStringLiteral("notAlways");
    if (view == kOperations && !related.operation.valid()) missing(tr("No operation makes %1."));
    if (view == kProgram) fields[kTab] = QStringLiteral("variables");
    if ((view == kProgram || view == kTrace) && !related.step.valid())
      missing(tr("%1 is live during the whole program, so no step begins its life."));
    break;
  case Thing::Step:
  case Thing::ComputeSet:
    if (view == kMemory) fields[kTab] = QStringLiteral("variables");
    if (view == kOperations && !related.operation.valid()) missing(tr("%1 does not belong to an operation."));
    if (!related.step.valid() && view != kQuery) missing(tr("No step of the program runs %1."));
    break;
  case Thing::Operation:
    if (view == kMemory)
      fields[kTab] = QStringLiteral("largest"),
      fields[QStringLiteral("largest.filter")] = filterOf(QStringLiteral("operation"), related.operationName);
    if ((view == kLiveness || view == kProgram || view == kTrace) && !related.step.valid())
      missing(tr("%1 has no program step."));
    break;
  case Thing::Tile:
    if (view == kMemory) fields[kTab] = QStringLiteral("details");
    if (view == kLiveness) fields[QStringLiteral("scope")] = QStringLiteral("tiles");
    if (view == kOperations) fields[kTab] = QStringLiteral("tiles");
    if (view == kTrace) fields[QStringLiteral("tiles")] = QStringLiteral("on");
    break;
  case Thing::VertexType:
    if (view == kMemory)
      fields[kTab] = QStringLiteral("vertices"),
      fields[QStringLiteral("vertices.filter")] = filterOf(QStringLiteral("type"), related.name);
    if (view == kOperations)
      fields[QStringLiteral("rows")] = QString::fromLatin1(analyser::operations::kVertexTypes.data()),
      fields[kTab] = QStringLiteral("operations"),
      fields[QStringLiteral("operations.filter")] = filterOf(QStringLiteral("name"), related.name);
    if (view == kProgram) fields[kTab] = QStringLiteral("vertices");
    if ((view == kProgram || view == kTrace) && !related.step.valid()) missing(tr("No step of the program runs %1."));
    break;
  case Thing::Category: showCategory(subject, view, fields); break;
  case Thing::Region: // of the fullest tile, or of the selected one
    fields[kTab] = QStringLiteral("variables");
    fields[QStringLiteral("placed.filter")] = filterOf(QStringLiteral("region"), related.name);
    break;
  }
  if (view == kQuery) target.missing.clear(), target.sql = sqlOf(subject, related);
  return target;
}

SubjectWays::Target SubjectWays::comparisonOf(const Related& related) const {
  Target target;
  Place& place = target.link.place;
  FieldValues& fields = target.link.fields;
  place.shown = Shown::Difference, place.view = kCompare;
  if (related.tile) { // Memory with both reports lists the tile's variables
    place.view = kMemory, place.tiles = {*related.tile};
    fields[kTab] = QStringLiteral("variables"); // sorted by the bytes that they add to the tile
  } else if (related.variable.valid()) {
    fields[kTab] = QStringLiteral("variables");
    fields[QStringLiteral("variables.filter")] = filterOf(QStringLiteral("variable"), related.name);
  } else if (related.operation.valid()) { // Operations with both reports lists the pairs
    place.view = kOperations;
    fields[kTab] = QStringLiteral("operations");
    fields[QStringLiteral("rows")] = QStringLiteral("all"); // no groups, because the filter is on operations
    fields[QStringLiteral("operations.filter")] = filterOf(QStringLiteral("name"), related.operationName, '~');
  } else {
    target.missing =
        tr("%1 does not belong to an operation, and the comparison pairs only operations.").arg(reportText(related.name));
  }
  return target;
}

// Goes to the target as one step of the history.
void SubjectWays::go(const Target& target) {
  m_state.messages().send(ShowAll{target.link.place.view});
  if (!target.sql.isEmpty()) m_state.messages().send(RunSql{target.sql});
  target.link.fields.isEmpty() ? m_state.goTo(target.link.place) : m_links.follow(target.link);
}

void SubjectWays::copy(const Target& target) {
  ViewLink link = target.link;
  link.reports = m_reports.files(), link.ids = m_links.ids();
  QGuiApplication::clipboard()->setText(linkText(link));
  m_message.say(tr("Link copied: %1").arg(linkTitle(link)), Tone::Neutral);
}

} // namespace ui::shell
