// Adds a location to an error that passes through: the node, the file, the command around the failed work. A cancellation has no
// location and is not changed.
#pragma once

#include "reports/core/error.h"

#include <type_traits>

namespace reports {

// Returns the result of `work`. An Error that it throws gets `place` before its own location; `place` may be a function that
// returns the text, for locations that are expensive to name.
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
