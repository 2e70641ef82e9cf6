// Entries of the command search outside the open reports: recent reports, samples to run and chapters of the manual.
#pragma once

#include "ui/window/command_palette.h"

#include <QObject>

namespace ui::shell {

class Settings;

class OtherPlaces : public QObject {
  Q_OBJECT

public:
  explicit OtherPlaces(const Settings& settings, QObject* parent = nullptr);
  // Asks the command line for its samples, once.
  void prepare();
  // Reports and samples whose name has a word that begins so; no words: none.
  std::vector<Command> find(const QString& typed);
  std::vector<Command> findHelp(const QString& typed);

signals:
  void changed(); // more can be found
  void openRequested(const QStringList& files);
  void runRequested(const QString& sample);
  void chapterRequested(int chapter);

private:
  struct Sample {
    QString name, title;
  };
  const Settings& m_settings;
  std::vector<Sample> m_samples;
  bool m_asked = false;
};

} // namespace ui::shell
