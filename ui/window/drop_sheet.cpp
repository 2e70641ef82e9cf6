#include "ui/window/drop_sheet.h"

#include "ui/state/report_file.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QCursor>
#include <QDropEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QPainter>

#include <algorithm>

namespace ui::shell {

namespace {

constexpr int kLeaveDelay = 80; // milliseconds
constexpr int kDropIcon = 40, kDropInset = 24;

QStringList localFiles(const QMimeData& mime) {
  QStringList files;
  for (const QUrl& url : mime.urls())
    if (url.isLocalFile()) files.append(url.toLocalFile());
  return files;
}

bool isModel(const QString& file) {
  return file.endsWith(QStringLiteral(".onnx"), Qt::CaseInsensitive) || QFileInfo::exists(file + QStringLiteral("/model.onnx"));
}

QString nameOf(const QString& file) { return QFileInfo(file).fileName(); }

} // namespace

DropPlan planDrop(const QStringList& files) {
  const auto models = std::count_if(files.begin(), files.end(), isModel);
  if (files.size() == 1) return {models ? DropDeed::Run : DropDeed::Open, files};
  if (files.size() > 1 && files.size() <= kMostReports && models == 0) return {DropDeed::Compare, files};
  return {DropDeed::Nothing, files};
}

std::pair<QStringList, QStringList> withoutModels(const QStringList& files) {
  std::pair<QStringList, QStringList> parts;
  for (const QString& file : files) (isModel(file) ? parts.second : parts.first).append(file);
  return parts;
}

DropSheet::DropSheet(const theme::Theme& theme, QWidget* window) : QWidget(window), m_theme(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents); // the widget below stays the target of the drag
  setAccessibleName(tr("Effect of the drop"));
  hide();
  m_leave.setSingleShot(true);
  m_leave.setInterval(kLeaveDelay);
  connect(&m_leave, &QTimer::timeout, this, &DropSheet::put);
  QCoreApplication::instance()->installEventFilter(this);
}

void DropSheet::setOpen(const QString& name) { m_open = name; }

void DropSheet::put() {
  m_leave.stop();
  m_plan.reset();
  hide();
  // Widgets under the path of the drag got an enter event, but not a leave event.
  for (QWidget* passed : window()->findChildren<QWidget*>())
    if (passed->underMouse() && !passed->rect().contains(passed->mapFromGlobal(QCursor::pos()))) {
      QEvent leave(QEvent::Leave);
      QCoreApplication::sendEvent(passed, &leave);
    }
}

bool DropSheet::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type != QEvent::DragEnter && type != QEvent::DragMove && type != QEvent::DragLeave && type != QEvent::Drop) return false;
  const auto* below = qobject_cast<QWidget*>(watched);
  if (!below || below->window() != window()) return false;
  if (type == QEvent::DragLeave) {
    if (!m_plan) return false;
    m_leave.start();
    return true;
  }
  auto& drop = static_cast<QDropEvent&>(*event);
  if (!drop.mimeData() || localFiles(*drop.mimeData()).isEmpty()) return false;
  take(*below, drop);
  if (type == QEvent::Drop) {
    const DropPlan plan = *m_plan;
    const bool beside = m_beside;
    put();
    emit dropped(plan, beside);
  }
  return true;
}

void DropSheet::take(const QWidget& below, QDropEvent& event) {
  m_leave.stop();
  m_plan = planDrop(localFiles(*event.mimeData()));
  event.setDropAction(Qt::CopyAction); // the file stays in place, whatever the desktop proposes
  event.accept();
  const int x = below.mapTo(window(), event.position().toPoint()).x();
  m_beside = offersTwo() && x > window()->width() / 2;
  setGeometry(parentWidget()->rect());
  if (isHidden()) show(), raise();
  update();
}

std::vector<DropSheet::Zone> DropSheet::zones() const {
  if (!m_plan) return {};
  const QRect whole = rect().adjusted(kDropInset, kDropInset, -kDropInset, -kDropInset);
  const QString first = nameOf(m_plan->files.first());
  switch (m_plan->deed) {
  case DropDeed::Open: {
    if (!offersTwo()) return {{whole, QStringLiteral("open"), tr("Open %1").arg(first), {}}};
    QRect left = whole, right = whole;
    left.setRight(whole.center().x() - theme::kGrid), right.setLeft(whole.center().x() + theme::kGrid);
    return {{left, QStringLiteral("open"), tr("Open"), tr("%1 instead of %2").arg(first, m_open)},
            {right, QStringLiteral("compare"), tr("Compare"), tr("%1 with %2").arg(m_open, first)}};
  }
  case DropDeed::Compare:
    return {{whole, QStringLiteral("compare"),
             m_plan->files.size() == 2 ? tr("Compare two reports") : tr("Compare %1 reports").arg(m_plan->files.size()),
             m_plan->files.size() == 2 ? tr("%1 with %2").arg(first, nameOf(m_plan->files[1]))
                                       : tr("%1 with %2 others").arg(first).arg(m_plan->files.size() - 1)}};
  case DropDeed::Run: return {{whole, QStringLiteral("run"), tr("Run %1").arg(first), tr("Choose the machine next")}};
  case DropDeed::Nothing: break;
  }
  return {{whole, QStringLiteral("info"), tr("Too much at once"),
           tr("Drop one report, up to %1 to compare, or one ONNX model").arg(kMostReports)}};
}

void DropSheet::paintEvent(QPaintEvent*) {
  const theme::Tokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor veil = t.background;
  veil.setAlpha(225);
  painter.fillRect(rect(), veil);
  const auto all = zones();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Zone& zone = all[i];
    const bool active = all.size() == 1 || (i == 1) == m_beside;
    painter.setPen(QPen(active ? t.accent : t.line, active ? 2 : 1, Qt::DashLine));
    painter.setBrush(active ? t.selection : t.surface);
    painter.drawRoundedRect(QRectF(zone.area).adjusted(1, 1, -1, -1), 12, 12);
    const QPoint middle = zone.area.center();
    painter.drawPixmap(middle.x() - kDropIcon / 2, middle.y() - kDropIcon - theme::kMargin,
                       theme::iconPixmap(zone.icon, kDropIcon, active ? t.accent : t.secondary, devicePixelRatioF()));
    const auto line = [&](const QFont& font, const QColor& colour, const QString& text, int top) {
      painter.setFont(font);
      painter.setPen(colour);
      const QRect box(zone.area.left() + kDropInset, middle.y() + top, zone.area.width() - 2 * kDropInset, 28);
      painter.drawText(box, Qt::AlignCenter, painter.fontMetrics().elidedText(text, Qt::ElideMiddle, box.width()));
    };
    line(m_theme.heading(), t.text, zone.title, 0);
    line(m_theme.text(), t.secondary, zone.detail, 28);
  }
}

} // namespace ui::shell
