#include "ui/views/home/recent_list.h"

#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>

namespace ui::home {

namespace {
constexpr int kRowHeight = 52, kPad = 12, kIcon = 22, kIconGap = 12, kRemoveRoom = 36;
constexpr int kLeastWidth = 300, kEntryGap = 8; // pixels: of an entry; between two entries
constexpr int kNameGap = 16;                    // between the name and its facts
constexpr int kRows = 2;                        // unless all are shown

QString homely(const QString& folder) {
  const QString home = QDir::homePath();
  return folder == home || folder.startsWith(home + '/') ? '~' + folder.mid(home.size()) : folder;
}
} // namespace

QString ago(const QDateTime& then, const QDateTime& now) {
  const qint64 seconds = then.secsTo(now);
  if (seconds < 60) return QObject::tr("just now");
  if (seconds < 3600) return QObject::tr("%1 min ago").arg(seconds / 60);
  const qint64 days = then.date().daysTo(now.date());
  if (days == 0) return QObject::tr("%1 h ago").arg(seconds / 3600);
  if (days == 1) return QObject::tr("yesterday");
  return QLocale(QLocale::English).toString(then.date(), QStringLiteral("d MMM yyyy"));
}

RecentList::RecentList(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(tr("Recent reports"));
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void RecentList::setEntries(const QList<QStringList>& entries) {
  m_entries.clear();
  QStringList spoken;
  for (const QStringList& files : entries) {
    Entry entry;
    entry.files = files;
    QStringList names;
    qint64 bytes = 0;
    QDateTime newest;
    for (const QString& file : files) {
      const QFileInfo info(file);
      names.append(info.fileName());
      entry.missing = entry.missing || !info.exists();
      bytes += info.size();
      newest = std::max(newest, info.lastModified());
    }
    entry.name = names.join(QStringLiteral("  ↔  "));
    entry.folder = homely(QFileInfo(files.first()).absolutePath());
    entry.when = entry.missing ? tr("not found") : tr("written %1").arg(ago(newest, QDateTime::currentDateTime()));
    if (!entry.missing) entry.size = theme::Format().bytes(reports::Bytes(bytes));
    spoken.append(entry.name);
    m_entries.push_back(std::move(entry));
  }
  setAccessibleDescription(spoken.join(QStringLiteral(", ")));
  m_cursor = 0, m_hovered = -1;
  fit();
}

void RecentList::setAllShown(bool all) {
  m_all = all;
  fit();
}

int RecentList::columns() const { return std::max(1, (width() + kEntryGap) / (kLeastWidth + kEntryGap)); }
int RecentList::shown() const { return m_all ? count() : std::min(count(), kRows * columns()); }

void RecentList::fit() {
  const int rows = (shown() + columns() - 1) / columns();
  setFixedHeight(std::max(1, rows) * kRowHeight);
  m_cursor = std::clamp(m_cursor, 0, std::max(0, shown() - 1));
  emit shownChanged();
  update();
}

void RecentList::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) fit();
}

QRect RecentList::cellOf(int entry) const {
  const int n = columns(), wide = (width() - (n - 1) * kEntryGap) / n;
  return {entry % n * (wide + kEntryGap), entry / n * kRowHeight, wide, kRowHeight};
}

QRect RecentList::removeBox(int entry) const {
  const QRect cell = cellOf(entry);
  return {cell.right() - kPad - 27, cell.top() + (kRowHeight - 28) / 2, 28, 28};
}

void RecentList::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  for (int i = 0; i < shown(); ++i) paintEntry(painter, i);
}

// Beside a long name the size is dropped first, then the time, because the name matters more.
QString RecentList::factsBeside(int i) const {
  const Entry& entry = m_entries[std::size_t(i)];
  const int room = cellOf(i).width() - 2 * kPad - kIcon - kIconGap - (isRemovable(i) ? kRemoveRoom : 0);
  const int name = QFontMetrics(m_theme.strong()).horizontalAdvance(entry.name) + kNameGap;
  const QFontMetrics metrics(m_theme.small());
  const QString both = entry.size.isEmpty() ? entry.when : entry.size + QStringLiteral("  ·  ") + entry.when;
  if (entry.missing) return both; // says why the entry cannot be opened
  for (const QString& facts : {both, entry.when})
    if (name + metrics.horizontalAdvance(facts) <= room) return facts;
  return {};
}

void RecentList::paintEntry(QPainter& painter, int i) const {
  const theme::Tokens& t = m_theme.tokens();
  const Entry& entry = m_entries[std::size_t(i)];
  const QRect cell = cellOf(i);
  if (i == m_hovered || (hasFocus() && i == m_cursor)) {
    painter.setPen(hasFocus() && i == m_cursor ? QPen(t.accent) : QPen(Qt::NoPen));
    painter.setBrush(t.hover);
    painter.drawRoundedRect(QRectF(cell).adjusted(0.5, 1.5, -0.5, -1.5), theme::kRadius, theme::kRadius);
  }
  const QString icon = entry.missing ? "warning" : entry.files.size() > 1 ? "compare" : "report";
  const QColor ink = entry.missing ? t.warning : t.secondary;
  painter.drawPixmap(cell.left() + kPad, cell.top() + (kRowHeight - kIcon) / 2,
                     theme::iconPixmap(icon, kIcon, ink, devicePixelRatioF()));
  const bool removable = isRemovable(i);
  const int left = cell.left() + kPad + kIcon + kIconGap, right = cell.right() + 1 - kPad - (removable ? kRemoveRoom : 0);
  const QString facts = factsBeside(i);
  painter.setFont(m_theme.small());
  const int factsWidth = painter.fontMetrics().horizontalAdvance(facts);
  painter.setPen(entry.missing ? t.warning : t.secondary);
  painter.drawText(QRect(right - factsWidth, cell.top() + 8, factsWidth, 20), Qt::AlignVCenter, facts);
  painter.setPen(t.secondary);
  painter.drawText(QRect(left, cell.top() + 27, right - left, 18), Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(entry.folder, Qt::ElideMiddle, right - left));
  painter.setFont(m_theme.strong());
  painter.setPen(entry.missing ? t.secondary : t.text);
  const int room = right - left - (facts.isEmpty() ? 0 : factsWidth + kNameGap);
  painter.drawText(QRect(left, cell.top() + 7, room, 20), Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(entry.name, Qt::ElideMiddle, room));
  if (!removable) return;
  const QRect box = removeBox(i);
  if (i == m_hovered && m_overRemove) painter.setPen(Qt::NoPen), painter.setBrush(t.pressed), painter.drawRoundedRect(box, 4, 4);
  painter.drawPixmap(box.left() + 5, box.top() + 5, theme::iconPixmap("remove", 18, t.secondary, devicePixelRatioF()));
}

int RecentList::entryAt(const QPoint& at) const {
  for (int i = 0; i < shown(); ++i)
    if (cellOf(i).contains(at)) return i;
  return -1;
}

void RecentList::mouseMoveEvent(QMouseEvent* event) {
  m_hovered = entryAt(event->pos());
  m_overRemove = m_hovered >= 0 && removeBox(m_hovered).contains(event->pos());
  setToolTip(theme::tipText(m_hovered < 0  ? QString()
                            : m_overRemove ? tr("Remove from the list")
                                           : m_entries[std::size_t(m_hovered)].files.join('\n')));
  setCursor(m_hovered >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void RecentList::leaveEvent(QEvent*) {
  m_hovered = -1;
  update();
}

void RecentList::choose(int row) {
  const Entry& entry = m_entries[std::size_t(row)];
  if (entry.missing)
    emit removeRequested(entry.files);
  else
    emit openRequested(entry.files);
}

void RecentList::mousePressEvent(QMouseEvent* event) {
  const int row = entryAt(event->pos());
  if (row < 0 || event->button() != Qt::LeftButton) return;
  if (removeBox(row).contains(event->pos()))
    emit removeRequested(QStringList(m_entries[std::size_t(row)].files));
  else
    choose(row);
}

void RecentList::keyPressEvent(QKeyEvent* event) {
  if (m_entries.empty()) return QWidget::keyPressEvent(event);
  const int last = shown() - 1;
  switch (event->key()) {
  case Qt::Key_Right: m_cursor = std::min(m_cursor + 1, last); break;
  case Qt::Key_Left: m_cursor = std::max(m_cursor - 1, 0); break;
  case Qt::Key_Down:
    if (m_cursor + columns() <= last) m_cursor += columns();
    break;
  case Qt::Key_Up:
    if (m_cursor >= columns()) m_cursor -= columns();
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter: return choose(m_cursor);
  case Qt::Key_Delete: emit removeRequested(QStringList(m_entries[std::size_t(m_cursor)].files)); return;
  default: return QWidget::keyPressEvent(event);
  }
  update();
}

} // namespace ui::home
