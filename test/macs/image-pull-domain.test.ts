// The order in which hosts fetch an image, as tables of pure decisions.
import t from 'tap';
import type { HostStatus } from '../../control-plane/hosts/domain/host.js';
import { admitted, decidePull, type PullStep, type SeenImage } from '../../control-plane/macs/domain/image-pull.js';
import { imageError } from '../../shared/messages/image-errors.js';
import { uncoded } from '../../shared/messages/message.js';
import { digestOf } from '../harness/images.js';

const NOW = 1_000_000;
const limits = { image_pull_silent_ms: 60_000, image_pulls_at_once: 2 };
const tier = { tier: 'm4', image: 'macos:26', imageDigest: digestOf('a') };
const host = { status: 'active' as HostStatus, connected: true, tier: 'm4' };
const away = { ...host, connected: false };
const queued = { status: 'queued', startedAt: null } as const;
const running = { status: 'running', startedAt: NOW - 1000 } as const;
const seen = (given: Partial<SeenImage> = {}): SeenImage => ({
  state: 'absent',
  error: null,
  changedAt: NOW - 5000,
  holds: false,
  ...given,
});
const news = { changedAt: NOW - 500 };
const ready = { state: 'ready', holds: true } as const;
const silent = imageError('no_progress', { minutes: 1 });

t.test('a pull starts, continues and ends according to the reports of its host', async (t) => {
  const unresolved = { ...tier, imageDigest: null };
  type Row = [string, Parameters<typeof decidePull>[0], Partial<typeof host>, SeenImage | null, PullStep, object?];
  const rows: Row[] = [
    ['nothing is known', queued, host, null, { does: 'start' }],
    ['it has it already', queued, host, seen(ready), { does: 'finish' }],
    ['it has it, and is away', queued, away, seen(ready), { does: 'finish' }],
    ['it has another digest', queued, host, seen({ state: 'ready' }), { does: 'start' }],
    ['it may have an older one', queued, host, seen(ready), { does: 'start' }, unresolved],
    ['it is away', queued, away, null, { does: 'wait', until: null }],
    ['an earlier attempt failed', queued, host, seen({ state: 'failed' }), { does: 'start' }],
    ['it began', running, host, null, { does: 'wait', until: NOW + 59_000 }],
    ['the report is older', running, host, seen({ state: 'failed' }), { does: 'wait', until: NOW + 59_000 }],
    ['it reports', running, host, seen({ ...news, state: 'pulling' }), { does: 'wait', until: NOW + 59_500 }],
    ['it is done', running, host, seen({ ...news, ...ready }), { does: 'finish' }],
    ['it has resolved the tag', running, host, seen({ ...news, ...ready }), { does: 'finish' }, unresolved],
    ['it has not fetched yet', running, host, seen(ready), { does: 'wait', until: NOW + 59_000 }, unresolved],
    ['it went away', running, away, seen({ ...news, state: 'pulling' }), { does: 'requeue' }],
    [
      'it failed',
      running,
      host,
      seen({ ...news, state: 'failed', error: uncoded('no') }),
      { does: 'fail', error: uncoded('no') },
    ],
    [
      'it failed without a reason',
      running,
      host,
      seen({ ...news, state: 'failed' }),
      { does: 'fail', error: imageError('no_reason') },
    ],
    ['it is silent', { ...running, startedAt: NOW - 60_000 }, host, null, { does: 'fail', error: silent }],
    [
      'it is silent since its last report',
      { ...running, startedAt: NOW - 90_000 },
      host,
      seen({ state: 'pulling', changedAt: NOW - 60_000 }),
      { does: 'fail', error: silent },
    ],
    ['removed', queued, { ...host, status: 'removed' }, null, { does: 'fail', error: imageError('host_removed') }],
    [
      'of another tier',
      running,
      { ...host, tier: 'm2' },
      null,
      { does: 'fail', error: imageError('host_of_other_tier', { tier: 'm4' }) },
    ],
    [
      'no image any more',
      running,
      host,
      null,
      { does: 'fail', error: imageError('tier_without_image') },
      { ...tier, image: null },
    ],
  ];
  for (const [name, pull, of, image, expected, on = tier] of rows) {
    t.same(decidePull(pull, on as typeof tier, { ...host, ...of }, image, NOW, limits), expected, name);
  }
});

t.test('hosts pull in turn, and the first one resolves the tag alone', async (t) => {
  const pulls = (...tiers: string[]) => tiers.map((tier, n) => ({ tier, n }));
  const turn = (waiting: string[], busy: string[], unresolved: string[] = []) =>
    admitted(pulls(...waiting), pulls(...busy), (tier) => !unresolved.includes(tier), limits).map(({ n }) => n);
  t.same(turn(['a', 'a', 'a'], []), [0, 1]);
  t.same(turn(['a', 'a'], ['b']), [0]);
  t.same(turn(['a'], ['b', 'b']), []);
  t.same(turn(['a', 'a', 'b'], [], ['a']), [0, 2]);
  t.same(turn(['a', 'b'], ['a'], ['a']), [1]);
});
