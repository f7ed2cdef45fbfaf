import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { Secret, SecretList } from '../types.js';

/** Build secrets: environment variables of builds, masked in logs, never readable again. */
export interface SecretsApi {
  list(options?: CallOptions): Promise<SecretList>;
  /** @param name upper-case letters, digits and underscore, not starting with a digit */
  set(name: string, value: string, options?: CallOptions): Promise<Secret>;
  delete(name: string, options?: CallOptions): Promise<{ name: string; deleted: true }>;
}

export function secretsApi(wire: Wire): SecretsApi {
  const pathOf = (name: string) => `/secrets/${encodeURIComponent(name)}`;
  return {
    list: (options) => fetchJson(wire, { method: 'GET', path: '/secrets', options }),
    set: (name, value, options) =>
      fetchJson(wire, { method: 'PUT', path: pathOf(name), json: { value }, options }),
    delete: (name, options) => fetchJson(wire, { method: 'DELETE', path: pathOf(name), options }),
  };
}
