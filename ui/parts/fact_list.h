// Names and values in two aligned columns: the facts about one thing. Values can be selected and copied; a long one is
// elided in the middle and whole in its tooltip.
#pragma once

#include <QWidget>

#include <vector>

class QGridLayout;
class QLabel;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class ElidedLabel;

struct Fact {
  QString name, value;
  QString tip;       // the exact value; if empty, the value itself
  bool mono = false; // names of variables, paths
  bool wrap = false; // prose, shown in full on several lines
};

class FactList : public QWidget {
  Q_OBJECT

public:
  // `name` is read by screen readers; `columns` is the number of facts per row if there is room for their values.
  FactList(const theme::Theme& theme, const QString& name, int columns = 1, QWidget* parent = nullptr);
  void setFacts(const std::vector<Fact>& facts);
  // The value printed for a name; empty if there is none.
  QString valueOf(const QString& name) const;
  // Small, because the list can always be narrower: its columns are then put below each other.
  QSize minimumSizeHint() const override;

protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

private:
  void place();
  void fitNames();
  bool isWide(const Fact& fact) const;
  bool isBelow(const Fact& fact) const;
  int columnsThatFit() const;
  const theme::Theme& m_theme;
  int m_columns, m_placed = 0; // columns requested; columns of the current layout
  std::vector<Fact> m_facts;
  QGridLayout* m_grid;
  std::vector<std::pair<QLabel*, ElidedLabel*>> m_rows; // reused, so that a new selection does not flicker
};

} // namespace ui::shell
