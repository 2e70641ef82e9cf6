// Makes idle threads of the numeric kernels sleep instead of spinning. They belong to libgomp, which spins for milliseconds after
// every parallel loop and reads its wait policy from the environment before main(), so the program restarts itself with that
// variable. Beside other programs, a model's numbers then take half the time; on an idle machine the difference is negligible.
#pragma once

namespace app::cli {

// Returns if the command computes no numbers, if the environment already sets the wait policy, or if the program cannot be
// restarted.
void restartWithSleepingThreads(char** argv);

} // namespace app::cli
