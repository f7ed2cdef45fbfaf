// Which operation of the API a request is that an answer suggests.
import * as operations from './api.js';
import type { Operation } from './operation.js';

/** The operations of the API for programs. */
export type OperationId = keyof typeof operations;

export interface FoundOperation {
  readonly id: OperationId;
  /** The values in the path. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
}

interface Form {
  readonly id: OperationId;
  readonly method: string;
  readonly pattern: RegExp;
}

const ofParameter = /\{\w+\}/;

/** Paths without parameters first: `/rentals/reset` is not the Mac `reset`. */
const forms: readonly Form[] = Object.entries<Operation>(operations)
  .sort(([, one], [, other]) => Number(ofParameter.test(one.path)) - Number(ofParameter.test(other.path)))
  .map(([id, { method, path }]) => ({
    id: id as OperationId,
    method,
    pattern: new RegExp(`^${path.replace('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`),
  }));

/**
 * Returns null when the API has no such operation.
 *
 * @example findOperation({ method: 'GET', path: '/api/v1/builds/rb_1' }) // id getBuild, params ['rb_1']
 */
export function findOperation({ method, path }: { method: string; path: string }): FoundOperation | null {
  const { pathname, searchParams: query } = new URL(path, 'http://service');
  const below = pathname.replace(/^.*?\/v\d+\//, '/');
  for (const form of forms) {
    const found = form.method === method ? form.pattern.exec(below) : null;
    if (found) return { id: form.id, params: found.slice(1).map(decodeURIComponent), query };
  }
  return null;
}
