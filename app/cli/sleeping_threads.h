// Idle threads of the numeric kernels sleep instead of spinning. They belong to libgomp, which spins for milliseconds after every
// parallel loop and reads how to wait from the environment before main(): so the program starts itself again with that set. On a
// machine where something else runs, a model's numbers then take half the time; on an idle one the difference is negligible.
#pragma once

namespace app::cli {

// Returns if the command computes no numbers, if the environment says how to wait already, or if the program cannot be started again.
void restartWithSleepingThreads(char** argv);

} // namespace app::cli
