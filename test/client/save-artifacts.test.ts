// One artifact that cannot be written does not end the saving of the others.
// Requires: root
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { saveArtifacts } from '../../client/artifacts/save.js';
import type { BuildClient } from '../../client/build-client.js';
import type { WorkspaceFile } from '../../client/types.js';

t.test('a place that fails is named, and the rest is saved', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-save-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'out');
  const cwd = join(root, 'work');
  mkdirSync(cwd);
  const names = ['a/first', 'b/second', 'c/third'];
  // Large ones come one by one, so that the folder is there when the download begins.
  const artifacts = names.map((name) => ({ id: name, name, path: name, bytes: 300_000 })) as WorkspaceFile[];
  const client = {
    files: {
      async *downloadArtifact(_build: string, id: string) {
        // Somebody removes the folder while the artifact arrives.
        if (id === 'b/second') rmSync(join(folder, 'b'), { recursive: true });
        yield Buffer.alloc(300_000, 'x');
      },
    },
  } as unknown as BuildClient;
  const refused: string[] = [];
  const saved = await saveArtifacts(client, 'rb_1', artifacts, {
    folder,
    cwd,
    env: {},
    onRefused: ({ name }, reason) => refused.push(`${name}: ${reason}`),
  });
  t.equal(refused.length, 1);
  t.match(refused[0], /^b\/second: cannot use .*: it does not exist$/);
  t.same(
    saved.map(({ saved_to }) => saved_to !== null),
    [true, false, true],
  );
  t.equal(readFileSync(join(folder, 'c/third')).length, 300_000);
});

t.test('on a full disk those are saved that fit, and the others are named', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-full-'));
  const disk = join(root, 'disk');
  mkdirSync(disk);
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
  t.equal(mount.status, 0, 'mounted');
  t.teardown(() => {
    spawnSync('umount', ['-l', disk]);
    rmSync(root, { recursive: true, force: true });
  });
  const sizes = { first: 400_000, large: 5_000_000, last: 400_000 };
  const artifacts = Object.entries(sizes).map(([name, bytes]) => ({ id: name, name, path: `out/${name}`, bytes }));
  const client = {
    files: {
      async *downloadArtifact(_build: string, id: keyof typeof sizes) {
        for (let sent = 0; sent < sizes[id]; sent += 100_000) yield Buffer.alloc(100_000, id);
      },
    },
  } as unknown as BuildClient;
  const refused: string[] = [];
  const saved = await saveArtifacts(client, 'rb_1', artifacts as WorkspaceFile[], {
    folder: disk,
    cwd: root,
    env: {},
    onRefused: ({ name }, reason) => refused.push(`${name}: ${reason}`),
  });
  t.match(refused, [/^large: .*no space is left on the disk$/]);
  t.same(
    saved.map(({ saved_to }) => saved_to),
    [join(disk, 'out/first'), null, join(disk, 'out/last')],
  );
  t.same(readdirSync(join(disk, 'out')), ['first', 'last'], 'nothing half written');
});
