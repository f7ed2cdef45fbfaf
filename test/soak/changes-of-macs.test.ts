// Macs that are changed and rented again, with every part real: the service, the agent, the link, folders and processes.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Service, startService } from '../../bench/service.js';
import { withService } from '../../control-plane/admin/service.js';
import { dataFolder } from '../../control-plane/data-folder.js';
import { devFile } from '../../control-plane/dev/dev-file.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { addRental } from '../../control-plane/renting/app/rentals.js';
import { cidermill, ownLines } from '../harness/cli.js';
import { processesWith } from '../harness/processes.js';
import { until } from '../harness/until.js';

const HOUR = 3_600_000;

async function world(t: Test, flags: readonly string[]) {
  // An interrupted change is made again, as often as it takes.
  const often = { CIDERMILL_RESET_EVERY_MS: '1', CIDERMILL_RESETS_PER_DAY: '100' };
  const service = await startService(often, ['--macs', '1', '--free', '0', ...flags]);
  const app = mkdtempSync(join(tmpdir(), 'cidermill-app-'));
  writeFileSync(join(app, 'README'), 'The smallest project.\n');
  t.teardown(async () => {
    await service.stop();
    rmSync(app, { recursive: true, force: true });
  });
  const call = async (method: string, path: string, body?: object, key = service.api_key) => {
    const answer = await fetch(service.base_url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const macs = async (key?: string) =>
    (await call('GET', '/status', undefined, key)).body.macs as { rental_id: string; state: string }[];
  const ready = async (key?: string) => until(async () => (await macs(key))[0]?.state === 'ready', 'the Mac is ready');
  const build = async (script: string, key = service.api_key) => {
    const ran = await cidermill({ ...service.env, CIDERMILL_API_KEY: key }, app, 'build', '--script', script);
    if (ran.code !== 0) throw new Error(ran.stderr);
    return ownLines(ran.stdout);
  };
  const host = join(service.data, 'host');
  return { service, app, call, macs, ready, build, host, slots: join(host, 'macs') };
}

const pids = (service: Service) => devFile.parse(JSON.parse(readFileSync(join(service.data, 'dev.json'), 'utf8'))).pids;

/** Kills the agent as soon as `here` returns true; returns false when the change finished before. */
async function killWhen(service: Service, here: () => boolean, over: () => Promise<boolean>): Promise<boolean> {
  const pid = pids(service).host_agent;
  if (pid === null) throw new Error('there is no agent');
  for (let isOver = false; !isOver; ) {
    // The look does not pause while the service is asked: what it waits for may last for a moment only.
    let isAnswered = false;
    const asked = over().finally(() => {
      isAnswered = true;
    });
    for (let looks = 0; looks < 200 || !isAnswered; looks++) {
      if (here()) {
        process.kill(pid, 'SIGKILL');
        await asked;
        await until(() => pids(service).host_agent !== pid, 'another agent');
        return true;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    isOver = await asked;
  }
  return false;
}

t.test('an agent is killed in the middle of a change, and the next one finishes it', async (t) => {
  const { service, call, macs, ready, build, slots } = await world(t, []);
  await ready();
  const rental = (await macs())[0]?.rental_id ?? '';
  const slot = join(slots, readdirSync(slots)[0] ?? '');
  const inMac = (...names: string[]) => join(slot, ...names);
  // Files as a build would leave them.
  const plant = (folders: number) => {
    for (let folder = 0; folder < folders; folder++) {
      mkdirSync(inMac('work', `d${folder}`), { recursive: true });
      for (let file = 0; file < 60; file++) writeFileSync(inMac('work', `d${folder}`, String(file)), '');
    }
    for (const folder of ['home', 'caches']) writeFileSync(inMac(folder, 'kept'), '');
  };
  const kept = () => ['home', 'caches'].filter((folder) => existsSync(inMac(folder, 'kept')));
  const left = () => readdirSync(inMac('work')).length;
  const job = async (id: unknown) => (await call('GET', `/jobs/${id}`)).body;
  const done = async (id: unknown) => (await job(id)).status === 'done';
  /** Kills the agent while it changes the Mac; a change that ends sooner is made again with more files to remove. */
  const interrupt = async (change: object, middle: (folders: number) => boolean): Promise<unknown> => {
    for (let folders = 100; folders <= 3_200; folders *= 2) {
      plant(folders);
      const { status, body } = await call('POST', `/rentals/${rental}/reset`, change);
      if (status >= 400) throw new Error(`the change was refused: ${JSON.stringify(body)}`);
      const { job_id } = body;
      if (
        await killWhen(
          service,
          () => middle(folders),
          () => done(job_id),
        )
      )
        return job_id;
    }
    throw new Error('each change ended before it could be interrupted');
  };

  await t.test('the work folder is emptied, and only that', async (t) => {
    const job_id = await interrupt({ keep_cache: true }, (folders) => {
      const now = existsSync(inMac('work')) ? left() : 0;
      return now > 0 && now < folders * 0.9;
    });
    await until(() => done(job_id), 'the job is done');
    t.equal(left(), 0);
    t.same(kept(), ['home', 'caches']);
  });

  await t.test('a new Mac has no data of the old one', async (t) => {
    const removing = () => readdirSync(slots).some((name) => name.startsWith('.removed-'));
    const job_id = await interrupt({}, removing);
    await until(() => done(job_id), 'the job is done');
    t.same(readdirSync(slots), [slot.slice(slots.length + 1)], 'nothing of what was being removed');
    t.equal(left(), 0);
    t.same(kept(), []);
  });

  await t.test('a change also survives a kill of the service', async (t) => {
    plant(100);
    const { job_id } = (await call('POST', `/rentals/${rental}/reset`, { keep_cache: true })).body;
    const pid = pids(service).control_plane;
    if (pid !== null) process.kill(pid, 'SIGKILL');
    await until(() => pids(service).control_plane !== pid, 'another control plane');
    await until(() => done(job_id).catch(() => false), 'the job is done');
    t.equal(left(), 0);
  });
  t.match((await macs())[0], { state: 'ready', rental_id: rental });
  t.equal(await build('ls'), 'README\n', 'and it builds');
});

t.test('the next tenant of a slot finds no data of the previous one', async (t) => {
  const { service, app, call, macs, ready, build, host, slots } = await world(t, ['--test-clock']);
  await ready();
  const canary = 'canary-4f1d7c';
  const secret = 'secret-canary-93ab';
  t.equal((await call('PUT', '/secrets/TOKEN', { value: secret })).status, 200);
  writeFileSync(join(app, 'source.txt'), `${canary}\n`);
  await build(
    'for d in . "$HOME" "$XDG_CACHE_HOME" "$TMPDIR"; do mkdir -p "$d/.deep/er"; ' +
      'cp source.txt "$d/.deep/er/"; printenv TOKEN >"$d/.deep/token"; done',
  );
  const [slotId = ''] = readdirSync(slots);
  // A person's shell on the Mac: no build started it, so no build ends it.
  const shell = spawn('sleep', ['43310'], {
    env: { PATH: process.env.PATH, HOME: join(slots, slotId, 'home') },
    stdio: 'ignore',
    detached: true,
  });
  t.teardown(() => shell.kill('SIGKILL'));
  const find = (text: string) => {
    try {
      return execFileSync('grep', ['-rlaF', text, host], { encoding: 'utf8' });
    } catch (error) {
      // grep exits with 1 when it finds nothing.
      if (error instanceof Error && 'status' in error && error.status === 1) return '';
      throw error;
    }
  };
  const sleepers = () => processesWith(`HOME=${slots}`).filter((line) => line.includes('sleep 43310'));
  t.not(find(canary), '', 'it is there while the tenant is');
  t.equal(find(secret).trim().split('\n').length, 4);
  t.equal(sleepers().length, 1);

  const second = await withService(service.data, async ({ organizations, apiKeys }) => {
    const org = await organizations.create({ name: 'Second' });
    const owner = { accountId: org.id, workspaceId: org.workspaceId };
    const { key } = await apiKeys.create({ ...owner, name: 'k', levels: ['read', 'build', 'manage'] });
    return { ...org, key };
  });
  const clock = await fetch(`${service.site_url}/dev/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_ms: 721 * HOUR }),
  });
  const now = Date.parse(((await clock.json()) as { now: string }).now);
  t.same(await macs(), [], 'the first rental has ended');
  const store = openSqlite(dataFolder(service.data).database);
  const rented = await store.transaction((tx) =>
    addRental(
      tx,
      { wake: { wake: () => undefined } },
      {
        rentalId: 'rt_second',
        accountId: second.id,
        orderNo: null,
        slotId,
        tier: 'local',
        xcode: null,
        state: 'preparing',
        hours: 24,
        startsAt: now,
        endsAt: now + 24 * HOUR,
        now,
      },
    ),
  );
  await store.close();
  t.ok(rented, 'the slot is free');
  await ready(second.key);

  t.equal(find(canary), '', 'nowhere on the host');
  t.equal(find(secret), '');
  t.same(sleepers(), []);
  rmSync(join(app, 'source.txt'));
  t.equal(
    await build(
      'ls -A . "$HOME" "$XDG_CACHE_HOME" "$TMPDIR" | grep -c deep || true; printenv TOKEN || echo none',
      second.key,
    ),
    '0\nnone\n',
  );
});
