// An Aho-Corasick automaton for all needles, shared by any number of streams. A state stands for all needles that match
// partially, so the cost of a byte does not depend on how many there are. States are created when a stream reaches them
// first: all of them would take gigabytes, because every secret has needles in dozens of encodings.
import { createNeedleTexts, type NeedleSet, type NeedleTexts, NO_SYMBOL } from './needle-text.js';

/** States that are kept without a restart: some 50 MB. */
const KEPT_STATES = 1 << 18;
/** Children that are searched one by one. */
const FEW = 8;

/** A prefix of one or several needles. */
export interface State {
  readonly depth: number;
  /** The needles that end here. */
  readonly ended: readonly number[];
  /** The needles that continue here. */
  readonly continuing: readonly number[];
  readonly symbol: number;
  readonly parent: State | null;
  /** Few children as they come, more by their symbol; null until they are needed. */
  children: readonly (State | undefined)[] | null;
  /** The longest state that is a proper suffix of this one; null until a stream reaches this one, and for the root. */
  suffix: State | null;
  /** The state itself or its nearest suffix at which a needle ends. */
  ending: State | null;
  /** The state itself or its nearest suffix with which a needle continues; the root if there is none. */
  extensible: State;
}

export class Automaton {
  readonly texts: NeedleTexts;
  readonly #keptStates: number;
  readonly #all: readonly number[];
  #size = 0;
  #limit: number;
  root: State;

  /** @param keptStates number of states above which `isLarge` returns true */
  constructor(needles: NeedleSet, keptStates = KEPT_STATES) {
    this.texts = createNeedleTexts(needles);
    this.#keptStates = keptStates;
    this.#limit = keptStates;
    this.#all = Array.from({ length: needles.count }, (_, needle) => needle).filter(
      (needle) => this.texts.at(needle, 0) !== NO_SYMBOL,
    );
    this.root = this.#state(null, 0, [], this.#all);
  }

  /** Returns the state that a symbol leads to from one that was reached. */
  next(state: State, symbol: number): State {
    const found = this.#step(state, symbol);
    if (found.suffix === null && found !== this.root) this.#link(found);
    return found;
  }

  /** Returns the child of exactly this state, which may not have been reached. */
  child(state: State, symbol: number): State | undefined {
    const children = state.children ?? this.#expand(state);
    if (children.length > FEW) return children[symbol];
    for (const child of children) if (child!.symbol === symbol) return child;
    return undefined;
  }

  /** True when the states take so much memory that `restart` should drop them. */
  isLarge(): boolean {
    return this.#size > this.#limit;
  }

  /** Drops all states. Those that a stream still has must be given to `moved` before they are used again. */
  restart(): void {
    this.#size = 0;
    this.texts.clear();
    this.root = this.#state(null, 0, [], this.#all);
    this.#limit = this.#keptStates;
  }

  /** Returns the state that stands for what a state from before a restart stood for. */
  moved({ depth, ended, continuing }: State): State {
    let state = this.root;
    const needle = (ended[0] ?? continuing[0])!;
    for (let at = 0; at < depth; at++) state = this.next(state, this.texts.at(needle, at));
    // The states that are needed again must not exceed the limit right after a restart.
    this.#limit = Math.max(this.#limit, 2 * this.#size);
    return state;
  }

  #state(parent: State | null, symbol: number, ended: readonly number[], continuing: readonly number[]): State {
    this.#size += 1;
    const depth = parent === null ? 0 : parent.depth + 1;
    const links = { children: null, suffix: null, ending: null, extensible: this.root };
    const state: State = { depth, ended, continuing, symbol, parent, ...links };
    if (parent === null) state.extensible = state;
    return state;
  }

  /** Creates the children of a state, without their links. */
  #expand(state: State): readonly (State | undefined)[] {
    const { continuing, depth } = state;
    const bySymbol = new Map<number, number[]>();
    for (const needle of continuing) {
      const symbol = this.texts.at(needle, depth);
      const same = bySymbol.get(symbol);
      if (same) same.push(needle);
      else bySymbol.set(symbol, [needle]);
    }
    const endsNext = (needle: number) => this.texts.at(needle, depth + 1) === NO_SYMBOL;
    const children: (State | undefined)[] = bySymbol.size > FEW ? new Array(256).fill(undefined) : [];
    for (const [symbol, group] of bySymbol) {
      const rest = group.filter((needle) => !endsNext(needle));
      const ended = rest.length === group.length ? NONE : group.filter(endsNext);
      // Mostly nothing changes from one state to the next; then they share their list.
      const child = this.#state(state, symbol, ended, rest.length === continuing.length ? continuing : rest);
      if (bySymbol.size > FEW) children[symbol] = child;
      else children.push(child);
    }
    state.children = children;
    return children;
  }

  /** Returns the child of the longest suffix that has one by this symbol, linked or not. */
  #step(state: State, symbol: number): State {
    for (let from: State | null = state; from !== null; from = from.suffix) {
      const child = this.child(from, symbol);
      if (child !== undefined) return child;
    }
    return this.root;
  }

  /** Links a state whose parent is linked, those of its suffixes first that are not. */
  #link(state: State): void {
    const waiting: State[] = [];
    let target = state;
    while (target.suffix === null && target !== this.root) {
      waiting.push(target);
      const from = target.parent!.suffix;
      target = from === null ? this.root : this.#step(from, target.symbol);
    }
    for (let suffix = target, next = waiting.pop(); next; suffix = next, next = waiting.pop()) {
      next.suffix = suffix;
      next.ending = next.ended.length > 0 ? next : suffix.ending;
      next.extensible = next.continuing.length > 0 ? next : suffix.extensible;
    }
  }
}

const NONE: readonly number[] = [];
