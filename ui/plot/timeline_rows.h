// The rows of a timeline: its tracks, which of them are collapsed to one lane, and the positions of the lanes in the content.
#pragma once

#include "ui/plot/slice_source.h"

#include <QObject>
#include <QStringList>

#include <optional>

namespace ui::plot {

class TimelineRows : public QObject {
  Q_OBJECT

public:
  static constexpr int kHeading = 26, kTrackGap = 8;
  struct Lane {
    int track = 0, lane = 0, top = 0;
  };

  // Tracks stay collapsed or expanded by their key. Returns false if all tracks are new.
  bool setTracks(std::vector<Track> tracks);
  const std::vector<Track>& tracks() const { return m_tracks; }
  const std::vector<Lane>& lanes() const { return m_lanes; } // of all tracks; lanes of a collapsed track have the same position
  int height() const { return m_height; }
  QString titleOf(int track) const;
  QString titles() const; // of the first tracks: "IPU 0, IPU 1"; empty: there are none

  // A folded (collapsed) track is one lane. Of nested slices, the deepest are in front.
  bool isFolded(int track) const;
  bool isAnyFolded() const;
  void setFolded(int track, bool folded);
  void setAllFolded(bool folded);
  // The ids of the collapsed tracks, for links. Nullopt if all tracks are as their source sets them, or if too many are
  // collapsed.
  std::optional<QStringList> folds() const;
  void setFolds(const std::optional<QStringList>& ids); // titles are also accepted, as in links of older builds
  bool canFold() const;                                 // some track is deeper than one lane

  int slicesLanes(int track) const;     // lanes that hold slices; all lanes of a track that has only marks
  bool isHidden(const Lane& row) const; // marks of a collapsed track
  int lanesShown(std::size_t track) const;
  int indexOf(int track, int lane) const; // in lanes(); -1: none
  // The track at a position of the content; -1: none.
  int trackAt(int y) const;
  int trackFrom(int y) const; // the track at y, or the first one below
  int titleAt(int y) const;   // headings included
  int gapAt(int y) const;     // the nearest: gap 0 is above the first track, gap 1 below it
  int topOf(int track) const; // y of the title in the content; the total height for the gap below the last

signals:
  void foldsChanged();

private:
  void layOut();
  QString idOf(std::size_t track) const;

  std::vector<Track> m_tracks;
  std::vector<bool> m_folded; // by track
  std::vector<Lane> m_lanes;
  int m_height = 0;
};

} // namespace ui::plot
