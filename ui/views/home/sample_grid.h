// The samples as a grid of cells in groups. As many columns as fit, so that a wide window is
// not half empty and a narrow one not crowded.
#pragma once

#include "ui/views/home/sample_cell.h"

#include <QWidget>

#include <vector>

namespace ui::home {

class SampleGrid : public QWidget {
  Q_OBJECT

public:
  explicit SampleGrid(const theme::Theme& theme, QWidget* parent = nullptr);
  void setSamples(const std::vector<SampleText>& samples);
  // Shows the samples whose name, title, text, group or other names contain all the words.
  void setFilter(const QString& words);
  int shown() const;

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

signals:
  void runRequested(const QString& name);

protected:
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  struct Cell {
    QWidget* widget;
    QString group, words;
    bool hidden = false;
  };
  int place(int width, bool move) const;
  const theme::Theme& m_theme;
  std::vector<Cell> m_cells;
  std::vector<std::pair<QString, QWidget*>> m_headings; // by group, in the order of the samples
  mutable std::vector<int> m_lines;                     // y of the lines between rows, from the last placing
};

} // namespace ui::home
