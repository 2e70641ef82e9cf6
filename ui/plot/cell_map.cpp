#include "ui/plot/cell_map.h"

#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace ui::plot {

namespace {
constexpr int kSelectionBar = 4;  // pixels at the left edge that mark selected rows
constexpr int kMostOutlines = 16; // stretches of selected rows that also get lines across the map
} // namespace

CellMap::CellMap(const theme::Theme& theme, const QString& name, jobs::JobBoard* board, QWidget* parent)
    : TimeView(theme, name, parent), m_job(tr("Reading %1").arg(name.toLower()), board, this) {
  setMinimapShown(false);
  connect(&m_job, &jobs::JobBase::busyChanged, this, &TimeView::busyChanged);
  connect(&m_job, &jobs::JobBase::busyChanged, this, qOverload<>(&QWidget::update));
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { m_requested = {}; });
}

CellMap::~CellMap() = default;

void CellMap::setSource(std::shared_ptr<const CellSource> source) {
  m_job.cancel(); // its picture is of the source before
  m_source = std::move(source);
  m_picture.reset(), m_image = QImage();
  m_requested = {};
  setExtent(m_source ? m_source->extent() : reports::TickRange{0, 1});
  visibleWasChanged();
  update();
}

void CellMap::setSelectedRows(std::vector<int> rows) {
  m_selected = std::move(rows);
  update();
}

void CellMap::setHiddenColours(std::set<int> colours) {
  if (colours == m_hidden) return;
  m_hidden = std::move(colours);
  if (m_picture) render();
  update();
}

void CellMap::visibleWasChanged() {
  const QSize size = body().size() * devicePixelRatioF();
  if (!m_source || !isVisible() || (m_requested == visibleRange() && m_requestedSize == size)) return;
  m_requested = visibleRange(), m_requestedSize = size;
  read(CellSource::Detail::Sketch);
}

void CellMap::read(CellSource::Detail detail) {
  const int width = m_requestedSize.width(), height = std::min(m_requestedSize.height(), std::max(1, m_source->rows()));
  m_job.start(
      [source = m_source, range = m_requested, width, height, detail](std::stop_token stop, reports::Progress&) {
        return Picture{source->cells({0, source->rows()}, range, width, height, detail, stop), range, width, height};
      },
      [this](const Picture& picture) {
        m_picture = m_job.result();
        render();
        update();
        if (!picture.isExact) read(CellSource::Detail::Exact);
      },
      [this](const reports::Error& error) {
        m_requested = {}; // the next move asks again
        emit failed(QString::fromStdString(error.message()));
      });
}

void CellMap::render() {
  const Picture& p = *m_picture;
  m_imageDark = theme().isDark();
  const auto palette = m_source->palette(m_imageDark);
  const QColor surface = theme().tokens().surface;
  // 32 strengths a colour are finer than the eye; the table saves a blend per cell.
  std::vector<QRgb> table(palette.size() * 32);
  for (std::size_t c = 0; c < palette.size(); ++c)
    for (int s = 0; s < 32; ++s)
      table[c * 32 + std::size_t(s)] = theme::mix(surface, palette[c], s == 0 ? 0 : 0.25 + 0.75 * s / 31.0).rgb();
  m_image = QImage(p.width, p.height, QImage::Format_RGB32);
  for (int y = 0; y < p.height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
    for (int x = 0; x < p.width; ++x) {
      const Cell cell = p.cells[std::size_t(y) * std::size_t(p.width) + std::size_t(x)];
      // Any busy time at all is seen: strength 1 to 7 would round to nothing.
      const int strength = cell.strength == 0 ? 0 : std::max(1, cell.strength >> 3);
      const bool shown = cell.colour < palette.size() && !m_hidden.contains(cell.colour);
      line[x] = shown ? table[std::size_t(cell.colour) * 32 + std::size_t(strength)] : surface.rgb();
    }
  }
}

void CellMap::paintBody(QPainter& painter, const QRect& body) {
  if (!m_picture) { // a long trace takes its time: an empty panel would say that nothing happened
    painter.setFont(theme().small());
    painter.setPen(theme().tokens().secondary);
    if (m_job.isBusy()) painter.drawText(body, Qt::AlignCenter, m_job.title() + QStringLiteral("…"));
    return;
  }
  if (m_imageDark != theme().isDark()) render();
  const TimeScale s = scale();
  const double left = s.xOf(m_picture->range.begin), right = s.xOf(m_picture->range.end);
  painter.drawImage(QRectF(body.left() + left, body.top(), right - left, body.height()), m_image);
  paintSelectedRows(painter, body);
}

// Neighbouring rows are one stretch, marked by a bar at the left edge. Lines across the map are for few stretches only: many
// would cover the cells that they select.
void CellMap::paintSelectedRows(QPainter& painter, const QRect& body) const {
  const int64_t rows = m_source->rows();
  const auto topOf = [&](int64_t row) { return body.top() + int(row * body.height() / rows); };
  std::vector<reports::Range<int>> stretches;
  for (const int row : m_selected) {
    if (row < 0 || row >= rows) continue;
    if (!stretches.empty() && stretches.back().end == row)
      ++stretches.back().end;
    else
      stretches.push_back({row, row + 1});
  }
  painter.setPen(theme().tokens().accent);
  for (const auto& stretch : stretches) {
    const int top = topOf(stretch.begin), bottom = std::max(top + 1, topOf(stretch.end));
    painter.fillRect(QRect(body.left(), top, kSelectionBar, bottom - top), theme().tokens().accent);
    if (stretches.size() > std::size_t(kMostOutlines)) continue;
    painter.drawLine(body.left(), top, body.right(), top);
    if (bottom - top > 2) painter.drawLine(body.left(), bottom - 1, body.right(), bottom - 1);
  }
}

void CellMap::paintGutter(QPainter& painter, const QRect& area) {
  if (!m_source || m_source->rows() == 0) return;
  painter.setFont(theme().small());
  painter.setPen(theme().tokens().secondary);
  const int rows = m_source->rows(), labels = std::clamp(area.height() / 64, 1, rows);
  const auto groups = m_source->groups();
  std::vector<std::pair<int, QString>> titles; // a group's in its middle
  constexpr int kHeight = 18;
  const auto fitting = std::max<std::size_t>(1, std::size_t(area.height() / kHeight)),
             every = (groups.size() + fitting - 1) / fitting;
  for (std::size_t i = 0; i < groups.size(); i += every)
    titles.emplace_back((groups[i].first + (i + 1 < groups.size() ? groups[i + 1].first : rows)) / 2, groups[i].second);
  for (int i = 0; i <= labels && groups.empty(); ++i) {
    const int row = std::min(rows - 1, int(int64_t(rows) * i / labels));
    titles.emplace_back(row, m_source->rowTitle(row));
  }
  int free = area.top(); // above it other titles stand
  for (const auto& [row, title] : titles) {
    const int y = area.top() + int(int64_t(row) * area.height() / rows);
    const int top = std::clamp(y - kHeight / 2, area.top() + 2, std::max(area.top() + 2, area.bottom() - kHeight - 2));
    if (top < free) continue;
    painter.drawText(QRect(12, top, area.width() - 22, kHeight), Qt::AlignVCenter | Qt::AlignRight, title);
    free = top + kHeight;
  }
}

void CellMap::paintMinimap(QPainter&, const QRect&) {}

int CellMap::rowAt(int y) const {
  const QRect area = body();
  if (!m_source || y < area.top() || y > area.bottom()) return -1;
  return std::min(m_source->rows() - 1, int(int64_t(y - area.top()) * m_source->rows() / area.height()));
}

Cell CellMap::cellAt(int y, int64_t tick) const {
  if (!m_picture || !m_picture->range.contains(tick) || m_picture->cells.empty()) return {};
  const QRect area = body();
  const int row = std::clamp(int(int64_t(y - area.top()) * m_picture->height / area.height()), 0, m_picture->height - 1);
  const int column = TimeScale(m_picture->range, m_picture->width).columnOf(tick);
  return m_picture
      ->cells[std::size_t(row) * std::size_t(m_picture->width) + std::size_t(std::clamp(column, 0, m_picture->width - 1))];
}

void CellMap::hovered(const QPoint& at) {
  const int row = rowAt(at.y());
  hoverCard().showAt(row >= 0 && hoveredTick() >= 0 ? m_source->card(row, hoveredTick(), cellAt(at.y(), hoveredTick())) : Card(),
                     at);
}

void CellMap::clicked(const QPoint& at, Qt::KeyboardModifiers modifiers) {
  const int row = rowAt(at.y());
  if (row >= 0 && body().contains(at)) emit cellClicked(row, scale().tickAt(at.x() - body().left()), modifiers);
}

void CellMap::doubleClicked(const QPoint&) { zoomBy(0.25); }

} // namespace ui::plot
