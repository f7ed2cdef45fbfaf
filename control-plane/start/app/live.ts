// Tells the open pages of the console what has changed, so that they read it again: names of things, never their
// contents. Changes are collected for a second, and nothing is collected for accounts without an open page.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Scope } from '../../platform/domain/caller.js';
import type { About, Topic, Wake } from '../../platform/wake.js';
import { ALL, accountTopics, commonTopics, type NounsOfAction, operatorTopics, single } from './live-nouns.js';

export interface LiveChange {
  /** What to read again, e.g. `builds`; `all`: everything. */
  readonly nouns: readonly string[];
  /** Of the nouns `build` and `order`, only these objects have changed. Empty: any of them. */
  readonly ids: readonly string[];
}

export interface Live {
  /**
   * Calls `changed` for the account's changes, at most once a second. Returns a function that unsubscribes. Builds of
   * workspaces that are not in the scope are not named.
   */
  followAccount(of: Scope, changed: (change: LiveChange) => void): () => void;
  /** The same for the pages of operators. */
  followOperators(changed: (change: LiveChange) => void): () => void;
}

const EVERY_MS = 1_000;
/** The first change after a quiet second waits this long for those that belong to it. */
const FIRST_MS = 20;
/** With more objects than this, a page reads all of them again. */
const MOST_IDS = 50;

interface Changes {
  readonly nouns: readonly string[];
  /** With the workspace of each; null: seen in all. */
  readonly ids: ReadonlyMap<string, string | null>;
  /** Any object may have changed. */
  readonly anyObject: boolean;
}

/** The pages that follow the same changes. */
class Channel {
  readonly followers = new Set<(changes: Changes) => void>();
  readonly #clock: Clock;
  #nouns = new Set<string>();
  #ids = new Map<string, string | null>();
  #anyObject = false;
  #timer: Timer | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(nouns: readonly string[], { id, workspaceId = null }: About = {}): void {
    for (const noun of nouns) this.#nouns.add(noun);
    if (id !== undefined) this.#ids.set(id, workspaceId);
    else if (nouns.some((noun) => single.has(noun))) this.#anyObject = true;
    if (this.#nouns.size === 0) return;
    const wait = Math.max(FIRST_MS, this.#sentAt + EVERY_MS - this.#clock.monotonic());
    this.#timer ??= this.#clock.setTimeout(() => this.#send(), wait);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #send(): void {
    const anyObject = this.#anyObject || this.#ids.size > MOST_IDS;
    const changes = { nouns: [...this.#nouns].sort(), ids: this.#ids, anyObject };
    this.#nouns = new Set();
    this.#ids = new Map();
    this.#anyObject = false;
    this.#timer = null;
    this.#sentAt = this.#clock.monotonic();
    for (const changed of [...this.followers]) changed(changes);
  }
}

function seenIn({ nouns, ids, anyObject }: Changes, workspaceIds: Scope['workspaceIds']): LiveChange {
  if (anyObject) return { nouns, ids: [] };
  const seen = [...ids].filter(([, place]) => place === null || (workspaceIds?.includes(place) ?? true));
  const names = seen.map(([id]) => id);
  return { nouns: names.length > 0 ? nouns : nouns.filter((noun) => !single.has(noun)), ids: names };
}

const OPERATORS = 'operators';

/** @param deps.realClock open pages do not follow the test clock */
export function createLive(deps: {
  wake: Pick<Wake, 'on'>;
  realClock: Clock;
  nounsOfAction: NounsOfAction;
}): Live & { close(): void } {
  const { wake, realClock, nounsOfAction } = deps;
  const channels = new Map<string, Channel>();
  const follow = (name: string, changed: (changes: Changes) => void) => {
    const channel = channels.get(name) ?? new Channel(realClock);
    channels.set(name, channel);
    channel.followers.add(changed);
    return () => {
      channel.followers.delete(changed);
      if (channel.followers.size > 0 || channels.get(name) !== channel) return;
      channel.stop();
      channels.delete(name);
    };
  };
  const everyAccount = (nouns: readonly string[]) => {
    for (const [name, channel] of channels) if (name !== OPERATORS) channel.add(nouns);
  };
  const toOperators = (nouns: readonly string[]) => channels.get(OPERATORS)?.add(nouns);

  const unsubscribe = [
    ...rows(accountTopics).map(([topic, nouns]) =>
      wake.on(topic, (account, about) => {
        if (account === '') everyAccount([ALL]);
        else channels.get(account)?.add(nouns, about);
      }),
    ),
    ...rows(commonTopics).map(([topic, nouns]) => wake.on(topic, () => everyAccount(nouns))),
    ...rows(operatorTopics).map(([topic, nouns]) => wake.on(topic, () => toOperators(nouns))),
    wake.on('actions', (account, about) => {
      if (account === '') return toOperators([ALL]);
      channels.get(account)?.add(nounsOfAction(about?.action ?? ''));
      toOperators(['audit', 'organizations']);
    }),
  ];
  return {
    followAccount: ({ accountId, workspaceIds }, changed) =>
      follow(String(accountId), (changes) => changed(seenIn(changes, workspaceIds))),
    followOperators: (changed) => follow(OPERATORS, (changes) => changed(seenIn(changes, null))),
    close() {
      for (const off of unsubscribe) off();
      for (const channel of channels.values()) channel.stop();
      channels.clear();
    },
  };
}

const rows = <Noun>(table: Partial<Record<Topic, readonly Noun[]>>) =>
  Object.entries(table) as [Topic, readonly Noun[]][];
