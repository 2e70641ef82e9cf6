// The parameters of a sample as fields: what is not typed keeps its default, which stands in the field in grey. Where the
// sample says "sgd, adam or lamb", the field offers these; else the words beside it say what the number means.
#pragma once

#include <QJsonArray>
#include <QList>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <utility>
#include <vector>

class QGridLayout;

namespace ui::run {

// The words of "sgd, adam, lamb or adagrad" and of "none, standard or pipeline; as --recompute", if `standard`, the default, is
// one of them; empty: the text lists no choices.
QStringList choicesOf(const QString& text, const QString& standard);

class ParameterList : public QWidget {
  Q_OBJECT

public:
  explicit ParameterList(QWidget* parent = nullptr);
  // Objects with "name", "default" and "text". Throws away what was typed.
  void setParameters(const QJsonArray& parameters);
  bool isEmpty() const { return m_values.empty(); }
  // Those that were set.
  QList<std::pair<QString, QString>> values() const;

private:
  QWidget* makeField(const QString& name, const QString& standard, const QString& text);

  QGridLayout* m_grid;
  std::vector<std::pair<QString, std::function<QString()>>> m_values; // name, what is typed or chosen
};

} // namespace ui::run
