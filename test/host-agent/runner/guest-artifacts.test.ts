// Artifacts of builds in a virtual machine.
// Runs in: soak
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { openGuestRig } from './guest-rig.js';
import { artifactsKept } from './script-scenarios.js';

t.test('artifacts of a guest are kept like those of a host', async (t) => {
  await artifactsKept(t, await openGuestRig(t));
});

t.test(
  'bundles arrive with their links; artifacts that are too large, no file, or cut off by a stop are named',
  async (t) => {
    const rig = await openGuestRig(t);
    const app =
      'mkdir -p A.app/Versions/1; echo code >A.app/Versions/1/A; ln -s 1 A.app/Versions/Current; ln -s Versions/Current/A A.app/A; chmod 755 A.app/Versions/1/A';
    const { result, folder } = await rig.run(
      `cd "$CIDERMILL_ARTIFACTS"; ${app}; echo small >small; head -c 3000000 /dev/urandom >large; ln -s "$PWD/small" link; mkfifo pipe`,
      { spec: { artifacts: { max_files: 10, max_bytes: 1_000_000 } } },
    );
    t.same(
      result.artifacts.map(({ name }) => name),
      ['A.app.tar.gz', 'link', 'small'],
    );
    const archive = gunzipSync(readFileSync(path.join(folder, 'kept', '0'))).toString('latin1');
    t.match(archive, 'A.app/Versions/Current');
    t.match(archive, 'Versions/Current/A');
    t.match(result.warnings, [
      /^1 of 4 artifacts was left out: a build may keep at most 10 files and 1000000 bytes/,
      /^Left out of the artifacts: pipe, because they are neither files nor folders/,
    ]);
    t.notOk(existsSync(path.join(folder, 'incoming')), 'nothing stays but what is kept');
  },
);

t.test('a warning names the artifacts that were lost with their guest', async (t) => {
  const rig = await openGuestRig(t, {
    limits: { retryBaseMs: 20 },
  });
  const { result } = await rig.run('echo report >"$CIDERMILL_ARTIFACTS/report"; exit 3', {
    whileCollecting: () => void rig.host.kill('cidermill-1'),
  });
  t.match(result, { outcome: 'exited', exit_code: 3, artifacts: [] });
  t.match(result.warnings, [/^The artifacts could not be collected: The virtual machine of this build was lost/]);
});
