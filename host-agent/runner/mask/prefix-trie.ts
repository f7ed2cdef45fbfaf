// The beginnings of all needles as an Aho-Corasick trie: one state tells which needles may be under way.

/** The byte strings to find, by number. A needle is made of symbols (see symbols.ts): no two GAPs in a row. */
export interface NeedleSet {
  readonly count: number;
  /** The first `limit` symbols of a needle; fewer than `limit` when it has no more. */
  prefix(needle: number, limit: number): Uint8Array;
}

/**
 * States are numbers, 0 is the root. Only the first `maxDepth` symbols of a needle are states: a needle that goes on
 * beyond is listed as `longer` at its last state and followed from there by states that are made when they are reached (needle-states.ts).
 */
export interface PrefixTrie {
  readonly maxDepth: number;
  readonly size: number;
  /** The state reached by a symbol from the longest suffix that has it. */
  next(state: number, symbol: number): number;
  /** The child of exactly this state, or 0. */
  child(state: number, symbol: number): number;
  children(state: number): { readonly symbol: number; readonly state: number }[];
  /** The longest state that is a proper suffix of this one. */
  suffix(state: number): number;
  /** The state itself or the nearest suffix of it that has children; 0 when there is none. */
  extensible(state: number): number;
  depth(state: number): number;
  /** The state itself or the nearest suffix of it at which a needle ends; 0 when there is none. */
  ending(state: number): number;
  /** First needle that ends at this state, -1 when none; further ones by `following`. */
  firstEnding(state: number): number;
  /** First needle that goes on beyond this state, -1 when none; further ones by `following`. */
  firstLonger(state: number): number;
  following(needle: number): number;
}

// Bounds the table: 26 bytes a state, so 55 MB, or 8 states a needle where there are more than 262,144 of them.
const STATE_BUDGET = 1 << 21;
const DEEPEST = 64;
const SHALLOWEST = 8;

/** Builds the trie. Empty needles are left out. Time and memory do not grow with the length of the needles. */
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

/** The trie while needles are put in: the children of a state are a list in the order of their symbols. */
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
    /** Lists a needle at a state and returns the one listed there before it. */
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
 * The finished trie. States are numbered breadth first, so the children of a state stand in a row, in the order of their
 * symbols. Each gets its longest proper suffix that is a state, and the nearest ones at which a needle ends or goes on.
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
  // A suffix is shallower than its state, so it and its children are linked before it is looked at.
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
