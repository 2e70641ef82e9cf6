// Vector types of the machine.
#pragma once

#include <tilescope_builtins.h>

typedef __ipu_half half;
typedef __ipu_half2 half2;
typedef __ipu_half4 half4;
typedef __ipu_float2 float2;
typedef __ipu_float4 float4;
typedef __ipu_int2 int2;
typedef __ipu_uint2 uint2;
typedef __ipu_short2 short2;
typedef __ipu_short4 short4;
#define __IPU_TYPE__(element, name, count) typedef element name __IPU_VECTOR__(element, count)
__IPU_TYPE__(int, int4, 4);
__IPU_TYPE__(unsigned, uint4, 4);
__IPU_TYPE__(unsigned short, ushort2, 2);
__IPU_TYPE__(unsigned short, ushort4, 4);
__IPU_TYPE__(signed char, char2, 2);
__IPU_TYPE__(signed char, char4, 4);
__IPU_TYPE__(unsigned char, uchar2, 2);
__IPU_TYPE__(unsigned char, uchar4, 4);
__IPU_TYPE__(long, long2, 2);
__IPU_TYPE__(long, long4, 4);
__IPU_TYPE__(unsigned long, ulong2, 2);
__IPU_TYPE__(unsigned long, ulong4, 4);
__IPU_TYPE__(long long, longlong2, 2);
__IPU_TYPE__(unsigned long long, ulonglong2, 2);
#undef __IPU_TYPE__
typedef unsigned rptsize_t;
