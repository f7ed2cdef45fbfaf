// The states of an Aho-Corasick automaton for all needles. States up to the trie's depth belong to the trie; deeper
// states are created when the stream reaches them, so memory depends on the stream, not on the length of the needles.
// One state represents all partially matched needles, so the cost of a byte does not depend on how many there are.
import { createNeedleTexts, type NeedleTexts, NO_SYMBOL } from './needle-text.js';
import type { NeedleSet, PrefixTrie } from './prefix-trie.js';
import { StateTable, UNKNOWN } from './state-table.js';

/** States that are kept without a restart: 10 MB. */
const KEPT_STATES = 1 << 18;

/** State numbers below the size of the trie are the trie's; the others are rows of a table that can be cleared. */
export class NeedleStates {
  readonly #trie: PrefixTrie;
  readonly #trieSize: number;
  readonly #maxDepth: number;
  readonly #texts: NeedleTexts;
  readonly #keptStates: number;
  #table = new StateTable();
  /** First child, in the table, of a state of the trie. */
  #childOfTrie = new Map<number, number>();
  #limit: number;

  /** @param keptStates number of created states above which `isLarge` returns true */
  constructor(needles: NeedleSet, trie: PrefixTrie, keptStates = KEPT_STATES) {
    this.#trie = trie;
    this.#trieSize = trie.size;
    this.#maxDepth = trie.maxDepth;
    this.#texts = createNeedleTexts(needles);
    this.#keptStates = keptStates;
    this.#limit = keptStates;
  }

  /** Returns the state reached by a symbol from the longest suffix that has such a child. */
  next(state: number, symbol: number): number {
    // All suffixes of such a state belong to the trie.
    if (!this.#isCreated(state) && this.#trie.depth(state) < this.#maxDepth) {
      return this.#trie.next(state, symbol);
    }
    const found = this.#step(state, symbol);
    if (!this.#isLinked(found)) this.#link(found);
    return found;
  }

  /** Returns the longest state that is a proper suffix of this one. */
  suffix(state: number): number {
    return this.#isCreated(state) ? this.#table.suffix[state - this.#trieSize]! : this.#trie.suffix(state);
  }

  /** Returns the state itself or its nearest suffix with which a needle continues; 0 when there is none. */
  extensible(state: number): number {
    if (this.#isCreated(state)) return this.#table.extensible[state - this.#trieSize]!;
    return this.#trie.firstLonger(state) === -1 ? this.#trie.extensible(state) : state;
  }

  depth(state: number): number {
    return this.#isCreated(state) ? this.#table.depth[state - this.#trieSize]! : this.#trie.depth(state);
  }

  /** Returns the state itself or its nearest suffix at which a needle ends; 0 when there is none. */
  ending(state: number): number {
    return this.#isCreated(state) ? this.#table.ending[state - this.#trieSize]! : this.#trie.ending(state);
  }

  /** Returns a needle that ends at exactly this state; -1 when there is none. */
  firstEnding(state: number): number {
    if (!this.#isCreated(state)) return this.#trie.firstEnding(state);
    return this.#table.ended[state - this.#trieSize]![0] ?? -1;
  }

  /** Calls `report` for each needle that ends at exactly this state. */
  eachEnding(state: number, report: (needle: number) => void): void {
    if (this.#isCreated(state))
      for (const needle of this.#table.ended[state - this.#trieSize]!) report(needle);
    else for (let n = this.#trie.firstEnding(state); n !== -1; n = this.#trie.following(n)) report(n);
  }

  /** True when so many states have been created that `restart` should free them. */
  isLarge(): boolean {
    return this.#table.size > this.#limit;
  }

  /** Drops all created states except those that the given states need. Returns their new numbers. */
  restart(states: readonly number[]): number[] {
    const prefixes = states.map((state) =>
      this.#isCreated(state)
        ? { needle: this.#table.witness[state - this.#trieSize]!, depth: this.depth(state) }
        : null,
    );
    this.#table = new StateTable();
    this.#childOfTrie = new Map();
    this.#texts.clear();
    const moved = states.map((state, i) => {
      const prefix = prefixes[i];
      if (!prefix) return state;
      let found = 0;
      for (let at = 0; at < prefix.depth; at++) found = this.next(found, this.#texts.at(prefix.needle, at));
      return found;
    });
    // What is needed again at once must not make the table large at once.
    this.#limit = Math.max(this.#keptStates, 2 * this.#table.size);
    return moved;
  }

  #isCreated(state: number): boolean {
    return state >= this.#trieSize;
  }

  #isLinked(state: number): boolean {
    return !this.#isCreated(state) || this.#table.suffix[state - this.#trieSize] !== UNKNOWN;
  }

  /** Returns the needles that continue beyond a state of at least the trie's depth. */
  #continuing(state: number): readonly number[] {
    if (this.#isCreated(state)) return this.#table.continuing[state - this.#trieSize]!;
    const list: number[] = [];
    for (let n = this.#trie.firstLonger(state); n !== -1; n = this.#trie.following(n)) list.push(n);
    return list;
  }

  /** Creates the children of a state, without their links, and returns the first; 0 when there is none. */
  #expand(state: number): number {
    const all = this.#continuing(state);
    const at = this.depth(state);
    const bySymbol = new Map<number, number[]>();
    for (const needle of all) {
      const symbol = this.#texts.at(needle, at);
      const same = bySymbol.get(symbol);
      if (same) same.push(needle);
      else bySymbol.set(symbol, [needle]);
    }
    const endsNext = (needle: number) => this.#texts.at(needle, at + 1) === NO_SYMBOL;
    let first = 0;
    for (const [symbol, group] of bySymbol) {
      const ended = group.filter(endsNext);
      const rest = ended.length === 0 ? group : group.filter((needle) => !endsNext(needle));
      // Mostly nothing changes from one state to the next; then they share their list.
      const continuing = rest.length === all.length ? all : rest;
      const child = { parent: state, symbol, depth: at + 1, sibling: first, ended, continuing };
      first = this.#trieSize + this.#table.add({ ...child, witness: group[0]! });
    }
    if (this.#isCreated(state)) this.#table.firstChild[state - this.#trieSize] = first;
    else this.#childOfTrie.set(state, first);
    return first;
  }

  /** Returns the child of exactly this state, linked or not; 0 when there is none. */
  #childOf(state: number, symbol: number): number {
    if (!this.#isCreated(state) && this.#trie.depth(state) < this.#maxDepth) {
      return this.#trie.child(state, symbol);
    }
    const table = this.#table;
    const size = this.#trieSize;
    let child = this.#isCreated(state)
      ? table.firstChild[state - size]!
      : (this.#childOfTrie.get(state) ?? UNKNOWN);
    if (child === UNKNOWN) child = this.#expand(state);
    while (child !== 0 && table.symbol[child - size] !== symbol) child = table.sibling[child - size]!;
    return child;
  }

  /** Returns the child of the longest suffix that has one by this symbol, linked or not. */
  #step(state: number, symbol: number): number {
    for (let from = state; ; from = this.suffix(from)) {
      const child = this.#childOf(from, symbol);
      if (child !== 0 || from === 0) return child;
    }
  }

  /** Links a state whose parent is linked: computes its suffix and what depends on it, those of its suffixes first. */
  #link(state: number): void {
    const table = this.#table;
    const waiting = [state];
    let target = state;
    while (!this.#isLinked(target)) {
      const row = target - this.#trieSize;
      target = this.#step(this.suffix(table.parent[row]!), table.symbol[row]!);
      waiting.push(target);
    }
    for (let k = waiting.length - 2; k >= 0; k--) {
      const current = waiting[k]!;
      const row = current - this.#trieSize;
      const longest = waiting[k + 1]!;
      table.suffix[row] = longest;
      table.ending[row] = table.ended[row]!.length > 0 ? current : this.ending(longest);
      table.extensible[row] = table.continuing[row]!.length > 0 ? current : this.extensible(longest);
    }
  }
}
