// The beginnings of all needles as an Aho-Corasick trie: one state tells which needles may be under way.

/** The byte strings to find, by number. A needle is made of symbols (see symbols.ts): no two GAPs in a row. */
export interface NeedleSet {
  readonly count: number;
  /** The first `limit` symbols of a needle; fewer than `limit` when it has no more. */
  prefix(needle: number, limit: number): Uint8Array;
}

/**
 * States are numbers, 0 is the root. Only the first `maxDepth` symbols of a needle are states: a needle that goes on
 * beyond is listed as `longer` at its last state and followed from there by a cursor (long-needle.ts).
 */
export interface PrefixTrie {
  readonly maxDepth: number;
  readonly size: number;
  /** The state reached by a symbol from the longest suffix that has it. */
  next(state: number, symbol: number): number;
  /** The child of exactly this state, or 0. */
  child(state: number, symbol: number): number;
  /** The longest state that is a proper suffix of this one. */
  suffix(state: number): number;
  depth(state: number): number;
  /** The state itself or the nearest suffix of it at which a needle ends; 0 when there is none. */
  ending(state: number): number;
  /** First needle that ends at this state, -1 when none; further ones by `following`. */
  firstEnding(state: number): number;
  /** First needle that goes on beyond this state, -1 when none; further ones by `following`. */
  firstLonger(state: number): number;
  following(needle: number): number;
}

// Bounds the table: about 22 bytes a state, so 23 MB, or 8 states a needle where there are more than 131,072 of them.
const STATE_BUDGET = 1 << 20;
const DEEPEST = 64;
const SHALLOWEST = 8;

/** Builds the trie. Empty needles are left out. Time and memory do not grow with the length of the needles. */
export function buildPrefixTrie(needles: NeedleSet): PrefixTrie {
  const maxDepth = Math.max(
    SHALLOWEST,
    Math.min(DEEPEST, Math.floor(STATE_BUDGET / Math.max(1, needles.count))),
  );
  const states = createStates();
  const following = new Int32Array(needles.count).fill(-1);

  for (let needle = 0; needle < needles.count; needle++) {
    const symbols = needles.prefix(needle, maxDepth + 1);
    if (symbols.length === 0) continue;
    const depth = Math.min(symbols.length, maxDepth);
    let state = 0;
    for (let i = 0; i < depth; i++) state = states.childOrNew(state, symbols[i]!, i + 1);
    const list = symbols.length > maxDepth ? states.longer() : states.endings();
    following[needle] = list[state]!;
    list[state] = needle;
  }
  const table = states.finish();
  return { maxDepth, following: (needle) => following[needle]!, ...linkSuffixes(table) };
}

interface StateTable {
  size: number;
  symbol: Uint8Array;
  depth: Uint8Array;
  firstChild: Int32Array;
  sibling: Int32Array;
  endings: Int32Array;
  longer: Int32Array;
}

/** The growing table of states while needles are put in. */
function createStates() {
  let capacity = 1024;
  const table: StateTable = {
    size: 1,
    symbol: new Uint8Array(capacity),
    depth: new Uint8Array(capacity),
    firstChild: new Int32Array(capacity),
    sibling: new Int32Array(capacity),
    endings: new Int32Array(capacity).fill(-1),
    longer: new Int32Array(capacity).fill(-1),
  };
  const resize = (length: number): void => {
    const copy = <T extends Uint8Array | Int32Array>(from: T, to: T): T => {
      to.set(from.subarray(0, Math.min(from.length, length)));
      return to;
    };
    table.symbol = copy(table.symbol, new Uint8Array(length));
    table.depth = copy(table.depth, new Uint8Array(length));
    table.firstChild = copy(table.firstChild, new Int32Array(length));
    table.sibling = copy(table.sibling, new Int32Array(length));
    table.endings = copy(table.endings, new Int32Array(length).fill(-1));
    table.longer = copy(table.longer, new Int32Array(length).fill(-1));
    capacity = length;
  };
  return {
    endings: () => table.endings,
    longer: () => table.longer,
    childOrNew(state: number, symbol: number, depth: number): number {
      for (let child = table.firstChild[state]!; child !== 0; child = table.sibling[child]!) {
        if (table.symbol[child] === symbol) return child;
      }
      if (table.size === capacity) resize(capacity * 2);
      const child = table.size++;
      table.symbol[child] = symbol;
      table.depth[child] = depth;
      table.sibling[child] = table.firstChild[state]!;
      table.firstChild[state] = child;
      return child;
    },
    finish(): StateTable {
      resize(table.size);
      return table;
    },
  };
}

/** Adds to every state its longest proper suffix that is a state, and the nearest one at which a needle ends. */
function linkSuffixes(table: StateTable): Omit<PrefixTrie, 'maxDepth' | 'following'> {
  const { size, symbol: symbols, depth: depths, firstChild, sibling, endings, longer } = table;
  const suffix = new Int32Array(size);
  const ending = new Int32Array(size);
  const fromRoot = new Int32Array(256);
  for (let state = firstChild[0]!; state !== 0; state = sibling[state]!) fromRoot[symbols[state]!] = state;

  const child = (state: number, symbol: number): number => {
    if (state === 0) return fromRoot[symbol]!;
    let found = firstChild[state]!;
    while (found !== 0 && symbols[found] !== symbol) found = sibling[found]!;
    return found;
  };
  const next = (state: number, symbol: number): number => {
    let from = state;
    while (from !== 0) {
      const found = child(from, symbol);
      if (found !== 0) return found;
      from = suffix[from]!;
    }
    return fromRoot[symbol]!;
  };

  const queue = new Int32Array(size);
  let queued = 1;
  for (let done = 0; done < queued; done++) {
    const state = queue[done]!;
    for (let found = firstChild[state]!; found !== 0; found = sibling[found]!) {
      suffix[found] = state === 0 ? 0 : next(suffix[state]!, symbols[found]!);
      ending[found] = endings[found] === -1 ? ending[suffix[found]!]! : found;
      queue[queued++] = found;
    }
  }

  return {
    size,
    next,
    child,
    suffix: (state) => suffix[state]!,
    depth: (state) => depths[state]!,
    ending: (state) => ending[state]!,
    firstEnding: (state) => endings[state]!,
    firstLonger: (state) => longer[state]!,
  };
}
