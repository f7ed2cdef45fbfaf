import { calledWith, methodsOf } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import { resetRental, resetRentals, selectXcode, selectXcodeOfRentals } from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';
import type { ResetRequest, XcodeRequest } from '../types.js';

/** Exactly one of the two fields. */
export type MacTarget = { all: true } | { ids: string[] };

const operations = {
  /** `status` is `unchanged`, and there is no job, when the Mac has that version already. */
  selectXcode,
  reset: calledWith(resetRental, (id: string, request?: ResetRequest) => [id, { ...request }]),
  /** Returns the result for each Mac; a rejected one does not stop the others. */
  resetMany: calledWith(resetRentals, (target: MacTarget, request?: ResetRequest) => [{ ...target, ...request }]),
  selectXcodeMany: calledWith(selectXcodeOfRentals, (target: MacTarget, request: XcodeRequest) => [
    { ...target, ...request },
  ]),
};

/** Changes of rented Macs, which run in the background as jobs. A Mac with a running build needs `when`. */
export interface MaintenanceApi extends MethodsOf<typeof operations, CallOptions> {}

export const maintenanceApi = (wire: Wire): MaintenanceApi => methodsOf(wire, operations);
