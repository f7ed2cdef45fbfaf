// The journal: its place on disk, and what happens when the file is deleted.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openHiddenFolders } from '../../../host-agent/daemon/hidden-folder.js';
import { openJournal } from '../../../host-agent/daemon/journal.js';
import { desiredMac } from '../../harness/desired-mac.js';

const stop = { build_id: 'rb_1', attempt: 1, reason: 'cancelled_by_user' as const };

t.test('the journal of an older version is read, and moved by the next write', async (t) => {
  const data = t.testdir();
  const older = join(data, 'desire.json');
  writeFileSync(older, JSON.stringify({ stops: [stop], macs: [] }));
  const [folder] = openHiddenFolders(data);
  t.same(openHiddenFolders(data), [folder], 'every daemon opens the same folder');
  const journal = openJournal(folder, older);
  t.same(journal.read(), { stops: [stop], macs: [] });
  const next = { stops: [], macs: [desiredMac()] };
  journal.write(next);
  t.notOk(existsSync(older));
  t.same(openJournal(folder, older).read(), next);
});

t.test('a deleted journal is written again with the next desire, even if the desire is unchanged', async (t) => {
  const data = t.testdir();
  const [folder] = openHiddenFolders(data);
  const desire = { stops: [stop], macs: [] };
  const journal = openJournal(folder);
  journal.write(desire);
  rmSync(join(data, 'builds'), { recursive: true });
  journal.write(desire);
  t.same(readdirSync(folder), ['desire.json']);
  t.same(openJournal(folder).read(), desire);
});
