#include "ui/views/run/program_fields.h"

#include "analyser/session/repeat.h"
#include "ui/runs/command_words.h"
#include "ui/theme/plain_text.h"
#include "ui/views/run/form_rows.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>

namespace ui::run {

ProgramFields::ProgramFields(QFormLayout& form, QWidget* parent) : QObject(parent), m_form(form) {
  m_programRow = pathRow(m_program, tr("Program"), tr("as the compiler wrote it"), [this, parent] {
    return QFileDialog::getOpenFileName(parent, tr("Choose a program"), m_program->text());
  });
  addField(form, tr("Program"), m_programRow);
  addField(form, tr("Arguments"), m_arguments = new QLineEdit);
  m_arguments->setPlaceholderText(tr("e.g. %1").arg(QStringLiteral("2000 500")));
  m_arguments->setToolTip(theme::tipText(tr("Arguments as in a shell; put quotation marks around an argument with blanks")));
  addField(form, tr("Environment"), m_environment = new QLineEdit);
  m_environment->setPlaceholderText(tr("e.g. %1").arg(QStringLiteral("OMP_NUM_THREADS=2")));
  m_environment->setToolTip(theme::tipText(tr("Variables that are added to those of this window: NAME=VALUE …")));
  m_folderRow = pathRow(m_folder, tr("Folder of the program"), tr("where it looks for its files"), [this, parent] {
    return QFileDialog::getExistingDirectory(parent, tr("Choose the folder of the program"), m_folder->text());
  });
  addField(form, tr("Folder"), m_folderRow);
  for (QLineEdit* field : {m_program, m_arguments, m_environment, m_folder})
    connect(field, &QLineEdit::textChanged, this, &ProgramFields::edited);
}

void ProgramFields::setVisible(bool visible) {
  for (QWidget* field : {m_programRow, static_cast<QWidget*>(m_arguments), static_cast<QWidget*>(m_environment), m_folderRow})
    m_form.setRowVisible(field, visible);
}

void ProgramFields::fill(const RunRequest& request) {
  if (!request.startsProgram()) return;
  m_program->setText(QDir::toNativeSeparators(QString::fromStdString(analyser::programFile(request.graph.toStdString()))));
  m_arguments->setText(request.arguments);
  m_environment->setText(request.environment);
  m_folder->setText(request.folder);
}

void ProgramFields::put(RunRequest& request) const {
  const auto whole = [](const QLineEdit* field) {
    const QString path = field->text().trimmed();
    return path.isEmpty() ? path : QFileInfo(path).absoluteFilePath();
  };
  request.graph = QStringLiteral("program:") + whole(m_program);
  request.arguments = m_arguments->text().trimmed();
  request.environment = m_environment->text().trimmed();
  request.folder = whole(m_folder);
}

QString ProgramFields::problem() const {
  const QString program = m_program->text().trimmed(), folder = m_folder->text().trimmed();
  if (program.isEmpty()) return tr("Choose a program");
  if (!QFileInfo(program).isFile()) return tr("The program does not exist");
  if (!QFileInfo(program).isExecutable()) return tr("The file is not an executable program");
  if (!shell::splitShellWords(m_arguments->text())) return tr("A quotation mark in the arguments is not closed");
  const auto variables = shell::splitShellWords(m_environment->text());
  if (!variables) return tr("A quotation mark in the environment is not closed");
  for (const QString& variable : *variables)
    if (variable.indexOf('=') < 1) return tr("%1 in the environment is not of the form NAME=VALUE").arg(variable);
  return folder.isEmpty() || QFileInfo(folder).isDir() ? QString() : tr("The folder does not exist");
}

std::vector<std::pair<QWidget*, bool>> ProgramFields::differences(const RunRequest& now,
                                                                  const std::optional<RunRequest>& reference) const {
  return {{m_programRow, reference && now.graph != reference->graph},
          {m_arguments, reference && now.arguments != reference->arguments},
          {m_environment, reference && now.environment != reference->environment},
          {m_folderRow, reference && now.folder != reference->folder}};
}

} // namespace ui::run
