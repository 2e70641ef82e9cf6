#include "ui/parts/source_place.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QObject>
#include <QProcess>
#include <QRegularExpression>
#include <QUrl>

namespace ui::shell {

namespace {
constexpr const char* kEditor = "TILESCOPE_EDITOR";

bool isNameOfSource(const QString& file) {
  static const QStringList suffixes{"c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inc", "ipp", "tpp", "py"};
  return suffixes.contains(QFileInfo(file).suffix().toLower());
}
} // namespace

std::optional<SourcePlace> sourcePlaceIn(const QString& text) {
  static const QRegularExpression form(QStringLiteral("^(?:.* · )?(/[^\\x00-\\x1f]+?):([0-9]{1,8})(?: in .*)?$"));
  const auto match = form.match(text);
  if (!match.hasMatch()) return std::nullopt;
  return SourcePlace{match.captured(1), match.captured(2).toInt()};
}

bool isSourceHere(const SourcePlace& place) {
  const QFileInfo file(place.file);
  return file.isAbsolute() && isNameOfSource(place.file) && file.isFile() && file.isReadable();
}

QString openSource(const SourcePlace& place) {
  const QFileInfo file(place.file);
  if (!file.isAbsolute() || !isNameOfSource(place.file))
    return QObject::tr("%1 does not have the name of a source file, so it is not opened.").arg(place.file);
  if (!file.isFile() || !file.isReadable()) return QObject::tr("%1 is not on this computer, or cannot be read.").arg(place.file);
  QStringList words = QProcess::splitCommand(qEnvironmentVariable(kEditor));
  if (words.isEmpty()) {
    if (QDesktopServices::openUrl(QUrl::fromLocalFile(place.file))) return {};
    return QObject::tr("The desktop has no program for %1. Name an editor in %2.").arg(place.file, QLatin1String(kEditor));
  }
  const bool namesFile = words.join(QChar()).contains(QLatin1String("{file}"));
  for (QString& word : words)
    word.replace(QLatin1String("{line}"), QString::number(std::max(1, place.line))).replace(QLatin1String("{file}"), place.file);
  if (!namesFile) words.append(place.file);
  const QString program = words.takeFirst();
  if (QProcess::startDetached(program, words)) return {};
  return QObject::tr("%1, which %2 names, does not start.").arg(program, QLatin1String(kEditor));
}

} // namespace ui::shell
