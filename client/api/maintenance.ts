import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { AcceptedOperation, OperationResults, ResetRequest, XcodeRequest } from '../types.js';

/** Exactly one of the two fields. */
export type MacTarget = { all: true } | { ids: string[] };

/** Changes of rented Macs, which run in the background as jobs. A Mac with a running build needs `when`. */
export interface MaintenanceApi {
  reset(id: string, request?: ResetRequest, options?: CallOptions): Promise<AcceptedOperation>;
  /** Returns the result for each Mac; a rejected one does not stop the others. */
  resetMany(target: MacTarget, request?: ResetRequest, options?: CallOptions): Promise<OperationResults>;
  /** `status` is `unchanged`, and there is no job, when the Mac has that version already. */
  selectXcode(id: string, request: XcodeRequest, options?: CallOptions): Promise<AcceptedOperation>;
  selectXcodeMany(target: MacTarget, request: XcodeRequest, options?: CallOptions): Promise<OperationResults>;
}

export function maintenanceApi(wire: Wire): MaintenanceApi {
  const pathOf = (id: string, verb: string) => `/rentals/${encodeURIComponent(id)}/${verb}`;
  const post = <T>(path: string, json: unknown, options?: CallOptions) =>
    fetchJson<T>(wire, { method: 'POST', path, json, options });
  return {
    reset: (id, request, options) => post(pathOf(id, 'reset'), { ...request }, options),
    resetMany: (target, request, options) => post('/rentals/reset', { ...target, ...request }, options),
    selectXcode: (id, request, options) => post(pathOf(id, 'xcode'), request, options),
    selectXcodeMany: (target, request, options) => post('/rentals/xcode', { ...target, ...request }, options),
  };
}
