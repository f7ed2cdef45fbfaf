import { firstInvalidByte } from '../../shared/utf8.js';
import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { Secret, SecretList } from '../types.js';

/** Returns whether an environment variable can hold the bytes: UTF-8 without NUL. */
export const isText = (bytes: Uint8Array): boolean => !bytes.includes(0) && firstInvalidByte(bytes) === null;

/** Build secrets: environment variables of builds, masked in logs, never readable again. */
export interface SecretsApi {
  list(options?: CallOptions): Promise<SecretList>;
  /**
   * @param name upper-case letters, digits and underscore, not starting with a digit
   * @param value bytes that no variable can hold (NUL, not UTF-8) become a file in builds, whose path the variable has
   */
  set(name: string, value: string | Uint8Array, options?: CallOptions): Promise<Secret>;
  delete(name: string, options?: CallOptions): Promise<{ name: string; deleted: true }>;
}

export function secretsApi(wire: Wire): SecretsApi {
  const pathOf = (name: string) => `/secrets/${encodeURIComponent(name)}`;
  return {
    list: (options) => fetchJson(wire, { method: 'GET', path: '/secrets', options }),
    set: (name, value, options) => fetchJson(wire, { method: 'PUT', path: pathOf(name), json: bodyOf(value), options }),
    delete: (name, options) => fetchJson(wire, { method: 'DELETE', path: pathOf(name), options }),
  };
}

/** Bytes that are text are sent as such: older services know nothing else. */
function bodyOf(value: string | Uint8Array): { value: string } | { value_base64: string } {
  if (typeof value === 'string') return { value };
  if (isText(value)) return { value: new TextDecoder('utf-8', { ignoreBOM: true }).decode(value) };
  return { value_base64: btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join('')) };
}
