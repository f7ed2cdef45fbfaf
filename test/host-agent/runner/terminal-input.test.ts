// Programs that open the terminal by its name, or ask it for keys: nobody types there, so their input ends.
// Requires: root, vim, less
// Runs in: soak
import { closeSync, openSync } from 'node:fs';
import t, { type Test } from 'tap';
import { endTerminalInput, waitsForKeys } from '../../../host-agent/runner/terminal-input.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { until } from '../../harness/until.js';
import { openGuestRig } from './guest-rig.js';
import { openRig, type Rig } from './rig.js';

const ENDED = '[cidermill] A program waited for a key on the terminal, where nobody can type; its input was closed.';

/** Reads that end at once. */
const readers: readonly [script: string, log: RegExp][] = [
  ['read -r answer </dev/stdout || echo "nothing: $?"', /nothing: 1/],
  ['cat /dev/stderr; echo "read: $?"', /read: 0/],
];

/** Programs that change the terminal to wait for keys, and are woken up. */
const waiting: readonly [script: string, log: RegExp][] = [
  ['stty icanon <&1; read -r answer </dev/stdout || echo "nothing: $?"', /nothing: 1/],
  ['stty raw <&1; head -c 3 /dev/stderr >keys; echo "woken with $(wc -c <keys | tr -d \' \') key"', /woken with 1 key/],
];

/** The same of editors and pagers, which macOS's guests of the tests do not have. */
const programs: readonly [script: string, log: RegExp][] = [
  ['echo short >f; LESS= less f; echo "left: $?"', /left: 1/],
  ['echo short >f; vim f; echo "left: $?"', /left: 1/],
];

async function inputEnds(t: Test, rig: Pick<Rig, 'run'>, rows: typeof waiting, isTold: boolean): Promise<void> {
  for (const [script, expected] of rows) {
    const { result, log } = await rig.run(`set +e; ${script}`, { spec: { timeout_ms: 60_000 } });
    t.match(result, { outcome: 'exited', exit_code: 0 }, script);
    t.match(log, expected, script);
    t.equal(log.includes(ENDED), isTold, `${script}: ${log}`);
    t.equal(result.log.possibly_truncated, false);
  }
}

t.test('a read of the terminal ends on the host', async (t) => {
  const rig = await openRig(t);
  await inputEnds(t, rig, readers, false);
  await inputEnds(t, rig, [...waiting, ...programs], true);
});

t.test('a read of the terminal ends in a virtual machine', async (t) => {
  const rig = await openGuestRig(t, { limits: { inputQuietMs: 1_000 } });
  await inputEnds(t, rig, readers, false);
  await inputEnds(t, rig, waiting, true);
});

t.test('a step of the clock back does not make it wait for the time of the step', async (t) => {
  const clock = createAdvancingClock({ start: 86_400_000 });
  const waits: number[] = [];
  const terminal = openSync('/dev/null', 'r');
  t.teardown(() => closeSync(terminal));
  const input = endTerminalInput({
    terminal,
    send: () => t.fail('/dev/null waits for no key'),
    clock: {
      ...clock,
      setTimeout(fn, ms) {
        waits.push(ms);
        return clock.setTimeout(fn, ms);
      },
    },
    quietMs: 5_000,
    onEnded: () => t.fail('nothing was ended'),
  });
  t.teardown(() => input.stop());
  input.heard();
  clock.step(-3_600_000);
  await clock.advance(5_000);
  await until(() => waits.length === 2, 'it has looked at the terminal');
  t.same(waits, [5_000, 10_000]);
});

t.test('what stty prints says whether a read waits', async (t) => {
  const rows: [settings: string, waits: boolean][] = [
    ['discard = ^O; min = 1; time = 0;\nisig icanon iexten', true],
    ['discard = ^O; min = 1; time = 0;\nisig -icanon iexten', true],
    // The wrapper's own wait, until its last line was read.
    ['discard = ^O; min = 1; time = 7;\nisig -icanon iexten', false],
    ['discard = ^O; min = 0; time = 0;\nisig -icanon iexten', false],
    ['lflags: icanon isig iexten\ncchars: eof = ^D; min = 0; time = 0;', true],
    ['lflags: -icanon isig iexten\ncchars: eof = ^D; min = 0; time = 0;', false],
    ['', false],
  ];
  for (const [settings, waits] of rows) t.equal(waitsForKeys(settings), waits, settings);
});
