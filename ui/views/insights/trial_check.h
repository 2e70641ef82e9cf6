// Compiles the trials of a finding one after another, without running them, to find out which make the program fit:
// `tilescope-cli run … --dry-run` as a child of low priority. It ends after the last trial, or when it is stopped.
#pragma once

#include "analyser/session/session.h"

#include <QObject>
#include <QPointer>
#include <QStringList>

#include <map>
#include <vector>

namespace ui::shell {
class CliCall;
}

namespace ui::insights {

// The result of one trial. Bytes: of the fullest tile, without gaps, and of a tile's memory.
struct TrialAnswer {
  bool fits = false;
  reports::Bytes fullest, memory;
  QString problem; // why the trial has no result; else empty
};
// Reads the JSON of a dry run.
TrialAnswer trialAnswer(const QJsonDocument& json);

class TrialCheck : public QObject {
  Q_OBJECT

public:
  explicit TrialCheck(QObject* parent = nullptr);
  // `options`: the words of each trial, as in Trial::options. Earlier results are dropped.
  void start(const analyser::Session& session, const std::vector<QStringList>& trials);
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
  QPointer<shell::CliCall> m_call;
  int m_current = -1;
};

} // namespace ui::insights
