// The largest batch that fits: a button asks `tilescope-cli fit` about the run in the form and shows the result.
#pragma once

#include "ui/theme/format.h"
#include "ui/views/run/run_request.h"

#include <QPointer>
#include <QWidget>

#include <optional>

class QPushButton;

namespace ui::shell {
class CliCall;
class WrappedLabel;
} // namespace ui::shell

namespace ui::run {

class BatchFit : public QWidget {
  Q_OBJECT

public:
  explicit BatchFit(QWidget* parent = nullptr);
  ~BatchFit() override;
  void setFormat(const theme::Format& format);
  // The run of the form without its batch (RunForm::requestWithoutBatch()). Nullopt: the run has no batch, so the button is
  // disabled. A different run drops the result.
  void setRun(const std::optional<RunRequest>& run);

signals:
  void chosen(int64_t batch); // the user wants the largest batch that fits

private:
  void ask();
  void cancel();
  void take(const QJsonDocument& json);
  void showState();

  struct Answer {
    int64_t largest = 0, beyond = 0; // largest: 0 if none fits; beyond: 0 if no larger one was tried
    reports::Cycles cycles;
    std::optional<double> perSample; // cycles
    QString why;                     // why batch `beyond` does not fit
  };
  theme::Format m_format;
  std::optional<RunRequest> m_run;
  std::optional<Answer> m_answer;
  QString m_trouble, m_trying;
  QPointer<shell::CliCall> m_call;
  QPushButton *m_ask, *m_use;
  shell::WrappedLabel* m_words;
};

} // namespace ui::run
