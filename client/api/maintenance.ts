import { methodsOf } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import { resetRental, resetRentals, selectXcode, selectXcodeOfRentals } from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';
import type { AcceptedOperation, OperationResults, ResetRequest, XcodeRequest } from '../types.js';

/** Exactly one of the two fields. */
export type MacTarget = { all: true } | { ids: string[] };

const operations = {
  /** `status` is `unchanged`, and there is no job, when the Mac has that version already. */
  selectXcode,
};

/** Changes of rented Macs, which run in the background as jobs. A Mac with a running build needs `when`. */
export interface MaintenanceApi extends MethodsOf<typeof operations, CallOptions> {
  reset(id: string, request?: ResetRequest, options?: CallOptions): Promise<AcceptedOperation>;
  /** Returns the result for each Mac; a rejected one does not stop the others. */
  resetMany(target: MacTarget, request?: ResetRequest, options?: CallOptions): Promise<OperationResults>;
  selectXcodeMany(target: MacTarget, request: XcodeRequest, options?: CallOptions): Promise<OperationResults>;
}

export function maintenanceApi(wire: Wire): MaintenanceApi {
  const send = methodsOf(wire, { ...operations, resetRental, resetRentals, selectXcodeOfRentals });
  return {
    selectXcode: send.selectXcode,
    reset: (id, request, options) => send.resetRental(id, { ...request }, options),
    resetMany: (target, request, options) => send.resetRentals({ ...target, ...request }, options),
    selectXcodeMany: (target, request, options) => send.selectXcodeOfRentals({ ...target, ...request }, options),
  };
}
