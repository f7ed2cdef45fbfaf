import { methodsOf } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import { joinWaitlist, leaveWaitlist, listWaitlist } from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';

const operations = {
  list: listWaitlist,
  add: joinWaitlist,
  /** Only while the entry is waiting. */
  cancel: leaveWaitlist,
};

/** Notices when a sold-out tier has free Macs again. */
export interface WaitlistApi extends MethodsOf<typeof operations, CallOptions> {}

export const waitlistApi = (wire: Wire): WaitlistApi => methodsOf(wire, operations);
