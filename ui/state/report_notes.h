// Data about the open reports that their files do not hold: findings, bookmarks, pairs of operations made by hand, runs of
// trials. One part of the window reads it and several views show it.
#pragma once

#include "analyser/compare/pairing.h"
#include "ui/state/place.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <utility>

namespace analyser::insights {
struct Insights;
}

namespace ui::shell {

class ReportNotes : public QObject {
  Q_OBJECT

public:
  // A bookmark of the open report, for views that mark its target.
  struct Mark {
    QString note;
    Place place;
    bool operator==(const Mark&) const = default;
  };
  // A run that tried a change: the report it is compared with, the change, and the report it wrote.
  struct TriedRun {
    QString base;
    QStringList change; // words of the command line; empty: no change
    QString report;
  };
  using Findings = std::shared_ptr<const analyser::insights::Insights>;

  // Findings of the displayed report; null until they have been read.
  const Findings& findings() const { return m_findings; }
  void setFindings(Findings findings) {
    if (std::exchange(m_findings, findings) != findings) emit findingsChanged();
  }
  // The bookmarks, in the order of their list.
  const std::vector<Mark>& marks() const { return m_marks; }
  void setMarks(std::vector<Mark> marks) {
    if (std::exchange(m_marks, marks) != marks) emit marksChanged();
  }
  // The pairs of operations that the user chose because names did not match; dropped with the reports.
  const analyser::compare::PairingRules& pairing() const { return m_pairing; }
  void setPairing(analyser::compare::PairingRules rules) { m_pairing = std::move(rules), emit pairingChanged(); }
  // Call when other reports are open: their views read everything again.
  void reset(analyser::compare::PairingRules pairing) { m_pairing = std::move(pairing), setFindings(nullptr); }
  const std::vector<TriedRun>& triedRuns() const { return m_triedRuns; } // since the window opened, oldest first
  void addTriedRun(TriedRun run) { m_triedRuns.push_back(std::move(run)), emit triedRunsChanged(); }

signals:
  void findingsChanged();
  void marksChanged();
  void pairingChanged();
  void triedRunsChanged();

private:
  Findings m_findings;
  std::vector<Mark> m_marks;
  analyser::compare::PairingRules m_pairing;
  std::vector<TriedRun> m_triedRuns;
};

} // namespace ui::shell
