// The label that means "no class".
#pragma once

#define MASKED_LABEL_CODE (0xFFFFFFFFu)
