// The instructions of the machine; every codelet has them without this header, too.
#pragma once

#include <arch/gc_tile_defines.h>
#include <ipudef.h>
