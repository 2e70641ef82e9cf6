// Rows by time as an image: one row per tile of a run, merged if there are more rows than pixels. Linked to a Timeline by its
// visible range. If the exact image takes long, a sketch comes first. Ctrl + wheel and Shift+W make rows higher, Shift+S lower; F
// shows them all again.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/plot/slice_source.h"
#include "ui/plot/time_view.h"

#include <memory>
#include <set>

namespace ui::plot {

class CellMap : public TimeView {
  Q_OBJECT

public:
  // The colour of an activity that takes `strength` of a cell's time (above 0, at most 1).
  static QColor blend(const QColor& surface, const QColor& colour, double strength);
  CellMap(const theme::Theme& theme, const QString& name, jobs::JobBoard* board, QWidget* parent = nullptr);
  ~CellMap() override;

  // Null: nothing to show.
  void setSource(std::shared_ptr<const CellSource> source);
  // Requests all rows again, after the source has changed how it draws them, e.g. their order.
  void refetch();
  void setSelectedRows(std::vector<int> rows); // sorted
  // Outlines a time range over rows, e.g. the selected step over the tiles of its IPU; empty: none.
  void setOutline(reports::Range<int> rows, reports::TickRange ticks);
  QRect outlinePlace() const; // in the widget; ends out of sight are just beyond the edges; empty: the outline is not visible
  // Hidden colours (legend): their cells are blank.
  void setHiddenColours(std::set<int> colours);
  bool isBusy() const override { return m_job.isBusy(); }
  int rows() const { return m_source ? m_source->rows() : 0; }
  bool hasPicture() const { return m_picture != nullptr; }
  // The rows that are at least partly visible.
  reports::Range<int> rowsShown() const;
  // Makes the rows higher by the factor, or lower until all are visible; the row at `y` stays there.
  void zoomRows(double factor, int y);

signals:
  void cellClicked(int row, int64_t tick, Qt::KeyboardModifiers modifiers);
  void failed(const QString& message);

protected:
  void paintBody(QPainter& painter, const QRect& body) override;
  void paintGutter(QPainter& painter, const QRect& area) override;
  int contentHeight() const override { return m_rowZoom > 1 ? allRowsHeight() : 0; }
  bool keyPressed(QKeyEvent* event) override;
  QString shows() const override;
  void wheelEvent(QWheelEvent* event) override;
  void visibleWasChanged() override;
  void hovered(const QPoint& at) override;
  void clicked(const QPoint& at, Qt::KeyboardModifiers modifiers) override;
  void doubleClicked(const QPoint& at) override;

private:
  // Colours of the source in 32 strengths each, for one theme and one set of hidden entries.
  struct Colours {
    std::vector<QRgb> table;
    bool isDark = false;
    std::set<int> hidden;
  };
  struct Picture : CellSource::Picture {
    reports::Range<int> rows; // of the source
    reports::TickRange range;
    int width = 0, height = 0;
    std::shared_ptr<const Colours> colours; // of the image
    QImage image;
  };
  static constexpr std::size_t kStrengths = 32;
  const std::shared_ptr<const Colours>& colours(); // the colours of the current theme
  static QImage imageOf(const Picture& picture, const Colours& colours);
  int allRowsHeight() const;
  int yOf(int64_t row) const; // y of the top edge of a row in the widget
  int placeAt(int y) const;   // counted from the top; -1: none
  int rowOf(int place) const;
  Cell cellAt(int y, int64_t tick) const;
  void read(CellSource::Detail detail);
  void render();
  void paintSelectedRows(QPainter& painter, const QRect& body) const;
  void paintOutline(QPainter& painter) const;

  std::shared_ptr<const CellSource> m_source;
  std::shared_ptr<const Picture> m_picture;
  std::vector<int> m_selected;
  std::vector<int> m_places; // position by row; empty: rows are in numeric order
  reports::Range<int> m_outlinedRows;
  reports::TickRange m_outlined;
  std::set<int> m_hidden;
  QImage m_image;
  std::shared_ptr<const Colours> m_colours, m_shownColours; // the last ones made; those of the image
  double m_rowZoom = 1;                                     // height of all rows / height of the body
  reports::Range<int> m_requestedRows;
  reports::TickRange m_requested;
  QSize m_requestedSize;
  jobs::LatestJob<Picture> m_job;
};

} // namespace ui::plot
