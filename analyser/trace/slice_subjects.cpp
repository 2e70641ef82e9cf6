#include "analyser/trace/slice_subjects.h"

#include "reports/core/categories.h"
#include "reports/sqlite/reader.h"

namespace analyser::trace {

void SliceSubjects::read() {
  m_isRead = true;
  const auto pairs = [&](const char* sql, std::unordered_map<int64_t, int64_t>& into) {
    reports::Statement rows(m_session.reader().connection(), sql);
    while (rows.step()) {
      int64_t key = 0, value = 0;
      rows.read(0, key, "slice subject");
      rows.read(1, value, "slice subject");
      into.emplace(key, value);
    }
  };
  pairs("SELECT id, program_step_id FROM step_profile", m_steps);
  pairs("SELECT debug_context_id, id FROM operation WHERE debug_context_id IS NOT NULL", m_operations);
}

columns::Subjects SliceSubjects::of(const Slice& slice) {
  if (slice.ref < 0) return {};
  if (!m_isRead) read();
  const bool isStep = reports::Activity(slice.category) != reports::Activity::Scope;
  const auto& ids = isStep ? m_steps : m_operations;
  const auto found = ids.find(slice.ref);
  if (found == ids.end() || found->second < 0) return {};
  return {{isStep ? columns::Thing::Step : columns::Thing::Operation, found->second}};
}

columns::Subjects SliceSubjects::of(Slices& slices, const NameStatistics& name) {
  const auto slice = slices.sliceAt(name.firstTrack, name.firstDepth, name.first.begin);
  return slice ? of(*slice) : columns::Subjects();
}

} // namespace analyser::trace
