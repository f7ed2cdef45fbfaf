// A build that prints 100 MB: whole when so much is kept, head and tail when it is not.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { cidermill } from '../harness/cli.js';

const MEGABYTE = 1024 * 1024;
const LINE = 'CompileSwift normal arm64 /work/Sources/App/View.swift (in target App from project App)';
const LINES = Math.ceil((100 * MEGABYTE) / (LINE.length + 9));
const script = `awk 'BEGIN { for (i = 0; i < ${LINES}; i++) printf "%07d %s\\n", i, "${LINE}" }'`;

async function* lines(): AsyncGenerator<string> {
  let block = '';
  for (let i = 0; i < LINES; i++) {
    block += `${String(i).padStart(7, '0')} ${LINE}\n`;
    if (block.length > MEGABYTE) {
      yield block;
      block = '';
    }
  }
  yield block;
}

for (const kept of ['all', 'head and tail'] as const) {
  t.test(`100 MB of log, ${kept} kept`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'cidermill-log-'));
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    writeFileSync(join(root, 'a.txt'), 'a');
    const service = await startService(kept === 'all' ? { CIDERMILL_LOG_BYTES: String(200 * MEGABYTE) } : {});
    t.teardown(() => service.stop());
    const ran = await cidermill(service.env, root, 'build', '--detach', '--json', '--script', script);
    t.equal(ran.code, 0, ran.stderr);
    const { id } = JSON.parse(ran.stdout);
    const get = (path: string) =>
      fetch(service.base_url + path, { headers: { authorization: `Bearer ${service.api_key}` } });
    let status = '';
    while (!['succeeded', 'failed'].includes(status)) {
      status = ((await (await get(`/builds/${id}/wait?timeout=60`)).json()) as { status: string }).status;
    }
    t.equal(status, 'succeeded');

    const log = Buffer.from(await (await get(`/builds/${id}/log`)).arrayBuffer());
    const body = log.subarray(log.indexOf('0000000 '));
    if (kept === 'all') {
      const hash = createHash('sha256');
      let length = 0;
      for await (const block of lines()) {
        hash.update(block);
        length += block.length;
      }
      t.equal(createHash('sha256').update(body.subarray(0, length)).digest('hex'), hash.digest('hex'));
      t.notMatch(body.subarray(length).toString(), /CompileSwift/, 'nothing comes behind it');
    } else {
      t.ok(log.length <= 65 * MEGABYTE && log.length > 63 * MEGABYTE, `${log.length} bytes are kept`);
      t.match(
        log.subarray(-300_000).toString('latin1'),
        /\[cidermill\] .*(left out|omitted)/,
        'a line says what is missing',
      );
      t.ok(body.includes(`${String(LINES - 1).padStart(7, '0')} `), 'the last line is there');
    }
    const tail = await (await get(`/builds/${id}/log?tail=3`)).text();
    t.equal(tail.split('\n').length, 4, 'the tail is three lines');
    t.equal(tail, log.subarray(log.length - Buffer.byteLength(tail)).toString());
  });
}
