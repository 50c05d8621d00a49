// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calls with side effects, and their order.
#include <stdatomic.h>
#include <tenon/custom.h>

static atomic_int next_ticket;

// One operation three times: without ordering, after a token, and with operands.
#define TICKET(ARG, ATTR, RET) RET(number, s32, rank(0))
TN_OP(ticket, TICKET, "how many tickets were drawn before") {
  *call->number.data = atomic_fetch_add(&next_ticket, 1);
  return TN_OK;
}

#define TICKET_BEHIND(ARG, ATTR, RET)               \
  ARG(before, token, any_rank, "what it waits for") \
  RET(after, token, any_rank, "what waits for it")  \
  RET(number, s32, rank(0))
TN_OP(ticket_behind, TICKET_BEHIND, "the same, in an order that tokens give") {
  *call->number.data = atomic_fetch_add(&next_ticket, 1);
  return TN_OK;
}

TN_LIBRARY(ticket, ticket_behind)
