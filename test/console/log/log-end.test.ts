// The end of a log that was watched while it grew.
import t from 'tap';
import type { LogLine, LogLines } from '../../../client/types.js';
import { Failure } from '../../../control-plane/console/data/failure.js';
import { LogScroll } from '../../../control-plane/console/log/log-scroll.js';
import { LogStore } from '../../../control-plane/console/log/log-store.js';
import type { LogSource } from '../../../control-plane/console/log/source.js';
import { gate } from '../../harness/gate.js';

const lineOf = (n: number): LogLine => ({ n, text: `line ${n}` });

/** A log of so many lines, whose requests fail so many times. */
function growing(log: { lines: number; failures: number }) {
  const lines = async (from: number, count: number): Promise<LogLines> => {
    if (log.failures-- > 0) throw new Failure({ status: 503, code: 'unavailable', message: 'No.', retryable: true });
    const last = Math.min(log.lines, from + count - 1);
    const page = Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => lineOf(from + i));
    return { from_line: from, lines: page, total_lines: log.lines, next_from_line: null };
  };
  return { source: { lines } as unknown as LogSource };
}

const until = (store: LogStore, holds: () => boolean) =>
  new Promise<void>((resolve) => {
    const off = store.subscribe(() => holds() && resolve(off()));
    if (holds()) resolve(off());
  });

for (const before of [0, 3, 1_000]) {
  t.test(`the last line after ${before} others comes also when the first request for it fails`, async (t) => {
    const log = { lines: before, failures: 0 };
    const { source } = growing(log);
    const store = new LogStore(source, async () => undefined);
    t.teardown(store.open());
    await until(store, () => store.state().total === before);
    store.show(Math.max(1, before - 20), Math.max(1, before), 1);
    Object.assign(log, { lines: before + 1, failures: 1 });
    store.finish();
    t.notOk(store.state().isFinal);
    await until(store, () => store.state().total === before + 1);
    t.ok(store.state().isFinal);
    store.show(before + 1, before + 1, 1);
    await until(store, () => store.chunks.get(before + 1) !== null);
    t.equal(store.chunks.get(before + 1)?.text, `line ${before + 1}`);
  });
}

t.test('following goes on after a failure', async (t) => {
  const log = { lines: 3, failures: 0 };
  const { source } = growing(log);
  const failing = {
    ...source,
    follow: async (from: number, signal: AbortSignal) => {
      if (log.failures-- > 0) throw new Failure({ status: 403, code: 'forbidden', message: 'No.' });
      return source.lines(from, 1_000, signal);
    },
  };
  const store = new LogStore(failing, async () => undefined);
  t.teardown(store.open());
  await until(store, () => store.state().total === 3);
  Object.assign(log, { failures: 1 });
  t.teardown(store.follow());
  await until(store, () => store.state().failure !== null);
  log.lines = 4;
  store.reload();
  await until(store, () => store.chunks.get(4) !== null);
  t.equal(store.state().failure, null);
  log.lines = 5;
  await until(store, () => store.chunks.get(5) !== null);
});

t.test('nothing is read while nobody can see the log', async (t) => {
  const log = { lines: 3, failures: 0 };
  const { source } = growing(log);
  const { open: appear, opened: seen } = gate();
  const store = new LogStore(source, () => seen);
  t.teardown(store.open());
  store.show(1, 3, 1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.equal(store.state().total, null);
  appear();
  await until(store, () => store.state().total === 3);
  t.equal(store.chunks.get(3)?.text, 'line 3');
});

/** What a scroll of lines of one height moves. */
const elements = () => {
  const nothing = () => undefined;
  return {
    scroller: {
      clientHeight: 200,
      clientWidth: 500,
      scrollTop: 0,
      scrollLeft: 0,
      focus: nothing,
      scrollIntoView: nothing,
    },
    layer: { style: { minWidth: '', transform: '' }, scrollWidth: 500, children: [], toggleAttribute: nothing },
  };
};
const lines = {
  rowHeight: 20,
  wrap: false,
  estimate: () => 20,
  keyOf: (row: number) => row + 1,
  rowOf: (key: number) => key - 1,
  onPinned: () => undefined,
};

t.test('rows that come with the end are shown to a reader at the end; later ones move nothing', async (t) => {
  const { scroller, layer } = elements();
  const options = {
    rows: 100,
    ...lines,
    follows: true,
    onShow: () => undefined,
  };
  const scroll = new LogScroll(options);
  scroll.attach({ scroller, layer });
  scroll.resized(200);
  scroll.onRender = (rows) => {
    scroll.rendered = rows;
  };
  const rows = (rows: number, follows: boolean) => {
    scroll.options = { ...options, rows, follows };
    scroll.refresh();
    return scroll.top();
  };
  t.equal(rows(100, true), 90);
  t.equal(rows(150, true), 140);
  t.equal(rows(170, false), 160, 'the build has ended');
  t.equal(rows(180, false), 160, 'as when a fold is opened');
});

t.test('while the scroll bar is dragged only the rows in the window are rendered, and no lines loaded', async (t) => {
  const { scroller, layer } = elements();
  const shown: unknown[] = [];
  const scroll = new LogScroll({
    rows: 1_000_000,
    ...lines,
    follows: false,
    onShow: (first, last, _direction, isPassing) => shown.push([first, last, isPassing]),
  });
  scroll.attach({ scroller, layer });
  t.teardown(() => scroll.attach(null));
  scroll.resized(200);
  let rendered = scroll.rendered;
  scroll.onRender = (rows) => {
    rendered = rows;
    scroll.rendered = rows;
  };
  scroll.refresh();
  t.same(shown.splice(0), [[0, 9, false]]);
  t.same([rendered.first, rendered.last], [0, 17], 'some more, for small movements');
  scroller.scrollTop = 2_000_000;
  scroll.onScroll();
  const [first, last, isPassing] = shown[0] as [number, number, boolean];
  t.ok(Math.abs(first - 500_000) < 100, `${first} is in the middle`);
  t.ok(isPassing);
  t.same([rendered.first, rendered.last], [first, last]);
});
