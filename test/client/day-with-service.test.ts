// The command and the library against the service as `cidermill dev` runs it.
// Runs in: soak
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { createNodeFetch } from '../../client/cli/node-fetch.js';
import { CidermillError, createClient, hasEnded } from '../../client/index.js';
import { startCuttingProxy } from './cutting-proxy.js';
import { makePlace } from './place.js';
import { runCli, startCli } from './run-cli.js';
import { BIN, spawnCli } from './spawn-cli.js';

interface Dev {
  site_url: string;
  base_url: string;
  api_key: string;
  read_key: string;
}

async function startDev() {
  const place = makePlace(null);
  const flags = [
    '--json',
    '--port',
    '0',
    '--data',
    join(place.root, 'data'),
    '--test-clock',
    '--requests-per-minute',
    '100000',
  ];
  const child = spawn(process.execPath, [BIN, 'dev', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...place.env, CIDERMILL_LOG_LEVEL: 'error' },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
    createInterface(child.stdout).once('line', resolve);
  });
  const dev = JSON.parse(line) as Dev;
  Object.assign(place.env, { CIDERMILL_URL: dev.base_url, CIDERMILL_API_KEY: dev.api_key });
  t.teardown(async () => {
    child.kill('SIGTERM');
    await exited;
    place.remove();
  });
  return { place, dev };
}

t.test('a person’s day with the service', async (t) => {
  const { place, dev } = await startDev();
  const { project } = place;
  const client = createClient({ url: dev.base_url, key: dev.api_key });
  mkdirSync(join(project, 'src'));
  writeFileSync(join(project, 'src/main.swift'), 'let a = 1\n');
  writeFileSync(join(project, 'run.sh'), '#!/bin/sh\necho ran "$@"\n', { mode: 0o755 });
  writeFileSync(join(project, '.gitignore'), 'out/\n');
  mkdirSync(join(project, 'out'));
  writeFileSync(join(project, 'out/x'), 'ignored');
  execFileSync('git', ['init', '-q'], { cwd: project, env: place.env });

  await t.test('looks around', async (t) => {
    for (const [args, text] of [
      [['status'], /Demo \(active\), 2 active Macs[\s\S]*local +ready/],
      [['catalog'], /local +10,000 won \/ 24h/],
      [['queue'], /0 running, 0 waiting/],
      [['builds'], /no builds/],
      [['secrets', 'list'], /no secrets/],
      [['errors'], /no errors/],
    ] as [string[], RegExp][]) {
      t.match(await runCli(place, args), { code: 0, stdout: text, stderr: '' }, args.join(' '));
      const { stdout } = await runCli(place, [...args, '--json']);
      t.doesNotThrow(() => JSON.parse(stdout), `${args.join(' ')} --json`);
    }
    t.match(await client.me(), {
      account: { name: 'Demo' },
      scopes: ['agent:read', 'agent:build', 'agent:manage'],
    });
    t.match(await client.pool(), { tiers: [{ tier: 'local' }] });
    t.match(await client.agentStart(), /^#/);
  });

  await t.test('builds a folder, fetches what it made, and gets its exit code', async (t) => {
    const script =
      'cat src/main.swift; ./run.sh it; ls out 2>&1 || true; mkdir -p "$CIDERMILL_ARTIFACTS/deep"; echo art > "$CIDERMILL_ARTIFACTS/deep/x.txt"; cd "$CIDERMILL_ARTIFACTS"; for size in 10 400000; do head -c $size /dev/zero > tool$size; chmod 6755 tool$size; done; exit 7';
    const built = await runCli(place, [
      'build',
      '--script',
      script,
      '--artifacts',
      join(place.root, 'got'),
      '--timeout',
      '5',
    ]);
    t.equal(built.code, 7, built.stderr);
    t.match(built.stdout, /let a = 1\r?\nran it\r?\n/);
    t.match(built.stdout, /ls: .*out/, 'an ignored file stays at home');
    t.equal(readFileSync(join(place.root, 'got/deep/x.txt'), 'utf8'), 'art\n');
    const modeOf = (name: string) => statSync(join(place.root, 'got', name)).mode & 0o7777 & ~process.umask();
    t.equal(modeOf('deep/x.txt'), 0o644);
    // One of them is sent with others, the larger one alone.
    for (const name of ['tool10', 'tool400000']) t.equal(modeOf(name), 0o755, name);
    t.match(built.stderr, /✗ rb_\w+ failed: script_failed \(exit 7/);

    appendFileSync(join(project, 'src/main.swift'), 'let b = 2\n');
    const again = await runCli(place, ['build', '--json', '--', 'wc', '-l', 'src/main.swift']);
    t.equal(again.code, 0);
    t.match(again.stderr, /2 src\/main\.swift/);
    t.match(JSON.parse(again.stdout), {
      status: 'succeeded',
      exit_code: 0,
      end_reason: 'succeeded',
      artifacts: [],
    });
    const { id } = JSON.parse(again.stdout);
    const log = (await runCli(place, ['logs', id])).stdout;
    t.equal((await runCli(place, ['logs', '-f', id])).stdout, log);
    t.ok(again.stderr.includes(log));
    t.equal((await runCli(place, ['logs', id, '--tail', '1'])).stdout, log.split(/(?<=\n)/).at(-1));
  });

  await t.test('keeps a secret, and sees how a long log ended', async (t) => {
    t.match(await runCli(place, ['secrets', 'set', 'TOKEN'], { input: 'correct horse battery\n' }), {
      code: 0,
    });
    const script = 'echo "<$TOKEN>"; seq 1 40000; echo "src/main.swift:2:5: error: cannot find x in scope"; exit 65';
    const { code, stdout, stderr } = await runCli(place, ['build', '--script', script]);
    t.match(stdout, /<\*\*\*>/);
    t.notMatch(stdout + stderr, /correct horse/);
    t.equal(code, 65);
    t.match(stderr, /✗ rb_\w+ failed: \w+ \(exit 65/);
    const [, number = '', text = ''] = /(\d+) │ (src\/main\.swift:2:5: error.*)/.exec(stderr) ?? [];
    t.equal(stdout.split(/\r?\n/)[Number(number) - 1], text, 'the excerpt has the numbers of the log');
    t.match(stderr, / {2}→ .+\n {2}log: cidermill logs rb_/);
    t.match(await runCli(place, ['secrets', 'list']), { stdout: /TOKEN/ });
    t.match(await runCli(place, ['secrets', 'rm', 'TOKEN']), { code: 0 });
    t.match(await runCli(place, ['secrets', 'rm', 'TOKEN']), { code: 64, stderr: /secret_not_found/ });
    t.match(await runCli(place, ['secrets', 'set', 'PATH', 'x']), {
      code: 64,
      stderr: /invalid_secret_name/,
    });
  });

  await t.test('is refused what the key may not do, and what makes no sense', async (t) => {
    t.match(await runCli(place, ['build', '--script', 'x', '--key', dev.read_key]), {
      code: 77,
      stderr: /api_key_read_only/,
    });
    t.match(await runCli(place, ['status', '--key', `${dev.read_key}x`]), {
      code: 77,
      stderr: /invalid_api_key/,
    });
    t.match(await runCli(place, ['build', '--script', 'x', '--xcode', '99.9']), {
      code: 64,
      stderr: /xcode/,
    });
    t.match(await runCli(place, ['cancel', 'rb_nothing']), { code: 64, stderr: /build_not_found/ });
    t.match(await runCli(place, ['errors', '--kind', 'api']), { code: 0, stdout: /build_not_found/ });
    await t.rejects(client.jobs.get('op_nothing'), {
      name: 'CidermillError',
      code: 'job_not_found',
      status: 404,
    });
    const error = await client.builds.create({ script: 'x' }).catch((thrown: unknown) => thrown);
    t.ok(
      error instanceof CidermillError && error.docs !== null && error.requestId !== null && error.fault === 'client',
    );
  });

  await t.test('waits in the queue, goes before others, gives up, and presses Ctrl-C', async (t) => {
    const first = spawnCli(place, ['build', '--script', 'echo going; sleep 300']);
    await first.until('stdout', 'going');
    const hold = ['build', '--detach', '--script', 'sleep 300'];
    const others = await Promise.all([1, 2, 3].map(async () => (await runCli(place, hold)).stdout.trim()));
    const waiting = (await client.queue()).queued.map(({ id }) => id);
    t.equal(waiting.length, 2);
    const last = waiting[1]!;
    t.match(await runCli(place, ['priority', last, '1']), { code: 0, stdout: /priority 1, position 1/ });
    t.same(
      (await client.queue()).queued.map(({ id }) => id),
      [last, waiting[0]],
    );
    t.match(await runCli(place, ['queue']), { stdout: /2 running, 2 waiting/ });
    const fifth = spawnCli(place, ['build', '--script', 'echo hi']);
    await fifth.until('stderr', 'waiting, position 3: the Macs are busy');
    fifth.child.kill('SIGTERM');
    t.match(await fifth.done, { code: 130, stderr: /cancelled: cancelled_by_user/ });
    for (const id of others) t.match(await runCli(place, ['cancel', id]), { code: 0 });
    for (const id of others) t.equal((await client.builds.waitUntilEnded(id)).status, 'cancelled');
    first.child.kill('SIGINT');
    t.match(await first.done, { code: 130, stderr: /cancelled: cancelled_by_user/ });
  });

  await t.test('lets time run out', async (t) => {
    const slow = startCli(place, ['build', '--script', 'echo going; sleep 300', '--timeout', '1']);
    await slow.until('stdout', 'going');
    await fetch(`${dev.site_url}/dev/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advance_ms: 61_000 }),
    });
    t.match(await slow.done, { code: 124, stderr: /timeout/ });
  });

  await t.test('removes a secret although the answer is lost on its way', async (t) => {
    const proxy = await startCuttingProxy(dev.base_url);
    t.teardown(() => proxy.close());
    await client.secrets.set('SHORT_LIVED', 'value');
    proxy.cuts.push(0);
    const far = createClient({ url: proxy.url, key: dev.api_key, retry: { baseMs: 1, maxMs: 1 } });
    t.match(await far.secrets.delete('SHORT_LIVED'), { name: 'SHORT_LIVED', deleted: true });
    t.same((await client.secrets.list()).secrets, []);
    t.same(proxy.cuts, []);
  });
  await t.test('follows a log over a bad line without losing a byte', async (t) => {
    const proxy = await startCuttingProxy(dev.base_url);
    const network = createNodeFetch(process.env);
    t.teardown(async () => {
      network.close();
      await proxy.close();
    });
    const far = createClient({
      url: proxy.url,
      key: dev.api_key,
      fetch: network.fetch,
      retry: { baseMs: 5, maxMs: 50 },
    });
    const { upload_id } = (await client.builds.list({ limit: 1 })).builds[0]!;
    const script = 'for i in $(seq 1 400); do echo "line $i é 漢字"; [ $((i % 40)) = 0 ] && sleep 0.05; done; true';
    const build = await client.builds.create({ upload_id: upload_id!, script });
    proxy.cuts.push(...Array.from({ length: 20 }, (_, n) => (n * 37) % 900));
    let text = '';
    for await (const segment of far.builds.log.follow(build.id, { retry: { maxMs: 50 } })) {
      t.equal(segment.offset, Buffer.byteLength(text));
      text += segment.data;
    }
    t.equal(text, await client.builds.log.text(build.id));
    t.match(text, /line 400 é 漢字/);
    t.ok(hasEnded(await far.builds.get(build.id)));
    const streamed = [];
    for await (const bytes of client.builds.log.stream(build.id, { waitS: 5 })) streamed.push(bytes);
    t.equal(Buffer.concat(streamed).toString(), text);
  });
});
