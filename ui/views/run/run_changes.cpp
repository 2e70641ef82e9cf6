#include "ui/views/run/run_changes.h"

#include "ui/runs/command_words.h"

#include <QMap>
#include <QObject>

#include <utility>

namespace ui::run {

namespace {

// The setting's name in the form, and the name as given: an option and a sample's parameter may differ only in the dashes.
using Setting = std::pair<QString, QString>;

// Setting -> value. An option that is given several times has its values joined; a flag has an empty one.
QMap<Setting, QString> settingsOf(const RunRequest& request) {
  QMap<Setting, QString> settings;
  const auto add = [&](const QString& name, const QString& value) {
    const Setting setting(name.startsWith(QStringLiteral("--")) ? name.mid(2) : name, name);
    const QString known = settings.value(setting);
    settings[setting] = known.isEmpty() ? value : known + ' ' + value;
  };
  add(QStringLiteral("machine"), request.machine);
  if (request.ipus > 0) add(QStringLiteral("IPUs"), QString::number(request.ipus));
  add(QStringLiteral("precision"), request.precision);
  add(QStringLiteral("iterations"), QString::number(request.iterations));
  if (!request.numbers) add(QObject::tr("no values"), {});
  for (const auto& [key, value] : request.parameters) add(key, value);
  for (qsizetype i = 0; i < request.options.size(); ++i) {
    const QString& word = request.options[i];
    const bool hasValue = !shell::isRunFlag(word) && i + 1 < request.options.size();
    add(word, hasValue ? request.options[++i] : QString());
  }
  return settings;
}

} // namespace

QString changesBetween(const RunRequest& before, const RunRequest& now) {
  if (before.graph != now.graph) return {};
  const QMap<Setting, QString> old = settingsOf(before), settings = settingsOf(now);
  QStringList changes;
  for (auto it = settings.begin(); it != settings.end(); ++it) {
    const auto known = old.find(it.key());
    if (known == old.end())
      changes.append(it->isEmpty() ? it.key().first : it.key().first + ' ' + *it);
    else if (*known != *it)
      changes.append(QObject::tr("%1 %2 → %3").arg(it.key().first, *known, *it));
  }
  for (auto it = old.begin(); it != old.end(); ++it)
    if (!settings.contains(it.key())) changes.append(QObject::tr("without %1").arg(it.key().first));
  return changes.join(QStringLiteral(", "));
}

} // namespace ui::run
