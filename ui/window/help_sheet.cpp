#include "ui/window/help_sheet.h"

#include "ui/theme/theme.h"
#include "ui/window/veil.h"

#include <QPainter>
#include <QRegularExpression>

namespace ui::shell {

namespace {

constexpr int kColumnWidth = 402, kPad = 28, kLine = 25, kKeyColumn = 128, kLeastKeyColumn = 96;
constexpr int kHead = 68;    // title and question
constexpr int kOutside = 48; // pixels of the window around the sheet

using Keys = std::vector<std::pair<QString, QString>>;

} // namespace

HelpSheet::HelpSheet(const theme::Theme& theme, QWidget* window) : QFrame(window), m_theme(theme) {
  setFocusPolicy(Qt::StrongFocus);
  hide();
  new Veil(theme, *this);
}

void HelpSheet::open(const HelpText& text) {
  m_text = text;
  QString spoken = text.title + ". " + text.question;
  for (const auto* keys : {&text.viewKeys, &text.plotKeys, &text.windowKeys})
    for (const auto& [key, what] : *keys) spoken += ". " + key + ": " + what;
  setAccessibleName(tr("Help"));
  setAccessibleDescription(spoken);
  const QSize room = parentWidget()->size() - QSize(kOutside, kOutside);
  flow((room.height() - kHead - 2 * kPad + 8) / kLine);
  std::size_t lines = 0;
  for (const auto& column : m_columns) lines = std::max(lines, column.size());
  const int width = std::min(kColumnWidth * int(m_columns.size()) + 2 * kPad, room.width());
  const int height = std::min(kHead + 2 * kPad - 8 + kLine * int(lines), room.height());
  setGeometry((parentWidget()->width() - width) / 2, (parentWidget()->height() - height) / 2, width, height);
  raise();
  show();
  setFocus();
}

// Puts the keys of the view and its plots at the left, the window's at the right. In a low window one list follows the other, in
// as many columns as needed.
void HelpSheet::flow(int linesAColumn) {
  const auto add = [](std::vector<Line>& column, const QString& title, const Keys& keys) {
    if (keys.empty()) return;
    if (!column.empty()) column.push_back({});
    column.push_back({{}, title});
    for (const auto& [key, what] : keys) column.push_back({key, what});
  };
  const auto fits = [&](const std::vector<Line>& column) { return int(column.size()) <= linesAColumn; };
  m_columns.assign(2, {});
  add(m_columns[0], tr("This view"), m_text.viewKeys);
  add(m_columns[0], tr("Plots"), m_text.plotKeys);
  add(m_columns[1], tr("Window"), m_text.windowKeys);
  if (linesAColumn < 2 || (fits(m_columns[0]) && fits(m_columns[1]))) return;
  std::vector<Line> all = std::move(m_columns[0]);
  add(all, tr("Window"), m_text.windowKeys);
  m_columns.assign(1, {});
  for (const Line& line : all) {
    const bool headsTheNext = line.isHeading() && int(m_columns.back().size()) + 1 == linesAColumn;
    if (int(m_columns.back().size()) == linesAColumn || headsTheNext) m_columns.emplace_back();
    if (line.isBlank() && m_columns.back().empty()) continue;
    m_columns.back().push_back(line);
  }
}

void HelpSheet::drawLine(QPainter& painter, const QRect& area, const Line& line) const {
  const theme::Tokens& t = m_theme.tokens();
  if (line.isHeading()) {
    painter.setFont(m_theme.strong());
    painter.setPen(t.secondary);
    painter.drawText(area, Qt::AlignVCenter, line.what);
    return;
  }
  int x = area.left();
  painter.setFont(m_theme.small());
  const QFontMetrics metrics = painter.fontMetrics();
  static const QRegularExpression between(QStringLiteral(",?\\s+")); // "Ctrl+," stays whole
  for (const QString& part : line.key.split(between, Qt::SkipEmptyParts)) {
    const int width = std::max(20, metrics.horizontalAdvance(part) + 12);
    painter.setPen(t.line);
    painter.setBrush(t.background);
    painter.drawRoundedRect(QRectF(x + 0.5, area.top() + 3.5, width, 19), 4, 4);
    painter.setPen(t.text);
    painter.drawText(QRect(x, area.top() + 3, width + 1, 20), Qt::AlignCenter, part);
    x += width + 4;
  }
  painter.setFont(m_theme.text());
  painter.setPen(t.text);
  const int keyColumn = m_columns.size() > 2 ? kLeastKeyColumn : kKeyColumn;
  const int from = std::max(x + 6, area.left() + keyColumn);
  painter.drawText(QRect(from, area.top(), area.right() - from, area.height()), Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(line.what, Qt::ElideRight, area.right() - from));
}

void HelpSheet::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(t.line);
  painter.setBrush(t.raised);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
  const QRect inner = rect().adjusted(kPad, kPad - 8, -kPad, -kPad);
  painter.setFont(m_theme.heading());
  painter.setPen(t.text);
  painter.drawText(QRect(inner.left(), inner.top(), inner.width(), 28), Qt::AlignVCenter, m_text.title);
  painter.setFont(m_theme.text());
  painter.setPen(t.secondary);
  painter.drawText(QRect(inner.left(), inner.top() + 28, inner.width(), 24), Qt::AlignVCenter, m_text.question);
  painter.setPen(t.grid);
  painter.drawLine(inner.left(), inner.top() + 60, inner.right(), inner.top() + 60);
  if (m_columns.empty()) return;
  const int gap = m_columns.size() > 2 ? kPad / 2 : kPad;
  const int width = (inner.width() - gap * (int(m_columns.size()) - 1)) / int(m_columns.size());
  int left = inner.left();
  for (const auto& column : m_columns) {
    QRect area(left, inner.top() + kHead, width, kLine);
    for (const Line& line : column) {
      if (!line.isBlank()) drawLine(painter, area, line);
      area.translate(0, kLine);
    }
    left += width + gap;
  }
}

void HelpSheet::keyPressEvent(QKeyEvent*) { hide(); }
void HelpSheet::mousePressEvent(QMouseEvent*) { hide(); }
void HelpSheet::focusOutEvent(QFocusEvent*) { hide(); }

} // namespace ui::shell
