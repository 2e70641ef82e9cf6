#include "app/gui/crash_trail.h"

#include <QAction>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QShortcutEvent>
#include <QWidget>

#include <array>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace app::gui {

namespace {

constexpr std::size_t kActions = 10;
using Line = std::array<char, 200>;

// Written only by the window's thread. A handler that reads during a write sees part of the old and part of the new value.
std::array<char, 2048> trailFiles{};
Line trailOfView{};
std::array<Line, kActions> trailRing{};
std::size_t trailNext = 0; // index of the oldest action

// The last byte stays 0, even during a write.
template<std::size_t N> void keep(std::array<char, N>& place, const QString& text) {
  const QByteArray bytes = text.toUtf8().left(qsizetype(N) - 1);
  std::memset(place.data(), 0, N);
  std::memcpy(place.data(), bytes.constData(), std::size_t(bytes.size()));
}

void writeLine(int file, const char* before, const char* text) {
  if (!*text) return;
  for (const char* part : {before, text, "\n"}) {
    [[maybe_unused]] const ssize_t written = ::write(file, part, std::strlen(part)); // a failure cannot be handled here
  }
}

// "StepPlot “Memory per tile”"
QString nameOf(const QWidget& widget) {
  const QString kind = QString::fromLatin1(widget.metaObject()->className()).section(QStringLiteral("::"), -1);
  const QWidget* named = &widget; // a viewport gets the name of its table
  while (named->accessibleName().isEmpty() && named->parentWidget()) named = named->parentWidget();
  return named->accessibleName().isEmpty() ? kind : QStringLiteral("%1 “%2”").arg(kind, named->accessibleName());
}

// The name of a key. Typed letters are never kept: only keys that write no letter have a name.
QString keyOf(const QKeyEvent& key, const QString& where) {
  const bool isCommand = key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
  const bool writes = !isCommand && !key.text().isEmpty() && key.text().front().isPrint();
  return writes ? QStringLiteral("a key in %1").arg(where)
                : QStringLiteral("key %1 in %2").arg(QKeySequence(key.keyCombination()).toString(), where);
}

bool isModifier(int key) {
  return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_AltGr || key == Qt::Key_Meta;
}

} // namespace

void trailReports(const QStringList& files) { keep(trailFiles, files.join(QStringLiteral(", "))); }
void trailView(const QString& view) { keep(trailOfView, view); }

void trailAction(const QString& action) {
  keep(trailRing[trailNext], action);
  trailNext = (trailNext + 1) % kActions;
}

void writeTrail(int file) {
  writeLine(file, "reports: ", trailFiles.data());
  writeLine(file, "view: ", trailOfView.data());
  for (std::size_t i = 0; i < kActions; ++i) writeLine(file, "did: ", trailRing[(trailNext + i) % kActions].data());
}

CrashTrail::CrashTrail(QObject& application) : QObject(&application) { application.installEventFilter(this); }

// A key that a widget ignores is offered to each of its parents, too, but it counts once.
void CrashTrail::keepKey(const QKeyEvent& key, const QString& where) {
  const std::pair press(key.timestamp(), key.key());
  if (key.isAutoRepeat() || isModifier(key.key()) || (key.timestamp() != 0 && press == std::exchange(m_lastPress, press))) return;
  trailAction(keyOf(key, where));
}

bool CrashTrail::eventFilter(QObject* watched, QEvent* event) {
  const auto* widget =
      event->spontaneous() || event->type() == QEvent::Shortcut ? qobject_cast<const QWidget*>(watched) : nullptr;
  if (event->type() == QEvent::Shortcut)
    trailAction(QStringLiteral("keys %1").arg(static_cast<QShortcutEvent*>(event)->key().toString()));
  else if (widget && event->type() == QEvent::MouseButtonPress)
    trailAction(QStringLiteral("click on %1").arg(nameOf(*widget)));
  else if (widget && event->type() == QEvent::KeyPress)
    keepKey(static_cast<const QKeyEvent&>(*event), nameOf(*widget));
  return false;
}

} // namespace app::gui
