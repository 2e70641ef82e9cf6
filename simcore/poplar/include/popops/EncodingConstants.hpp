// The label that means "no class", and the least numbers whose logarithm is taken.
#pragma once

#define MASKED_LABEL_CODE (0xFFFFFFFFu)
#define EPS_LOG_N_FLOAT (1.17549435e-38F)
#define EPS_LOG_N_HALF (0.000000059605F)
