#include "ui/window/drop_sheet.h"

#include "ui/runs/trace_import.h"
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
    const DropPlan plan{zones()[std::size_t(m_at)].deed, m_plan->files};
    put();
    emit dropped(plan);
  }
  return true;
}

void DropSheet::take(const QWidget& below, QDropEvent& event) {
  m_leave.stop();
  const QStringList files = localFiles(*event.mimeData());
  if (!m_plan || m_plan->files != files) {
    m_plan = planDrop(files);
    m_areTraces = std::all_of(files.begin(), files.end(), isTraceFile);
  }
  event.setDropAction(Qt::CopyAction); // the file stays in place, whatever the desktop proposes
  event.accept();
  const int x = below.mapTo(window(), event.position().toPoint()).x(), count = int(zones().size());
  m_at = std::clamp(x * count / std::max(1, window()->width()), 0, count - 1);
  setGeometry(parentWidget()->rect());
  if (isHidden()) show(), raise();
  update();
}

std::vector<DropSheet::Zone> DropSheet::zones() const {
  if (!m_plan) return {};
  const QString first = nameOf(m_plan->files.first());
  const Zone add{DropDeed::AddTraces, QStringLiteral("host"), tr("Add"), tr("To the time axis of %1").arg(m_open)};
  switch (m_plan->deed) {
  case DropDeed::Open: {
    if (m_open.isEmpty()) return {{DropDeed::Open, QStringLiteral("open"), tr("Open %1").arg(first), {}}};
    std::vector<Zone> all{{DropDeed::Open, QStringLiteral("open"), tr("Open"), tr("%1 in a tab of its own").arg(first)},
                          {DropDeed::Compare, QStringLiteral("compare"), tr("Compare"), tr("%1 with %2").arg(m_open, first)}};
    if (m_areTraces) all.push_back(add);
    return all;
  }
  case DropDeed::Compare: {
    std::vector<Zone> all{
        {DropDeed::Compare, QStringLiteral("compare"),
         m_plan->files.size() == 2 ? tr("Compare two reports") : tr("Compare %1 reports").arg(m_plan->files.size()),
         m_plan->files.size() == 2 ? tr("%1 with %2").arg(first, nameOf(m_plan->files[1]))
                                   : tr("%1 with %2 others").arg(first).arg(m_plan->files.size() - 1)}};
    if (m_areTraces && !m_open.isEmpty()) all.push_back(add);
    return all;
  }
  case DropDeed::Run: return {{DropDeed::Run, QStringLiteral("run"), tr("Run %1").arg(first), tr("Choose the machine next")}};
  case DropDeed::AddTraces:
  case DropDeed::Nothing: break;
  }
  return {{DropDeed::Nothing, QStringLiteral("info"), tr("Too much at once"),
           tr("Drop one report, up to %1 to compare, or one ONNX model").arg(kMostReports)}};
}

QRect DropSheet::areaOf(int zone, int count) const {
  const QRect whole = rect().adjusted(kDropInset, kDropInset, -kDropInset, -kDropInset);
  const int wide = (whole.width() - (count - 1) * 2 * theme::kGrid) / std::max(1, count);
  return {whole.left() + zone * (wide + 2 * theme::kGrid), whole.top(), wide, whole.height()};
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
    const bool active = int(i) == m_at;
    const QRect area = areaOf(int(i), int(all.size()));
    painter.setPen(QPen(active ? t.accent : t.line, active ? 2 : 1, Qt::DashLine));
    painter.setBrush(active ? t.selection : t.surface);
    painter.drawRoundedRect(QRectF(area).adjusted(1, 1, -1, -1), 12, 12);
    const QPoint middle = area.center();
    painter.drawPixmap(middle.x() - kDropIcon / 2, middle.y() - kDropIcon - theme::kMargin,
                       theme::iconPixmap(zone.icon, kDropIcon, active ? t.accent : t.secondary, devicePixelRatioF()));
    const auto line = [&](const QFont& font, const QColor& colour, const QString& text, int top) {
      painter.setFont(font);
      painter.setPen(colour);
      const QRect box(area.left() + kDropInset, middle.y() + top, area.width() - 2 * kDropInset, 28);
      painter.drawText(box, Qt::AlignCenter, painter.fontMetrics().elidedText(text, Qt::ElideMiddle, box.width()));
    };
    line(m_theme.heading(), t.text, zone.title, 0);
    line(m_theme.text(), t.secondary, zone.detail, 28);
  }
}

} // namespace ui::shell
