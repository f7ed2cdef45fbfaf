// What the agent is doing, for `host-agent status`: DATA/agent-state.json, written when something changes.
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { cleanText } from '../../shared/clean-text.js';
import type { Clock, Timer } from '../../shared/clock.js';
import { readJson, writeDurably } from '../../shared/durable-file.js';
import type { Log } from '../../shared/log.js';
import { LINK_STATES, type LinkState } from './link/client.js';

/** Root reads it too, on a terminal. */
const shown = z.string().transform((text) => cleanText(text, 500));

const agentState = z.object({
  /** Of the agent that wrote this; it may have ended since. */
  pid: z.int(),
  version: shown,
  started_at: z.number(),
  /** Root address of the service. */
  service: shown,
  host_id: shown,
  name: shown,
  link: z.object({
    state: z.enum(LINK_STATES),
    since: z.number(),
    /** Why there is no connection, if that is known. */
    reason: shown.nullable(),
  }),
  /** Builds that have not ended, and Macs on this host. */
  builds: z.int(),
  macs: z.int(),
});
export type AgentState = z.infer<typeof agentState>;

const statePath = (dataDir: string): string => join(resolve(dataDir), 'agent-state.json');

/** Returns what the last agent has written, or null. Throws the file system's errors except ENOENT. */
export function readAgentState(dataDir: string): AgentState | null {
  return agentState.safeParse(readJson(statePath(dataDir))).data ?? null;
}

export interface StateFile {
  /** To be called after any change. */
  changed(): void;
  link(state: LinkState, reason: string | null): void;
  close(): void;
}

/** Changes within this time are written together. */
const TOGETHER_MS = 200;

/**
 * Keeps the file up to date. A file that cannot be written (a full disk) is logged and tried again at the next change.
 *
 * @param look returns what only the daemon knows
 */
export function keepStateFile(deps: {
  dataDir: string;
  about: Pick<AgentState, 'pid' | 'version'>;
  look: () => Promise<Pick<AgentState, 'service' | 'host_id' | 'name' | 'builds' | 'macs'>>;
  clock: Clock;
  log: Log;
}): StateFile {
  const { dataDir, about, look, clock, log } = deps;
  const started_at = clock.now();
  let link: AgentState['link'] = { state: 'stopped', since: started_at, reason: null };
  let timer: Timer | null = null;
  let closed = false;

  const write = async () => {
    timer = null;
    const found = await look();
    const state: AgentState = { ...about, started_at, ...found, link };
    if (!closed) writeDurably(statePath(dataDir), `${JSON.stringify(state)}\n`, { durable: false });
  };
  const changed = () => {
    if (timer !== null || closed) return;
    timer = clock.setTimeout(() => {
      write().catch((error: unknown) => log.warn({ err: error }, 'cannot write the state of this agent'));
    }, TOGETHER_MS);
  };
  return {
    changed,
    link(state, reason) {
      // A reconnection keeps the time and the reason of the outage.
      const down = (one: LinkState) => one === 'down' || one === 'connecting';
      const same = state === link.state || (down(state) && down(link.state));
      link = {
        state,
        since: same ? link.since : clock.now(),
        reason: reason ?? (down(state) ? link.reason : null),
      };
      changed();
    },
    close() {
      closed = true;
      timer?.cancel();
    },
  };
}
