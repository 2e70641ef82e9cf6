#include "ui/views/insights/largest_panel.h"

#include "analyser/memory/tile_memory.h"
#include "ui/parts/sentence_text.h"
#include "ui/parts/view_fields.h"
#include "ui/tables/described_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QVBoxLayout>

namespace ui::insights {

using analyser::insights::LargestPart;
using theme::messageText;
using theme::reportText;
using Parts = std::vector<LargestPart>;

namespace {
constexpr std::size_t kOfEachKind = 5;

std::shared_ptr<const tables::Table> largestTable(const Parts& parts, const theme::Format& format) {
  const tables::Look look{.bars = {"bytes"}, .widths = {{"kind", 150}, {"bytes", 110}}};
  return tables::tableOf(analyser::insights::largestColumns(), parts, look, [&](tables::Row& row, const LargestPart& part) {
    row.cells.back() = shell::sentenceText(part.what, format, int(analyser::Sentence::kNameWidth));
  });
}
} // namespace

LargestPanel::LargestPanel(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_job(tr("Looking for the largest parts"), &jobs) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* line = new QHBoxLayout;
  line->addWidget(m_scope = new QComboBox);
  m_scope->setAccessibleName(tr("Whose largest parts"));
  auto* note = theme::plainLabel(tr("The five largest of each kind. A double-click shows one in its view."));
  note->setProperty("role", "secondary");
  line->addWidget(note, 1);
  column->addLayout(line);
  column->addWidget(m_table = new tables::FilteredTable(theme, tr("Largest parts")), 1);
  connect(m_scope, &QComboBox::activated, this, &LargestPanel::read);
  connect(&m_table->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto parts = m_job.result();
    if (parts && id >= 0 && std::size_t(id) < parts->size()) emit evidenceRequested((*parts)[std::size_t(id)].evidence);
  });
}

void LargestPanel::addFields(shell::ViewFields& fields) {
  fields.items("largest.scope", *m_scope);
  fields.table("largest", *m_table);
}

void LargestPanel::setSession(std::shared_ptr<shell::WorkerSession> worker) {
  m_job.drop();
  m_worker = std::move(worker);
  m_isStale = true;
  m_table->view().forgetRows();
  m_scope->clear();
  if (!m_worker) return;
  m_scope->addItem(tr("All tiles"), "all");
  m_scope->addItem(tr("Fullest tile"), "fullest");
  m_scope->addItem(tr("Selected tiles"), "selected");
  const int ipus = m_worker->base().machine().ipus;
  for (int ipu = 0; ipus > 1 && ipu < ipus; ++ipu) m_scope->addItem(tr("IPU %1").arg(ipu), ipu);
  setSelected({});
  if (isVisible()) read();
}

void LargestPanel::setSelected(std::vector<reports::TileId> tiles) {
  m_selected = std::move(tiles);
  auto* item =
      m_scope->count() > SelectedTiles ? static_cast<QStandardItemModel*>(m_scope->model())->item(SelectedTiles) : nullptr;
  if (!item) return;
  item->setEnabled(!m_selected.empty());
  m_scope->setItemText(SelectedTiles,
                       m_selected.size() == 1 ? tr("Tile %1").arg(m_selected.front().value()) : tr("Selected tiles"));
  if (m_scope->currentIndex() != SelectedTiles) return;
  if (m_selected.empty()) m_scope->setCurrentIndex(AllTiles);
  m_isStale = true;
  if (isVisible()) read();
}

void LargestPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_isStale) read();
}

void LargestPanel::read() {
  if (!m_worker) return;
  m_isStale = false;
  const int scope = m_scope->currentIndex();
  std::vector<reports::TileId> tiles;
  if (scope == SelectedTiles) tiles = m_selected;
  if (scope >= FirstIpu)
    tiles = analyser::memory::tilesOfIpu(m_worker->base().machine(), reports::IpuId(std::size_t(scope - FirstIpu)));
  m_job.start(
      [worker = m_worker, tiles, isFullest = scope == FullestTile](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) {
          auto of = tiles;
          if (isFullest)
            of = {analyser::memory::fullestTile(analyser::memory::tileMemory(session, analyser::memory::Breakdown::None, stop))};
          return analyser::insights::largestParts(session, of, kOfEachKind, stop);
        });
      },
      [this](const Parts&) { show(); },
      [this](const reports::Error& error) {
        m_table->view().setEmptyText(messageText(error.what()));
        m_table->setTable(std::make_shared<tables::Table>());
      });
}

void LargestPanel::show() {
  const auto parts = m_job.result();
  if (!parts) return;
  m_table->view().setEmptyText(tr("The report has no vertices, variables or exchanges here."));
  m_table->setTable(largestTable(*parts, m_format));
}

void LargestPanel::focusFilter() { m_table->filter().setFocus(Qt::ShortcutFocusReason); }

void LargestPanel::setFormat(const theme::Format& format) {
  m_format = format;
  m_table->view().setFormat(format);
  show();
}

} // namespace ui::insights
