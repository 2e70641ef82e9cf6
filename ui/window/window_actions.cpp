#include "ui/window/window_actions.h"

#include "ui/state/settings.h"

#include <QShortcut>
#include <QWidget>

#include <algorithm>

namespace ui::shell {

namespace {

QString settingOf(const WindowAction& action) { return QStringLiteral("keys/") + action.id; }

// Keys that text fields and tables use: as commands of the window they would disable e.g. copying.
bool editsText(const QKeySequence& key) {
  for (const auto standard : {QKeySequence::Copy, QKeySequence::Cut, QKeySequence::Paste, QKeySequence::SelectAll,
                              QKeySequence::Undo, QKeySequence::Redo})
    if (QKeySequence::keyBindings(standard).contains(key)) return true;
  return false;
}

// Plots and tables take plain keys: letters, arrows, Enter, Escape. Digits, '?' and the function keys are free.
bool isPlainKeyOfViews(const QKeySequence& key) {
  const QKeyCombination pressed = key[0];
  if (pressed.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  const Qt::Key plain = pressed.key();
  const bool isFree =
      (plain >= Qt::Key_F1 && plain <= Qt::Key_F35) || (plain >= Qt::Key_0 && plain <= Qt::Key_9) || plain == Qt::Key_Question;
  return !isFree;
}

} // namespace

WindowActions::WindowActions(Settings& settings, QWidget* window) : QObject(window), m_settings(settings), m_window(window) {}

void WindowActions::add(WindowAction action) {
  m_actions.push_back(std::move(action));
  bind(m_actions.back());
}

const WindowAction* WindowActions::find(const QString& id) const {
  for (const WindowAction& action : m_actions)
    if (action.id == id) return &action;
  return nullptr;
}

QList<QKeySequence> WindowActions::keys(const WindowAction& action) const {
  const QVariant stored = m_settings.value(settingOf(action));
  return stored.isValid() ? QKeySequence::listFromString(stored.toString(), QKeySequence::PortableText) : action.keys;
}

QString WindowActions::keysText(const WindowAction& action) const {
  QStringList texts;
  for (const QKeySequence& key : keys(action)) texts << key.toString(QKeySequence::NativeText);
  return texts.join(QStringLiteral(", "));
}

std::optional<QString> WindowActions::refusal(const WindowAction& action, const QKeySequence& key) const {
  const QString text = key.toString(QKeySequence::NativeText);
  if (editsText(key)) return tr("%1 copies and edits text.").arg(text);
  if (isPlainKeyOfViews(key)) return tr("%1 alone is a key of plots and tables: add Ctrl or Alt.").arg(text);
  for (const WindowAction& other : m_actions)
    if (other.id != action.id && keys(other).contains(key)) return tr("%1 is the key of “%2”.").arg(text, other.title);
  return std::nullopt;
}

void WindowActions::setKeys(const WindowAction& action, const QList<QKeySequence>& keys) {
  if (keys == action.keys)
    m_settings.remove(settingOf(action));
  else
    m_settings.setValue(settingOf(action), QKeySequence::listToString(keys, QKeySequence::PortableText));
  bind(action);
  emit keysChanged();
}

void WindowActions::resetKeys() {
  for (const WindowAction& action : m_actions) m_settings.remove(settingOf(action));
  for (const WindowAction& action : m_actions) bind(action);
  emit keysChanged();
}

void WindowActions::bind(const WindowAction& action) {
  std::erase_if(m_shortcuts, [&](const auto& bound) {
    if (bound.first != action.id) return false;
    delete bound.second;
    return true;
  });
  for (const QKeySequence& key : keys(action)) {
    auto* shortcut = new QShortcut(key, m_window);
    connect(shortcut, &QShortcut::activated, this, [run = action.run, isAvailable = action.isAvailable] {
      if (!isAvailable || isAvailable()) run();
    });
    m_shortcuts.emplace_back(action.id, shortcut);
  }
}

} // namespace ui::shell
