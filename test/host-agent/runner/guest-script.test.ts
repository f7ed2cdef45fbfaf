// Builds in a virtual machine.
// Runs in: soak
import t from 'tap';
import { openGuestRig } from './guest-rig.js';
import { leftoversEnd, scriptsEnd, stopsEnd } from './script-scenarios.js';

// macOS has no such command.
const SETSID = `mkdir -p "$TMPDIR/bin"; PATH=$TMPDIR/bin:$PATH
printf '%s\\n' '#!/usr/bin/perl' 'use POSIX; POSIX::setsid(); exec @ARGV; exit 127' >"$TMPDIR/bin/setsid"; chmod 755 "$TMPDIR/bin/setsid"
`;

t.test('scripts in a virtual machine end with the same results as on the host', async (t) => {
  const rig = await openGuestRig(t);
  await scriptsEnd(t, rig, 8);
});

t.test('no process of a build in a virtual machine outlives it', async (t) => {
  const rig = await openGuestRig(t);
  const withSetsid: typeof rig = { ...rig, run: (script, more) => rig.run(SETSID + script, more) };
  await leftoversEnd(t, withSetsid, 5);
  await stopsEnd(t, withSetsid, 3);
});

t.test('a script in a guest gets its variables, its Xcode, a terminal without input, and its secrets', async (t) => {
  const rig = await openGuestRig(t);
  const script = [
    'set -u',
    'printf "%s|" "$CI" "$CIDERMILL_REPO" "$CIDERMILL_COMMIT" "$CIDERMILL_PR" "$HOME" "$PWD" "$TERM"; echo',
    'test -d "$CIDERMILL_ARTIFACTS" && test -w "$TMPDIR" && echo folders',
    'test -t 1 && test -t 2 && ! test -t 0 && echo terminal; stty size <&1; read -r line || echo nothing to read',
    'echo "$DEVELOPER_DIR $ODD" | tr "\\n" "/"; command -v brew',
  ].join('\n');
  const { log, result } = await rig.run(script, {
    spec: { xcode: '26.1', labels: { repo: 'o/r', ref: 'main', commit: 'abc', pr: 12 } },
    secrets: [{ name: 'ODD', value: `a'b"c\\d$e\n<f>&g ü` }],
    checkOutSources: async () => ({ commit: 'f'.repeat(40) }),
  });
  t.equal(result.exit_code, 0, log);
  t.match(log, /^\[cidermill\] Xcode 26\.1\n/);
  t.match(log, new RegExp(`true\\|o/r\\|${'f'.repeat(40)}\\|12\\|/Users/admin\\|/Users/Shared/cidermill/work/`));
  t.match(
    log,
    /\nfolders\nterminal\n50 200\nnothing to read\n\/Applications\/Xcode_26\.1\.app\/Contents\/Developer \*\*\*/,
  );
  t.match(log, '/opt/homebrew/bin/brew', 'the login environment of the guest');

  const missing = await rig.run('echo never', { spec: { xcode: '99.9' } });
  t.match(missing.result, { step: 'xcode', reason_code: 'xcode_missing', fault: 'platform' });
  const large = { name: 'LARGE', value: 'v'.repeat(200 * 1024) };
  const tooLarge = await rig.run('echo never', { secrets: [large] });
  t.match(tooLarge.result, { step: 'script', reason_code: 'environment_too_large', fault: 'customer' });
  t.notMatch(missing.log + tooLarge.log, 'never');
});
