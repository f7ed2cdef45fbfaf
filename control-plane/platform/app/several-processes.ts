// This process among several on one database of PostgreSQL: it says every two seconds that it is there, finds those that
// have died, gives back what they held, and ends when it has been given up itself. A process that was given up cannot
// write any more (`store/fence.ts`): whoever takes over what it held is alone.
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
  const { url, store, log, beats = BEATS } = options;
  const { everyMs, deadMs } = beats;
  const record = describeProcess(options);
  const { processId } = record;
  await enter(store, record, deadMs);
  const lag = measureLag();
  const giveBacks: GiveBack[] = [];
  let wake: Pick<Wake, 'wakeHere' | 'wakeAll'> | null = null;
  let begin: (() => void) | null = null;
  let connections = () => 0;
  let timer: Timer | null = null;
  let beating: Promise<void> = Promise.resolve();
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
    opened: () => soon(),
    received(hints) {
      if (hints === null) wake?.wakeAll();
      else for (const [topic, key, about] of hints) wake?.wakeHere(topic as Topic, key, about as About | undefined);
      // Another one may have left, who has done the work for all.
      if (hints === null) soon();
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
      await giveBack(
        tx,
        found.map(({ processId }) => processId),
      );
      return found;
    });
    for (const { processId: id, machine, pid } of dead) {
      log.warn({ process_id: id, machine, pid }, 'another process has not been seen for too long and is given up');
    }
    // It may have died before it told what it had changed.
    wake?.wakeAll();
    bus.sendAll();
  };
  const beat = async () => {
    const { rows: seen } = await bus.query(rows.BEAT, [processId, connections(), lag.read(), deadMs]);
    if (seen.length === 0) return givenUp();
    const now = clock.monotonic();
    if (now - lastBeat > 2 * everyMs) steadySince = now;
    lastBeat = now;
    // While this process was away the others may have been, too, and nobody was there to see them.
    if (Number(seen[0].dead) > 0 && now - steadySince >= deadMs) await giveUpDead();
    if (begin !== null && (await store.transaction((tx) => rows.takeTask(tx, WORKERS, processId)))) {
      const began = begin;
      begin = null;
      log.info('runs the workers');
      began();
    }
  };
  const next = (ms: number) => {
    if (ended) return;
    timer = clock.setTimeout(() => {
      timer = null;
      beating = beat()
        .catch((error: unknown) => log.warn({ err: error }, 'cannot tell the other processes that this one is there'))
        .then(() => next(everyMs));
    }, ms);
  };
  /** Unless it is just happening. */
  const soon = () => {
    if (timer === null) return;
    timer.cancel();
    next(0);
  };
  next(everyMs);

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
      soon();
    },
    async leave() {
      const wasGivenUp = ended;
      ended = true;
      timer?.cancel();
      await beating;
      lag.stop();
      // Unless there is no connection: then the others notice it after a while.
      if (!wasGivenUp)
        await leaveInOrder().catch((error: unknown) =>
          log.warn({ err: error }, 'cannot take leave of the other processes'),
        );
      await bus.close();
    },
  };

  async function leaveInOrder() {
    await store.transaction(async (tx) => {
      await rows.deleteProcess(tx, processId);
      await giveBack(tx, [processId]);
    });
    bus.sendAll();
  }
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
