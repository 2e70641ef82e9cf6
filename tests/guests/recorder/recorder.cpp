#include <pvti/pvti.hpp>
#include <tilescope_trace.h>

int main() {
  static tilescope_trace::Channel channel("io");
  tilescope_trace::instant(channel, "first byte");
  return tilescope_trace::isRecording() ? 0 : 1;
}
