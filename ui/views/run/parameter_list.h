// The parameters of a sample, or options of a run, as fields: an empty field keeps its default, which it shows in grey. Two choices "0"
// and "1", or "no" and "yes", are a switch, other choices a list; the text beside a field says what it means.
#pragma once

#include <QJsonArray>
#include <QList>
#include <QMap>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QGridLayout;
class QLabel;

namespace ui::shell {
class WrappedLabel;
}

namespace ui::run {

class ParameterList : public QWidget {
  Q_OBJECT

public:
  explicit ParameterList(QWidget* parent = nullptr);
  // Objects with "name", "default", "text" and "choices" (an array; empty: any value). Removes typed values.
  void setParameters(const QJsonArray& parameters);
  // Gives the line of this name another default and meaning; a typed value stays.
  void setStandard(const QString& name, const QString& standard, const QString& text);
  // Shows the fields whose name or text has these words, in any case; empty: all. Returns how many it shows.
  int setFilter(const QString& words);
  bool isEmpty() const { return m_fields.empty(); }
  // Names of fields of another list: a field here with such a name is hidden while it has its default. Call setFilter()
  // afterwards.
  void setTwins(const QStringList& names) { m_twins = names; }
  QStringList names() const;
  // The values that were set.
  QList<std::pair<QString, QString>> values() const;
  // Sets the values of the fields; other fields get their default.
  void setValues(const QMap<QString, QString>& values);
  // Marks fields whose value differs from `reference`; their tooltips show the value of the reference.
  void setReference(const std::optional<QMap<QString, QString>>& reference);
  bool isChanged() const; // a field differs from the reference
  // Why a value is invalid, from its parameter's name, default and text; empty if it is valid. All invalid fields are marked.
  using Check = std::function<QString(const QString& name, const QString& standard, const QString& text, const QString& value)>;
  void setCheck(Check check);
  QString problem() const; // of the first invalid field; empty: none
  // Errors found elsewhere, by the names of fields; they are shown as those of the check. Names without a field are ignored.
  void setErrors(const QMap<QString, QString>& errors);
  QStringList invalidNames() const;

signals:
  void edited();

private:
  void makeGrid();
  struct Field {
    QString name, standard, text;
    QWidget* widget;
    QLabel* label;
    shell::WrappedLabel* words;     // its meaning, or its error
    std::function<QString()> value; // the typed or chosen value; empty: the default
    std::function<void(const QString&)> set;
  };
  Field makeField(const QString& name, const QString& standard, const QString& text, const QStringList& choices);
  void makeSwitch(Field& field, const QStringList& choices);
  void makeList(Field& field, const QStringList& choices);
  void makeLine(Field& field);
  void mark();
  static void sayBeside(const Field& field, const QString& problem);
  QString problemOf(const Field& field) const;
  bool isChanged(const Field& field) const;

  QGridLayout* m_grid = nullptr;
  std::vector<Field> m_fields;
  QStringList m_twins;
  std::optional<QMap<QString, QString>> m_reference;
  Check m_check;
  QMap<QString, QString> m_errors;
};

} // namespace ui::run
