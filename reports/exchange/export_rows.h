// The timelines of a report row by row, host and device on one time axis, for all exporters.
#pragma once

#include "reports/exchange/export.h"
#include "reports/rows/host_decode.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace reports::exchange {

struct ExportSlice {
  int64_t start = 0, end = 0; // nanoseconds from the start of the report
  int64_t cycles = 0;         // duration of a device slice
  int64_t cyclesInRange = 0;  // the part inside the requested range; equals `cycles` if no range is requested
  int64_t number = 0;         // within (track, depth)
  uint32_t name = 0;
  int32_t ref = -1;
  int depth = 0;
  uint8_t category = 0;
};

struct ExportTrack {
  int64_t trackId = 0, pid = 0, tid = 0;
  std::string processName, name, kind; // kind: of host_thread, or "device"
  std::optional<int64_t> sortOrder;
  bool isDevice = false;
  std::vector<ExportSlice> slices; // outer slices before inner ones
  std::vector<Instant> instants;
  std::vector<int64_t> instantNumbers; // within the track

  bool isAsync() const { return kind == "async" || kind == "object" || kind == "frame"; }
};

class ExportRows {
public:
  // Throws Error(InvalidInput) if the report has no tracks, counters or heatmaps that match the request.
  ExportRows(Reader& reader, const ExportRequest& request);
  bool hasHost() const { return m_request.host; } // counters and heatmaps belong to the host
  int64_t size() const { return int64_t(m_tracks.size()); }
  ExportTrack track(int64_t i, std::stop_token stop); // reads the track from the report
  int64_t base() const { return m_base; }             // value of the trace's own clock at nanosecond 0
  std::optional<int64_t> unixOffset() const { return m_unixOffset; }
  std::string channel(uint8_t id) const;
  std::string category(const ExportTrack& track, uint8_t id) const;
  std::string details(int32_t id); // JSON; empty for none
  bool isInRange(int64_t start, int64_t end) const;
  // Visits the processes of the host, including those without a thread.
  void forEachProcess(const std::function<void(int64_t pid, const std::string& name)>& f);
  int64_t processPid(std::optional<int64_t> processId) const;
  // The points of a flow, predecessors first; also the arrows from host slices to the runs they started. Reports before version 6
  // do not store which arrows form one flow, so each is a separate flow.
  struct ExportFlow {
    struct Point {
      SlicePlace slice;
      int64_t tick = 0;     // nanoseconds
      std::size_t from = 0; // the point where the arrow to this one starts; unused for the first
      bool goesOn = false;  // an arrow leaves it
    };
    std::vector<Point> points;
    uint32_t name = 0;
    uint8_t category = 0;
    bool startsRun = false; // from a host slice to the run it started; without a name
  };
  std::vector<ExportFlow> flows();
  Reader& reader() { return m_reader; }
  // Throws Error(InvalidInput) if a range was requested and contained nothing.
  ExportCounts checked(const ExportCounts& counts) const;

private:
  struct Place {
    TrackRow row;
    ExportTrack header;
  };
  void addHost();
  void addDevice();
  int64_t deviceTime(int64_t cycle) const;
  int64_t cycleAt(int64_t time) const; // the inverse of deviceTime()
  Reader& m_reader;
  ExportRequest m_request;
  std::vector<Place> m_tracks;
  std::map<int64_t, int64_t> m_pids; // by host_process.id
  std::map<int64_t, std::string> m_channels;
  struct Link {
    int64_t startCycle, endCycle;
    double startTick;
  };
  std::vector<Link> m_links; // by start cycle
  std::vector<Flow> m_runFlows;
  double m_nanosecondsPerCycle = 1;
  int64_t m_base = 0;
  std::optional<int64_t> m_unixOffset;
  std::optional<DetailsChunkRow> m_detailsRow;
  std::vector<std::string> m_details;
};

} // namespace reports::exchange
