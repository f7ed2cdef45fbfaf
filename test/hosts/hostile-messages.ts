// Messages of a host, valid and hostile.
import { hidden } from '../harness/hidden-text.js';
import { resultOf } from '../harness/malicious-host.js';

export const HASH = '0'.repeat(64);
/** All kinds of hidden characters. */
export const everything = Object.values(hidden).join('');
const hostileTexts = [
  '',
  '\0',
  '../up',
  '/etc/passwd',
  'a\nb',
  'x'.repeat(2_000_000),
  everything,
  `ok${everything}`,
  "'; DROP TABLE builds; --",
  '__proto__',
  '<script>',
  '\x1b]52;c;aGk=\x07',
  '[cidermill] stopped',
];
const hostileNumbers = [-1, 1.5, 2 ** 53, 1e308, '1', null, true, []];

/** Returns the message with one leaf replaced, for every leaf and every hostile value. */
export function* mutations(message: unknown): Generator<unknown> {
  const paths: (string | number)[][] = [];
  const visit = (value: unknown, path: (string | number)[]) => {
    if (path.at(-1) === 'type') return;
    paths.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, one] of Object.entries(value)) visit(one, [...path, name]);
  };
  visit(message, []);
  for (const path of paths) {
    const at = (root: unknown) => path.reduce((value, name) => (value as never)[name], root);
    const now = at(message);
    const others: unknown[] =
      typeof now === 'number' ? hostileNumbers : typeof now === 'string' ? hostileTexts : [null, 'x', {}, 7];
    const many = Array.isArray(now) && now.length > 0 ? [Array(20_000).fill(now[0])] : [];
    for (const value of [...others, ...many]) {
      if (path.length === 0) yield value;
      else {
        const copy = structuredClone(message);
        const parent = path.slice(0, -1).reduce((place, name) => (place as never)[name], copy);
        (parent as Record<string | number, unknown>)[path.at(-1) ?? ''] = value;
        yield copy;
      }
    }
  }
}

export const fact = (buildId: string, more = {}) => ({
  build_id: buildId,
  attempt: 1,
  state: 'running',
  log_bytes: 3,
  last_output_at: 5,
  commit_sha: 'a'.repeat(40),
  ...more,
});
export const macFact = (slotId: string, rentalId: string, more = {}) => ({
  slot_id: slotId,
  rental_id: rentalId,
  generation: 1,
  revision: 1,
  state: 'failed',
  xcode: '16.2',
  progress: { step: 'xcode', percent: 5 },
  error: 'broken',
  refused: { revision: 1, code: 'failed', message: 'no' },
  ...more,
});

export const hostileImage = (given = {}) => ({
  image: 'macos:26',
  digest: `sha256:${HASH}`,
  state: 'ready',
  percent: 5,
  bytes: 7,
  error: 'no',
  offers: {
    macos: '26',
    xcodes: [{ version: '16.2', build: '16C' }],
    runtimes: ['iOS 26'],
    tools: ['tuist'],
  },
  ...given,
});

export const usualHealth = {
  checked_at: 5,
  findings: [{ check: 'sleep', status: 'failed', found: 'sleeps', fix: 'sudo pmset -a sleep 0' }],
};

export const usualUpgrade = {
  able: true,
  platform: 'darwin-arm64',
  attempt: 'up_1',
  version: '0.2.0',
  state: 'rolled_back',
  error: 'it did not start',
};

export const xcode = {
  version: '16.2',
  build: '16C5032a',
  developer_dir: '/Applications/Xcode.app/Contents/Developer',
};
export const usualResult = resultOf(Buffer.alloc(0), {
  reason_code: 'compile_error',
  summary: 'no',
  work_folder: '/w',
  commit_sha: 'a'.repeat(40),
  artifacts: [{ name: 'a', bytes: 1, sha256: HASH }],
  warnings: ['one'],
});
export const hostileResult = (log: Buffer, more = {}) =>
  resultOf(log, {
    reason_code: everything,
    summary: `no${everything}`.repeat(500),
    work_folder: `/w${everything}`,
    artifacts: ['../up', '/etc/x', 'a\0', everything].map((name) => ({ name, bytes: 1, sha256: HASH })),
    warnings: Array.from({ length: 5000 }, (_, n) => `warning ${n}${everything}`),
    outcome: 'failed',
    ...more,
  });
