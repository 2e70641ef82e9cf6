#include "ui/plot/cell_map.h"

#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kSelectionBar = 4;  // pixels at the left edge that mark selected rows
constexpr int kMostOutlines = 16; // groups of selected rows that also get lines across the map
constexpr int kHighestRow = 18;   // pixels: a line of text
constexpr double kRowZoom = 1.3;  // factor of one notch of the wheel
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
  m_job.cancel(); // its image belongs to the previous source
  m_source = std::move(source);
  m_picture.reset(), m_image = QImage(), m_places.clear(), m_colours.reset();
  m_requested = {}, m_rowZoom = 1;
  setExtent(m_source ? m_source->extent() : reports::TickRange{0, 1});
  visibleWasChanged();
  update();
}

void CellMap::refetch() {
  m_requested = {};
  visibleWasChanged();
}

void CellMap::setSelectedRows(std::vector<int> rows) {
  m_selected = std::move(rows);
  update();
}

void CellMap::setOutline(reports::Range<int> rows, reports::TickRange ticks) {
  if (rows == m_outlinedRows && ticks == m_outlined) return;
  m_outlinedRows = rows, m_outlined = ticks;
  setSelectedTicks(ticks);
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
  if (!m_source || !isVisible()) return;
  const auto rows = rowsShown();
  if (m_requested == visibleRange() && m_requestedSize == size && m_requestedRows == rows) return;
  m_requested = visibleRange(), m_requestedSize = size, m_requestedRows = rows;
  read(CellSource::Detail::Sketch);
}

void CellMap::read(CellSource::Detail detail) {
  const auto rows = m_requestedRows;
  const int width = m_requestedSize.width(), height = std::min(m_requestedSize.height(), std::max(1, rows.end - rows.begin));
  m_job.start(
      [source = m_source, rows, range = m_requested, width, height, detail, colours = colours()](std::stop_token stop,
                                                                                                 reports::Progress&) {
        Picture picture{source->cells(rows, range, width, height, detail, stop), rows, range, width, height, colours, {}};
        picture.image = imageOf(picture, *colours);
        return picture;
      },
      [this](const Picture& picture) {
        m_picture = m_job.result();
        m_places.assign(picture.order.size(), 0);
        for (std::size_t place = 0; place < picture.order.size(); ++place)
          if (const auto row = std::size_t(picture.order[place]); row < m_places.size()) m_places[row] = int(place);
        render();
        update();
        if (!picture.isExact) read(CellSource::Detail::Exact);
      },
      [this](const reports::Error& error) {
        m_requested = {}; // the next move requests again
        emit failed(QString::fromStdString(error.message()));
      });
}

QColor CellMap::blend(const QColor& surface, const QColor& colour, double strength) {
  return theme::mix(surface, colour, 0.25 + 0.75 * strength);
}

// A table of all blended colours, so that cells need no blending. 32 strengths are enough: the eye distinguishes fewer. Hidden
// colours become the colour of the surface.
const std::shared_ptr<const CellMap::Colours>& CellMap::colours() {
  if (m_colours && m_colours->isDark == theme().isDark() && m_colours->hidden == m_hidden) return m_colours;
  auto made = std::make_shared<Colours>();
  made->isDark = theme().isDark(), made->hidden = m_hidden;
  const auto palette = m_source->palette(made->isDark);
  const QColor surface = theme().tokens().surface;
  constexpr std::size_t kColours = 256;
  made->table.assign(kColours * kStrengths, surface.rgb());
  for (std::size_t c = 0; c < std::min(palette.size(), kColours); ++c)
    for (std::size_t s = 1; s < kStrengths && !m_hidden.contains(int(c)); ++s)
      made->table[c * kStrengths + s] = blend(surface, palette[c], double(s) / double(kStrengths - 1)).rgb();
  return m_colours = std::move(made);
}

QImage CellMap::imageOf(const Picture& p, const Colours& colours) {
  QImage image(p.width, p.height, QImage::Format_RGB32);
  for (int y = 0; y < p.height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    for (int x = 0; x < p.width; ++x) {
      const Cell cell = p.cells[std::size_t(y) * std::size_t(p.width) + std::size_t(x)];
      // Every busy cell is visible: strength 1 to 7 would round to nothing.
      const std::size_t strength = cell.strength == 0 ? 0 : std::max(1, cell.strength >> 3);
      line[x] = colours.table[cell.colour * kStrengths + strength];
    }
  }
  return image;
}

// The worker has drawn the image; only a later change of theme or legend needs a new one here.
void CellMap::render() {
  m_shownColours = colours();
  m_image = m_picture->colours == m_shownColours ? m_picture->image : imageOf(*m_picture, *m_shownColours);
}

void CellMap::paintBody(QPainter& painter, const QRect& body) {
  if (!m_picture) { // a long trace takes time: an empty panel would look as if nothing happened
    painter.setFont(theme().small());
    painter.setPen(theme().tokens().secondary);
    if (m_job.isBusy()) painter.drawText(body, Qt::AlignCenter, m_job.title() + QStringLiteral("…"));
    return;
  }
  if (m_shownColours != colours()) render();
  const TimeScale s = scale();
  const double left = s.xOf(m_picture->range.begin), right = s.xOf(m_picture->range.end);
  const int top = yOf(m_picture->rows.begin);
  painter.drawImage(QRectF(body.left() + left, top, right - left, yOf(m_picture->rows.end) - top), m_image);
  paintSelectedRows(painter, body);
  paintOutline(painter);
}

QRect CellMap::outlinePlace() const {
  if (m_outlinedRows.empty() || m_outlined.empty() || !m_source || !visibleRange().overlaps(m_outlined)) return {};
  constexpr int kBeyond = 6; // pixels outside the body; lines further away are invisible
  const QRect area = body();
  const TimeScale s = scale();
  const auto xOf = [&](int64_t tick) {
    return area.left() + int(std::clamp(s.xOf(tick), double(-kBeyond), double(area.width() + kBeyond)));
  };
  const auto whole = m_outlinedRows.clippedTo({0, m_source->rows()});
  const int left = xOf(m_outlined.begin), top = std::max(yOf(whole.begin), area.top() - kBeyond);
  // A step too short to be seen is two pixels wide.
  return {left, top, std::max(2, xOf(m_outlined.end) - left),
          std::max(2, std::min(yOf(whole.end), area.bottom() + kBeyond) - top)};
}

// The outline has a line of the surface colour on both sides, because cells of any colour may be next to it.
void CellMap::paintOutline(QPainter& painter) const {
  const QRect frame = outlinePlace();
  if (frame.isEmpty()) return;
  const theme::Tokens& t = theme().tokens();
  const bool isWide = frame.width() > 6 && frame.height() > 6;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(t.surface);
  painter.drawRect(frame.adjusted(-1, -1, 0, 0));
  if (isWide) painter.drawRect(frame.adjusted(2, 2, -3, -3));
  painter.setPen(t.accent);
  painter.drawRect(frame.adjusted(0, 0, -1, -1));
  if (isWide) painter.drawRect(frame.adjusted(1, 1, -2, -2));
}

// Adjacent selected rows are marked by one bar at the left edge. Lines across the map are drawn only for few groups: many would
// cover the cells that they select.
void CellMap::paintSelectedRows(QPainter& painter, const QRect& body) const {
  std::vector<int> places;
  for (const int row : m_selected)
    if (row >= 0 && row < m_source->rows())
      places.push_back(std::size_t(row) < m_places.size() ? m_places[std::size_t(row)] : row);
  std::sort(places.begin(), places.end());
  std::vector<reports::Range<int>> stretches;
  for (const int row : places) {
    if (!stretches.empty() && stretches.back().end == row)
      ++stretches.back().end;
    else
      stretches.push_back({row, row + 1});
  }
  const theme::Tokens& t = theme().tokens();
  for (const auto& stretch : stretches) {
    const int top = yOf(stretch.begin), bottom = std::max(top + 1, yOf(stretch.end));
    if (bottom <= body.top() || top > body.bottom()) continue;
    painter.fillRect(QRect(body.left(), top, kSelectionBar, bottom - top), t.accent);
    if (stretches.size() > std::size_t(kMostOutlines)) continue;
    painter.setPen(t.surface); // cells may have the colour of the lines
    painter.drawLine(body.left(), top - 1, body.right(), top - 1);
    painter.drawLine(body.left(), bottom, body.right(), bottom);
    painter.setPen(t.accent);
    painter.drawLine(body.left(), top, body.right(), top);
    if (bottom - top > 2) painter.drawLine(body.left(), bottom - 1, body.right(), bottom - 1);
  }
}

void CellMap::paintGutter(QPainter& painter, const QRect& area) {
  if (!m_source || m_source->rows() == 0) return;
  painter.setFont(theme().small());
  painter.setPen(theme().tokens().secondary);
  constexpr int kTick = 4, kApart = 64;
  const auto shown = rowsShown();
  const int rows = m_source->rows(), height = allRowsHeight();
  const auto groups = m_source->groups();
  std::vector<std::pair<int, QString>> titles; // title and the y of its middle in the widget
  // Rows have titles if they are not grouped, or if rows are high enough to tell apart.
  const bool ofRows = groups.empty() || m_rowZoom > 1;
  // The title of a group is in the middle of its visible part. If groups are too low for a line of text, some share one: "IPU 0–3".
  const std::size_t sharing = std::max<std::size_t>(1, std::size_t((int(groups.size()) * kHighestRow + height - 1) / height)),
                    lines = std::max<std::size_t>(1, groups.size() / sharing);
  for (std::size_t line = 0; line < lines && !groups.empty(); ++line) {
    const std::size_t i = line * groups.size() / lines, last = (line + 1) * groups.size() / lines - 1;
    const int top = yOf(groups[i].first), bottom = yOf(last + 1 < groups.size() ? groups[last + 1].first : rows);
    if (bottom <= area.top() || top > area.bottom()) continue;
    const QString& first = groups[i].second;
    if (!ofRows)
      titles.emplace_back((std::max(top, area.top()) + std::min(bottom, area.bottom())) / 2,
                          last == i ? first : first + QStringLiteral("–") + groups[last].second.section(' ', -1));
    if (i > 0) painter.drawLine(area.right() - kTick, top, area.right(), top);
  }
  if (ofRows) {
    const int labels = std::clamp(area.height() / (groups.empty() ? kApart : 2 * kHighestRow), 2, std::max(2, shown.size()));
    const int step = std::max(1, int(std::ceil(niceStep(double(shown.size()) / labels))));
    for (int place = shown.begin / step * step; place < std::min(shown.end, rows); place += step) {
      if (place < shown.begin) continue;
      titles.emplace_back((yOf(place) + yOf(place + 1)) / 2, m_source->rowTitle(rowOf(place)));
    }
  }
  int free = area.top(); // y below the previous title
  constexpr int kEdge = 2;
  for (const auto& [middle, title] : titles) {
    const int top = std::clamp(middle - kHighestRow / 2, area.top() + kEdge,
                               std::max(area.top() + kEdge, area.bottom() - kHighestRow - kEdge));
    if (top + kEdge < free) continue; // the previous title may have been moved in from the edge
    painter.drawText(QRect(12, top, area.width() - 22, kHighestRow), Qt::AlignVCenter | Qt::AlignRight, title);
    free = top + kHighestRow;
  }
}

int CellMap::allRowsHeight() const { return std::max(1, int(std::lround(body().height() * m_rowZoom))); }

int CellMap::yOf(int64_t row) const {
  return body().top() - scrolled() + int(row * allRowsHeight() / std::max(1, m_source ? m_source->rows() : 1));
}

int CellMap::rowOf(int place) const {
  return m_picture && std::size_t(place) < m_picture->order.size() ? m_picture->order[std::size_t(place)] : place;
}

int CellMap::placeAt(int y) const {
  const QRect area = body();
  if (!m_source || y < area.top() || y > area.bottom()) return -1;
  return std::min(m_source->rows() - 1, int(int64_t(y - area.top() + scrolled()) * m_source->rows() / allRowsHeight()));
}

reports::Range<int> CellMap::rowsShown() const {
  const int64_t rows = m_source ? m_source->rows() : 0, height = allRowsHeight(), top = scrolled();
  return {int(top * rows / height), int(std::min(rows, ((top + body().height()) * rows + height - 1) / height))};
}

void CellMap::zoomRows(double factor, int y) {
  if (!m_source) return;
  const int before = allRowsHeight(), at = std::clamp(y, body().top(), body().bottom()) - body().top();
  const double most = std::max(1.0, double(m_source->rows()) * kHighestRow / std::max(1, body().height()));
  m_rowZoom = std::clamp(m_rowZoom * factor, 1.0, most);
  const int after = allRowsHeight();
  if (after == before) return;
  const int target = int(int64_t(scrolled() + at) * after / before) - at;
  relayout();
  scrollBar().setValue(target);
  visibleWasChanged();
  update();
}

void CellMap::wheelEvent(QWheelEvent* event) {
  const int turn = event->angleDelta().y();
  if (event->modifiers() != Qt::ControlModifier || turn == 0) return TimeView::wheelEvent(event);
  event->accept();
  zoomRows(std::pow(kRowZoom, turn / 120.0), int(event->position().y()));
}

QString CellMap::shows() const {
  if (rows() == 0) return tr("Nothing is shown");
  return tr("%1, %2 to %3. %4")
      .arg(theme::plural(rows(), tr("row"), tr("rows")), m_source->rowTitle(0), m_source->rowTitle(rows() - 1),
           TimeView::shows());
}

bool CellMap::keyPressed(QKeyEvent* event) {
  const bool higher = event->key() == Qt::Key_W;
  if (event->modifiers() == Qt::ShiftModifier && (higher || event->key() == Qt::Key_S)) {
    zoomRows(higher ? kRowZoom : 1 / kRowZoom, body().center().y());
    return true;
  }
  if (event->key() == Qt::Key_F) zoomRows(0, 0); // also shows all of the time
  return false;
}

Cell CellMap::cellAt(int y, int64_t tick) const {
  if (!m_picture || !m_picture->range.contains(tick) || m_picture->cells.empty()) return {};
  const int64_t row = placeAt(y), count = m_picture->rows.end - m_picture->rows.begin;
  if (row < m_picture->rows.begin || row >= m_picture->rows.end) return {};
  const int line = std::clamp(int((row - m_picture->rows.begin) * m_picture->height / count), 0, m_picture->height - 1);
  const int column = TimeScale(m_picture->range, m_picture->width).columnOf(tick);
  return m_picture
      ->cells[std::size_t(line) * std::size_t(m_picture->width) + std::size_t(std::clamp(column, 0, m_picture->width - 1))];
}

void CellMap::hovered(const QPoint& at) {
  const int place = placeAt(at.y());
  const bool isOn = place >= 0 && hoveredTick() >= 0;
  hoverCard().showAt(isOn ? m_source->card(rowOf(place), hoveredTick(), cellAt(at.y(), hoveredTick())) : Card(), at);
}

void CellMap::clicked(const QPoint& at, Qt::KeyboardModifiers modifiers) {
  const int place = placeAt(at.y());
  if (place >= 0 && body().contains(at)) emit cellClicked(rowOf(place), scale().tickAt(at.x() - body().left()), modifiers);
}

void CellMap::doubleClicked(const QPoint&) { zoomBy(0.25); }

} // namespace ui::plot
