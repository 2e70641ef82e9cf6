// The options of a run in groups, collapsed at first. A filter shows the matching fields of all groups.
#pragma once

#include "ui/runs/run_options.h"

#include <QWidget>

#include <optional>
#include <vector>

class QToolButton;
class QVBoxLayout;

namespace ui::run {

class ParameterList;

class OptionGroups : public QWidget {
  Q_OBJECT

public:
  OptionGroups();
  // Fields that are not named get their default. Groups with a value open.
  void setValues(const QMap<QString, QString>& values);
  // Marks fields that differ from `values`; nullopt: marks none.
  void setReference(const std::optional<QMap<QString, QString>>& values);
  // The defaults of the sample for lines of the groups; other lines have those of `run`.
  void setDefaults(const QMap<QString, QString>& defaults);
  QStringList arguments() const;                        // words of the command line
  QString problem() const;                              // of the first invalid field; empty: none
  void setErrors(const QMap<QString, QString>& errors); // as in ParameterList
  QStringList names() const;
  QStringList invalidNames() const;
  int setFilter(const QString& words); // as in ParameterList
  void setTwins(const QStringList& names);

signals:
  void edited();

private:
  struct Group {
    shell::OptionGroup group;
    QToolButton* title;
    ParameterList* fields;
  };
  void addGroup(QVBoxLayout& column, shell::OptionGroup group);
  void showFields(const Group& group);
  std::vector<Group> m_groups;
  bool m_isFiltered = false;
  QMap<QString, QString> m_defaults;
};

} // namespace ui::run
