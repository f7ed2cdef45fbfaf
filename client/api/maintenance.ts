import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { MacTarget, OperationResult, OperationResults, When } from '../renting-types.js';

export interface ResetRequest {
  /** True only empties the work folder; false (the default) makes the virtual machine anew. */
  keep_cache?: boolean;
  when?: When;
}

export interface XcodeRequest {
  version: string;
  when?: When;
}

/** Changes of rented Macs, done in the background as jobs. A Mac on which a build runs needs `when`. */
export interface MaintenanceApi {
  reset(id: string, request?: ResetRequest, options?: CallOptions): Promise<OperationResult>;
  /** Answers what became of each Mac; a rejected one does not keep the others from being reset. */
  resetMany(target: MacTarget, request?: ResetRequest, options?: CallOptions): Promise<OperationResults>;
  /** `status` is `unchanged`, and there is no job, when the Mac has that version already. */
  selectXcode(id: string, request: XcodeRequest, options?: CallOptions): Promise<OperationResult>;
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
