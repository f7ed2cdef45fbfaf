// The prefixes of all needles as an Aho-Corasick trie: one state represents all partially matched needles.

/** The byte strings to find, by number. A needle consists of symbols (see symbols.ts), never two GAPs in a row. */
export interface NeedleSet {
  readonly count: number;
  /** Returns the first `limit` symbols of a needle; fewer when it is shorter. */
  prefix(needle: number, limit: number): Uint8Array;
}

/**
 * States are numbers, 0 is the root. Only the first `maxDepth` symbols of a needle are states of the trie. A longer
 * needle is listed as `longer` at its last state; its further states are created when they are reached
 * (needle-states.ts).
 */
export interface PrefixTrie {
  readonly maxDepth: number;
  readonly size: number;
  /** Returns the state reached by a symbol from the longest suffix that has such a child. */
  next(state: number, symbol: number): number;
  /** Returns the child of exactly this state, or 0. */
  child(state: number, symbol: number): number;
  children(state: number): { readonly symbol: number; readonly state: number }[];
  /** Returns the longest state that is a proper suffix of this one. */
  suffix(state: number): number;
  /** Returns the state itself or its nearest suffix with children; 0 when there is none. */
  extensible(state: number): number;
  depth(state: number): number;
  /** Returns the state itself or its nearest suffix at which a needle ends; 0 when there is none. */
  ending(state: number): number;
  /** Returns the first needle that ends at this state, -1 when there is none; further ones by `following`. */
  firstEnding(state: number): number;
  /**
   * Returns the first needle that continues beyond this state, -1 when there is none; further ones by `following`.
   */
  firstLonger(state: number): number;
  following(needle: number): number;
}

// Limits the table: 26 bytes per state, so 55 MB, or 8 states per needle with more than 262,144 needles.
const STATE_BUDGET = 1 << 21;
const DEEPEST = 64;
const SHALLOWEST = 8;

/** Builds the trie. Empty needles are ignored. Time and memory do not depend on the length of the needles. */
export function buildPrefixTrie(needles: NeedleSet): PrefixTrie {
  const maxDepth = Math.max(
    SHALLOWEST,
    Math.min(DEEPEST, Math.floor(STATE_BUDGET / Math.max(1, needles.count))),
  );
  const states = createBuilder();
  const following = new Int32Array(needles.count).fill(-1);

  for (let needle = 0; needle < needles.count; needle++) {
    const symbols = needles.prefix(needle, maxDepth + 1);
    if (symbols.length === 0) continue;
    const depth = Math.min(symbols.length, maxDepth);
    let state = 0;
    for (let i = 0; i < depth; i++) state = states.childOrNew(state, symbols[i]!);
    following[needle] = states.addNeedle(state, needle, symbols.length > maxDepth);
  }
  return { maxDepth, following: (needle) => following[needle]!, ...linkStates(states.finish()) };
}

/** The trie under construction: the children of a state are a list sorted by symbol. */
interface Growing {
  size: number;
  symbol: Uint8Array;
  firstChild: Int32Array;
  sibling: Int32Array;
  endings: Int32Array;
  longer: Int32Array;
}

function createBuilder() {
  let capacity = 1024;
  const grown: Growing = {
    size: 1,
    symbol: new Uint8Array(capacity),
    firstChild: new Int32Array(capacity),
    sibling: new Int32Array(capacity),
    endings: new Int32Array(capacity).fill(-1),
    longer: new Int32Array(capacity).fill(-1),
  };
  const wider = (array: Int32Array, rest: number): Int32Array => {
    const copy = new Int32Array(capacity).fill(rest, array.length);
    copy.set(array);
    return copy;
  };
  const widen = (): void => {
    capacity *= 2;
    const symbol = new Uint8Array(capacity);
    symbol.set(grown.symbol);
    grown.symbol = symbol;
    grown.firstChild = wider(grown.firstChild, 0);
    grown.sibling = wider(grown.sibling, 0);
    grown.endings = wider(grown.endings, -1);
    grown.longer = wider(grown.longer, -1);
  };
  return {
    childOrNew(state: number, symbol: number): number {
      let before = 0;
      let child = grown.firstChild[state]!;
      while (child !== 0 && grown.symbol[child]! < symbol) {
        before = child;
        child = grown.sibling[child]!;
      }
      if (child !== 0 && grown.symbol[child] === symbol) return child;
      if (grown.size === capacity) widen();
      const added = grown.size++;
      grown.symbol[added] = symbol;
      grown.sibling[added] = child;
      if (before === 0) grown.firstChild[state] = added;
      else grown.sibling[before] = added;
      return added;
    },
    /** Adds a needle to the list of a state and returns the previous first one. */
    addNeedle(state: number, needle: number, goesOn: boolean): number {
      const list = goesOn ? grown.longer : grown.endings;
      const before = list[state]!;
      list[state] = needle;
      return before;
    },
    finish: () => grown,
  };
}

/**
 * Returns the finished trie. States are numbered breadth first, so the children of a state are adjacent and sorted by
 * symbol. Each state is linked to its longest proper suffix, and to the nearest suffixes at which a needle ends or
 * continues.
 */
function linkStates(grown: Growing): Omit<PrefixTrie, 'maxDepth' | 'following'> {
  const { size } = grown;
  const symbols = new Uint8Array(size);
  const depths = new Uint8Array(size);
  const children = new Int32Array(size + 1);
  const suffix = new Int32Array(size);
  const ending = new Int32Array(size);
  const extensible = new Int32Array(size);
  const endings = new Int32Array(size);
  const longer = new Int32Array(size);
  const fromRoot = new Int32Array(256);

  const child = (state: number, symbol: number): number => {
    if (state === 0) return fromRoot[symbol]!;
    let low = children[state]!;
    let high = children[state + 1]!;
    while (high - low > 4) {
      const middle = (low + high) >> 1;
      if (symbols[middle]! <= symbol) low = middle;
      else high = middle;
    }
    for (; low < high; low++) if (symbols[low] === symbol) return low;
    return 0;
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

  const numberOf = new Int32Array(size);
  let numbered = 1;
  for (let state = 0; state < size; state++) {
    const old = numberOf[state]!;
    endings[state] = grown.endings[old]!;
    longer[state] = grown.longer[old]!;
    children[state] = numbered;
    for (let added = grown.firstChild[old]!; added !== 0; added = grown.sibling[added]!) {
      const symbol = grown.symbol[added]!;
      symbols[numbered] = symbol;
      depths[numbered] = depths[state]! + 1;
      if (state === 0) fromRoot[symbol] = numbered;
      numberOf[numbered++] = added;
    }
    children[state + 1] = numbered;
  }
  // A suffix is shallower than its state, so it is linked before it is used.
  for (let state = 0; state < size; state++) {
    for (let found = children[state]!; found < children[state + 1]!; found++) {
      suffix[found] = state === 0 ? 0 : next(suffix[state]!, symbols[found]!);
      ending[found] = endings[found] === -1 ? ending[suffix[found]!]! : found;
      extensible[found] = children[found] === children[found + 1] ? extensible[suffix[found]!]! : found;
    }
  }

  return {
    size,
    next,
    child,
    children: (state) =>
      Array.from({ length: children[state + 1]! - children[state]! }, (_, i) => {
        const found = children[state]! + i;
        return { symbol: symbols[found]!, state: found };
      }),
    suffix: (state) => suffix[state]!,
    extensible: (state) => extensible[state]!,
    depth: (state) => depths[state]!,
    ending: (state) => ending[state]!,
    firstEnding: (state) => endings[state]!,
    firstLonger: (state) => longer[state]!,
  };
}
