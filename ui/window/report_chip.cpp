#include "ui/window/report_chip.h"

#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QUrl>

#include <algorithm>

namespace ui::shell {

namespace {
constexpr int kHeight = 32, kChipIcon = 18, kChipPad = 10, kMaxWidth = 460;
constexpr int kMinWidth = 110, kNameWidth = 160;
} // namespace

ReportChip::ReportChip(const theme::Theme& theme, const QString& role, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_role(role) {
  setFocusPolicy(Qt::TabFocus);
  setAttribute(Qt::WA_Hover);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  connect(this, &QAbstractButton::clicked, this, &ReportChip::showMenu);
}

void ReportChip::setReport(const ChipText& text, bool paired) {
  m_text = text, m_paired = paired;
  setAccessibleName(tr("Report %1, %2").arg(text.name, detail()));
  setToolTip(theme::tipText(text.path + '\n' + detail()));
  updateGeometry();
  update();
}

// The machine, the origin of the figures and the size of the file, each with its separator in front.
QStringList ReportChip::facts() const {
  QStringList facts = m_text.machine.split(QStringLiteral(", "), Qt::SkipEmptyParts);
  for (qsizetype i = 1; i < facts.size(); ++i) facts[i].prepend(QStringLiteral(", "));
  for (const QString& more : {m_text.provenance, m_text.size})
    if (!more.isEmpty()) facts << (facts.isEmpty() ? more : QStringLiteral(" · ") + more);
  return facts;
}

QString ReportChip::detail() const { return facts().join(QString()); }

QSize ReportChip::sizeHint() const {
  const int name = QFontMetrics(m_theme.strong()).horizontalAdvance(m_text.name);
  const int more = QFontMetrics(m_theme.small()).horizontalAdvance(detail());
  return {std::min(kMaxWidth, kChipPad * 3 + kChipIcon + name + 10 + more + 14), kHeight};
}

// Beside a long name, a short name is shown in full.
QSize ReportChip::minimumSizeHint() const {
  const int name = QFontMetrics(m_theme.strong()).horizontalAdvance(m_text.name);
  return {std::clamp(kChipPad * 3 + kChipIcon + name + 14, kMinWidth, kNameWidth), kHeight};
}

void ReportChip::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(hasFocus() ? t.accent : t.line);
  painter.setBrush(underMouse() ? t.hover : t.background);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme::kRadius, theme::kRadius);
  int x = kChipPad;
  if (m_paired) {
    const QRect badge(x, (height() - kChipIcon) / 2, kChipIcon, kChipIcon);
    const QColor colour = m_theme.series(m_role == "A" ? 0 : 1); // the colour of its curves
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(badge, 4, 4);
    painter.setPen(theme::textOn(colour));
    painter.setFont(m_theme.strong());
    painter.drawText(badge, Qt::AlignCenter, m_role);
  } else {
    painter.drawPixmap(x, (height() - kChipIcon) / 2, theme::iconPixmap("report", kChipIcon, t.secondary, devicePixelRatioF()));
  }
  x += kChipIcon + 8;
  const int right = width() - kChipPad - 12;
  painter.setFont(m_theme.strong());
  painter.setPen(t.text);
  const QString name = painter.fontMetrics().elidedText(m_text.name, Qt::ElideMiddle, right - x);
  painter.drawText(QRect(x, 0, right - x, height()), Qt::AlignVCenter, name);
  x += painter.fontMetrics().horizontalAdvance(name) + 10;
  painter.setFont(m_theme.small());
  painter.setPen(t.secondary);
  // As many complete facts as fit, the machine first: half a number is worse than none.
  QString shown;
  for (const QString& fact : facts()) {
    if (painter.fontMetrics().horizontalAdvance(shown + fact) > right - x) break;
    shown += fact;
  }
  painter.drawText(QRect(x, 0, right - x, height()), Qt::AlignVCenter, shown);
  painter.setPen(QPen(t.secondary, 1.4));
  const QPointF tip(width() - kChipPad - 4, height() / 2.0 + 2);
  painter.drawPolyline(QPolygonF{tip + QPointF(-4, -4), tip, tip + QPointF(4, -4)});
}

void ReportChip::showMenu() {
  QMenu menu(this);
  connect(menu.addAction(theme::icon(m_theme, "reload"), tr("Reload")), &QAction::triggered, this, &ReportChip::reloadRequested);
  connect(menu.addAction(theme::icon(m_theme, "compare"), m_paired ? tr("Add a report to the comparison…") : tr("Compare with…")),
          &QAction::triggered, this, &ReportChip::compareRequested);
  connect(menu.addAction(theme::icon(m_theme, "host"), tr("Add traces…")), &QAction::triggered, this,
          &ReportChip::tracesRequested);
  connect(menu.addAction(theme::icon(m_theme, "run"), tr("Run again with…")), &QAction::triggered, this,
          &ReportChip::runRequested);
  connect(menu.addAction(theme::icon(m_theme, "open"), tr("Show folder")), &QAction::triggered, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(m_text.path).absolutePath())); });
  connect(menu.addAction(theme::icon(m_theme, "copy"), tr("Copy path")), &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(m_text.path); });
  connect(menu.addAction(theme::icon(m_theme, "copy"), tr("Copy link to this view")), &QAction::triggered, this,
          &ReportChip::linkRequested);
  connect(menu.addAction(theme::icon(m_theme, "recent"), tr("Bookmarks…")), &QAction::triggered, this,
          &ReportChip::bookmarksRequested);
  if (m_hasLesson)
    connect(menu.addAction(theme::icon(m_theme, "help"), tr("Show the lesson")), &QAction::triggered, this,
            &ReportChip::lessonRequested);
  connect(menu.addAction(theme::icon(m_theme, "save"), tr("Save as one web page…")), &QAction::triggered, this,
          &ReportChip::pageRequested);
  menu.addSeparator();
  connect(menu.addAction(theme::icon(m_theme, "close"), tr("Close")), &QAction::triggered, this, &ReportChip::closeRequested);
  menu.exec(mapToGlobal(QPoint(0, height() + 4)));
}

} // namespace ui::shell
