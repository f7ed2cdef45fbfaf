import { firstInvalidByte } from '../../shared/utf8.js';
import { calledWith, methodsOf } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import { deleteSecret, listSecrets, setSecret } from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';

/** Returns whether an environment variable can hold the bytes: UTF-8 without NUL. */
export const isText = (bytes: Uint8Array): boolean => !bytes.includes(0) && firstInvalidByte(bytes) === null;

const operations = {
  list: listSecrets,
  delete: deleteSecret,
  /**
   * @param name upper-case letters, digits and underscore, not starting with a digit
   * @param value bytes with NUL, or not UTF-8, become a file in builds; the variable then has its path
   */
  set: calledWith(setSecret, (name: string, value: string | Uint8Array) => [name, bodyOf(value)]),
};

/** Build secrets: environment variables of builds, masked in logs, never readable again. */
export interface SecretsApi extends MethodsOf<typeof operations, CallOptions> {}

export const secretsApi = (wire: Wire): SecretsApi => methodsOf(wire, operations);

/** Text is sent as text, because older services accept only text. */
function bodyOf(value: string | Uint8Array): { value: string } | { value_base64: string } {
  if (typeof value === 'string') return { value };
  if (isText(value)) return { value: new TextDecoder('utf-8', { ignoreBOM: true }).decode(value) };
  return { value_base64: btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join('')) };
}
