// The live stream of a page, and whether it is alive. A connection can die without an error (a router that forgets it,
// a laptop that wakes up elsewhere): the service sends a beat, and a page that hears none for some time opens another
// stream.

import type { clock, Timer } from '../clock.js';
import type { Connection } from './connection.js';
import { EVERYTHING, type LiveChange, parseBeat, parseChange, reconnectDelay, unreachableDelay } from './live.js';

/** Silence of this many beats: one may be lost, and the next late. */
const BEATS = 8 / 3;
const USUAL_BEAT_MS = 15_000;
/** The first connection must be there within this time. */
const FIRST_MS = 10_000;
const WATCH_MS = 1_000;
/**
 * Attempts overlap: one that began while nothing arrived may never be answered, and on a slow network the next would not be
 * there in time, either. Browsers allow six connections.
 */
const ATTEMPTS = 3;

export interface StreamDeps {
  readonly clock: Pick<typeof clock, 'now' | 'setTimeout' | 'setInterval'>;
  readonly random: () => number;
  readonly connect: (url: string) => EventSource;
  show(connection: Connection): void;
  changed(change: LiveChange): void;
  /** Nothing arrives on any connection, or it did not until now: requests that are under way may never be answered. */
  stuck(): void;
  /** The service has answered, but not with a stream. */
  refused(): void;
}

export interface Stream {
  /** Opens the stream, or does nothing if it is open. */
  open(): void;
  /** Opens another stream at once: the network may have changed. */
  reopen(): void;
  close(): void;
}

export function createStream(url: string, deps: StreamDeps): Stream {
  const { clock, show, changed } = deps;
  /** The open one alone, or those that are being opened, the oldest first. */
  let sources: EventSource[] = [];
  let next: Timer | undefined;
  let watch: Timer | undefined;
  let isOpen = false;
  let isAway = false;
  let refusals = 0;
  let heardAt = clock.now();
  let startedAt = 0;
  let silenceMs = USUAL_BEAT_MS * BEATS;

  const drop = () => {
    next?.cancel();
    for (const source of sources) source.close();
    sources = [];
    isOpen = false;
  };
  const heard = () => {
    heardAt = clock.now();
  };
  const away = (state: 'lost' | 'refused', silent: boolean) => {
    isOpen = false;
    isAway = true;
    show({ state, heardAt, silent });
  };
  const attemptIn = (ms: number) => {
    next?.cancel();
    next = clock.setTimeout(() => {
      attempt();
      attemptIn(unreachableDelay(deps.random()));
    }, ms);
  };
  const onOpen = (opened: EventSource) => {
    next?.cancel();
    for (const source of sources) if (source !== opened) source.close();
    sources = [opened];
    isOpen = true;
    refusals = 0;
    heard();
    const wasAway = isAway;
    isAway = false;
    if (wasAway) deps.stuck();
    show({ state: 'open', heardAt, silent: false });
    // Changes before the stream opened were missed, so everything is read again. After an interruption the listeners of the
    // connection do that.
    if (!wasAway) changed(EVERYTHING);
  };
  const onError = (source: EventSource) => {
    if (source.readyState === EventSource.CLOSED) {
      drop();
      refusals++;
      away('refused', false);
      attemptIn(reconnectDelay(refusals, deps.random()));
      return deps.refused();
    }
    // The browser would try again by itself, but later, and with one attempt at a time.
    source.close();
    sources = sources.filter((each) => each !== source);
    if (isAway) return;
    away('lost', false);
    attemptIn(unreachableDelay(deps.random()));
  };
  function attempt() {
    const source = deps.connect(url);
    sources.push(source);
    if (sources.length > ATTEMPTS) sources.shift()?.close();
    source.onopen = () => onOpen(source);
    source.onerror = () => onError(source);
    source.addEventListener('beat', ({ data }) => {
      heard();
      silenceMs = (parseBeat(String(data)) ?? USUAL_BEAT_MS) * BEATS;
    });
    source.addEventListener('change', ({ data }) => {
      heard();
      const change = parseChange(String(data));
      if (change) changed(change);
    });
  }
  const check = () => {
    if (isAway) return;
    const now = clock.now();
    if (now - (isOpen ? heardAt : startedAt) < (isOpen ? silenceMs : FIRST_MS)) return;
    if (isOpen) drop();
    deps.stuck();
    away('lost', true);
    attemptIn(0);
  };

  return {
    open() {
      if (watch) return;
      watch = clock.setInterval(check, WATCH_MS);
      startedAt = clock.now();
      if (!isAway) show({ state: 'connecting', heardAt, silent: false });
      attempt();
      if (isAway) attemptIn(unreachableDelay(deps.random()));
    },
    reopen() {
      drop();
      away('lost', false);
      attemptIn(0);
    },
    close() {
      drop();
      watch?.cancel();
      watch = undefined;
    },
  };
}
