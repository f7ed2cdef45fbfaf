// Stretches of free time in a balanced tree, for "which of them hold this window?" in logarithmic time.

/** Free from `start` to `end`; `size` slots are free in it. Times in ms, may be infinite. */
export interface Gap {
  readonly start: number;
  readonly end: number;
  readonly size: number;
  /** Tells gaps of equal end and size apart; the same everywhere for the same place. */
  readonly name: string;
}

export interface Window {
  readonly startsAt: number;
  readonly endsAt: number;
}

interface Node<G extends Gap> {
  readonly gap: G;
  /** A heap of random priorities keeps the tree balanced (treap). */
  readonly priority: number;
  left: Node<G> | null;
  right: Node<G> | null;
  // Of the whole subtree.
  minStart: number;
  maxStart: number;
  size: number;
}

/** Earliest end first: what holds a window most tightly comes first. Then small places before large ones. */
function compare(a: Gap, b: Gap): number {
  if (a.end !== b.end) return a.end < b.end ? -1 : 1;
  if (a.size !== b.size) return a.size - b.size;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.start === b.start ? 0 : a.start < b.start ? -1 : 1;
}

export interface GapTree<G extends Gap> {
  add(gap: G): void;
  /** Takes out the gap of equal start, end, size and name; nothing when there is none. */
  remove(gap: G): void;
  /** Slots in gaps that hold the whole window. */
  count(window: Window): number;
  /** The gaps that hold the whole window, tightest end first. */
  holding(window: Window): Generator<G>;
}

/** Gaps ordered by their end; every subtree knows its earliest and latest start and how many slots it counts. */
export function createGapTree<G extends Gap>(): GapTree<G> {
  let root: Node<G> | null = null;
  // Equal calls make equal trees: nothing depends on chance that a test could not repeat.
  let seed = 0x9e3779b9;
  const random = () => {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return seed >>> 0;
  };
  return {
    add(gap) {
      const node = leaf(gap, random());
      const [before, after] = split(root, gap);
      root = merge(merge(before, node), after);
    },
    remove(gap) {
      root = without(root, gap);
    },
    count: ({ startsAt, endsAt }) => countIn(root, startsAt, endsAt, false),
    holding: (window) => walk(root, window),
  };
}

function leaf<G extends Gap>(gap: G, priority: number): Node<G> {
  const { start, size } = gap;
  return { gap, priority, left: null, right: null, minStart: start, maxStart: start, size };
}

function settle<G extends Gap>(node: Node<G>): Node<G> {
  const { gap, left, right } = node;
  node.minStart = Math.min(gap.start, left?.minStart ?? gap.start, right?.minStart ?? gap.start);
  node.maxStart = Math.max(gap.start, left?.maxStart ?? gap.start, right?.maxStart ?? gap.start);
  node.size = gap.size + (left?.size ?? 0) + (right?.size ?? 0);
  return node;
}

/** What comes before the gap, and the rest. */
function split<G extends Gap>(node: Node<G> | null, at: Gap): [Node<G> | null, Node<G> | null] {
  if (!node) return [null, null];
  if (compare(node.gap, at) < 0) {
    const [before, after] = split(node.right, at);
    node.right = before;
    return [settle(node), after];
  }
  const [before, after] = split(node.left, at);
  node.left = after;
  return [before, settle(node)];
}

function merge<G extends Gap>(before: Node<G> | null, after: Node<G> | null): Node<G> | null {
  if (!before || !after) return before ?? after;
  if (before.priority > after.priority) {
    before.right = merge(before.right, after);
    return settle(before);
  }
  after.left = merge(before, after.left);
  return settle(after);
}

function without<G extends Gap>(node: Node<G> | null, gap: Gap): Node<G> | null {
  if (!node) return null;
  const order = compare(gap, node.gap);
  if (order === 0) return merge(node.left, node.right);
  if (order < 0) node.left = without(node.left, gap);
  else node.right = without(node.right, gap);
  return settle(node);
}

/** @param late every gap of the subtree ends late enough */
function countIn<G extends Gap>(
  node: Node<G> | null,
  startsAt: number,
  endsAt: number,
  late: boolean,
): number {
  if (!node || node.minStart > startsAt) return 0;
  if (late && node.maxStart <= startsAt) return node.size;
  if (node.gap.end < endsAt) return countIn(node.right, startsAt, endsAt, late);
  const own = node.gap.start <= startsAt ? node.gap.size : 0;
  return own + countIn(node.left, startsAt, endsAt, late) + countIn(node.right, startsAt, endsAt, true);
}

function* walk<G extends Gap>(node: Node<G> | null, window: Window): Generator<G> {
  if (!node || node.minStart > window.startsAt) return;
  if (node.gap.end >= window.endsAt) {
    yield* walk(node.left, window);
    if (node.gap.start <= window.startsAt) yield node.gap;
  }
  yield* walk(node.right, window);
}
