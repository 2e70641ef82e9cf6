// The rail at the left: views in the order of typical questions, icons with text, collapsible to icons. A view without its
// required reports can still be opened, but is dim: its page then says what to open.
#pragma once

#include "ui/parts/view.h"

#include <QWidget>

class QToolButton;
class QVBoxLayout;

namespace ui::shell {

class NavRail : public QWidget {
  Q_OBJECT

public:
  NavRail(const theme::Theme& theme, const ViewList& views, QWidget* parent = nullptr);
  void setCurrent(const QString& id);
  void setOpen(bool report, bool comparison);
  bool isFolded() const { return m_folded; }
  void setFolded(bool folded);

signals:
  void chosen(const QString& id);
  void foldedChanged(bool folded);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  class Item;
  const theme::Theme& m_theme;
  std::vector<Item*> m_items;
  Item* m_fold;
  bool m_folded = false;
};

} // namespace ui::shell
