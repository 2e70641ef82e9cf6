// The instructions of the machine. Codelets have them even without this header.
#pragma once

#include <arch/gc_tile_defines.h>
#include <ipudef.h>
