// This process among several on one database of PostgreSQL: it says every two seconds that it is there, finds those that
// have died, gives back what they held, and ends when it has been given up itself. A process that was given up can no
// longer write (`store/fence.ts`): the process that takes over its work is the only one that does it.
import type { Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { BEATS, type Beats } from '../domain/process.js';
import { inCondition } from '../store/fence.js';
import { clock } from '../store/postgres/availability.js';
import type { PostgresStore } from '../store/postgres/postgres.js';
import { type Hint, openWakeBus } from '../store/postgres/wake-bus.js';
import * as rows from '../store/processes.js';
import { ProcessGivenUpError, type Transaction } from '../store/sql.js';
import type { About, Topic, Wake } from '../wake.js';
import {
  describeProcess,
  type GiveBack,
  measureLag,
  type OwnProcess,
  type OwnProcessOptions,
  processesOf,
  WORKERS,
} from './processes.js';

/** Another process seals secrets with another key. */
export class OtherKeyError extends Error {}

export interface SeveralOptions extends OwnProcessOptions {
  readonly url: string;
  readonly store: PostgresStore;
  readonly log: Log;
  /** Called once when the others have given this process up: it must end. */
  readonly onGivenUp: (error: Error) => void;
  readonly beats?: Beats;
}

/** @throws OtherKeyError */
export async function joinProcesses(options: SeveralOptions): Promise<OwnProcess> {
  const { url, store, log } = options;
  const { everyMs, deadMs } = options.beats ?? BEATS;
  const record = describeProcess(options);
  const { processId } = record;
  await enter(store, record, deadMs);
  const lag = measureLag();
  const giveBacks: GiveBack[] = [];
  let wake: Pick<Wake, 'wakeHere' | 'wakeAll'> | null = null;
  let begin: (() => void) | null = null;
  let connections = () => 0;
  let lastBeat = clock.monotonic();
  /** Since when it has known without a gap who is there. */
  let steadySince = lastBeat;
  let ended = false;

  const givenUp = () => {
    if (ended) return;
    ended = true;
    options.onGivenUp(new ProcessGivenUpError());
  };
  store.fenceBy({
    holds: `SELECT 1 FROM processes WHERE process_id = ${inCondition(processId)}`,
    gone() {
      givenUp();
      return new ProcessGivenUpError();
    },
  });
  const bus = openWakeBus(url, {
    processId,
    opened: () => beats.soon(),
    received(hints) {
      if (hints === null) wake?.wakeAll();
      else for (const [topic, key, about] of hints) wake?.wakeHere(topic as Topic, key, about as About | undefined);
      // Another one may have left, who has done the work for all.
      if (hints === null) beats.soon();
    },
    failed: (error) => log.warn({ err: error }, 'no connection to the database for wake-ups'),
  });

  const giveBack = async (tx: Transaction, ids: readonly string[]) => {
    for (const id of ids) await rows.giveBackTasks(tx, id);
    for (const fn of giveBacks) await fn(tx, ids);
  };
  const giveUpDead = async () => {
    const dead = await store.transaction(async (tx) => {
      const found = await rows.deleteDead(tx, deadMs);
      const ids = found.map((one) => one.processId);
      await giveBack(tx, ids);
      return found;
    });
    for (const { processId: id, machine, pid } of dead) {
      log.warn({ process_id: id, machine, pid }, 'another process has not been seen for too long and is given up');
    }
    // It may have died before it told what it had changed.
    wake?.wakeAll();
    bus.sendAll();
  };
  const takeWorkers = async () => {
    if (begin === null || !(await store.transaction((tx) => rows.takeTask(tx, WORKERS, processId)))) return;
    const began = begin;
    begin = null;
    log.info('runs the workers');
    began();
  };
  // Beats do not wait for it: transactions may have to wait for others.
  const lookAround = oneAtATime(async (someAreDead: boolean) => {
    if (someAreDead) await giveUpDead();
    await takeWorkers();
  }, log);
  const beat = async () => {
    const { rows: seen } = await bus.query(rows.BEAT, [processId, connections(), lag.read(), deadMs, options.keyId()]);
    if (seen.length === 0) return givenUp();
    const now = clock.monotonic();
    if (now - lastBeat > 2 * everyMs) steadySince = now;
    lastBeat = now;
    // While this process was away the others may have been, too, and nobody was there to see them.
    lookAround.begin(Number(seen[0].dead) > 0 && now - steadySince >= deadMs);
  };
  const beats = startBeats(everyMs, () => (ended ? Promise.resolve() : beat()), log);
  const leaveInOrder = async () => {
    await store.transaction(async (tx) => {
      await rows.deleteProcess(tx, processId);
      await giveBack(tx, [processId]);
    });
    bus.sendAll();
  };

  return {
    id: processId,
    record,
    several: true,
    list: () => processesOf(store),
    whenGone: (fn) => void giveBacks.push(fn),
    joinWakes(joined) {
      wake = joined;
      joined.passOn((topic, key, about) => bus.send(hintOf(topic, key, about)));
      // What was told before this process listened.
      joined.wakeAll();
    },
    countConnections(count) {
      connections = count;
    },
    beginWorkers(fn) {
      begin = fn;
      beats.soon();
    },
    async leave() {
      const wasGivenUp = ended;
      ended = true;
      await beats.stop();
      await lookAround.ended();
      lag.stop();
      // Without a connection it cannot: then the others notice it after a while.
      const failed = (error: unknown) => log.warn({ err: error }, 'cannot take leave of the other processes');
      if (!wasGivenUp) await leaveInOrder().catch(failed);
      await bus.close();
    },
  };
}

/** Runs `work` unless it is running. */
function oneAtATime<T>(work: (what: T) => Promise<void>, log: Log) {
  let running: Promise<void> | null = null;
  return {
    begin(what: T): void {
      running ??= work(what)
        .catch((error: unknown) => log.warn({ err: error }, 'cannot look after the other processes, trying again'))
        .finally(() => {
          running = null;
        });
    },
    async ended(): Promise<void> {
      await running;
    },
  };
}

/** Calls `beat` again and again, `everyMs` after it has ended. */
function startBeats(everyMs: number, beat: () => Promise<void>, log: Log) {
  let timer: Timer | null = null;
  let beating: Promise<void> = Promise.resolve();
  let stopped = false;
  const next = (ms: number) => {
    if (stopped) return;
    timer = clock.setTimeout(() => {
      timer = null;
      beating = beat()
        .catch((error: unknown) => log.warn({ err: error }, 'cannot tell the other processes that this one is there'))
        .then(() => next(everyMs));
    }, ms);
  };
  next(everyMs);
  return {
    /** Unless it is just happening. */
    soon(): void {
      if (timer === null) return;
      timer.cancel();
      next(0);
    },
    async stop(): Promise<void> {
      stopped = true;
      timer?.cancel();
      await beating;
    },
  };
}

const hintOf = (topic: Topic, key: string, about: About | undefined): Hint =>
  about === undefined ? [topic, key] : [topic, key, about];

async function enter(store: PostgresStore, record: OwnProcess['record'], deadMs: number): Promise<void> {
  await store.transaction(async (tx) => {
    const others = await rows.listAlive(tx, deadMs);
    const other = others.find(({ keyId }) => keyId !== record.keyId);
    if (other !== undefined) throw new OtherKeyError(`process ${other.pid} on ${other.machine}`);
    await rows.insertProcess(tx, record);
  });
}
