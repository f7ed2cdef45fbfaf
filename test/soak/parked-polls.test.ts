// Two thousand clients wait for builds at the same time, over real sockets.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Agent, request } from 'undici';
import { startService } from '../../bench/service.js';

const CLIENTS = 2_000;

t.test(
  '2,000 concurrent long polls: other requests are served meanwhile, and all polls get the end of the build',
  async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'cidermill-polls-'));
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    const most = String(CLIENTS + 10);
    const env = {
      CIDERMILL_ACCOUNT_PARKED_REQUESTS: most,
      CIDERMILL_ACCOUNT_WAITING_REQUESTS: most,
      // They all come at once, so on a busy machine the last of them wait long for their first turn.
      CIDERMILL_ACCOUNT_PATIENT_REQUESTS: most,
    };
    const service = await startService(env, ['--macs', '0']);
    const agent = new Agent({ connections: CLIENTS + 10, headersTimeout: 90_000 });
    t.teardown(async () => {
      await agent.destroy();
      await service.stop();
    });
    const call = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
      const answer = await request(service.base_url + path, {
        method,
        dispatcher: agent,
        headers: { authorization: `Bearer ${service.api_key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await answer.body.json()) as { id: string; status: string };
    };
    const build = await call('POST', '/builds', {
      script: 'true',
      repo_url: 'https://github.com/example/app',
      queue_until_rental: true,
    });
    t.equal(build.status, 'queued');
    const polls = Array.from({ length: CLIENTS }, () => call('GET', `/builds/${build.id}/wait?timeout=60`));
    let answered = 0;
    for (const poll of polls) void poll.then(() => answered++);
    for (let i = 0; i < 20; i++) await call('GET', '/queue');
    t.equal(answered, 0, 'nobody is answered before the end');
    await call('POST', `/builds/${build.id}/cancel`);
    const ends = await Promise.all(polls);
    t.same([...new Set(ends.map((end) => end.status))], ['cancelled']);
  },
);
