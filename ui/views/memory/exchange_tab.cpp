#include "ui/views/memory/exchange_tab.h"

#include "analyser/memory/memory_columns.h"
#include "ui/parts/view_fields.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"

#include <QComboBox>

#include <algorithm>
#include <cmath>

namespace ui::memory {

using analyser::memory::ExchangeUse;
using analyser::memory::Partner;
using analyser::memory::Partners;
using analyser::memory::PartnerUse;
using tables::Kind;
using theme::reportText;

namespace {

QString nameOf(Partners::End end) {
  switch (end) {
  case Partners::End::Host: return QObject::tr("the host");
  case Partners::End::OtherReplicas: return QObject::tr("tiles of other replicas");
  default: return QObject::tr("tiles that the report does not name");
  }
}

QString listText(const QString& way, const std::vector<Partner>& partners, int64_t count, bool areEstimated) {
  const auto one = [&](const Partner& partner) {
    const auto bytes = std::llround(partner.bytes);
    const QString amount = bytes < 1 ? QObject::tr("<1 B") : theme::Format().bytes(reports::Bytes(bytes));
    return QStringLiteral("%1 (%2%3)").arg(partner.tile.value()).arg(areEstimated ? QObject::tr("≈ ") : QString(), amount);
  };
  if (partners.empty()) return {};
  QString text = way.arg(one(partners.front()));
  if (count == 1) return text;
  text += QObject::tr(" and %1 more").arg(theme::count(count - 1));
  for (std::size_t i = 1; i < partners.size(); ++i)
    text += (i == 1 ? QStringLiteral(": ") : QStringLiteral(", ")) + one(partners[i]);
  return count > int64_t(partners.size()) ? text + QStringLiteral(", …") : text;
}

} // namespace

QString partnersText(const Partners& partners) {
  if (partners.end != Partners::End::Tiles) return nameOf(partners.end);
  const QString from = listText(QObject::tr("from tile %1"), partners.senders, partners.senderCount, partners.areEstimated),
                to = listText(QObject::tr("to tile %1"), partners.receivers, partners.receiverCount, partners.areEstimated);
  return from + (from.isEmpty() || to.isEmpty() ? QString() : QStringLiteral("; ")) + to;
}

namespace {

// The partners if tiles are selected; else the numbers of senders and receivers.
QString partnersCell(const ExchangeUse& use, bool isOfAll) {
  if (!isOfAll) return ui::memory::partnersText(use.partners);
  if (use.partners.end != Partners::End::Tiles) return nameOf(use.partners.end);
  if (use.senders == 0 || use.receivers == 0) return {};
  return QObject::tr("%1 to %2")
      .arg(theme::plural(use.senders, QObject::tr("tile"), QObject::tr("tiles")),
           theme::plural(use.receivers, QObject::tr("tile"), QObject::tr("tiles")));
}

tables::Swatch swatchOfKind(const std::string& kind) {
  return tables::swatchOf([&](bool dark) {
    return theme::activityColour(kind == "global" ? reports::Activity::GlobalExchange
                                 : kind == "host" ? reports::Activity::HostStream
                                                  : reports::Activity::InternalExchange,
                                 dark);
  });
}

std::shared_ptr<const tables::Table> exchangeTable(const std::vector<ExchangeUse>& uses, reports::Bytes ofNoExchange,
                                                   bool isOfAll, bool areOperations) {
  auto columns = analyser::columns::without(analyser::memory::exchangeColumns(areOperations), {"senders", "receivers"});
  if (isOfAll) columns = analyser::columns::without(std::move(columns), {"codeOnAll"}); // repeats the previous column
  if (!areOperations)
    columns.insert(
        columns.begin() + analyser::columns::indexOf(columns, "messages"),
        {"partners", QObject::tr("Partners").toStdString(), Kind::Text,
         QObject::tr(
             "Tiles at the other end, most bytes first. ≈: an estimate, because only the bytes of each tile are known, not "
             "those of each pair; a tile is assumed to receive from every sender in proportion to the sender's bytes")
             .toStdString(),
         [isOfAll](const ExchangeUse& use) { return partnersCell(use, isOfAll).toStdString(); }});
  std::vector<ExchangeUse> ranked(uses); // the most bytes over the run come first
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const ExchangeUse& a, const ExchangeUse& b) { return a.receivedInAll > b.receivedInAll; });
  const tables::Look look{.bars = {"receivedInAll", "code"},
                          .optional = {"codeOnAll", "messages", "busiest", "received", "sent"}};
  auto table = tables::tableOf(columns, ranked, look, [](tables::Row& row, const ExchangeUse& use) {
    row.id = tables::idOf(use.step);
    row.swatch = swatchOfKind(use.kind);
  });
  if (ofNoExchange > reports::Bytes()) { // so that the sum equals the category's
    tables::Row row;
    row.cells.resize(columns.size());
    row.cells[0] = QObject::tr("(no exchange: a run's start, counters to the host)");
    row.cells[std::size_t(analyser::columns::indexOf(columns, "code"))] = ofNoExchange.value();
    table->rows.push_back(std::move(row));
  }
  return table;
}

std::shared_ptr<const tables::Table> partnerTable(const std::vector<PartnerUse>& partners, const analyser::Machine& machine,
                                                  bool isOfAll) {
  const tables::Look look{.bars = {"received", "sent"}};
  return tables::tableOf(analyser::memory::partnerColumns(machine, isOfAll), partners, look,
                         [](tables::Row& row, const PartnerUse& partner) {
                           row.id = tables::idOf(partner.tile);
                           if (partner.tile.valid()) return;
                           row.cells.front() = nameOf(partner.end);
                           row.kinds = {Kind::Text};
                         });
}

} // namespace

ExchangeTables exchangeTables(const analyser::memory::ExchangesOfTiles& exchanges, const analyser::Machine& machine,
                              reports::Bytes ofNoExchange, bool isOfAll) {
  return {exchangeTable(exchanges.uses, ofNoExchange, isOfAll, false),
          exchangeTable(analyser::memory::byOperation(exchanges.uses), ofNoExchange, isOfAll, true),
          partnerTable(exchanges.partners, machine, isOfAll)};
}

ExchangeTab::ExchangeTab(const theme::Theme& theme, QWidget* parent)
    : FilteredTable(theme, tr("Exchanges of the tiles"), parent), m_choice(new QComboBox) {
  m_choice->setAccessibleName(tr("Rows of exchanges"));
  addChoice(m_choice);
  connect(&view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (!ids.empty() && ids.front() >= 0 && m_by != By::Partners) emit stepChosen(ids.front());
  });
  connect(&view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    if (id < 0) return;
    if (m_by == By::Partners)
      emit tileActivated(id);
    else
      emit stepActivated(id);
  });
}

void ExchangeTab::setTables(ExchangeTables tables) {
  m_tables = std::move(tables);
  show();
}

void ExchangeTab::addFields(shell::ViewFields& fields) {
  fields.choice<By>("exchanges.by", *m_choice, m_by,
                    {{By::Steps, "step", tr("By step")},
                     {By::Operations, "operation", tr("By operation")},
                     {By::Partners, "partner", tr("By partner tile")}});
  fields.table("exchanges", *this);
  connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
    view().forgetRows(); // the other choice has other columns and ids
    show();
  });
}

void ExchangeTab::show() {
  setTable(m_by == By::Steps ? m_tables.bySteps : m_by == By::Operations ? m_tables.byOperations : m_tables.byPartners);
}

} // namespace ui::memory
