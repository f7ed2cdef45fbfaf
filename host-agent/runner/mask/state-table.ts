// A growing table of automaton states, one column per field.

/** The value of a column that has not been computed. */
export const UNKNOWN = -1;

const NO_NEEDLES: readonly number[] = [];
type NumberColumn =
  | 'parent'
  | 'depth'
  | 'sibling'
  | 'firstChild'
  | 'suffix'
  | 'ending'
  | 'extensible'
  | 'witness';
const LINKS: readonly NumberColumn[] = ['suffix', 'ending', 'extensible', 'witness'];
const NUMBER_COLUMNS: readonly NumberColumn[] = ['parent', 'depth', 'sibling', 'firstChild', ...LINKS];

export interface NewState {
  readonly parent: number;
  readonly symbol: number;
  readonly depth: number;
  readonly sibling: number;
  /** Needles that end at this state. */
  readonly ended: readonly number[];
  /** Needles that continue after this state. */
  readonly continuing: readonly number[];
  /** A needle that begins with this state. */
  readonly witness: number;
}

export class StateTable {
  #capacity = 64;
  size = 0;
  parent = new Int32Array(this.#capacity);
  symbol = new Uint8Array(this.#capacity);
  depth = new Int32Array(this.#capacity);
  sibling = new Int32Array(this.#capacity);
  firstChild = new Int32Array(this.#capacity);
  suffix = new Int32Array(this.#capacity);
  ending = new Int32Array(this.#capacity);
  extensible = new Int32Array(this.#capacity);
  witness = new Int32Array(this.#capacity);
  readonly ended: (readonly number[])[] = [];
  readonly continuing: (readonly number[])[] = [];

  /** Adds a state without links and returns its row. */
  add(state: NewState): number {
    if (this.size === this.#capacity) this.#grow();
    const row = this.size++;
    this.parent[row] = state.parent;
    this.symbol[row] = state.symbol;
    this.depth[row] = state.depth;
    this.sibling[row] = state.sibling;
    this.firstChild[row] = state.continuing.length === 0 ? 0 : UNKNOWN;
    this.suffix[row] = UNKNOWN;
    this.witness[row] = state.witness;
    this.ended.push(state.ended.length === 0 ? NO_NEEDLES : state.ended);
    this.continuing.push(state.continuing);
    return row;
  }

  #grow(): void {
    this.#capacity *= 2;
    const symbol = new Uint8Array(this.#capacity);
    symbol.set(this.symbol);
    this.symbol = symbol;
    for (const name of NUMBER_COLUMNS) {
      const wider = new Int32Array(this.#capacity);
      wider.set(this[name]);
      this[name] = wider;
    }
  }
}
