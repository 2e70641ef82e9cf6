// Names the place of an error while it passes: the node, the file, the command around the work that failed. A cancellation has no
// place and passes as it is.
#pragma once

#include "reports/core/error.h"

#include <type_traits>

namespace reports {

// Returns the result of `work`. An Error that it throws gets `place` before its own; `place` may be a function that gives the text, for places
// that cost something to name.
template<class Place, class Work> auto within(const Place& place, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Cancelled) throw;
    if constexpr (std::is_invocable_v<const Place&>)
      throw error.within(place());
    else
      throw error.within(place);
  }
}

} // namespace reports
