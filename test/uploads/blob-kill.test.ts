// The process that stores contents is killed at any moment: a content with a row is there whole, and one without a row is
// deleted.
// Runs in: soak
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { sweepOrphans } from '../../control-plane/builds/app/orphan-sweep.js';
import { pageBlobs } from '../../control-plane/uploads/store/blobs.js';
import { ledgerAndRecount } from '../harness/recount.js';
import { sha256 } from '../harness/sha256.js';
import { openBlobs } from './blob-folder.js';

const DAY = 24 * 3_600_000;
const child = fileURLToPath(new URL('./blob-intake-child.js', import.meta.url));

t.test('killed while contents come and go, again and again', async (t) => {
  const folder = join(t.testdir(), 'data');
  mkdirSync(folder);
  for (let round = 0; round < 6; round++) {
    const process = fork(child, [folder]);
    const exit = once(process, 'exit');
    for (let batch = 0; batch <= round; batch++) await once(process, 'message');
    // At a random point between storing, releasing and the next round.
    for (let i = 0; i < 40 * round; i++) await new Promise(setImmediate);
    process.kill('SIGKILL');
    t.equal((await exit)[1], 'SIGKILL');

    const { store, contents, accountId } = await openBlobs(folder);
    const rows = await pageBlobs(store, accountId, '', 10_000);
    t.ok(rows.length >= 30);
    const { ledger, recount } = await ledgerAndRecount(store, accountId);
    t.same(ledger, recount, 'the ledger matches the rows');
    const keys: string[] = [];
    for (const { blobKey: key, sha256: hash } of rows) {
      const bytes = await buffer(await contents.blobs.open(String(accountId), key));
      if (sha256(bytes) !== hash) t.fail(`${key} holds other bytes`);
      keys.push(key);
    }
    // More than a day later no writer uses what is left.
    await sweepOrphans({ store, contents }, Date.now() + DAY);
    const left: string[] = [];
    for await (const { key } of contents.blobs.list()) left.push(key);
    t.same(left.sort(), keys.sort());
    t.same(readdirSync(join(folder, 'contents', 'blobs', 'staging')), []);
    await store.close();
  }
});
