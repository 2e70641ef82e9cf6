# Source this file: compilers, linkers, CMake and the shell then find Tilescope's library for Poplar programs.
if [ -n "${BASH_SOURCE:-}" ]; then
  POPLAR_SDK_ENABLED=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
elif [ -n "${ZSH_VERSION:-}" ]; then
  POPLAR_SDK_ENABLED=$(cd "$(dirname "${(%):-%x}")" && pwd)
else
  POPLAR_SDK_ENABLED=$(pwd)
fi
export POPLAR_SDK_ENABLED
export CPATH="$POPLAR_SDK_ENABLED/include${CPATH:+:$CPATH}"
export LIBRARY_PATH="$POPLAR_SDK_ENABLED/lib${LIBRARY_PATH:+:$LIBRARY_PATH}"
export LD_LIBRARY_PATH="$POPLAR_SDK_ENABLED/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$POPLAR_SDK_ENABLED/python${PYTHONPATH:+:$PYTHONPATH}"
export PATH="$POPLAR_SDK_ENABLED/bin${PATH:+:$PATH}"
export CMAKE_PREFIX_PATH="$POPLAR_SDK_ENABLED${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
