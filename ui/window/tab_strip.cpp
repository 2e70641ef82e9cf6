#include "ui/window/tab_strip.h"

#include "analyser/session/session.h"
#include "ui/state/report_file.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/window/open_reports.h"

#include <QContextMenuEvent>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>
#include <QToolTip>

#include <utility>

namespace ui::shell {

namespace {

constexpr int kStripHeight = 34, kCloseIcon = 16, kGap = 6, kTabSlop = 8; // pixels

QString tabName(const ReportTab& tab) {
  QStringList names;
  for (const SessionPointer& session : tab.sessions.all()) names << theme::reportText(session->identity().fileName);
  return names.join(QStringLiteral(" ↔ "));
}

// The tabs of files with equal names also show their folders.
QStringList tabNames(const std::vector<ReportTab>& tabs) {
  QStringList names;
  for (const ReportTab& tab : tabs) names << tabName(tab);
  const QStringList before = names;
  for (qsizetype i = 0; i < names.size(); ++i)
    if (before.count(before[i]) > 1) names[i] = QFileInfo(tabs[std::size_t(i)].files.front()).dir().dirName() + '/' + before[i];
  return names;
}

QString shownName(QString name) { return name.replace('&', QStringLiteral("&&")); }

} // namespace

TabStrip::TabStrip(const theme::Theme& theme, OpenReports& reports, QWidget* parent)
    : QTabBar(parent), m_theme(theme), m_reports(reports) {
  setAccessibleName(tr("Open reports"));
  setExpanding(false);
  setDrawBase(false);
  setElideMode(Qt::ElideMiddle);
  setUsesScrollButtons(true);
  setSelectionBehaviorOnRemove(QTabBar::SelectLeftTab);
  setFixedHeight(kStripHeight);
  setFocusPolicy(Qt::TabFocus);
  setProperty("role", "reports");
  hide();
  connect(this, &QTabBar::currentChanged, this, [this](int tab) { m_reports.switchTo(tab); });
}

void TabStrip::update() {
  const QSignalBlocker quiet(this);
  const auto& tabs = m_reports.tabs();
  while (count() > int(tabs.size())) removeTab(count() - 1);
  while (count() < int(tabs.size())) addTab(QString());
  const QStringList names = tabNames(tabs);
  for (int i = 0; i < count(); ++i) {
    const ReportTab& tab = tabs[std::size_t(i)];
    const QString& name = names[i];
    setTabText(i, shownName(name));
    if (!tabButton(i, RightSide)) addCloseButton(i);
    setTabToolTip(i, theme::tipText(tab.files.join('\n') + '\n' + tr("Drag it onto another tab to compare both")));
    setAccessibleTabName(i, name);
  }
  setCurrentIndex(m_reports.currentTab());
  setVisible(count() > 1);
}

void TabStrip::addCloseButton(int tab) {
  auto* button = new QToolButton;
  button->setIcon(theme::icon(m_theme, "close", theme::Tint::Secondary));
  button->setIconSize({kCloseIcon, kCloseIcon});
  button->setFixedSize(kCloseIcon + 4, kCloseIcon + 4);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::NoFocus); // Ctrl+W closes
  button->setAccessibleName(tr("Close the report"));
  button->setToolTip(theme::tipText(tr("Close (Ctrl+W, or a middle click)")));
  connect(button, &QToolButton::clicked, this, [this, button] {
    for (int i = 0; i < count(); ++i)
      if (tabButton(i, RightSide) == button) return emit closeRequested(i);
  });
  setTabButton(tab, RightSide, button);
}

// The rectangle of a tab without the space around it.
QRect TabStrip::inside(int tab) const {
  const QRect all = tabRect(tab);
  return all.isValid() ? all.adjusted(tab == 0 ? theme::kMargin : 0, 0, -kGap, 0) : QRect();
}

bool TabStrip::canCompare(int tab, int with) const {
  const auto& tabs = m_reports.tabs();
  if (tab < 0 || with < 0 || tab == with || tab >= count() || with >= count()) return false;
  return tabs[std::size_t(tab)].files.size() + tabs[std::size_t(with)].files.size() <= kMostReports;
}

void TabStrip::mousePressEvent(QMouseEvent* event) {
  m_pressedAt = event->pos();
  m_dragged = event->button() == Qt::LeftButton ? tabAt(event->pos()) : -1;
  if (event->button() == Qt::MiddleButton) return event->accept(); // closes when it is released
  QTabBar::mousePressEvent(event);
}

void TabStrip::mouseMoveEvent(QMouseEvent* event) {
  if (m_dragged < 0 || !(event->buttons() & Qt::LeftButton)) return QTabBar::mouseMoveEvent(event);
  if (!m_isDragging && (event->pos() - m_pressedAt).manhattanLength() < kTabSlop) return;
  m_isDragging = true;
  dragOver(tabAt(event->pos()));
  setCursor(m_over >= 0 ? Qt::DragLinkCursor : Qt::ClosedHandCursor);
  if (m_over < 0) return QToolTip::hideText();
  const QString what = tr("Compare %1 with %2").arg(tabText(m_over), tabText(m_dragged));
  QToolTip::showText(event->globalPosition().toPoint(), theme::tipText(what), this);
}

void TabStrip::dragOver(int tab) {
  const int over = canCompare(tab, m_dragged) ? tab : -1;
  if (std::exchange(m_over, over) != over) QTabBar::update();
}

// The dragged report is compared with the report under the pointer, which is the base.
void TabStrip::mouseReleaseEvent(QMouseEvent* event) {
  const int dragged = std::exchange(m_dragged, -1), over = std::exchange(m_over, -1);
  unsetCursor();
  QToolTip::hideText();
  if (std::exchange(m_isDragging, false)) QTabBar::update();
  const bool isMiddle = event->button() == Qt::MiddleButton;
  const int at = tabAt(event->pos());
  if (!isMiddle) QTabBar::mouseReleaseEvent(event);
  if (isMiddle && at >= 0 && at == tabAt(m_pressedAt)) emit closeRequested(at);
  if (dragged >= 0 && over >= 0) emit compareRequested(over, dragged);
}

void TabStrip::contextMenuEvent(QContextMenuEvent* event) {
  const int tab = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : tabAt(event->pos());
  if (tab < 0) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QMenu* with = menu->addMenu(theme::icon(m_theme, "compare"), tr("Compare with"));
  for (int other = 0; other < count(); ++other)
    if (canCompare(tab, other)) with->addAction(tabText(other), this, [this, tab, other] { emit compareRequested(tab, other); });
  with->setEnabled(!with->isEmpty());
  menu->addSeparator();
  menu->addAction(theme::icon(m_theme, "close"), tr("Close"), this, [this, tab] { emit closeRequested(tab); });
  menu->addAction(tr("Close the others"), this, [this, tab] {
    for (int other = count() - 1; other >= 0; --other)
      if (other != tab) emit closeRequested(other);
  });
  menu->popup(event->globalPos());
}

void TabStrip::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.tokens().surface);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.tokens().line);
  painter.end();
  QTabBar::paintEvent(event);
  QPainter marks(this);
  const QRect current = tabRect(currentIndex());
  if (current.isValid()) marks.fillRect(QRect(current.left(), height() - 2, current.width() - kGap, 2), m_theme.tokens().accent);
  if (m_over < 0) return;
  marks.setPen(QPen(m_theme.tokens().accent, 2));
  marks.drawRoundedRect(inside(m_over).adjusted(-3, 3, 3, -4), theme::kRadius, theme::kRadius);
}

} // namespace ui::shell
