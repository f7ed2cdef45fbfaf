// The processes of the control plane on one database, seen from this one. On SQLite, and on PostgreSQL without a shared
// place for objects, it is the only one.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock, systemClock } from '../../../shared/clock.js';
import type { ProcessRecord } from '../domain/process.js';
import * as rows from '../store/processes.js';
import type { Store, Transaction } from '../store/sql.js';
import type { Wake } from '../wake.js';

/** The task of the process that runs the workers. */
export const WORKERS = 'workers';

/** Runs in the transaction that deletes processes that have died or end, after that: what they held is given back. */
export type GiveBack = (tx: Transaction, processIds: readonly string[]) => Promise<void>;

export interface Processes {
  /** Of this process; another one after each start. */
  readonly id: string;
  /** Whether others may use the database at the same time. */
  readonly several: boolean;
  /** Oldest first. `workers`: the one that runs the workers. */
  list(): Promise<readonly (ProcessRecord & { readonly workers: boolean })[]>;
  /** For a process that has died, one of the others does it within 15 s. */
  whenGone(fn: GiveBack): void;
}

/** What the service does with them when it starts and ends. */
export interface OwnProcess extends Processes {
  /** Tells the others who this is. */
  readonly record: Omit<ProcessRecord, 'startedAt' | 'seenAt'>;
  /** Passes wakes on to the others, and theirs to this one. */
  joinWakes(wake: Pick<Wake, 'passOn' | 'wakeHere' | 'wakeAll'>): void;
  /** How many hosts are connected to it. */
  countConnections(count: () => number): void;
  /** Calls `begin` once this process is the one that runs the workers, maybe at once. */
  beginWorkers(begin: () => void): void;
  /** Gives back what it holds, once its requests and workers have ended. */
  leave(): Promise<void>;
}

export interface OwnProcessOptions {
  readonly version: string;
  readonly schemaId: number;
  /** Of the key that secrets are sealed with now. */
  readonly keyId: () => string;
}

export function describeProcess({
  version,
  schemaId,
  keyId,
}: OwnProcessOptions): Omit<ProcessRecord, 'startedAt' | 'seenAt'> {
  const processId = `cp_${randomBytes(9).toString('hex')}`;
  return {
    processId,
    version,
    schemaId,
    keyId: keyId(),
    machine: hostname(),
    pid: process.pid,
    connections: 0,
    lagMs: 0,
  };
}

export function soleProcess(options: OwnProcessOptions & { readonly clock: Clock }): OwnProcess {
  const { clock } = options;
  const record = describeProcess(options);
  const startedAt = clock.now();
  const lag = measureLag();
  let connections = () => 0;
  return {
    id: record.processId,
    record,
    several: false,
    list: async () => [
      { ...record, startedAt, seenAt: clock.now(), connections: connections(), lagMs: lag.read(), workers: true },
    ],
    whenGone: () => undefined,
    joinWakes: () => undefined,
    countConnections(count) {
      connections = count;
    },
    beginWorkers: (begin) => begin(),
    async leave() {
      lag.stop();
    },
  };
}

/** A command beside the processes. */
export function onlooker(store: Store): OwnProcess {
  const about = soleProcess({ version: '', schemaId: 0, keyId: () => '', clock: systemClock });
  return { ...about, list: () => processesOf(store) };
}

export async function processesOf(store: Store): ReturnType<Processes['list']> {
  const [all, tasks] = [await rows.listProcesses(store), await rows.processTasks.all(store, '')];
  const workers = tasks.find(({ task }) => task === WORKERS)?.processId;
  return all.map((one) => ({ ...one, workers: one.processId === workers }));
}

/** No other process uses the database: those in it have died. */
export async function forgetProcesses(store: Store): Promise<void> {
  await store.transaction(rows.deleteProcesses);
}

const LAG_EVERY_MS = 20;

/** Measures how long the main thread keeps work waiting. */
export function measureLag(): { read(): number; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: LAG_EVERY_MS });
  delays.enable();
  return {
    /** The 99th percentile since the last call, ms. */
    read() {
      const ms = delays.count === 0 ? 0 : Math.max(0, Math.round(delays.percentile(99) / 1e6) - LAG_EVERY_MS);
      delays.reset();
      return ms;
    },
    stop: () => void delays.disable(),
  };
}
