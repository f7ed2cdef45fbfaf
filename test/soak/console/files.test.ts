// The page of files.
import { Readable } from 'node:stream';
import t from 'tap';
import { startBuildHost } from '../../harness/build-host.js';
import { checkPage } from '../../harness/console/check-page.js';
import { openConsole } from '../../harness/console/open-console.js';
import { sha256 } from '../../harness/sha256.js';
import { manifestOf, record, uploader } from '../../harness/upload-bodies.js';

t.test('uploads and artifacts are listed, downloaded and deleted', async (t) => {
  const c = await openConsole(t, { harness: { limits: { account_contents_bytes: 4_000 } } });
  const { page, h } = c;
  await c.open('/files');
  await checkPage(t, c, 'files-empty');

  const host = await startBuildHost(h, { macs: 1, hours: 48 });
  const { announce, sendBlobs } = uploader(h);
  const { id: upload } = (await announce(manifestOf({ 'main.swift': 'print("Hello")' }))).json();
  await sendBlobs(upload, [record('print("Hello")')]);
  const { id: spare } = (await announce(manifestOf({ 'a.txt': 'x' }))).json();
  await sendBlobs(spare, [record('x')]);
  const submitted = await h.call('POST', '/builds', {
    body: { upload_id: upload, script: 'make' },
  });
  t.equal(submitted.statusCode, 201, submitted.body);
  const { id } = submitted.json();
  await h.workers.idle();
  await host.start();
  for (const name of ['build/App.ipa', 'build/reports/junit.xml']) {
    const artifact = { buildId: id, attempt: 1, name, bytes: 5, sha256: sha256('12345') };
    await h.artifacts.store(artifact, Readable.from([Buffer.from('12345')]));
  }
  await c.open('/files');
  await checkPage(t, c, 'files');
  await page.getByText('in use', { exact: true }).waitFor();

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download App.ipa' }).click();
  t.equal((await download).suggestedFilename(), 'App.ipa');

  await page.getByRole('combobox', { name: /Kind/ }).click();
  await page.getByRole('option', { name: 'Only uploads' }).click();
  await page.waitForURL(/kind=upload/);
  await page
    .getByRole('button', { name: /^Delete/ })
    .nth(1)
    .waitFor();
  const deletable = page.locator('button[aria-label^="Delete"]:not([aria-disabled])');
  await deletable.first().click();
  await page.getByText('Builds of this folder can no longer be run again.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('1 shown').waitFor();

  await c.open(`/files?build=${id}`);
  await page.getByRole('rowheader', { name: 'build/reports/junit.xml' }).waitFor();
});

t.test('somebody with several workspaces chooses one', async (t) => {
  const c = await openConsole(t);
  const { page, h } = c;
  await h.callConsole('POST', `/v1/organizations/${h.org.orgId}/workspaces`, {
    key: null,
    headers: { cookie: c.cookie },
    body: { name: 'Mobile' },
  });
  await c.open('/files');
  await checkPage(t, c, 'files-choose');
  await page.getByRole('link', { name: 'Mobile' }).click();
  await page.waitForURL(/workspace=ws_/);
  await page.getByText('No files here').waitFor();
});
