// Constants of a tile, with the SDK's names.
#pragma once

#define CTXT_WORKERS 6
#define CTXT_TOTAL 7
#define TMEM_BYTE_MAX_ADDRESS_WIDTH 21
#define TMEM_FULL_ADDRESS_WIDTH 21
#define TMEM_BASE_ADDR 0
#define TMEM_ELEMSIZE 0x4000
#define TMEM_REGION0_BASE_ADDR TMEM_BASE_ADDR
#define TEXCH_SYNCZONE_LOCAL 4
#define CSR_W_WSR__INDEX 0
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_WSR__CTXTID_M1__MASK 0x7
#define CSR_W_REPEAT_COUNT__INDEX 5
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xffff
#define CSR_W_REPEAT_COUNT__VALUE__SHIFT 0
#define CSR_W_FP_CTL__INDEX 112
#define CSR_W_FP_STS__INDEX 113
#define CSR_W_FP_ICTL__INDEX 114
#define CSR_S_SCOUNT_L__INDEX 96
#define CSR_S_SCOUNT_U__INDEX 97
#define CSR_S_TILE_ID__INDEX 3
#define CSR_S_CCCSLOAD__INDEX 80
#define CSR_W_PRNG_SEED__INDEX 116
#define TFPU_FP_ZERO 0
#define CWEI_0_0__INDEX 0
// Phases of the matrix unit, for assembly with a known meaning (simcore/native/assembly_idioms.cpp): numbers chosen here.
enum {
  TAMP_F32_E4_P0,
  TAMP_F32_E4_P1,
  TAMP_F32_E4_P2,
  TAMP_F32_E4_P3,
  TAMP_F32_E4_P4,
  TAMP_F32_E4_P5,
  TAMP_F32_E4_P6,
  TAMP_F32_E4_P7
};
