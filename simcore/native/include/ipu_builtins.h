// The instructions of the machine; every codelet has them without this header, too.
#pragma once

#include <ipudef.h>
