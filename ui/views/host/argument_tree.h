// The arguments of the selected slice or instant as a tree. The menu of a value finds slices with the same value, groups slices
// by it, or opens the source that it names.
#pragma once

#include "analyser/host/arguments.h"
#include "ui/parts/source_place.h"

#include <QObject>
#include <QString>

#include <optional>

class QAction;

namespace ui::tables {
class TreeView;
}
namespace ui::theme {
class Theme;
}

namespace ui::host {

bool isLineKey(const QString& key); // whether the argument is the line of a source file

class ArgumentTree : public QObject {
  Q_OBJECT

public:
  ArgumentTree(const theme::Theme& theme, QObject* parent = nullptr);
  tables::TreeView& view() const { return *m_view; }
  void setArguments(std::vector<analyser::host::Argument> arguments); // none: the tree is hidden

signals:
  void searched(const QString& text); // "batch=17"
  void grouped(const QString& path);
  void failed(const QString& why);

private:
  const analyser::host::Argument* current() const;
  std::optional<shell::SourcePlace> place() const; // of the current argument, in a source of this computer
  void openPlace();
  tables::TreeView* m_view;
  QAction* m_open; // visible for an argument that names a source of this computer
  std::vector<analyser::host::Argument> m_arguments;
};

} // namespace ui::host
