// Builds without a database: status transitions, how an attempt's report ends a build, when a build stalls, and what
// happens to builds when a rental ends.

import fc from 'fast-check';
import t from 'tap';
import {
  type BuildEvent,
  type BuildStatus,
  buildEvents,
  buildStatuses,
  buildTransitions,
  hasEnded,
} from '../../control-plane/builds/domain/build.js';
import { eventsOfChange } from '../../control-plane/builds/domain/event.js';
import { endingOf, stoppedEnding, withLogLost } from '../../control-plane/builds/domain/failure.js';
import { failureReasons } from '../../control-plane/builds/domain/failure-reasons.js';
import { readinessOf } from '../../control-plane/builds/domain/placement.js';
import { decideRentalEnd } from '../../control-plane/builds/domain/rental-end.js';
import {
  checkCommit,
  checkRepo,
  checkRepoUrl,
  defaultCodeHosts,
  isRefName,
} from '../../control-plane/builds/domain/source.js';
import { stallOf, stallsAt } from '../../control-plane/builds/domain/stall.js';
import { type MacEvent, type MacState, macTransitions, type OpenJob } from '../../control-plane/macs/domain/mac.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { remainingSeconds } from '../../control-plane/renting/domain/rental.js';
import type { BuildResult } from '../../shared/build.js';
import { cleanText } from '../../shared/clean-text.js';
import { adviceOf } from '../../shared/messages/failure-advice.js';
import { anyCharacter } from '../harness/any-character.js';
import { HOUR, macAt, NOW, waiting } from '../harness/macs-and-builds.js';
import { plainResult } from '../harness/plain-result.js';

t.test('every status and event of a build: transition and emitted events', async (t) => {
  const ways: Partial<Record<BuildStatus, Partial<Record<BuildEvent, BuildStatus>>>> = {
    queued: { assign: 'running', cancel: 'cancelled', expire: 'expired', prioritize: 'queued' },
    running: {
      succeed: 'succeeded',
      fail: 'failed',
      cancel: 'cancelled',
      move: 'running',
      requeue: 'queued',
    },
  };
  for (const from of buildStatuses) {
    for (const event of buildEvents) {
      const to = ways[from]?.[event] ?? null;
      t.equal(buildTransitions[from][event], to, `${from} ${event}`);
      if (to === null) continue;
      const announced = eventsOfChange(event, to, false);
      const expected = hasEnded(to) ? [`build.${to}`, 'build.completed'] : event === 'assign' ? ['build.started'] : [];
      t.same(announced, expected, `${from} ${event} announces`);
    }
  }
  t.same(eventsOfChange('assign', 'running', true), [], 'a build that runs again is not started twice');
});

t.test('every state and event of a rental', async (t) => {
  const states: MacState[] = ['reserved', 'preparing', 'ready', 'building', 'resetting', 'updating', 'ended'];
  const events: MacEvent[] = ['begin', 'prepared', 'assign', 'release', 'reset', 'update', 'lost', 'end'];
  const ways: Partial<Record<MacState, Partial<Record<MacEvent, MacState>>>> = {
    reserved: { begin: 'preparing' },
    preparing: { prepared: 'ready', lost: 'preparing' },
    ready: { assign: 'building', reset: 'resetting', update: 'updating', lost: 'preparing' },
    building: { release: 'ready', lost: 'preparing' },
    resetting: { prepared: 'ready', lost: 'preparing' },
    updating: { prepared: 'ready', lost: 'preparing' },
  };
  for (const state of states) {
    for (const event of events) {
      const end = event === 'end' && state !== 'ended' ? 'ended' : null;
      t.equal(macTransitions[state][event], ways[state]?.[event] ?? end, `${state} ${event}`);
    }
  }
});

const about = { timeoutMin: 60, logLines: 100 };

t.test('a host’s report becomes status, reason and fault', async (t) => {
  const table: [string, Partial<BuildResult>, string, string, string | null, string | null][] = [
    ['exit 0', {}, 'succeed', 'succeeded', null, null],
    ['exit 1', { exit_code: 1 }, 'fail', 'exit_nonzero', 'script_failed', 'customer'],
    ['exit 126', { exit_code: 126 }, 'fail', 'exit_nonzero', 'not_executable', 'customer'],
    ['exit 127', { exit_code: 127 }, 'fail', 'exit_nonzero', 'command_not_found', 'customer'],
    ['SIGKILL', { exit_code: 137 }, 'fail', 'exit_nonzero', 'killed', 'unknown'],
    ['SIGTERM of its own', { exit_code: 143 }, 'fail', 'exit_nonzero', 'script_failed', 'customer'],
    ['a code of the host', { exit_code: 1, reason_code: 'disk_full' }, 'fail', 'exit_nonzero', 'disk_full', 'customer'],
    [
      'a code from a newer host',
      { exit_code: 1, reason_code: 'gremlins' },
      'fail',
      'exit_nonzero',
      'script_failed',
      'customer',
    ],
    [
      'a name of every object',
      { exit_code: 1, reason_code: 'toString' },
      'fail',
      'exit_nonzero',
      'script_failed',
      'customer',
    ],
    [
      'clone failed',
      { outcome: 'failed', exit_code: null, step: 'source', reason_code: 'clone_failed', fault: 'customer' },
      'fail',
      'exit_nonzero',
      'clone_failed',
      'customer',
    ],
    [
      'workspace failed',
      {
        outcome: 'failed',
        exit_code: null,
        step: 'prepare',
        reason_code: 'workspace_failed',
        fault: 'platform',
      },
      'fail',
      'platform_error',
      'workspace_failed',
      'platform',
    ],
    ['nothing known', { outcome: 'failed', exit_code: null }, 'fail', 'platform_error', 'internal_error', 'platform'],
    [
      'cancelled',
      { outcome: 'stopped', exit_code: 143, stop_reason: 'cancelled_by_user' },
      'cancel',
      'cancelled_by_user',
      null,
      null,
    ],
    ['rental ended', { outcome: 'stopped', stop_reason: 'rental_ended' }, 'cancel', 'rental_ended', null, null],
    ['timeout', { outcome: 'stopped', stop_reason: 'timeout' }, 'fail', 'timeout', 'timeout', 'customer'],
    [
      'stopped without a reason of ours',
      { outcome: 'stopped', stop_reason: 'superseded' },
      'fail',
      'platform_error',
      'internal_error',
      'platform',
    ],
  ];
  for (const [name, given, event, endReason, code, fault] of table) {
    const ending = endingOf(plainResult(given), about);
    t.match(
      { event: ending.event, endReason: ending.endReason, code: ending.failure?.reasonCode ?? null },
      { event, endReason, code },
      name,
    );
    t.equal(ending.failure?.fault ?? null, fault, `${name}: fault`);
    t.equal(ending.exitCode === 0, event === 'succeed', `${name}: 0 is the exit code of a success alone`);
    if (ending.failure) {
      t.ok(ending.failure.summary.length > 0 && ending.failure.suggestion.length > 0, `${name}: said in words`);
      t.same(ending.failure.logExcerptLines, [81, 100], `${name}: the last lines of the log`);
    }
  }
  t.same(endingOf(plainResult({ exit_code: 1 }), { ...about, logLines: 3 }).failure?.logExcerptLines, [1, 3]);
  t.equal(endingOf(plainResult({ exit_code: 1 }), { ...about, logLines: 0 }).failure?.logExcerptLines, null);
  for (const [code, { suggestion }] of Object.entries(failureReasons))
    t.ok(adviceOf(suggestion).text.endsWith('.'), code);
});

t.test('a lost log: a success stays one, a failure is the platform’s fault', async (t) => {
  const success = endingOf(plainResult(), about);
  t.equal(withLogLost(success, 5), success);
  const failed = withLogLost(endingOf(plainResult({ exit_code: 65 }), about), 5);
  t.match(failed, { event: 'fail', endReason: 'exit_nonzero', exitCode: 65 });
  t.match(failed.failure, { reasonCode: 'log_lost', fault: 'platform', logExcerptLines: [1, 5] });
  const cancelled = stoppedEnding('cancelled_by_user', null, about);
  t.equal(withLogLost(cancelled, 5), cancelled);
});

t.test('text from a build is sanitized', async (t) => {
  const table: [string, string][] = [
    ['\x1b[31merror:\x1b[0m no\tsuch\r\nfile', 'error: no such file'],
    ['\x1b]8;;http://evil\x07link\x1b]8;;\x07', 'link'],
    ['user\u202etxt.exe', 'usertxt.exe'],
    ['a\u200bb\u2066c\u2069', 'abc'],
    ['bell\x07 nul\0 del\x7f c1\x9b', 'bell nul del c1'],
    ['  spaced   out  ', 'spaced out'],
    ['日本語 ✓ 👍', '日本語 ✓ 👍'],
    ['half \ud83d pair', 'half pair'],
  ];
  for (const [dirty, clean] of table) t.equal(cleanText(dirty, 600), clean);
  t.equal(cleanText('abcdef', 4), 'abc…');
  t.equal(cleanText('ab👍cd', 4), 'ab…', 'no half of a pair');
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), fc.integer({ min: 1, max: 80 }), (text, max) => {
      const clean = cleanText(text, max);
      return clean.length <= max && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(clean);
    }),
  );
});

t.test('a build stalls at its threshold, not a millisecond before', async (t) => {
  const { stall_queued_ms, stall_silence_ms } = defaultLimits;
  const queued = {
    status: 'queued',
    createdAt: NOW,
    requeuedAt: null,
    attemptStartedAt: null,
    lastOutputAt: null,
    stopRequestedAt: null,
  } as const;
  t.equal(stallOf(queued, NOW + stall_queued_ms - 1, defaultLimits), null);
  t.match(stallOf(queued, NOW + stall_queued_ms, defaultLimits), {
    reason: 'queued_too_long',
    thresholdS: 900,
    since: NOW,
    lastOutputAt: null,
  });
  const again = { ...queued, requeuedAt: NOW + 7 };
  t.equal(stallOf(again, NOW + 6 + stall_queued_ms, defaultLimits), null, 'it waits since its Mac ended');
  t.match(stallOf(again, NOW + 7 + stall_queued_ms, defaultLimits), { since: NOW + 7 });
  const running = { ...queued, status: 'running', attemptStartedAt: NOW + 5 } as const;
  t.match(stallOf(running, NOW + 5 + stall_silence_ms, defaultLimits), {
    reason: 'no_log_output',
    since: NOW + 5,
  });
  const printing = { ...running, lastOutputAt: NOW + 90 };
  t.equal(stallsAt(printing, defaultLimits), NOW + 90 + stall_silence_ms);
  t.match(stallOf(printing, NOW + 90 + stall_silence_ms, defaultLimits), {
    thresholdS: 600,
    lastOutputAt: NOW + 90,
  });
  t.equal(stallsAt({ ...running, stopRequestedAt: NOW }, defaultLimits), null, 'not while it is being stopped');
  t.equal(stallsAt({ ...running, status: 'failed' }, defaultLimits), null);
});

t.test('when a rental ends, each build of the account restarts, waits, stops or expires', async (t) => {
  const ending = macAt('rt_ending', { state: 'building', buildId: 'rb_running' });
  const free = macAt('rt_free');
  const busy = macAt('rt_busy', { state: 'building', buildId: 'rb_other' });
  const preparing = macAt('rt_preparing', { state: 'preparing', readyAt: null });
  const reserved = macAt('rt_reserved', { state: 'reserved', readyAt: null });
  const over = macAt('rt_over', { endsAt: NOW });
  const otherXcode = macAt('rt_xcode', { xcodeVersions: ['15.4'] });
  const run = (given = {}) => ({ ...waiting('rb_running', 1), stopRequested: false, ...given });
  const queued = (id: string, given = {}) => ({ ...waiting(id, 2), queueUntilRental: false, ...given });
  const decide = (macs: (typeof free)[], running: ReturnType<typeof run> | null, waits = [queued('rb_w')]) =>
    decideRentalEnd({ rentalId: 'rt_ending', macs: [ending, ...macs], running, queued: waits, now: NOW });

  const fates: [string, (typeof free)[], ReturnType<typeof run> | null, string][] = [
    ['nothing runs', [free], null, 'none'],
    ['another Mac is free', [free], run(), 'move'],
    ['another Mac is busy', [busy], run(), 'requeue'],
    ['another Mac is being prepared', [preparing], run(), 'requeue'],
    ['a free one is better than a busy one', [busy, free], run(), 'move'],
    ['the only other Mac is reserved for later', [reserved], run(), 'stop'],
    ['the only other Mac ends too', [over], run(), 'stop'],
    ['no other Mac', [], run(), 'stop'],
    ['pinned', [free], run({ pinnedRentalId: 'rt_ending' }), 'stop'],
    ['the other Mac has not its Xcode', [otherXcode], run({ xcode: '16.2' }), 'stop'],
    ['it is being stopped already', [free], run({ stopRequested: true }), 'none'],
  ];
  for (const [name, macs, running, action] of fates) {
    t.equal(decide(macs, running).running.action, action, name);
  }
  t.match(decide([busy, free], run()).running, { mac: { rentalId: 'rt_free' } });

  const reasons = (macs: (typeof free)[], waits: ReturnType<typeof queued>[]) =>
    decide(macs, null, waits).expire.map(({ waiting: { buildId }, reason }) => [buildId, reason]);
  const pinned = queued('rb_pinned', { pinnedRentalId: 'rt_ending', queueUntilRental: true });
  const elsewhere = queued('rb_elsewhere', { pinnedRentalId: 'rt_free' });
  const patient = queued('rb_patient', { queueUntilRental: true });
  t.same(reasons([free], [pinned, elsewhere, patient, queued('rb_any')]), [['rb_pinned', 'pinned_mac_ended']]);
  t.same(reasons([], [pinned, patient, queued('rb_any')]), [
    ['rb_pinned', 'pinned_mac_ended'],
    ['rb_any', 'no_mac_left'],
  ]);
  t.same(reasons([reserved], [queued('rb_any')]), [['rb_any', 'no_mac_left']]);
  t.same(reasons([preparing], [queued('rb_any')]), []);
});

t.test('the remaining time of a Mac, and its longest extension', async (t) => {
  const mac = macAt('rt_1', { hours: 48, endsAt: NOW + 48 * HOUR });
  t.equal(remainingSeconds(mac, NOW), 48 * 3600);
  t.equal(remainingSeconds(mac, NOW + 999), 48 * 3600 - 1);
  t.equal(remainingSeconds(mac, NOW + 49 * HOUR), 0);
  const preparing = macAt('rt_2', { state: 'preparing', readyAt: null, hours: 24, endsAt: NOW - HOUR });
  t.equal(remainingSeconds(preparing, NOW), 24 * 3600, 'a preparing Mac keeps its bought time');
});

t.test('a Mac whose host is disconnected, or with a queued job, counts as in maintenance', async (t) => {
  const readiness = (
    state: 'reserved' | 'preparing' | 'ready' | 'building' | 'resetting' | 'updating',
    hostTakesBuilds: boolean,
    openJob: OpenJob | null = null,
  ) => readinessOf({ state, hostTakesBuilds, openJob, repairing: false });
  const target = { keepCache: true };
  const job = {
    jobId: 'op_1',
    kind: 'reset',
    status: 'queued',
    target,
    revision: null,
    progress: null,
  } as const;
  t.same(
    (['reserved', 'preparing', 'ready', 'building', 'resetting', 'updating'] as const).map((s) => [
      readiness(s, true),
      readiness(s, false),
      readiness(s, true, job),
    ]),
    [
      ['reserved', 'reserved', 'reserved'],
      ['preparing', 'preparing', 'preparing'],
      ['free', 'maintenance', 'maintenance'],
      ['busy', 'maintenance', 'maintenance'],
      ['maintenance', 'maintenance', 'maintenance'],
      ['maintenance', 'maintenance', 'maintenance'],
    ],
  );
});

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
};

t.test('refs that git accepts, except those that look like options', async (t) => {
  const good = ['main', 'refs/heads/x', 'v1.0', 'feature/a-b_c', 'a@b', 'ünï', 'x{y}', 'a.b', '0'.repeat(255)];
  const bad = [
    '',
    '@',
    '-',
    '-x',
    '--upload-pack=sh',
    '/x',
    'x/',
    'a//b',
    '.x',
    'a/.b',
    'a..b',
    'x.',
    'x.lock',
    'a.lock/b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{1}',
    'a\nb',
    'a\x7fb',
    '0'.repeat(256),
  ];
  for (const ref of good) t.ok(isRefName(ref, defaultLimits), ref);
  for (const ref of bad) t.notOk(isRefName(ref, defaultLimits), JSON.stringify(ref));
});

t.test('repositories: owner/name on the configured code host, or an https address of an allowed one', async (t) => {
  for (const repo of ['apple/swift', 'a/b.c', 'Some-Org/x_y', 'user_corp/x']) t.equal(checkRepo(repo), repo);
  for (const repo of ['', 'x', '/x', 'x/', 'a/b/c', '-a/b', 'a/..', 'a/.', 'a b/c', 'a/b.git', 'https://x/y']) {
    t.equal(
      codeOf(() => checkRepo(repo)),
      'invalid_repo',
      repo,
    );
  }
  const hosts = { ...defaultCodeHosts, allowed: [...defaultCodeHosts.allowed, 'http://127.0.0.1:9000'] };
  const table: [string, string][] = [
    ['https://github.com/apple/swift', 'accepted'],
    ['https://gitlab.com/group/sub/project.git', 'accepted'],
    ['https://GitHub.com/a/b', 'accepted'],
    ['http://127.0.0.1:9000/a/b.git', 'accepted'],
    ['https://127.0.0.1:9000/a/b.git', 'repo_host_not_allowed'],
    ['https://evil.example/a/b', 'repo_host_not_allowed'],
    ['https://github.com.evil.example/a/b', 'repo_host_not_allowed'],
    ['https://github.com:8443/a/b', 'repo_host_not_allowed'],
    ['https://169.254.169.254/a/b', 'repo_host_not_allowed'],
    ['http://github.com/a/b', 'invalid_repo_url'],
    ['git@github.com:a/b.git', 'invalid_repo_url'],
    ['ssh://git@github.com/a/b', 'invalid_repo_url'],
    ['file:///etc/passwd', 'invalid_repo_url'],
    ['ext::sh -c id', 'invalid_repo_url'],
    ['https://user:pw@github.com/a/b', 'invalid_repo_url'],
    ['https://evil@github.com/a/b', 'invalid_repo_url'],
    ['https://github.com/a/b?x=1', 'invalid_repo_url'],
    ['https://github.com/a/b#x', 'invalid_repo_url'],
    ['https://github.com/', 'invalid_repo_url'],
    ['https://github.com', 'invalid_repo_url'],
    ['https://github.com/a/\nb', 'invalid_repo_url'],
    ['https://github.com\\@evil.example/a', 'invalid_repo_url'],
    ['--upload-pack=x', 'invalid_repo_url'],
    ['', 'invalid_repo_url'],
    [`https://github.com/${'a'.repeat(2050)}`, 'invalid_repo_url'],
  ];
  for (const [url, code] of table)
    t.equal(
      codeOf(() => checkRepoUrl(url, hosts, defaultLimits)),
      code,
      url.slice(0, 60),
    );
  t.equal(checkCommit('ABCDEF0'), 'abcdef0');
  for (const commit of ['abcdef', 'a'.repeat(41), 'abcdefg', '-abcdef0', '']) {
    t.equal(
      codeOf(() => checkCommit(commit)),
      'invalid_commit',
      commit,
    );
  }
});
