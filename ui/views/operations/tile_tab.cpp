#include "ui/views/operations/tile_tab.h"

#include "ui/plot/step_plot.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/report_text.h"
#include "ui/shell/sentence_text.h"
#include "ui/theme/theme.h"

#include <QVBoxLayout>

#include <utility>

namespace ui::operations {

using reports::Activity;

namespace {
plot::Values valuesOf(const std::vector<reports::Cycles>& cycles) {
  auto values = std::make_shared<std::vector<int64_t>>();
  for (const reports::Cycles c : cycles) values->push_back(c.value());
  return values;
}
} // namespace

TileTab::TileTab(const theme::Theme& theme, jobs::JobBoard& board, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_job(tr("Reading the tiles of an operation"), &board),
      m_words(new shell::ElidedLabel(tr("The operation's tiles in a sentence"))),
      m_plot(new plot::StepPlot(theme, tr("Cycles per tile of the operation"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  column->addWidget(m_words);
  column->addWidget(m_plot, 1);
  connect(m_plot, &plot::StepPlot::positionClicked, this, [this](int64_t position, Qt::KeyboardModifiers modifiers) {
    if (position >= 0) emit tileClicked(reports::TileId{std::size_t(position)}, modifiers);
  });
}

void TileTab::setOperation(std::shared_ptr<shell::WorkerSession> worker, Steps steps, int operation) {
  if (m_worker != worker) {
    m_job.cancel(), m_job.forget(), m_asked = kNothing;
    m_words->setWhole({}), m_plot->setLayers({}), m_plot->setMarks({});
  }
  m_worker = std::move(worker), m_steps = std::move(steps), m_operation = operation;
  if (isVisible()) read();
}

void TileTab::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  read();
}

void TileTab::read() {
  if (!m_worker || !m_steps || m_operation == std::exchange(m_asked, m_operation)) return;
  if (m_operation < 0) { // a folder, or nothing
    m_job.cancel(), m_job.forget();
    m_words->setWhole(tr("Select one operation to see its tiles."));
    return m_plot->setLayers({});
  }
  m_job.start(
      [worker = m_worker, steps = m_steps, operation = m_operation](const std::stop_token& stop, reports::Progress&) {
        return worker->use(
            [&](analyser::Session& session) { return analyser::operations::tileProfile(session, *steps, operation, stop); });
      },
      [this](const analyser::operations::TileProfile&) { show(); },
      [this](const reports::Error& error) {
        m_asked = kNothing, m_job.forget();
        m_plot->setLayers({});
        m_words->setWhole(shell::reportText(error.what()));
      });
}

void TileTab::show() {
  const auto profile = m_job.result();
  if (!profile) return;
  m_words->setWhole(profile->verdict.empty() ? tr("Its steps take no cycles on tiles.")
                                             : shell::sentenceText(profile->verdict, m_format, analyser::Sentence::kNameWidth));
  m_plot->setFormat(m_format);
  m_plot->setAxes(tr("Tile"), int64_t(profile->compute.size()), tr("Cycles"), plot::ValueKind::Cycles);
  std::vector<std::pair<int64_t, QString>> ipus;
  const auto tiles = int64_t(profile->compute.size());
  if (m_tilesPerIpu > 0 && tiles > m_tilesPerIpu)
    for (int64_t first = 0; first < tiles; first += m_tilesPerIpu)
      ipus.emplace_back(first, tr("IPU %1").arg(first / m_tilesPerIpu));
  m_plot->setMarks(std::move(ipus));
  m_plot->setLayers(
      {{tr("compute with on-tile copies"), [this] { return m_theme.activity(Activity::Compute); }, valuesOf(profile->compute)},
       {tr("exchange"), [this] { return m_theme.activity(Activity::InternalExchange); }, valuesOf(profile->exchange)}});
}

void TileTab::setFormat(const theme::Format& format) {
  m_format = format;
  show();
}

void TileTab::setSelected(const std::vector<reports::TileId>& tiles) {
  std::vector<reports::Range<int64_t>> positions;
  for (const reports::TileId tile : tiles) positions.push_back({int64_t(tile.value()), int64_t(tile.value()) + 1});
  m_plot->setSelection(std::move(positions));
}

} // namespace ui::operations
