// Records one slice and one instant, under both names of the library.
#include <pvti/pvti.hpp>
#include <tilescope_trace.h>

int main() {
  static pvti::TraceChannel channel("guest");
  pvti::Tracepoint::begin(&channel, "work");
  tilescope_trace::instant(channel.channel(), "half way");
  pvti::Tracepoint::end(&channel, "work");
  return 0;
}
