#include "ui/views/program/exchange_page.h"

#include "ui/parts/sentence_text.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/described_table.h"
#include "ui/tables/paired.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>

namespace ui::program {

using analyser::program::ExchangeFlow;
using analyser::program::ExchangeTraffic;

namespace {

constexpr int kNameWidth = 60, kLeastChoice = 80, kLeastFilter = 64;
constexpr int kLeastPlot = 120, kLeastTable = 150;

std::shared_ptr<const tables::Table> flowTable(const ExchangeTraffic& traffic, const std::vector<ExchangeFlow>& flows,
                                               bool ofPairs, std::initializer_list<std::string_view> without) {
  const tables::Look look{.bars = {"bytes"}, .optional = {"share"}, .hasTotals = false}; // only the largest are listed
  return tables::tableOf(analyser::columns::without(analyser::program::flowColumns(traffic, ofPairs), without), flows, look);
}

} // namespace

ExchangeTablesOfStep exchangeTables(const ExchangeTraffic& traffic) {
  const tables::Look look{.bars = {"bytes"}, .optional = {"heldTiles", "wantedTiles"}};
  return {flowTable(traffic, traffic.pairs, true, {}), flowTable(traffic, traffic.senders, false, {"to", "share"}),
          flowTable(traffic, traffic.receivers, false, {"from"}),
          tables::tableOf(analyser::program::operandColumns(), traffic.operands, look,
                          [](tables::Row& row, const auto& operand) { row.id = tables::idOf(operand.variable); })};
}

ExchangeTablesOfStep pairedTables(const ExchangeTablesOfStep& a, const ExchangeTablesOfStep& b) {
  const QString from = QStringLiteral("from"), to = QStringLiteral("to");
  return {tables::paired(a.pairs, b.pairs, {from, to}), tables::paired(a.senders, b.senders, {from}),
          tables::paired(a.receivers, b.receivers, {to}), tables::paired(a.operands, b.operands, {QStringLiteral("operand")})};
}

ExchangePage::ExchangePage(const theme::Theme& theme, QWidget* parent)
    : QWidget(parent), m_why(theme::plainLabel()), m_legend(new plot::Legend(theme)),
      m_bytes(new plot::StepPlot(theme, tr("Exchanged bytes per tile"))),
      m_table(new tables::FilteredTable(theme, tr("Partners of the exchange"))), m_choice(new QComboBox) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kHalf, 0, 0);
  column->setSpacing(theme::kHalf);
  m_why->setWordWrap(true);
  m_why->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_why->setAccessibleName(tr("Why it moves"));
  column->addWidget(m_why);
  column->addWidget(m_legend);
  m_bytes->setMinimumHeight(kLeastPlot);
  column->addWidget(m_bytes, 1);
  m_choice->setAccessibleName(tr("Rows of partners"));
  m_choice->setMinimumWidth(kLeastChoice); // beside a filter, in a panel of a narrow window
  m_table->addChoice(m_choice);
  m_table->filter().setMinimumWidth(kLeastFilter);
  m_table->setMinimumHeight(kLeastTable);
  m_table->view().sortBy(QStringLiteral("bytes"), Qt::DescendingOrder);
  column->addWidget(m_table, 1);
  connect(m_legend, &plot::Legend::shownChanged, this, [this] { m_bytes->setCurvesShown(m_legend->shown()); });
  connect(&m_table->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto table = m_table->view().rows().table();
    if (!table || m_by == By::Operands) return;
    for (const tables::Row& row : table->rows)
      if (row.id == id && !row.about.empty()) return emit tileActivated(int(row.about.front().id));
  });
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (!ids.empty() && ids.front() >= 0 && m_by == By::Operands) emit variableSelected(ids.front());
  });
}

void ExchangePage::addFields(shell::ViewFields& fields) {
  fields.choice<By>("partners.by", *m_choice, m_by,
                    {{By::Pairs, "pair", tr("Pairs of tiles")},
                     {By::Senders, "sender", tr("Senders")},
                     {By::Receivers, "receiver", tr("Receivers")},
                     {By::Operands, "tensor", tr("Tensors")}});
  fields.table("partners", *m_table);
  connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
    m_table->view().forgetRows(); // the other choice has other columns and ids
    showTable();
  });
}

void ExchangePage::showTable() {
  const bool arePairs = m_by == By::Pairs;
  m_table->view().setEmptyText(arePairs               ? tr("The report does not have the senders and receivers of this exchange.")
                               : m_by == By::Operands ? tr("The report does not have the layouts of the operands.")
                                                      : QString());
  m_table->setTable(arePairs                ? m_tables.pairs
                    : m_by == By::Senders   ? m_tables.senders
                    : m_by == By::Receivers ? m_tables.receivers
                                            : m_tables.operands);
}

void ExchangePage::show(const ExchangeTraffic* traffic, const ExchangeTraffic* other, const ExchangeTablesOfStep& tables,
                        const theme::Format& format) {
  QString why = traffic ? shell::sentenceText(analyser::program::reasonOf(*traffic), format, kNameWidth) : QString();
  if (other) {
    const QString inB = shell::sentenceText(analyser::program::reasonOf(*other), format, kNameWidth);
    if (inB != why) why = why.isEmpty() ? tr("B: %1").arg(inB) : tr("A: %1\nB: %2").arg(why, inB);
  }
  if (traffic && traffic->pairCount > int64_t(traffic->pairs.size()) && !traffic->pairs.empty())
    why += tr("\nThe table lists the %1 largest pairs.").arg(theme::count(int64_t(traffic->pairs.size())));
  m_why->setText(why);
  m_why->setVisible(!why.isEmpty());
  m_tables = tables;
  m_table->view().setFormat(format);
  showTable();
}

} // namespace ui::program
