// The files that the user allowed a run to read: typed into the form, or confirmed when a report named them. A report alone must
// not make a run read a file of this computer.
#pragma once

#include <QString>
#include <QStringList>

namespace ui::shell {

class Settings;

bool areOwnFiles(const Settings& settings, const QStringList& files);
void addOwnFiles(Settings& settings, const QStringList& files);
// "The report names /a/net.onnx and /a/x.npy, which the run reads."
QString ownFilesQuestion(const QStringList& files);
// The files that a run with these words reads: models, --input NAME=FILE, --tags FILE.
QStringList filesRead(const QString& graph, const QStringList& options);

} // namespace ui::shell
