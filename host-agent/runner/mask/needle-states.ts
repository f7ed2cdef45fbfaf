// Every beginning of every needle as a state of one automaton (Aho-Corasick). Up to the trie's depth they are the
// trie's own; those beyond are made as the stream reaches them, so that memory follows the stream and not the needles. One
// state tells all needles under way: what a byte costs does not depend on how many those are.
import type { NeedleSet, PrefixTrie } from './prefix-trie.js';

export interface NeedleStates {
  /** The state reached by a symbol from the longest suffix that has it. */
  next(state: number, symbol: number): number;
  /** The longest state that is a proper suffix of this one. */
  suffix(state: number): number;
  /** The state itself or the nearest suffix of it with which a needle goes on; 0 when there is none. */
  extensible(state: number): number;
  depth(state: number): number;
  /** The state itself or the nearest suffix of it at which a needle ends; 0 when there is none. */
  ending(state: number): number;
  /** A needle that ends at exactly this state; -1 when none does. */
  firstEnding(state: number): number;
  /** Tells of each needle that ends at exactly this state. */
  eachEnding(state: number, tell: (needle: number) => void): void;
  /** So much has been made that it should be given back by `restart`. */
  isLarge(): boolean;
  /** Forgets everything that was made, but what these states need. Returns them as they are called from now on. */
  restart(states: readonly number[]): number[];
}

/** States that are kept for the next time: 10 MB. */
const KEPT_STATES = 1 << 18;
const FIRST_LOAD = 256;
/** Not looked at yet. */
const UNKNOWN = -1;
/** No needle has so many symbols. */
const NO_SYMBOL = -1;
const NO_NEEDLES: readonly number[] = [];

/** @param keptStates so many are made before they count as many */
export function createNeedleStates(
  needles: NeedleSet,
  trie: PrefixTrie,
  keptStates = KEPT_STATES,
): NeedleStates {
  const { size, maxDepth } = trie;
  const textOf = createTexts(needles);
  let made = createMade();
  /** First of the children that were made of a state of the trie. */
  let belowTrie = new Map<number, number>();
  let large = keptStates;

  const isMade = (state: number): boolean => state >= size;
  const depth = (state: number): number => (isMade(state) ? made.depth[state - size]! : trie.depth(state));
  const suffix = (state: number): number => (isMade(state) ? made.suffix[state - size]! : trie.suffix(state));
  const ending = (state: number): number => (isMade(state) ? made.ending[state - size]! : trie.ending(state));
  const extensible = (state: number): number => {
    if (isMade(state)) return made.extensible[state - size]!;
    return trie.firstLonger(state) === -1 ? trie.extensible(state) : state;
  };

  /** Needles that go on beyond a state of at least the trie's depth. */
  const goingOn = (state: number): readonly number[] => {
    if (isMade(state)) return made.goingOn[state - size]!;
    const list: number[] = [];
    for (let needle = trie.firstLonger(state); needle !== -1; needle = trie.following(needle))
      list.push(needle);
    return list;
  };

  /** Makes the children of a state, each without its links, and returns the first; 0 when there is none. */
  const expand = (state: number): number => {
    const bySymbol = new Map<number, number[]>();
    const all = goingOn(state);
    const at = depth(state);
    for (const needle of all) {
      const symbol = textOf(needle, at);
      const same = bySymbol.get(symbol);
      if (same) same.push(needle);
      else bySymbol.set(symbol, [needle]);
    }
    let first = 0;
    for (const [symbol, group] of bySymbol) {
      const ended = group.filter((needle) => textOf(needle, at + 1) === NO_SYMBOL);
      const rest =
        ended.length === 0 ? group : group.filter((needle) => textOf(needle, at + 1) !== NO_SYMBOL);
      // Mostly nothing changes from one state to the next: then they share their list.
      const goesOn = rest.length === all.length ? all : rest;
      first =
        size +
        made.add({ parent: state, symbol, depth: at + 1, sibling: first, ended, goesOn, witness: group[0]! });
    }
    if (isMade(state)) made.firstChild[state - size] = first;
    else belowTrie.set(state, first);
    return first;
  };

  /** The child of exactly this state, linked or not; 0 when there is none. */
  const childOf = (state: number, symbol: number): number => {
    if (!isMade(state) && trie.depth(state) < maxDepth) return trie.child(state, symbol);
    let child = isMade(state) ? made.firstChild[state - size]! : (belowTrie.get(state) ?? UNKNOWN);
    if (child === UNKNOWN) child = expand(state);
    while (child !== 0 && made.symbol[child - size] !== symbol) child = made.sibling[child - size]!;
    return child;
  };

  const isLinked = (state: number): boolean => !isMade(state) || made.suffix[state - size] !== UNKNOWN;

  /** The longest suffix of a state that has a child by the symbol: that child, linked or not. */
  const step = (state: number, symbol: number): number => {
    for (let from = state; ; from = suffix(from)) {
      const child = childOf(from, symbol);
      if (child !== 0 || from === 0) return child;
    }
  };

  /** Gives a state, whose parent is linked, its suffix and what follows from that; before it those that it needs. */
  const link = (state: number): void => {
    const waiting = [state];
    let target = state;
    while (!isLinked(target)) {
      const i = target - size;
      target = step(suffix(made.parent[i]!), made.symbol[i]!);
      waiting.push(target);
    }
    for (let k = waiting.length - 2; k >= 0; k--) {
      const current = waiting[k]!;
      const i = current - size;
      const longest = waiting[k + 1]!;
      made.suffix[i] = longest;
      made.ending[i] = made.ended[i]!.length > 0 ? current : ending(longest);
      made.extensible[i] = made.goingOn[i]!.length > 0 ? current : extensible(longest);
    }
  };

  const next = (state: number, symbol: number): number => {
    // All suffixes of such a state are states of the trie.
    if (!isMade(state) && trie.depth(state) < maxDepth) return trie.next(state, symbol);
    const found = step(state, symbol);
    if (!isLinked(found)) link(found);
    return found;
  };

  return {
    next,
    suffix,
    extensible,
    depth,
    ending,
    firstEnding: (state) => (isMade(state) ? (made.ended[state - size]![0] ?? -1) : trie.firstEnding(state)),
    eachEnding(state, tell) {
      if (isMade(state)) for (const needle of made.ended[state - size]!) tell(needle);
      else for (let n = trie.firstEnding(state); n !== -1; n = trie.following(n)) tell(n);
    },
    isLarge: () => made.count() > large,
    restart(states) {
      const kept = states.map((state) =>
        isMade(state) ? { needle: made.witness[state - size]!, depth: depth(state) } : null,
      );
      made = createMade();
      belowTrie = new Map();
      textOf.forget();
      const moved = states.map((state, i) => {
        const from = kept[i];
        if (!from) return state;
        let found = 0;
        for (let at = 0; at < from.depth; at++) found = next(found, textOf(from.needle, at));
        return found;
      });
      // What is needed again at once must not be given back again at once.
      large = Math.max(keptStates, 2 * made.count());
      return moved;
    },
  };
}

interface NewState {
  readonly parent: number;
  readonly symbol: number;
  readonly depth: number;
  readonly sibling: number;
  /** Needles that end here, and that go on. */
  readonly ended: readonly number[];
  readonly goesOn: readonly number[];
  /** A needle that begins with this state. */
  readonly witness: number;
}

/** The states that were made, by their number less that of the first of them. */
function createMade() {
  let capacity = 64;
  let count = 0;
  const numbers = () => new Int32Array(capacity);
  const self = {
    parent: numbers(),
    symbol: new Uint8Array(capacity),
    depth: numbers(),
    sibling: numbers(),
    firstChild: numbers(),
    suffix: numbers(),
    ending: numbers(),
    extensible: numbers(),
    witness: numbers(),
    ended: [] as (readonly number[])[],
    goingOn: [] as (readonly number[])[],
    count: () => count,
    add(state: NewState): number {
      if (count === capacity) widen();
      const added = count++;
      self.parent[added] = state.parent;
      self.symbol[added] = state.symbol;
      self.depth[added] = state.depth;
      self.sibling[added] = state.sibling;
      self.firstChild[added] = state.goesOn.length === 0 ? 0 : UNKNOWN;
      self.suffix[added] = UNKNOWN;
      self.witness[added] = state.witness;
      self.ended.push(state.ended.length === 0 ? NO_NEEDLES : state.ended);
      self.goingOn.push(state.goesOn);
      return added;
    },
  };
  const widen = (): void => {
    capacity *= 2;
    const symbol = new Uint8Array(capacity);
    symbol.set(self.symbol);
    self.symbol = symbol;
    for (const name of [
      'parent',
      'depth',
      'sibling',
      'firstChild',
      'suffix',
      'ending',
      'extensible',
      'witness',
    ] as const) {
      const wider = numbers();
      wider.set(self[name]);
      self[name] = wider;
    }
  };
  return self;
}

/** Symbols of needles by their place, each needle loaded only as far as it is asked for. */
function createTexts(needles: NeedleSet) {
  const loaded = new Map<number, { symbols: Uint8Array; whole: boolean }>();
  const symbolAt = (needle: number, index: number): number => {
    let text = loaded.get(needle);
    while (text === undefined || (index >= text.symbols.length && !text.whole)) {
      const limit = Math.max(FIRST_LOAD, 2 * (text?.symbols.length ?? 0));
      const symbols = new Uint8Array(needles.prefix(needle, limit));
      text = { symbols, whole: symbols.length < limit };
      loaded.set(needle, text);
    }
    return index < text.symbols.length ? text.symbols[index]! : NO_SYMBOL;
  };
  return Object.assign(symbolAt, { forget: () => loaded.clear() });
}
