// The commands of the window, each defined once for the command palette, the keys, the sheet of keys and the preferences. A user
// may give a command other keys; the settings store only changed ones.
#pragma once

#include <QKeySequence>
#include <QObject>

#include <functional>
#include <optional>
#include <vector>

class QShortcut;

namespace ui::shell {

class Settings;

struct WindowAction {
  QString id; // in the settings, e.g. "reload": stays the same over versions
  QString title, detail, icon;
  QList<QKeySequence> keys; // defaults, unless the user chose others
  std::function<void()> run;
  std::function<bool()> isAvailable = {}; // empty: always
  QString words = {};                     // further search words
};

class WindowActions : public QObject {
  Q_OBJECT

public:
  // The keys work while `window` is active.
  WindowActions(Settings& settings, QWidget* window);

  void add(WindowAction action);
  const std::vector<WindowAction>& all() const { return m_actions; }
  const WindowAction* find(const QString& id) const;

  // The keys that the user chose, else the action's own.
  QList<QKeySequence> keys(const WindowAction& action) const;
  // "Ctrl+R, F5"; empty without keys.
  QString keysText(const WindowAction& action) const;
  // Why the action cannot have the key, as a sentence; nullopt if it can.
  std::optional<QString> refusal(const WindowAction& action, const QKeySequence& key) const;
  // An empty list removes the key. The settings do not store default keys.
  void setKeys(const WindowAction& action, const QList<QKeySequence>& keys);
  void resetKeys();

signals:
  void keysChanged();

private:
  void bind(const WindowAction& action);

  Settings& m_settings;
  QWidget* m_window;
  std::vector<WindowAction> m_actions;
  std::vector<std::pair<QString, QShortcut*>> m_shortcuts; // by the action's id
};

} // namespace ui::shell
