// The files that the user allowed a run to read: typed into the form, or confirmed when a report named them. A report alone must
// not make a run read a file of this computer.
#pragma once

#include <QString>
#include <QStringList>

namespace ui::shell {

class Settings;

bool areOwnFiles(const Settings& settings, const QStringList& files);
void addOwnFiles(Settings& settings, const QStringList& files);
// The entry of a run's program in lists of files: its path with its arguments and environment, so that a user who
// agrees to it agrees to exactly this start.
QString programEntry(const QString& graph, const QStringList& options);
// "The run reads files that the report names: /a/net.onnx, /a/x.npy."
QString ownFilesQuestion(const QStringList& files);
// The files that a run with these words reads: models, --input NAME=FILE, --tags FILE; for a program its programEntry().
QStringList filesRead(const QString& graph, const QStringList& options);

} // namespace ui::shell
