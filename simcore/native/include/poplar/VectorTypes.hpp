#pragma once

#include <ipudef.h>
