// Every exit code of the command line, from a real process.

import t from 'tap';
import type { Build } from '../../client/index.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import type { ScriptedBuild } from './scripted-service.js';

t.test('every exit code, from a real process', async (t) => {
  const { service, place } = await setUp(t);
  const ends = (change: Partial<Build>) => (build: ScriptedBuild) => {
    build.append('output\n');
    build.finish(change);
  };
  const build = ['build', '--script', 'make'];
  const error =
    (status: number, code: string, more: object = {}) =>
    () =>
      service.instead('POST /builds', { status, error: { code, ...more } }, 9);
  const table: [string, number, string[], ((build: ScriptedBuild) => void) | null, (() => void)?, RegExp?][] = [
    ['a build that succeeds', 0, build, ends({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' })],
    ['a script that fails', 3, build, ends({ status: 'failed', exit_code: 3, end_reason: 'exit_nonzero' })],
    ['a script killed by a signal', 137, build, ends({ status: 'failed', exit_code: 137, end_reason: 'exit_nonzero' })],
    ['a timeout', 124, build, ends({ status: 'failed', exit_code: 143, end_reason: 'timeout' })],
    ['cancelled by somebody', 130, build, ends({ status: 'cancelled', end_reason: 'cancelled_by_user' })],
    ['a fault of the service', 70, build, ends({ status: 'failed', exit_code: null, end_reason: 'platform_error' })],
    ['a Mac lost after the script', 70, build, ends({ status: 'failed', exit_code: 0, end_reason: 'platform_error' })],
    ['never started', 70, build, (b) => b.finish({ status: 'expired', end_reason: 'queue_timeout' })],
    ['detached', 0, [...build, '--detach'], () => undefined],
    ['no script', 64, ['build'], null, undefined, /say what to run/],
    ['two scripts', 64, [...build, '--', 'make'], null, undefined, /give one of/],
    ['two sources', 64, [...build, '--dir', '.', '--repo', 'a/b'], null, undefined, /give one of/],
    ['an unknown option', 64, [...build, '--nonsense'], null, undefined, /unknown option/],
    ['an unknown command', 64, ['nonsense'], null, undefined, /unknown command/],
    ['an unknown subcommand', 64, ['secrets', 'nonsense'], null, undefined, /unknown command/],
    ['no command', 64, [], null, undefined, /Usage/],
    ['a bad number', 64, [...build, '--timeout', '0'], null, undefined, /at least 1/],
    ['a bad priority', 64, ['priority', 'rb_1', '7'], null, undefined, /Give 0, or 1/],
    ['a missing argument', 64, ['cancel'], null, undefined, /missing required argument/],
    ['no such folder', 64, [...build, '--dir', 'nowhere'], null, undefined, /is not a folder/],
    ['no such script file', 64, ['build', '--script-file', 'nowhere'], null, undefined, /cannot read the script/],
    [
      'an address that is none',
      64,
      ['status', '--url', 'nonsense'],
      null,
      undefined,
      /not a service.s address: expected an address that begins with http:/,
    ],
    [
      'nobody listens',
      69,
      ['status', '--url', 'http://127.0.0.1:1/api/v1'],
      null,
      undefined,
      /cannot reach[^\n]*\n {2}is it running, and is the address right\?/,
    ],
    ['a full queue', 75, build, null, error(429, 'queue_full', { retryable: true, retry_after_s: 3600 }), /queue_full/],
    ['storage trouble', 75, build, null, error(503, 'uploads_unavailable', { retryable: true, retry_after_s: 600 })],
    [
      'a wrong key',
      77,
      [...build, '--key', 'cm_wrong'],
      null,
      undefined,
      /invalid_api_key.*\n {2}try: cidermill login\n/,
    ],
    [
      'a key that may only read',
      77,
      build,
      null,
      error(403, 'api_key_read_only', { required_level: 'build', key_levels: ['read'] }),
      /api_key_read_only.*\n {2}this needs a key with the level build; this one has read\n/,
    ],
    ['a blocked account', 77, build, null, error(403, 'account_blocked', { fault: 'payment' })],
    ['no Mac', 70, build, null, error(409, 'no_active_rental'), /no_active_rental/],
    ['a build that does not exist', 64, ['logs', 'rb_none'], null, undefined, /build_not_found/],
    [
      'a page instead of the service',
      70,
      ['status'],
      null,
      () => service.instead('GET /status', { status: 200, text: '<html>' }),
      /not JSON/,
    ],
    ['help', 0, ['build', '--help'], null],
    ['the version', 0, ['--version'], null],
  ];
  for (const [name, code, args, script, prepare, message] of table) {
    if (script) service.onSubmit = script;
    prepare?.();
    const result = await runCli(place, args);
    t.equal(result.code, code, `${code}: ${name}${result.code === code ? '' : ` (${result.stderr})`}`);
    if (message) t.match(result.stderr, message);
    if (message) t.equal(result.stdout, '', 'and standard output is empty');
    service.clear();
  }
});
