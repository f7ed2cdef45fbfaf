// Uploads that an agent cancels while contents are being sent: the server, which runs for days, keeps nothing open.
// Runs in: soak
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import t, { type Test } from 'tap';
import type { ManifestFile } from '../../client/index.js';
import { listening } from '../harness/listening.js';
import { until } from '../harness/until.js';
import { makePlace } from './place.js';
import { BIN } from './spawn-cli.js';

/** As many as are sent at a time, each alone and as a stream. */
const FILES = 3;
const FILE_BYTES = 32 * 2 ** 20;

/** What each file descriptor of a process leads to. */
function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  if (!existsSync('/proc/self/fd')) {
    const lines = execFileSync('lsof', ['-p', String(pid), '-Ffn'], { encoding: 'utf8' }).split(/^f/m);
    return lines.slice(1).map((entry) => entry.split('\nn')[1]?.trim() ?? '');
  }
  return readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(`${folder}/${fd}`)];
    } catch {
      return []; // It was closed meanwhile.
    }
  });
}

/** A service that lacks all contents and never answers when they are sent; `reads`: but takes their bytes. */
async function startHolding(t: Test, reads: boolean) {
  let held = 0;
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/blobs')) {
      if (reads) request.resume();
      held++;
      return;
    }
    const { project, files }: { project: string; files: ManifestFile[] } = JSON.parse(
      gunzipSync(await buffer(request)).toString(),
    );
    const total_bytes = FILES * FILE_BYTES;
    const missing = files.map(({ sha256 }) => sha256);
    const upload = { id: 'up_1', project, files: FILES, total_bytes, missing, missing_bytes: total_bytes };
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...upload, ready: false }));
  });
  const port = await listening(t, server);
  const url = `http://127.0.0.1:${port}/api/v1`;
  return { url, held: () => held };
}

for (const reads of [false, true]) {
  const how = reads ? 'takes bytes without end' : 'takes no more bytes';
  t.test(`cancelled uploads leave no file descriptor behind: a service that ${how}`, async (t) => {
    const service = await startHolding(t, reads);
    const place = makePlace(service);
    t.teardown(place.remove);
    for (let at = 0; at < FILES; at++) {
      const path = `${place.project}/${at}.bin`;
      writeFileSync(path, String(at));
      truncateSync(path, FILE_BYTES);
    }
    const env = Object.fromEntries(
      Object.entries(place.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp'],
      env,
      cwd: place.project,
      stderr: 'inherit',
    });
    const agent = new Client({ name: 'test-agent', version: '1' });
    await agent.connect(transport);
    t.teardown(() => agent.close());
    const pid = transport.pid;
    if (!pid) throw new Error('the server has no pid');

    let before = Number.POSITIVE_INFINITY;
    for (let round = 1; round <= 5; round++) {
      const enough = new AbortController();
      const call = { name: 'build_folder', arguments: { folder: place.project, script: 'true' } };
      const rejected = t.rejects(agent.callTool(call, { signal: enough.signal }), /enough/);
      await until(() => service.held() === round * FILES, `uploads of round ${round}`);
      const reading = () => openFiles(pid).filter((name) => name.endsWith('.bin'));
      // A request is seen by the service before its client opens the file.
      if (!reads) await until(() => reading().length === FILES, 'all are being read');
      enough.abort(new Error('enough'));
      await rejected;
      await until(() => reading().length === 0, `the files of round ${round} to be closed`);
      // The first round leaves what the process keeps: its threads, its kept connections.
      if (round === 1) before = openFiles(pid).length;
      else await until(() => openFiles(pid).length <= before, `no more descriptors than ${before}`);
    }
  });
}
