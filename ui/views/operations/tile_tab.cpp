#include "ui/views/operations/tile_tab.h"

#include "ui/parts/elided_label.h"
#include "ui/parts/sentence_text.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QVBoxLayout>

#include <utility>

namespace ui::operations {

using analyser::operations::TileMeasure;
using reports::Activity;

namespace {
plot::Values valuesOf(const std::vector<reports::Cycles>& cycles) {
  auto values = std::make_shared<std::vector<int64_t>>();
  for (const reports::Cycles c : cycles) values->push_back(c.value());
  return values;
}
plot::Values valuesOf(const std::vector<int64_t>& values) { return std::make_shared<const std::vector<int64_t>>(values); }

struct Words {
  QString axis, nothing;
  plot::ValueKind kind;
};
Words wordsOf(TileMeasure measure) {
  switch (measure) {
  case TileMeasure::Cycles: break;
  case TileMeasure::Bytes:
    return {QObject::tr("Bytes over the run: received, with sent on top"), QObject::tr("The row's steps exchange nothing."),
            plot::ValueKind::Bytes};
  case TileMeasure::Flops:
    return {QObject::tr("FLOPs over the run"), QObject::tr("The row's vertices compute no FLOPs."), plot::ValueKind::Count};
  case TileMeasure::Vertices: return {QObject::tr("Vertices"), QObject::tr("The row has no vertices."), plot::ValueKind::Count};
  case TileMeasure::Code:
    return {QObject::tr("Exchange code"),
            QObject::tr("The row has no exchange code, or the report does not say how much each tile has."),
            plot::ValueKind::Bytes};
  }
  return {QObject::tr("Cycles over the run: compute, with exchange on top"),
          QObject::tr("The row's steps take no cycles on tiles."), plot::ValueKind::Cycles};
}
} // namespace

TileTab::TileTab(const theme::Theme& theme, jobs::JobBoard& board, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_job(tr("Reading the tiles of an operation"), &board),
      m_words(new shell::ElidedLabel(tr("The operation's tiles in a sentence"))), m_measures(new QComboBox),
      m_plot(new plot::StepPlot(theme, tr("The operation per tile"))) {
  m_measures->setAccessibleName(tr("Measure of the tiles"));
  m_words->setWordWrap(true); // complete, on two lines if needed
  connect(m_measures, &QComboBox::activated, this, &TileTab::show);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* row = new QHBoxLayout;
  row->addWidget(m_words, 1);
  row->addWidget(m_measures);
  column->addLayout(row);
  column->addWidget(m_plot, 1);
  connect(m_plot, &plot::StepPlot::positionClicked, this, [this](int64_t position, Qt::KeyboardModifiers modifiers) {
    if (position >= 0) emit tileClicked(reports::TileId{std::size_t(position)}, modifiers);
  });
}

void TileTab::addFields(shell::ViewFields& fields) {
  fields.choice<TileMeasure>("tiles.measure", *m_measures, m_measure,
                             {{TileMeasure::Cycles, "cycles", tr("Cycles")},
                              {TileMeasure::Bytes, "bytes", tr("Bytes exchanged")},
                              {TileMeasure::Flops, "flops", tr("FLOPs")},
                              {TileMeasure::Vertices, "vertices", tr("Vertices")},
                              {TileMeasure::Code, "exchangeCode", tr("Exchange code")}});
}

void TileTab::setOperations(std::vector<OfReport> reports, const std::string& vertexType) {
  if (m_reports == reports && m_vertexType == vertexType) return;
  m_vertexType = vertexType;
  m_job.drop();
  m_isRead = false;
  const auto workerOf = [](const std::vector<OfReport>& of) { return of.empty() ? nullptr : of.front().worker; };
  if (m_reports.size() != reports.size() || workerOf(m_reports) != workerOf(reports)) clear({}), m_plot->setMarks({});
  m_reports = std::move(reports);
  if (isVisible()) read();
}

void TileTab::clear(const QString& words) {
  m_words->setWhole(words);
  m_plot->setLayers({}), m_plot->setCurves({});
}

void TileTab::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  read();
}

void TileTab::read() {
  const auto isKnown = [](const OfReport& report) { return report.worker && report.steps; };
  if (m_reports.empty() || !std::all_of(m_reports.begin(), m_reports.end(), isKnown) || std::exchange(m_isRead, true)) return;
  if (std::all_of(m_reports.begin(), m_reports.end(), [](const OfReport& report) { return report.members.empty(); }))
    return clear(tr("Select a row to see its tiles."));
  m_job.start(
      [reports = m_reports, type = m_vertexType](const std::stop_token& stop, reports::Progress&) {
        std::vector<analyser::operations::TileProfile> profiles;
        for (const OfReport& report : reports)
          profiles.push_back(report.worker->use([&](analyser::Session& session) {
            return type.empty() ? analyser::operations::tileProfile(session, *report.steps, report.members, stop)
                                : analyser::operations::vertexTypeProfile(session, *report.steps, report.members, type, stop);
          }));
        return profiles;
      },
      [this](const std::vector<analyser::operations::TileProfile>&) { show(); },
      [this](const reports::Error& error) {
        m_isRead = false, m_job.forget();
        clear(theme::messageText(error.what()));
      });
}

std::vector<plot::AreaLayer> TileTab::layersOf(const analyser::operations::TileProfile& p, TileMeasure measure) const {
  const auto colour = [this](Activity activity) { return [this, activity] { return m_theme.activity(activity); }; };
  switch (measure) {
  case TileMeasure::Cycles: break;
  case TileMeasure::Bytes:
    return {{tr("received"), colour(Activity::InternalExchange), valuesOf(p.received)},
            {tr("sent"), [this] { return theme::mix(m_theme.activity(Activity::InternalExchange), m_theme.tokens().text, 0.45); },
             valuesOf(p.sent)}};
  case TileMeasure::Flops: return {{tr("FLOPs"), colour(Activity::Compute), valuesOf(p.flops)}};
  case TileMeasure::Vertices: return {{tr("vertices"), colour(Activity::Compute), valuesOf(p.vertices)}};
  case TileMeasure::Code: return {{tr("exchange code"), colour(Activity::InternalExchange), valuesOf(p.code)}};
  }
  std::vector<plot::AreaLayer> layers{{tr("compute with on-tile copies"), colour(Activity::Compute), valuesOf(p.compute)},
                                      {tr("exchange"), colour(Activity::InternalExchange), valuesOf(p.exchange)}};
  const bool crossesIpus =
      std::any_of(p.globalExchange.begin(), p.globalExchange.end(), [](reports::Cycles c) { return c > reports::Cycles(); });
  if (crossesIpus) layers.push_back({tr("exchange between IPUs"), colour(Activity::GlobalExchange), valuesOf(p.globalExchange)});
  return layers;
}

// For two reports there are two curves: the total of the measure in each.
std::vector<plot::Curve> TileTab::curvesOf(const std::vector<analyser::operations::TileProfile>& profiles) const {
  std::vector<plot::Curve> curves;
  for (std::size_t report = 0; report < profiles.size(); ++report) {
    auto sums = std::make_shared<std::vector<int64_t>>(profiles[report].compute.size());
    for (const plot::AreaLayer& layer : layersOf(profiles[report], m_measure))
      for (std::size_t tile = 0; tile < layer.values->size(); ++tile) (*sums)[tile] += (*layer.values)[tile];
    curves.push_back({report == 0 ? tr("A") : tr("B"), [this, report] { return m_theme.series(int(report)); }, std::move(sums),
                      false, report == 0});
  }
  return curves;
}

void TileTab::show() {
  const auto profiles = m_job.result();
  if (!profiles) return;
  const Words words = wordsOf(m_measure);
  const bool areTwo = profiles->size() > 1;
  QStringList texts;
  int64_t tiles = 0;
  for (const auto& profile : *profiles) {
    tiles = std::max(tiles, int64_t(profile.compute.size()));
    const analyser::Sentence verdict = analyser::operations::tileVerdict(profile, m_measure);
    QString text = verdict.empty() ? words.nothing : shell::sentenceText(verdict, m_format, analyser::Sentence::kNameWidth);
    if (!areTwo && !text.isEmpty()) text[0] = text[0].toUpper();
    texts << (areTwo ? (texts.isEmpty() ? tr("A: %1") : tr("B: %1")).arg(text) : text);
  }
  m_words->setWhole(texts.join(areTwo && texts.front().endsWith('.') ? QStringLiteral(" ") : QStringLiteral("; ")));
  m_plot->setFormat(m_format);
  m_plot->setAxes(tr("Tile"), tiles, words.axis, words.kind);
  std::vector<std::pair<int64_t, QString>> ipus;
  if (m_tilesPerIpu > 0 && tiles > m_tilesPerIpu)
    for (int64_t first = 0; first < tiles; first += m_tilesPerIpu)
      ipus.emplace_back(first, tr("IPU %1").arg(first / m_tilesPerIpu));
  m_plot->setMarks(std::move(ipus));
  m_plot->setDifferenceTold(areTwo);
  m_plot->setLayers(areTwo ? std::vector<plot::AreaLayer>() : layersOf(profiles->front(), m_measure));
  m_plot->setCurves(areTwo ? curvesOf(*profiles) : std::vector<plot::Curve>());
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
