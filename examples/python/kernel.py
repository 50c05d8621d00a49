# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A kernel from a source text."""

import tenon
import tenon.core as tn

clip_norm = tenon.fast.cpu_kernel("clip_norm", """
    #define CLIP_NORM(ARG, ATTR, RET) ARG(x, f32, rank(1)) ATTR(limit, float, 1.0f) RET(y, f32, like(x))
    TN_OP(clip_norm, CLIP_NORM, "x, scaled so that its norm is at most the limit") {
      float total = 0;
      for (int64_t i = 0; i < tn_size(call->x); ++i) total += call->x.data[i] * call->x.data[i];
      const float norm = sqrtf(total), scale = norm > call->limit ? call->limit / norm : 1;
      for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = scale * call->x.data[i];
      return TN_OK;
    }
""")

print(clip_norm(tn.array([3.0, 4.0]), limit=2.5))
