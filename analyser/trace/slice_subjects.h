// The subject of a slice of the device: a step, or the operation of a scope. For rows of tables that list slices.
#pragma once

#include "analyser/columns/subject.h"
#include "analyser/session/session.h"
#include "analyser/trace/slices.h"

#include <unordered_map>

namespace analyser::trace {

class SliceSubjects {
public:
  // The session must outlive it.
  explicit SliceSubjects(Session& session) : m_session(session) {}
  columns::Subjects of(const Slice& slice);
  // The subjects of the earliest slice with the name.
  columns::Subjects of(Slices& slices, const NameStatistics& name);

private:
  void read();
  Session& m_session;
  bool m_isRead = false;
  std::unordered_map<int64_t, int64_t> m_steps, m_operations; // by step profile; by debug context
};

} // namespace analyser::trace
