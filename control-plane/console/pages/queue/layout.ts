// Where the builds of the queue stand on the time axis: one lane for each Mac.
import type { AgentMac, ListedBuild } from '../../../../client/types.js';

export interface QueueBar {
  readonly key: string;
  /** What it is: a running build, a waiting one at its estimated start, or why the Mac takes no builds. */
  readonly kind: 'running' | 'waiting' | 'reserved' | 'maintenance' | 'ends';
  readonly build: ListedBuild | null;
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Its end is only a guess. */
  readonly open: boolean;
}

export interface QueueLane {
  readonly mac: AgentMac;
  readonly bars: readonly QueueBar[];
}

export interface QueueLayout {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly QueueLane[];
}

const MIN = 60_000;
/** Shown before and after now, at least and at most. */
const BEFORE = { least: 10 * MIN, most: 120 * MIN };
const AFTER = { least: 40 * MIN, most: 8 * 60 * MIN };
/** Length of a bar whose end is unknown. */
const GUESS = 10 * MIN;
/** Starts are estimated to the second. */
const SLACK = 1_500;

export interface QueueState {
  readonly macs: readonly AgentMac[];
  /** There are more Macs than these. */
  readonly partial: boolean;
  readonly running: readonly ListedBuild[];
  /** In the order of their starts. */
  readonly queued: readonly ListedBuild[];
}

const ms = (iso: string | null) => (iso === null ? null : Date.parse(iso));

export function layoutQueue({ macs, partial, running, queued }: QueueState, now: number): QueueLayout {
  const lanes = new Map(macs.map((mac) => [mac.rental_id, [] as QueueBar[]]));
  /** When each Mac can take the next build. */
  const free = new Map<string, number>();
  for (const mac of macs) {
    const blocked = blockedBar(mac, now);
    if (blocked) lanes.get(mac.rental_id)?.push(blocked);
    free.set(mac.rental_id, blocked?.to ?? now);
  }
  for (const build of running) {
    const lane = lanes.get(build.rental_public_id ?? '');
    const started = ms(build.timings.started_at);
    if (!lane || started === null) continue;
    const expected = ms(build.timings.estimated_end_at);
    const to = Math.max(now + MIN / 2, expected ?? started + build.timeout_min * MIN);
    lane.push({ key: build.id, kind: 'running', build, from: started, to, open: expected === null });
    free.set(build.rental_public_id ?? '', to);
  }
  for (const build of queued) {
    const start = ms(build.estimated_start_at);
    const id = start === null ? null : laneFor(build, start, free, partial);
    if (start === null || id === null) continue;
    const lane = lanes.get(id) ?? [];
    // A Mac is never idle between two waiting builds: the bar before ends where this one begins.
    const before = lane.at(-1);
    if (before?.kind === 'waiting') lane[lane.length - 1] = { ...before, to: start };
    const to = start + (build.estimate_basis === 'timeout_budget' ? build.timeout_min * MIN : GUESS);
    lane.push({ key: build.id, kind: 'waiting', build, from: start, to, open: true });
    free.set(id, start);
  }
  const bars = [...lanes.values()].flat();
  const earliest = Math.min(now, ...bars.map((bar) => bar.from));
  const from = Math.min(now - BEFORE.least, Math.max(now - BEFORE.most, earliest));
  const last = Math.max(now, ...bars.filter(({ kind }) => kind !== 'reserved').map((bar) => bar.to));
  const to = Math.min(now + AFTER.most, Math.max(now + AFTER.least, last + 5 * MIN));
  return {
    from,
    to,
    lanes: macs.map((mac) => ({
      mac,
      bars: [...(lanes.get(mac.rental_id) ?? []), ...endBar(mac, to)].filter((bar) => bar.to > from && bar.from < to),
    })),
  };
}

/**
 * The Mac that the build is pinned to, or the one that becomes free closest before its start. Null if that can be one
 * of the Macs that are not known.
 */
function laneFor(
  build: ListedBuild,
  start: number,
  free: ReadonlyMap<string, number>,
  partial: boolean,
): string | null {
  const pinned = build.pinned_rental_id;
  if (pinned !== null) return free.has(pinned) ? pinned : null;
  const able = [...free].filter(([, at]) => at <= start + SLACK);
  return (able.length > 0 || partial ? able : [...free]).sort(([, a], [, b]) => b - a).at(0)?.[0] ?? null;
}

function blockedBar(mac: AgentMac, now: number): QueueBar | null {
  const key = `${mac.rental_id} ${mac.state}`;
  if (mac.state === 'reserved') {
    const to = ms(mac.starts_at) ?? now;
    return { key, kind: 'reserved', build: null, from: now, to: Math.max(now, to), open: false };
  }
  if (mac.state === 'ready' || mac.state === 'building') return null;
  return { key, kind: 'maintenance', build: null, from: now, to: now + GUESS, open: true };
}

/** From the end of the rental on. */
function endBar({ rental_id: id, ends_at, state }: AgentMac, to: number): QueueBar[] {
  const end = ms(ends_at);
  if (end === null || end >= to || state === 'preparing' || state === 'reserved') return [];
  return [{ key: `${id} end`, kind: 'ends', build: null, from: end, to, open: false }];
}
