// Shares the main thread: work of accounts, hosts and strangers (parties) waits for its turn while others want one too
// (ADR 54). A turn is one macrotask with its microtasks, so a request that awaits a file, a commit or a timer holds none.
import { createFairQueue, type Stage } from '../domain/fair-queue.js';
import { createThreadUse, type Queued } from './thread-use.js';

/** Work of a party that may wait for a turn. */
export interface Work {
  readonly party: string;
  /** Called when its turn begins. Must not throw. */
  run(): void;
}

/** Waits for the next turn between two steps of the work. Throws SenderGone if nobody waits for its result now. */
export type Step = () => Promise<void>;

/** How long turns follow each other before sockets are read again, ms: new requests wait up to this long. */
const ROUND_MS = 1;
/** Turns of a round. Each is a macrotask of its own, so that its cost can be told from that of the next one. */
const ROUND_TURNS = 16;
export type Turns = ReturnType<typeof createTurns>;

/** @param deps.stopwatch milliseconds that pass evenly */
export function createTurns({ stopwatch }: { stopwatch: () => number }) {
  const queue = createFairQueue<Work>();
  const use = createThreadUse(stopwatch);
  const gates: ((party: string) => boolean)[] = [];
  const admits = (party: string) => gates.every((gate) => gate(party));
  let running: Work | null = null;
  let began = 0;
  /** Used by turns of this round, ms. */
  let spent = 0;
  let isArmed = false;
  /** All waiting work is held back by a gate. */
  let isHeld = false;

  const charge = (party: string, ms: number) => {
    queue.charge(party, ms);
    use.add(party, ms);
  };
  const end = () => {
    if (running === null) return;
    const ms = stopwatch() - began;
    const { party } = running;
    running = null;
    spent += ms;
    charge(party, ms);
  };
  const begin = (work: Work) => {
    end();
    running = work;
    began = stopwatch();
    work.run();
  };
  const slot = () => {
    end();
    if (spent >= ROUND_MS) return;
    const work = queue.next(admits);
    if (work) begin(work);
    else isHeld = queue.waiting() > 0;
  };
  // Immediates run one after the other, each with its microtasks, and those that are added meanwhile after the sockets
  // have been read again.
  const finish = () => {
    end();
    spent = 0;
    isArmed = queue.waiting() > 0 && !isHeld;
    if (!isArmed) return;
    for (let i = 0; i < ROUND_TURNS; i++) setImmediate(slot);
    setImmediate(finish);
  };
  const arm = () => {
    if (isArmed) return;
    isArmed = true;
    setImmediate(finish);
  };
  const wait = (work: Work, stage: Stage) => {
    queue.add(work.party, work, stage);
    use.waited(work.party);
    isHeld = false;
    arm();
  };
  const again = (work: Work) => {
    if (running === work) end();
    wait(work, 'begun');
  };

  return {
    /**
     * Begins the work at once while nobody waits and this round has time left, or while others wait if its party has
     * hardly used the thread lately: that party would be next anyway. Otherwise the work waits.
     *
     * @param stage see `Stage`; new work waits while one of the gates holds its party back
     */
    enter(work: Work, stage: Stage) {
      end();
      const mayBegin = stage === 'begun' || admits(work.party);
      const atOnce = queue.waiting() === 0 ? spent < ROUND_MS : use.isLight(work.party) && !queue.has(work.party);
      if (!mayBegin || !atOnce) return wait(work, stage);
      arm();
      begin(work);
    },
    /** Lets the work wait for a new turn, even if nobody else wants one: for work in steps. */
    again,
    /** Removes work that waits. */
    leave: (work: Work): void => queue.remove(work.party, work),
    /** Returns whether this is a turn of the work. */
    isRunning: (work: Work): boolean => running === work,
    /**
     * Returns whether this is a turn of the work that has been so short that ending it would cost more than the others
     * gain.
     */
    mayGoOn: (work: Work): boolean => running === work && stopwatch() - began < ROUND_MS,
    /** Resolves at a new turn of the party. For work that cannot be distinguished from other work of the party. */
    next: (party: string): Promise<void> => new Promise((run) => again({ party, run })),
    /** The party whose turn this is; null for work without turns. */
    current: (): string | null => running?.party ?? null,
    /** Counts time of the thread that the party used outside its turns, ms. */
    charge,
    queued: (party: string): Queued => use.expect(party, queue.waitingOf(party)),
    /** @param admits whether new work of a party may begin; call `reconsider` when it may again */
    addGate: (gate: (party: string) => boolean): void => void gates.push(gate),
    reconsider(): void {
      isHeld = false;
      if (queue.waiting() > 0) arm();
    },
    gauges: [
      {
        name: 'cidermill_waiting_turns',
        help: 'Requests and link messages that wait for their turn on the main thread',
        read: () => ({ '': queue.waiting() }),
      },
    ],
  };
}
