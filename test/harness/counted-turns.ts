// The service as `npm start` runs it, with an account that does its worst, and the turns of its event loop that took long. Linux only.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { startService } from '../../bench/service.js';
import { withService } from '../../control-plane/admin/service.js';

/** Of all turns, as many may be longer: a major collection of garbage ends in one. */
const UNLUCKY = 1;

const OPERATOR_TOKEN = 'operator-token-of-the-soak-test-of-turns';

const probe = new URL('./long-turns.js', import.meta.url).href;

/** Where a request goes, and as whom. */
export interface Family {
  readonly root: string;
  readonly key: string;
}

export type CountedTurns = Awaited<ReturnType<typeof startCountedTurns>>;

export async function startCountedTurns(t: Test) {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-turns-'));
  const file = join(root, 'long-turns');
  writeFileSync(file, '');
  const env = {
    LONG_TURNS: file,
    NODE_OPTIONS: `--import=${probe}`,
    CIDERMILL_WEBHOOK_ALLOWED_PRIVATE: '127.0.0.0/8',
    CIDERMILL_OPERATOR_TOKEN: OPERATOR_TOKEN,
  };
  const service = await startService(env, ['--macs', '1', '--free', '0']);
  t.teardown(async () => {
    await service.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const port = Number(new URL(service.site_url).port);
  const { key, host } = await withService(service.data, async ({ organizations, apiKeys, hosts }) => {
    const { id, workspaceId } = await organizations.create({ name: 'Loud' });
    const levels = ['read', 'build', 'manage'] as const;
    const { token } = await hosts.createEnrolment({ tier: 'local', slots: 1 });
    return { key: (await apiKeys.create({ accountId: id, workspaceId, name: 'loud', levels })).key, host: token };
  });
  return {
    service,
    api: { root: '/api/v1', key } satisfies Family,
    operator: { root: '/api/operator', key: OPERATOR_TOKEN } satisfies Family,
    files: { root: '/api/runner', key } satisfies Family,
    /** Enrolls one host. */
    hostToken: host,
    /** Sends a request on a connection of its own; returns the status of its answer. */
    answer: (request: Buffer) => answerAt(port, request),
    /** Fails if turns of the work take long. */
    async counts(name: string, work: () => Promise<unknown>) {
      writeFileSync(file, '');
      await work();
      const long = readFileSync(file, 'utf8').split('\n').filter(Boolean);
      t.ok(long.length <= UNLUCKY, `${name}: turns of ${long.join(', ')} ms`);
    },
  };
}

/** The bytes of a request; a Buffer is sent as gzip. */
export function requestOf(family: Family, method: string, path: string, body: Buffer | object | null = null): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === null ? '' : JSON.stringify(body));
  const type = body === null ? '' : `content-type: application/${Buffer.isBuffer(body) ? 'gzip' : 'json'}\r\n`;
  const head =
    `${method} ${family.root}${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${family.key}\r\n${type}` +
    `content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

async function answerAt(port: number, request: Buffer): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write(request);
    let head = '';
    let left = Number.POSITIVE_INFINITY;
    while (left > 0) {
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      left -= chunk.length;
      if (Number.isFinite(left)) continue;
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) continue;
      const length = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
      left = end + 4 + length - head.length;
    }
    return Number(head.slice(9, 12));
  } finally {
    socket.destroy();
  }
}
