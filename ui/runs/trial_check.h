// Compiles changes of a run one after another, without running them, to find out which make the program fit:
// `tilescope-cli run … --dry-run` as a child of low priority. It ends after the last one, or when it is stopped.
#pragma once

#include "reports/core/units.h"

#include <QObject>
#include <QPointer>
#include <QStringList>

#include <map>
#include <vector>

namespace ui::theme {
class Format;
}

namespace ui::shell {

class CliCall;

// The result of one trial. Bytes: of the fullest tile, with gaps, and of a tile's memory.
struct TrialAnswer {
  bool fits = false;
  reports::Bytes fullest, memory;
  QString problem; // why the trial has no result; else empty
};
// Reads the JSON of a dry run.
TrialAnswer trialAnswer(const QJsonDocument& json);
// "the fullest tile takes 600 KiB of 624 KiB, 24 KiB free"
QString tileText(const TrialAnswer& answer, const theme::Format& format);

class TrialCheck : public QObject {
  Q_OBJECT

public:
  explicit TrialCheck(QObject* parent = nullptr);
  // The words of each run, after "tilescope-cli". Earlier results are dropped.
  void start(std::vector<QStringList> runs);
  void stop();
  void forget();                                   // stops, and drops the results
  void recall(std::map<int, TrialAnswer> answers); // answers of an earlier check of the same report
  bool isRunning() const { return m_current >= 0; }
  int current() const { return m_current; } // the trial being compiled; -1: none
  const std::map<int, TrialAnswer>& answers() const { return m_answers; }

signals:
  void changed();

private:
  void next();
  void answer(TrialAnswer answer);

  std::vector<QStringList> m_runs; // arguments, by trial
  std::map<int, TrialAnswer> m_answers;
  QPointer<CliCall> m_call;
  int m_current = -1;
};

} // namespace ui::shell
