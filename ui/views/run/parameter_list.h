// The parameters of a sample as fields: an empty field keeps its default, which it shows in grey. If the
// sample says "sgd, adam or lamb", the field offers these; else the text beside it says what the number means.
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

namespace ui::run {

// The words of "sgd, adam, lamb or adagrad" and of "none, standard or pipeline; as --recompute", if `standard`, the default, is
// one of them; empty: the text lists no choices.
QStringList choicesOf(const QString& text, const QString& standard);

class ParameterList : public QWidget {
  Q_OBJECT

public:
  explicit ParameterList(QWidget* parent = nullptr);
  // Objects with "name", "default" and "text". Removes typed values.
  void setParameters(const QJsonArray& parameters);
  bool isEmpty() const { return m_fields.empty(); }
  // Those that were set.
  QList<std::pair<QString, QString>> values() const;
  // The values of the fields; fields that are not named get their default.
  void setValues(const QMap<QString, QString>& values);
  // Marks fields whose value differs from `reference`; their tooltips show the value of the reference.
  void setReference(const std::optional<QMap<QString, QString>>& reference);
  bool isChanged() const; // a field differs from the reference
  // Why a value is not valid, from its parameter's name, default and text; empty if it is. All such fields are marked.
  using Check = std::function<QString(const QString& name, const QString& standard, const QString& text, const QString& value)>;
  void setCheck(Check check);
  QString problem() const; // of the first such field; empty: none

signals:
  void edited();

private:
  struct Field {
    QString name, standard, text;
    QWidget* widget;
    QLabel* label;
    std::function<QString()> value; // the typed or chosen value; empty: the default
    std::function<void(const QString&)> set;
  };
  Field makeField(const QString& name, const QString& standard, const QString& text);
  void mark();
  QString problemOf(const Field& field) const;
  bool isChanged(const Field& field) const;

  QGridLayout* m_grid;
  std::vector<Field> m_fields;
  std::optional<QMap<QString, QString>> m_reference;
  Check m_check;
};

} // namespace ui::run
