// Malicious guests that send false, endless or no answers: the build fails within its time, and the host's memory is bounded.
// Runs in: soak
import t from 'tap';
import { START_LINE } from '../../../host-agent/guest/program.js';
import { execTransport, type GuestTransport } from '../../../host-agent/guest/transport.js';
import { asked, runs } from '../../harness/soak.js';
import { openGuestRig } from './guest-rig.js';

const started = `print "\\n${START_LINE}\\n";`;
const frame = (type: string, payload: string) => `$p = ${payload}; print "${type} " . length($p) . "\\n" . $p;`;

/** Answers in place of the guest: Perl on this host that does not read its input. */
const lies: Record<string, string> = {
  silence: 'sleep 1000;',
  'an end at once': '',
  'an end after the start': started,
  'bytes without end': 'print "x" x 65536 while 1;',
  'bytes without end after the start': `${started} print "\\0" x 65536 while 1;`,
  'a frame that is too long': `${started} print "output 99999999\\n"; print "x" x 65536 while 1;`,
  'a frame that never ends': `${started} print "done 1000\\nabc"; sleep 1000;`,
  'unknown frames without end': `${started} while (1) { ${frame('whatever', '"x" x 60000')} }`,
  'known frames without end': `${started} while (1) { ${frame('alive', '""')} }`,
  'an answer of nothing': `${started} ${frame('done', '""')}`,
  'an answer of nonsense': `${started} ${frame('done', '"\\0\\xff" x 5000')}`,
  'a huge number': `${started} ${frame('done', '"9" x 400')}`,
  'an error without a code': `${started} ${frame('failed', '"\\x1b[2J" x 5000')}`,
  'an error of a full disk': `${started} ${frame('failed', '"ENOSPC no room"')}`,
  'a lost supervisor': `${started} ${frame('failed', '"gone "')}`,
  'a script that prints without end': `${started} ${frame('port', '"80"')} ${frame('session', '"b\\x009\\0t\\0"')} ${frame(
    'begun',
    '"1"',
  )} while (1) { ${frame('output', '"line\\n" x 10000')} }`,
  'a script that has ended strangely': `${started} ${frame('port', '"80"')} ${frame(
    'session',
    '"b\\x009\\0t\\0"',
  )} ${frame('begun', '"-1"')} ${frame('ended', '"99999"')} sleep 1000;`,
};

const liar = (lie: string): GuestTransport =>
  execTransport(() => ({ file: '/usr/bin/perl', args: ['-e', `$| = 1; ${lie}`], env: {} }));

/** The real guest for this many connections, then the malicious one. */
const after = (honest: number, lie: string) => (guest: GuestTransport) => {
  let opened = 0;
  const other = liar(lie);
  return {
    kind: guest.kind,
    open: (argv: readonly string[]) => (opened++ < honest ? guest : other).open(argv),
  };
};

t.test('a malicious guest only fails its own build', async (t) => {
  const rig = await openGuestRig(t);
  // Too short for an honest guest on a busy machine.
  const impatient = {
    callMs: 400,
    signalMs: 300,
    foldersMs: 400,
    silentMs: 400,
    lostMs: 600,
    retryBaseMs: 20,
    goneMs: 100,
  };
  const before = process.memoryUsage().rss;
  // Connections of a build: its folders, its sources, its script, its artifacts, the removal. Each bad answer is sent in one
  // of them; in a soak run in two, of which one is any.
  const table = Object.entries(lies).flatMap(([name, lie], n) => {
    const best = name.startsWith('a script') ? 2 : n % 5;
    const others = [0, 1, 2, 3, 4].filter((step) => step !== best);
    const first = Math.floor(Math.random() * others.length);
    const more = [...others.slice(first), ...others.slice(0, first)].slice(0, runs(0, asked));
    return [best, ...more].map((step) => ({ name, lie, step }));
  });
  for (const { name, lie, step } of table) {
    const begun = Date.now();
    rig.through(after(step, lie), impatient);
    const { result, log } = await rig.run('echo up; echo made >"$CIDERMILL_ARTIFACTS/a"; exit 3', {
      spec: { timeout_ms: 4000, kill_grace_ms: 100, log: { head_bytes: 100_000, tail_bytes: 10_000 } },
      limits: { killRoundsMs: 1000 },
    });
    const what = `${name} from connection ${step} on: ${JSON.stringify(result).slice(0, 300)}`;
    t.ok(['failed', 'stopped', 'exited'].includes(result.outcome), what);
    t.ok(result.outcome === 'exited' || result.outcome === 'stopped' || result.summary, what);
    t.notMatch(log + result.summary, '\x1b[2J', 'control characters of the guest are not passed on by the service');
    t.ok(Date.now() - begun < 30_000, `${name}: ${Date.now() - begun} ms`);
    t.ok(log.length < 200_000, what);
    rig.through((honest) => honest);
  }
  const grown = process.memoryUsage().rss - before;
  t.ok(grown < 300 * 2 ** 20, `${grown} bytes`);
  const { result } = await rig.run('exit 5');
  t.equal(result.exit_code, 5, 'builds of an honest guest go on');
});
