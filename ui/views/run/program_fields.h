// The fields of Run's form for a program that was built with the SDK: its file, arguments and environment.
#pragma once

#include "ui/views/run/run_request.h"

#include <QObject>

#include <optional>
#include <utility>
#include <vector>

class QFormLayout;
class QLineEdit;
class QWidget;

namespace ui::run {

class ProgramFields : public QObject {
  Q_OBJECT

public:
  ProgramFields(QFormLayout& form, QWidget* parent);
  void setVisible(bool visible);
  void fill(const RunRequest& request); // does nothing if the request's graph is not a program
  void put(RunRequest& request) const;
  // Why the program cannot be run yet; empty if it can.
  QString problem() const;
  // For each field whether it differs from the reference.
  std::vector<std::pair<QWidget*, bool>> differences(const RunRequest& now, const std::optional<RunRequest>& reference) const;

signals:
  void edited();

private:
  QFormLayout& m_form;
  QWidget *m_programRow, *m_folderRow;
  QLineEdit *m_program, *m_arguments, *m_environment, *m_folder;
};

} // namespace ui::run
