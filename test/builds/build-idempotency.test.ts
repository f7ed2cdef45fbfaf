// A build that is submitted again, with its folder uploaded again, under the same Idempotency-Key.
import t from 'tap';
import { startHarness } from '../harness/harness.js';
import { type Folder, manifestOf, record, uploader } from '../harness/upload-bodies.js';

t.test('the same files under another upload id are the same request, others are not', async (t) => {
  const h = await startHarness(t);
  const { announce, sendBlobs } = uploader(h);
  const upload = async (folder: Folder, project = 'demo') => {
    const { id, missing } = (await announce(manifestOf(folder, project))).json();
    const wanted = Object.values(folder).map((content) => record(content));
    if (missing.length > 0) t.equal((await sendBlobs(id, wanted)).statusCode, 200);
    return id as string;
  };
  const submit = (upload_id: string, script = 'make') =>
    h.call('POST', '/builds', {
      body: { upload_id, script, queue_until_rental: true },
      headers: { 'idempotency-key': 'once' },
    });
  const folder = { 'main.c': 'int main;', 'run.sh': 'true' };
  const one = await upload(folder);
  const first = await submit(one);
  t.equal(first.statusCode, 201);
  const two = await upload(folder);
  t.not(one, two);
  const again = await submit(two);
  t.equal(again.headers['idempotent-replayed'], 'true');
  t.equal(again.body, first.body, 'the first answer, to the byte');

  for (const [about, id, script] of [
    ['other contents', await upload({ ...folder, 'main.c': 'int other;' }), 'make'],
    ['another project', await upload(folder, 'other'), 'make'],
    ['another script', two, 'make test'],
    ['no upload at all', 'up_none', 'make'],
  ] as const) {
    t.equal((await submit(id, script)).json().error.code, 'idempotency_conflict', about);
  }
  const { builds } = (await h.call('GET', '/builds')).json();
  t.equal(builds.length, 1);
});
