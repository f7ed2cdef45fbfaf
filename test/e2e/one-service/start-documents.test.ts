// Runs the commands of the start documents unchanged.
// Runs in: soak
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { sharedService } from './shared-service.js';

function shell(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn('sh', ['-eu'], { cwd, env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => resolve({ code, out, err }));
    child.stdin.end(script);
  });
}

const blocks = (document: string, language: string): string[] =>
  [...document.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text ?? '');

t.test('the commands of the start documents work when they are pasted', async (t) => {
  const service = await sharedService();
  const cwd = mkdtempSync(join(tmpdir(), 'cidermill-start-'));
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }));
  const read = async (path: string, key = service.api_key) => {
    const answer = await fetch(`${service.site_url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    t.equal(answer.status, 200, path);
    return answer.text();
  };
  const env = { CIDERMILL_API_KEY: service.api_key };

  const { paths } = JSON.parse(await read('/api/v1/openapi.json')) as { paths: Record<string, object> };
  const known = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
    ),
  );

  const mine = await read('/api/v1/agent/start');
  t.match(mine, /A Mac is ready: build/);
  t.match(mine, /- Builds: 0 running, 0 waiting/);
  const everybodys = await read('/agent-start.md');
  const requests = (t: Test, document: string, least: number) => {
    const told = [...document.matchAll(/^ {4}(GET|POST|PATCH|PUT) +(\/[\w/{}]+)/gm)];
    t.ok(told.length >= least);
    for (const [, method = '', path = ''] of told) {
      const shape = path.replace(/\{\w+\}/g, '{}');
      t.ok(known.has(`${method} ${shape}`), `${method} ${path} is in the reference`);
    }
  };

  await t.test('for all accounts', async (t) => {
    const commands = blocks(everybodys, 'sh');
    const shown: readonly RegExp[] = [
      /built on \w+[\s\S]*\nsucceeded\n$/,
      // Only contents that are missing on the service are sent.
      /^\{"stored":[12]\}\{"id":"up_[^}]*"ready":true/,
      /"amount_won":10000[\s\S]*"pay_url":"http/,
      /"name":"EXAMPLE_TOKEN"/,
    ];
    t.equal(commands.length, shown.length);
    for (const [at, command] of commands.entries()) {
      const ran = await shell(command, cwd, env);
      t.equal(ran.code, 0, ran.err);
      t.notMatch(ran.out, /"error"/);
      t.match(ran.out, shown[at]);
    }
    const again = await shell(commands[1] ?? '', cwd, env);
    t.match(again.out, /^\{"stored":[01]\}/, 'build.sh is stored already, and not sent again');
    const { mcpServers } = JSON.parse(blocks(everybodys, 'json')[0] ?? '');
    t.same(mcpServers.cidermill.args, ['mcp']);
    t.equal(mcpServers.cidermill.env.CIDERMILL_URL, service.base_url);
    requests(t, everybodys, 15);
    for (const word of [
      '"units":1',
      '`start`',
      '"priority":1',
      '/waitlist',
      'a person opens its pay page; no program can',
    ]) {
      t.ok(everybodys.includes(word), word);
    }
  });

  await t.test('for this account', async (t) => {
    const commands = blocks(mine, 'sh');
    t.equal(commands.length, 1);
    const ran = await shell(commands[0] ?? '', cwd, env);
    t.equal(ran.code, 0, ran.err);
    t.match(ran.out, /"amount_won":10000[\s\S]*"pay_url":"http/);
    requests(t, mine, 1);
    t.ok(mine.includes(`${service.site_url}/agent-start.md`));
    const lines = (document: string) => document.split('\n').filter((text) => text.length > 30);
    const repeated = lines(mine).filter((text) => lines(everybodys).includes(text));
    t.same(repeated, [`- base_url: ${service.base_url}`], 'says nothing again that the other one says');
  });

  await t.test('a first build that is refused shows why and stops', async (t) => {
    const [build = ''] = blocks(everybodys, 'sh');
    t.match(build, /first-build/);
    const ran = await shell(build, cwd, { CIDERMILL_API_KEY: service.read_key });
    t.not(ran.code, 0);
    t.match(ran.err, /"code":"api_key_read_only"/);
    t.equal(ran.out, '', 'and goes no further');
  });

  await t.test('the list of documents links to all of them', async (t) => {
    const list = await read('/llms.txt');
    const links = [...list.matchAll(/\]\((\S+)\)/g)].map(([, url]) => url ?? '');
    t.equal(links.length, 4);
    for (const url of links) t.equal((await fetch(url)).status, 200, url);
  });

  await t.test('a read-only key gets no instructions that it cannot follow', async (t) => {
    const document = await read('/api/v1/agent/start', service.read_key);
    t.match(document, /may: read\. It cannot start builds, nor order/);
    t.same(blocks(document, 'sh'), []);
  });
});
