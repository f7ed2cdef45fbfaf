import { methodsOf } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import { listErrors } from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';

const operations = {
  /** Recent API errors and failed builds of the account, newest first. */
  list: listErrors,
};

export interface ErrorsApi extends MethodsOf<typeof operations, CallOptions> {}

export const errorsApi = (wire: Wire): ErrorsApi => methodsOf(wire, operations);
