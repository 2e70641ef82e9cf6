// Entries of the command search outside the open reports: recent reports, runs, samples to run and chapters of the manual.
#pragma once

#include "ui/runs/run_history.h"
#include "ui/window/command_palette.h"

#include <QDateTime>
#include <QObject>

namespace ui::shell {

class Settings;

class OtherPlaces : public QObject {
  Q_OBJECT

public:
  explicit OtherPlaces(const Settings& settings, QObject* parent = nullptr);
  // Reads the list of runs; asks the command line for its samples, once.
  void prepare();
  // Reports, runs and samples in whose name each typed word begins a word; for runs also in tags and notes. Finds nothing for
  // very short texts.
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
  void addRuns(std::vector<Command>& list, const QString& typed, const QStringList& listed); // without runs of `listed` reports
  const Settings& m_settings;
  std::vector<PastRun> m_runs; // newest first
  std::vector<Sample> m_samples;
  QDateTime m_historyChanged; // when the file of the runs that were read was written
  bool m_asked = false;
};

} // namespace ui::shell
