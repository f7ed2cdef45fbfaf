import { type CallOptions, fetchJson, fetchJsonOrNull, type Wire } from '../http/exchange.js';
import type { Build, BuildBrief, BuildFilter, BuildPage, BuildRequest, CreatedBuild, FailureReport } from '../types.js';
import { type BuildLogApi, buildLogApi } from './build-log.js';

/** The longest wait of one request, in seconds. */
const LONGEST_WAIT_S = 60;

export interface BuildsApi {
  /** Submits a build; it waits in the account's queue for a Mac. */
  create(request: BuildRequest, options?: CallOptions): Promise<CreatedBuild>;
  /** One page, newest first; pass `next_before` as `before` for the next one. */
  list(filter?: BuildFilter, options?: CallOptions): Promise<BuildPage>;
  get(id: string, options?: CallOptions): Promise<Build>;
  /** Waits up to `timeoutS` seconds (1 to 60) for the build's end and returns the build. */
  wait(id: string, options?: CallOptions & { timeoutS?: number }): Promise<Build>;
  /**
   * Waits up to `timeoutS` seconds (1 to 60) for another version of the build than `since`, and returns its short form, below
   * 300 bytes; null when nothing changed. `'0'` answers at once, as does a build that has ended.
   *
   * @example
   * for (let seen = await client.builds.waitForChange(id, '0'); seen && !hasEnded(seen); ) {
   *   console.log(seen.phase, seen.last_line);
   *   seen = (await client.builds.waitForChange(id, seen.version)) ?? seen;
   * }
   */
  waitForChange(id: string, since: string, options?: CallOptions & { timeoutS?: number }): Promise<BuildBrief | null>;
  /** Waits for the build's end, however long it takes. */
  waitUntilEnded(id: string, options?: CallOptions): Promise<Build>;
  /** Why a build failed, with the lines around the cause and what to do; for a build in any state. */
  failure(id: string, options?: CallOptions): Promise<FailureReport>;
  /** 1 starts before 0; only while queued. */
  setPriority(id: string, priority: 0 | 1, options?: CallOptions): Promise<Build>;
  /** Cancels a queued or running build; an ended one stays as it is. */
  cancel(id: string, options?: CallOptions): Promise<Build>;
  /** Submits the request of a build again, for the same commit or upload. */
  rerun(id: string, options?: CallOptions): Promise<CreatedBuild>;
  readonly log: BuildLogApi;
}

/** True for a status that a build never leaves. */
export function hasEnded(build: { status: Build['status'] }): boolean {
  return build.status !== 'queued' && build.status !== 'running';
}

export function buildsApi(wire: Wire): BuildsApi {
  const pathOf = (id: string, rest = '') => `/builds/${encodeURIComponent(id)}${rest}`;
  const wait: BuildsApi['wait'] = (id, options) => {
    const timeout = options?.timeoutS ?? LONGEST_WAIT_S;
    return fetchJson(wire, {
      method: 'GET',
      path: pathOf(id, '/wait'),
      query: { timeout },
      holdMs: timeout * 1000,
      options,
    });
  };
  return {
    create: (request, options) => fetchJson(wire, { method: 'POST', path: '/builds', json: request, options }),
    list: (filter, options) => fetchJson(wire, { method: 'GET', path: '/builds', query: { ...filter }, options }),
    get: (id, options) => fetchJson(wire, { method: 'GET', path: pathOf(id), options }),
    failure: (id, options) => fetchJson(wire, { method: 'GET', path: pathOf(id, '/failure'), options }),
    wait,
    waitForChange(id, since, options) {
      const timeout = options?.timeoutS ?? LONGEST_WAIT_S;
      return fetchJsonOrNull(wire, {
        method: 'GET',
        path: pathOf(id, '/wait'),
        query: { since, view: 'brief', timeout },
        holdMs: timeout * 1000,
        options,
      });
    },
    async waitUntilEnded(id, options) {
      for (;;) {
        const build = await wait(id, options);
        if (hasEnded(build)) return build;
      }
    },
    setPriority: (id, priority, options) =>
      fetchJson(wire, { method: 'PATCH', path: pathOf(id), json: { priority }, options }),
    cancel: (id, options) => fetchJson(wire, { method: 'POST', path: pathOf(id, '/cancel'), options }),
    rerun: (id, options) => fetchJson(wire, { method: 'POST', path: pathOf(id, '/rerun'), options }),
    log: buildLogApi(wire),
  };
}
