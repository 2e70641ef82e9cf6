// Errors at the fields of the form: which fields an error of the command line names, and a line under a field for its error.
#pragma once

#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include <map>

class QFormLayout;
class QWidget;

namespace ui::shell {
class WrappedLabel;
}

namespace ui::run {

// The options and the parameters (`--set NAME`) that an error of the command line names, without dashes, in the order of the text.
struct NamedFields {
  QStringList options, parameters;
  QString text;         // the error for the field itself: without the name that it begins with
  bool isOfOne = false; // the error begins with the name of its field
};
NamedFields fieldsIn(const QString& error);

class FormErrors {
public:
  // Adds the line of `field`, hidden, as the last row of the form.
  void addLine(QFormLayout& form, QWidget* field);
  // Frames the field and shows its error; an empty text removes both.
  void say(QWidget* field, const QString& problem);

private:
  QFormLayout* m_form = nullptr;
  std::map<QWidget*, shell::WrappedLabel*> m_lines;
};

// The errors that an estimate or a run of the current request gave, by the names of fields without dashes. An option that was typed
// as text has the key "--name".
struct RefusedFields {
  QStringList words; // of the request
  QMap<QString, QString> parameters, options;
  bool isEmpty() const { return parameters.isEmpty() && options.isEmpty(); }
};

} // namespace ui::run
