// Flame lanes of slices over time: a time view with rows, slices and a painter as parts. It draws the slices that it has without
// waiting for new ones, stretched if they were read for an older range. This class has the selection, the keys, and the dragging
// of rows by their titles.
#pragma once

#include "ui/plot/plot_table.h"
#include "ui/plot/time_view.h"
#include "ui/plot/timeline_painter.h"

#include <functional>

namespace ui::plot {

class Timeline : public TimeView, public Tabled {
  Q_OBJECT

public:
  using Hit = TimelineSlices::Hit;
  using Arrow = TimelinePainter::Arrow;

  Timeline(const theme::Theme& theme, const QString& name, jobs::JobBoard* board, QWidget* parent = nullptr);
  ~Timeline() override;

  // Null: nothing to show. Keeps the visible range if the extent stays the same.
  void setSource(std::shared_ptr<const SliceSource> source);
  // Requests all slices again, after the source has changed how it draws them.
  void refetch();
  void recolour(); // like refetch(), also for the minimap
  // Hidden colours (legend): their slices are not drawn.
  void setHiddenColours(std::set<int> colours);
  // Outlines the slices with this id; -1: none.
  void setSelectedId(int64_t id);
  // The same for a slice on a known lane, which is scrolled into sight; arrow keys continue from it.
  void selectSlice(int track, int lane, int64_t id);
  // Selects one of the slices that are drawn as the clicked slice.
  void narrowSelection(int64_t id, reports::TickRange ticks);
  int64_t selectedId() const { return m_selection.id; }
  void setArrows(std::vector<Arrow> arrows) {
    m_painter.setArrows(std::move(arrows));
    update();
  }
  // Zooms so that the interval fills four fifths of the width.
  void showInterval(reports::TickRange interval);
  // Zooms exactly to the interval, so that figures of the visible range hold for the interval.
  void showExactly(reports::TickRange interval);
  TimelineRows& rows() { return m_rows; }
  const TimelineRows& rows() const { return m_rows; }
  // Opens a track and scrolls it into sight.
  void reveal(int track);
  // The track at a point of the widget, including its title; at a heading, the first track below it; -1: none.
  int trackAtPoint(const QPoint& at) const;
  // Dragging a title moves its row. Gap 0 is above the first track, gap 1 below it. `land` returns the gap that the track reaches if it is
  // dragged to `gap`; -1: the track stays.
  using Landing = std::function<int(int track, int gap)>;
  void setRowsMovable(Landing land) { m_landing = std::move(land); }
  PlotTable table() const override;
  // The height that shows every lane without a scroll bar.
  int preferredHeight() const { return body().top() + m_rows.height() + 2; }
  bool isBusy() const override { return m_slices.isBusy(); }
  // The deepest drawn slice of a track at a time; without a label if it is too narrow for text.
  std::optional<Hit> deepestAt(int track, int64_t tick) const { return m_slices.deepestAt(track, tick); }
  // The drawn slice at a position, with its label, for tests and for the tooltip.
  std::optional<Hit> hitAt(const QPoint& at) const { return m_slices.hitAt(at, scene()); }

signals:
  void sliceClicked(int track, int lane, const ui::plot::Slice& slice);
  void sliceActivated(int track, int lane, const ui::plot::Slice& slice); // double-click or Enter
  void selectionCleared();
  void rowDropped(int track, int gap); // by a drag; the owner shows the new order
  void failed(const QString& message);

protected:
  void paintBody(QPainter& painter, const QRect& body) override;
  void paintGutter(QPainter& painter, const QRect& area) override;
  void paintMinimap(QPainter& painter, const QRect& area) override;
  int contentHeight() const override { return m_rows.height(); }
  void visibleWasChanged() override;
  void hovered(const QPoint& at) override;
  void clicked(const QPoint& at, Qt::KeyboardModifiers modifiers) override;
  void doubleClicked(const QPoint& at) override;
  bool keyPressed(QKeyEvent* event) override;
  bool movesRow(const QPoint& from) const override;
  void rowDragged(const QPoint& from, const QPoint& to, bool ended) override;
  int64_t snapped(const QPoint& at, int64_t tick) const override;
  void resizeEvent(QResizeEvent* event) override;
  QString shows() const override;
  QString arrowKeys() const override;

private:
  int contentYOf(const QPoint& at) const { return at.y() - body().top() + scrolled(); }
  bool isInGutter(const QPoint& at) const { return at.x() < body().left() && at.y() >= body().top(); }
  int titleAt(const QPoint& at) const { return isInGutter(at) ? m_rows.titleAt(contentYOf(at)) : -1; }
  int foldableAt(const QPoint& at) const; // the track whose title is at this point, if it has several lanes; -1: none
  void select(const Hit& hit);
  void clearSelection();
  void activateSelected();
  void scrollToSelected();

  TimelineRows m_rows;
  TimelineSlices m_slices;
  TimelineSelection m_selection;
  TimelinePainter m_painter;
  Landing m_landing;
  int m_draggedTrack = -1, m_landingGap = -1; // of a drag under way
};

} // namespace ui::plot
