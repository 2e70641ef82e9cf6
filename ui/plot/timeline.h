// Flame lanes of slices over time. The widget asks its source on a worker for three times the visible width, draws what
// it has at once (stretched if it is older), and paints cells into an image by scan line: text is the frame's budget.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/shaped_words.h"
#include "ui/plot/slice_source.h"
#include "ui/plot/time_view.h"

#include <QStringList>
#include <functional>
#include <memory>
#include <span>

#include <optional>
#include <set>

namespace ui::plot {

class Timeline : public TimeView, public Tabled {
  Q_OBJECT

public:
  struct Hit {
    int track = -1, lane = 0;
    Slice slice;
  };

  Timeline(const theme::Theme& theme, const QString& name, jobs::JobBoard* board, QWidget* parent = nullptr);
  ~Timeline() override;

  // Null: nothing to show. Keeps the visible range if the extent stays the same.
  void setSource(std::shared_ptr<const SliceSource> source);
  // The source draws its slices otherwise than before: asks for them again.
  void refetch();
  // Hidden colours (legend): their slices are not drawn.
  void setHiddenColours(std::set<int> colours);
  // Outlines the slices with this id; -1: none.
  void setSelectedId(int64_t id);
  // The same for a slice on a known lane, which is scrolled into sight; arrow keys go on from there.
  void selectSlice(int track, int lane, int64_t id);
  // Selects one of the slices that a clicked fold stands for.
  void narrowSelection(int64_t id, reports::TickRange ticks);
  int64_t selectedId() const { return m_selectedId; }
  // From one lane at a time to another: what a selected slice waited for or set off.
  struct Arrow {
    int fromTrack = 0, fromLane = 0, toTrack = 0, toLane = 0;
    int64_t fromTick = 0, toTick = 0;
  };
  void setArrows(std::vector<Arrow> arrows) {
    m_arrows = std::move(arrows);
    update();
  }
  // Zooms so that the interval fills four fifths of the width.
  void showInterval(reports::TickRange interval);
  // Zooms to the interval and nothing beside it, so that figures of the visible range are the interval's.
  void showExactly(reports::TickRange interval);
  // A folded track is one lane: of slices inside one another the deepest is in front.
  bool isFolded(int track) const;
  void setFolded(int track, bool folded);
  void setAllFolded(bool folded);
  // The ids of the tracks that are folded, for links; nothing while all are as their source has them, or for more than can be named.
  std::optional<QStringList> folds() const;
  void setFolds(const std::optional<QStringList>& ids); // titles are known, too, as links of older builds have them
  bool canFold() const;                                 // some track is deeper than one lane
  // Opens a track and scrolls it into sight.
  void reveal(int track);
  // The track at a place of the widget, its title included, and of a heading the first track below; -1: none.
  int trackAtPoint(const QPoint& at) const;
  // A drag of a title moves its row to another place. Gap 0 lies above the first track, gap 1 below it; `land` answers in which gap a
  // track would land that is dragged to one, -1: it stays.
  using Landing = std::function<int(int track, int gap)>;
  void setRowsMovable(Landing land) { m_landing = std::move(land); }
  QString titleOf(int track) const;
  PlotTable table() const override;
  // The height that shows every lane without a scroll bar.
  int preferredHeight() const;
  bool isBusy() const override { return m_job.isBusy() || m_overviewJob.isBusy(); }
  // The deepest slice of a track at a time, of those that are drawn; without a label where it is too narrow for one.
  std::optional<Hit> deepestAt(int track, int64_t tick) const;
  // The label drawn at a place, for tests and for the hover card.
  std::optional<Hit> hitAt(const QPoint& at) const;

signals:
  void foldsChanged();
  void sliceClicked(int track, int lane, const ui::plot::Slice& slice);
  void sliceActivated(int track, int lane, const ui::plot::Slice& slice); // double-click or Enter
  void selectionCleared();
  void rowDropped(int track, int gap); // by a drag; the owner shows the new order
  void failed(const QString& message);

protected:
  void paintBody(QPainter& painter, const QRect& body) override;
  void paintGutter(QPainter& painter, const QRect& area) override;
  void paintMinimap(QPainter& painter, const QRect& area) override;
  int contentHeight() const override;
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
  QString idOf(std::size_t track) const;
  static constexpr int kHeading = 26, kTrackGap = 8;
  struct LaneRow {
    int track = 0, lane = 0, top = 0;
  };
  struct Lanes { // slices of some lanes over one range
    reports::TickRange range;
    std::vector<std::vector<Slice>> lanes; // by index of LaneRow; not fetched: empty
    std::vector<bool> fetched;
  };
  void layoutLanes();
  // The lanes as rectangles, for a picture that keeps shapes. False, and nothing is painted: there are too many.
  bool paintShapes(QPainter& painter, const QRect& body) const;
  void fetch();
  bool covers() const;
  std::vector<Slice>::const_iterator selectedIn(const std::vector<Slice>& lane) const;
  void paintLanes(QPainter& painter, const QRect& body);
  void paintLabels(QPainter& painter, const QRect& body);
  static constexpr int kLabelWidth = 40; // pixels that a slice has at least where it has words
  static QString shortLabel(const QFontMetrics& metrics, const QString& label, int width);
  void paintTitle(QPainter& painter, const Track& track, const QRect& line, bool folded);
  bool isCovered(std::size_t row, const Slice& slice) const;
  struct DrawnLane {
    int top = 0;                                // of the body
    std::span<const std::vector<Slice>> slices; // of a folded track of all its lanes, which are drawn as one
    bool isFolded = false;
  };
  std::vector<DrawnLane> drawnLanes(int height) const; // those in sight of a body so high, as far as they are read
  int slicesLanes(int track) const;                    // lanes without those of marks; of a track of marks alone, all
  bool isHidden(const LaneRow& row) const;             // marks of a folded track
  int lanesShown(std::size_t track) const;
  int trackAt(int y) const;            // of the content; -1: none
  int titleAt(const QPoint& at) const; // of a place in the gutter, headings included
  int topOf(int track) const;          // of the title in the content; the height of all for the gap below the last
  void paintLanding(QPainter& painter, const QRect& area) const;
  const Slice* sliceNear(std::size_t row, int column) const;
  void paintSelection(QPainter& painter, const QRect& body);
  void paintArrows(QPainter& painter, const QRect& body) const;
  reports::TickRange meantBy(const Slice& drawn) const;     // the selected slice, where the drawn one stands for it
  std::optional<int> laneMiddle(int track, int lane) const; // in the content
  void fetchOverview();
  using Overview = std::vector<std::vector<std::vector<Slice>>>; // track, lane, slices of the whole extent
  struct MinimapOf {                                             // what a minimap is drawn of
    std::shared_ptr<const Overview> overview;
    std::set<int> hidden;
    std::vector<QRgb> palette;
    QRgb surface = 0;
    QSize pixels;
    bool operator==(const MinimapOf&) const = default;
  };
  QImage minimapOf(const MinimapOf& what) const;
  void select(const Hit& hit);
  void step(int direction);
  void stepLane(int direction);

  std::shared_ptr<const SliceSource> m_source;
  std::vector<Track> m_tracks;
  std::vector<bool> m_folded;  // by track
  std::vector<LaneRow> m_rows; // of all lanes; those of a folded track share their place
  int m_height = 0;
  std::vector<QRgb> m_palette;
  bool m_paletteDark = false;
  std::set<int> m_hidden;
  int64_t m_selectedId = -1;
  reports::TickRange m_selectedTicks; // of a slice that was clicked
  ShapedWords m_labels{&Timeline::shortLabel}, m_titles, m_headings;
  int m_selectedRow = -1;
  std::vector<Arrow> m_arrows;
  Landing m_landing;
  int m_draggedTrack = -1, m_landingGap = -1; // of a drag under way

  std::shared_ptr<const Lanes> m_lanes;
  std::shared_ptr<const Overview> m_overview;
  reports::TickRange m_requested;
  int m_requestedTop = -1, m_requestedWidth = 0;
  QImage m_lane; // the one that is painted
  QImage m_minimap;
  MinimapOf m_minimapOf;
  jobs::LatestJob<Lanes> m_job;
  jobs::LatestJob<Overview> m_overviewJob;
};

} // namespace ui::plot
