// The run bar: the place and the width of each step.
import t from 'tap';
import { firstCommand, repositoryOf, shortCommit } from '../../control-plane/console/builds/source.js';
import { type RunStep, sharesOf, stepsOf } from '../../control-plane/console/pages/build/steps.js';

const at = (s: number) => new Date(Date.UTC(2026, 2, 1, 9, 0, s)).toISOString();
const times = (started: number | null, ended: number | null) => ({
  created_at: at(0),
  started_at: started === null ? null : at(started),
  ended_at: ended === null ? null : at(ended),
  queue_s: 0,
  run_s: null,
  estimated_end_at: null,
  silent_s: null,
});
const all = { prepare: at(5), source: at(6), xcode: at(9), script: at(9), artifacts: at(50) };
const failed = (step: string) => ({ step }) as never;

const brief = (steps: readonly RunStep[]) => steps.map(({ name, state }) => `${name} ${state}`).join(', ');
const seconds = (steps: readonly RunStep[]) =>
  steps.map(({ from, to }) => [from, to].map((each) => (each === null ? null : (each - Date.parse(at(0))) / 1_000)));

t.test('every state of a build', async (t) => {
  const build = { steps: {}, xcode: null, failure: null };
  const table: [string, Parameters<typeof stepsOf>[0], string][] = [
    [
      'waiting',
      { ...build, status: 'queued', timings: times(null, null) },
      'queue active, prepare ahead, source ahead, script ahead, artifacts ahead',
    ],
    [
      'running, nothing known yet',
      { ...build, status: 'running', timings: times(5, null) },
      'queue done, prepare active, source ahead, script ahead, artifacts ahead',
    ],
    [
      'in the script',
      {
        ...build,
        status: 'running',
        xcode: '16.2',
        timings: times(5, null),
        steps: { prepare: at(5), source: at(6), xcode: at(9), script: at(9) },
      },
      'queue done, prepare done, source done, xcode done, script active, artifacts ahead',
    ],
    [
      'succeeded',
      { ...build, status: 'succeeded', steps: all, timings: times(5, 51) },
      'queue done, prepare done, source done, script done, artifacts done',
    ],
    [
      'failed in the script, artifacts collected',
      { ...build, status: 'failed', steps: all, failure: failed('script'), timings: times(5, 51) },
      'queue done, prepare done, source done, script failed, artifacts done',
    ],
    [
      'failed at the source',
      {
        ...build,
        status: 'failed',
        failure: failed('source'),
        timings: times(5, 8),
        steps: { prepare: at(5), source: at(6) },
      },
      'queue done, prepare done, source failed, script ahead, artifacts ahead',
    ],
    [
      'its host was lost: the last step is what failed',
      {
        ...build,
        status: 'failed',
        failure: failed('platform'),
        timings: times(5, 30),
        steps: { prepare: at(5), source: at(6), script: at(9) },
      },
      'queue done, prepare done, source done, script failed, artifacts ahead',
    ],
    [
      'cancelled while it ran',
      {
        ...build,
        status: 'cancelled',
        timings: times(5, 30),
        steps: { prepare: at(5), source: at(6), script: at(9) },
      },
      'queue done, prepare done, source done, script stopped, artifacts ahead',
    ],
    [
      'expired in the queue',
      { ...build, status: 'expired', timings: times(null, 30) },
      'queue stopped, prepare ahead, source ahead, script ahead, artifacts ahead',
    ],
    [
      'of an older host',
      { ...build, status: 'succeeded', timings: times(5, 51) },
      'queue done, prepare done, source ahead, script ahead, artifacts ahead',
    ],
  ];
  for (const [name, given, expected] of table) t.equal(brief(stepsOf(given)), expected, name);
});

t.test('a step lasts until the next one begins', async (t) => {
  const steps = stepsOf({
    status: 'succeeded',
    steps: all,
    xcode: '16',
    failure: null,
    timings: times(5, 51),
  });
  t.same(seconds(steps), [
    [0, 5],
    [5, 6],
    [6, 9],
    [9, 9],
    [9, 50],
    [50, 51],
  ]);
  const running = stepsOf({
    status: 'running',
    xcode: null,
    failure: null,
    timings: times(5, null),
    steps: { prepare: at(5), source: at(6) },
  });
  t.same(seconds(running).slice(0, 4), [
    [0, 5],
    [5, 6],
    [6, null],
    [null, null],
  ]);
});

t.test('every step can be seen, and long ones are wider', async (t) => {
  const steps = stepsOf({
    status: 'succeeded',
    steps: all,
    xcode: null,
    failure: null,
    timings: times(5, 51),
  });
  const shares = sharesOf(steps, Date.parse(at(60)));
  t.ok(Math.abs(shares.reduce((sum, each) => sum + each, 0) - 1) < 1e-9);
  t.ok(shares.every((share) => share >= 0.07));
  t.equal(shares.indexOf(Math.max(...shares)), 3, 'the script');
  const none = stepsOf({
    status: 'queued',
    steps: {},
    xcode: null,
    failure: null,
    timings: times(null, null),
  });
  t.ok(sharesOf(none, Date.parse(at(0))).every((share) => Math.abs(share - 0.2) < 1e-9));
});

t.test('what is built, in words', async (t) => {
  const of = (repo: string | null, repo_url: string | null) => repositoryOf({ repo, repo_url });
  t.equal(of('acme/app', null), 'acme/app');
  t.equal(of(null, 'https://git.example/acme/app.git'), 'acme/app');
  t.equal(of(null, 'https://git.example/'), 'https://git.example/');
  t.equal(of(null, 'git@host:acme/app'), 'git@host:acme/app');
  t.equal(of(null, null), null);
  t.equal(shortCommit({ commit: 'abc', commit_sha: '0123456789abcdef' }), '01234567');
  t.equal(shortCommit({ commit: null, commit_sha: null }), null);
  t.equal(firstCommand('#!/bin/bash\n# builds\nset -euo pipefail\n\n  make test\nmake'), 'make test');
  t.equal(firstCommand('# nothing'), '');
});
