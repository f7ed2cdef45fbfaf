// Scrolls a log: which rows are rendered, and where. The rows lie in an element that stays in the window while a tall empty
// one is scrolled; see scroll-space.ts.
import { clock, type Timer } from '../clock.js';
import {
  isSame,
  lastPosition,
  moved,
  type Position,
  positionAt,
  rowsInWindow,
  type Space,
  START,
  scrolledHeight,
  shareOf,
  showing,
} from './scroll-space.js';

export interface ScrollOptions {
  readonly rows: number;
  readonly rowHeight: number;
  /** Rows may be taller than `rowHeight`; they are measured when they are rendered. */
  readonly wrap: boolean;
  /** Estimated height of a row that was not measured. */
  estimate(row: number, width: number): number;
  /** What a height belongs to, which stays the same when rows are folded. */
  keyOf(row: number): number;
  rowOf(key: number): number;
  /** Stays at the end when rows are added. */
  readonly follows: boolean;
  /** The reader has scrolled to the end, or away from it. */
  onPinned(pinned: boolean): void;
  /** Rows came into the window. @param isPassing the scroll bar is being dragged, so others will come at once */
  onShow(first: number, last: number, direction: 1 | -1, isPassing: boolean): void;
}

export interface RenderedRows {
  readonly first: number;
  readonly last: number;
}

/** What is used of the page's elements. */
interface Elements {
  readonly scroller: {
    readonly clientHeight: number;
    readonly clientWidth: number;
    scrollTop: number;
    readonly scrollLeft: number;
    focus(options: { preventScroll: boolean }): void;
    scrollIntoView(options: { block: 'nearest' }): void;
  };
  /** Holds the rows. */
  readonly layer: {
    readonly style: { minWidth: string; transform: string };
    readonly scrollWidth: number;
    readonly children: Iterable<unknown>;
    toggleAttribute(name: string, force: boolean): void;
  };
}

/** After this many ms without scrolling the scroll bar is set to where the log is. */
const SETTLED_MS = 140;
/** A larger movement of the scroll bar is a jump. */
const JUMP_PX = 1_200;
/** Rows that are rendered above and below the window, so that a small movement renders nothing. */
export const EXTRA_ROWS = 8;

export class LogScroll {
  options: ScrollOptions;
  /** What is rendered now. */
  rendered: RenderedRows = { first: 0, last: 0 };
  /** Renders rows; `now`: before it returns. */
  onRender: (rows: RenderedRows, now: boolean) => void = () => undefined;
  #elements: Elements | null = null;
  #position: Position = START;
  /** Key of the first row in the window. */
  #key = 1;
  /** The scroll bar as it was last seen or set. */
  #seen = 0;
  #pinned: boolean;
  /** Whether the last rows were added to a log that grows. */
  #followed: boolean;
  #width = 0;
  #height = 0;
  #widest = 0;
  readonly #heights = new Map<number, number>();
  #timer: Timer | undefined;

  constructor(options: ScrollOptions) {
    this.options = options;
    this.#pinned = options.follows;
    this.#followed = options.follows;
  }

  attach(elements: Elements | null): void {
    this.#elements = elements;
    if (elements === null) this.#timer?.cancel();
  }

  readonly focus = (): void => {
    this.#elements?.scroller.focus({ preventScroll: true });
  };

  /** The first row in the window. */
  top(): number {
    return this.#position.row;
  }

  /** Reading the height of an element after a change makes the browser lay out the page at once. */
  resized(height: number): void {
    this.#height = height;
  }

  /** The width of the window changed, or lines wrap or no longer do: all rows have other heights. */
  remeasure(): void {
    this.#heights.clear();
    this.#widest = 0;
    this.#width = this.#elements?.scroller.clientWidth ?? 0;
    if (this.#elements) this.#elements.layer.style.minWidth = '';
  }

  /** Rows were added, folded or unfolded: what was at the top of the window stays there, or its end stays the end. */
  refresh(): void {
    const { follows } = this.options;
    // The last rows of a log may come at the moment when it stops growing.
    if (!follows && !this.#followed) this.#pin(false);
    this.#followed = follows;
    const space = this.#space();
    if (space.rows === 0 || space.height === 0) return;
    const row = Math.min(this.options.rowOf(this.#key), space.rows - 1);
    const kept = row === this.#position.row ? this.#position : { row, px: 0 };
    this.#position = this.#pinned ? lastPosition(space) : moved(space, kept, 0);
    this.#draw(1, false);
    this.#syncBar();
  }

  readonly onScroll = (): void => {
    if (!this.#elements) return;
    const { layer, scroller } = this.#elements;
    const { scrollTop, scrollLeft } = scroller;
    // Numbers that stay in view are costly to draw, and needed only then.
    layer.toggleAttribute('data-aside', scrollLeft > 0);
    const delta = scrollTop - this.#seen;
    if (Math.abs(delta) < 0.5) return;
    this.#seen = scrollTop;
    const space = this.#space();
    const room = Math.max(1, scrolledHeight(space) - space.height);
    const isJump = Math.abs(delta) > Math.max(JUMP_PX, space.height * 2);
    this.#position = isJump ? positionAt(space, scrollTop / room) : moved(space, this.#position, delta);
    if (delta < 0) this.#pin(false);
    else if (isSame(this.#position, lastPosition(space))) this.#pin(true);
    this.#draw(delta < 0 ? -1 : 1, true, isJump);
    // At an end of the bar that is not one of the log, scrolling has to go on.
    const isAtEnd = scrollTop <= 0 || scrollTop >= room - 1;
    if (isAtEnd) this.#syncBar();
    else {
      this.#timer?.cancel();
      this.#timer = clock.setTimeout(() => this.#settle(), SETTLED_MS);
    }
  };

  /** Brings a row into the window, if it is not there. */
  show(row: number): void {
    const next = showing(this.#space(), this.#position, row);
    if (!isSame(next, this.#position)) this.#pin(false);
    this.#goTo(next);
  }

  /** Brings the window of the log into that of the page. */
  intoPage(): void {
    this.#elements?.scroller.scrollIntoView({ block: 'nearest' });
  }

  readonly toStart = (): void => {
    this.#pin(false);
    this.#goTo(START);
  };

  readonly toEnd = (): void => {
    this.#pin(true);
    this.#goTo(lastPosition(this.#space()));
  };

  /** Measures what was rendered, and puts it into place. */
  onRendered(): void {
    if (!this.#elements) return;
    const { layer } = this.#elements;
    if (this.options.wrap) this.#measureHeights(layer);
    this.#place();
  }

  /** Scrolling has paused. */
  #settle(): void {
    this.#syncBar();
    if (!this.#elements || this.options.wrap) return;
    const { layer } = this.#elements;
    // The room to scroll to the side for does not shrink when long lines leave the window.
    if (layer.scrollWidth <= this.#widest) return;
    this.#widest = layer.scrollWidth;
    layer.style.minWidth = `${layer.scrollWidth}px`;
  }

  #measureHeights(layer: Elements['layer']): void {
    let changed = false;
    for (const [i, child] of [...layer.children].entries()) {
      const key = this.options.keyOf(this.rendered.first + i);
      const height = (child as { offsetHeight: number }).offsetHeight;
      if (this.#heights.get(key) === height) continue;
      this.#heights.set(key, height);
      changed = true;
    }
    if (!changed) return;
    const space = this.#space();
    this.#position = this.#pinned ? lastPosition(space) : moved(space, this.#position, 0);
    this.#draw(1, false);
    this.#syncBar();
  }

  #space(): Space {
    const { rows, rowHeight, wrap, keyOf, estimate } = this.options;
    // A window that has just appeared was not measured yet.
    if (this.#height === 0) this.#height = this.#elements?.scroller.clientHeight ?? 0;
    return {
      rows,
      rowHeight,
      height: this.#height,
      heightOf: wrap ? (row) => this.#heights.get(keyOf(row)) ?? estimate(row, this.#width) : () => rowHeight,
    };
  }

  #pin(pinned: boolean): void {
    if (this.#pinned === pinned) return;
    this.#pinned = pinned;
    this.options.onPinned(pinned);
  }

  #goTo(position: Position): void {
    this.#position = position;
    this.#draw(1, false);
    this.#syncBar();
  }

  #draw(direction: 1 | -1, now: boolean, isPassing = false): void {
    const space = this.#space();
    if (space.rows === 0) return;
    this.#key = this.options.keyOf(Math.min(this.#position.row, space.rows - 1));
    const inWindow = rowsInWindow(space, this.#position, 0);
    const { first, last } = this.rendered;
    const extra = isPassing ? 0 : EXTRA_ROWS * space.rowHeight;
    if (inWindow.first < first || inWindow.last > last || last >= space.rows)
      this.onRender(rowsInWindow(space, this.#position, extra), now);
    this.#place();
    this.options.onShow(inWindow.first, inWindow.last, direction, isPassing);
  }

  #place(): void {
    if (!this.#elements) return;
    const { row, px } = this.#position;
    const { first } = this.rendered;
    const { heightOf } = this.#space();
    let top = -px;
    for (let at = first; at < row; at++) top -= heightOf(at);
    for (let at = row; at < first; at++) top += heightOf(at);
    this.#elements.layer.style.transform = `translateY(${top}px)`;
  }

  /** Sets the scroll bar to where the log is. */
  #syncBar(): void {
    if (!this.#elements) return;
    const { scroller } = this.#elements;
    const space = this.#space();
    const wanted = shareOf(space, this.#position) * Math.max(0, scrolledHeight(space) - space.height);
    if (Math.abs(scroller.scrollTop - wanted) >= 1) scroller.scrollTop = wanted;
    this.#seen = scroller.scrollTop;
  }
}
