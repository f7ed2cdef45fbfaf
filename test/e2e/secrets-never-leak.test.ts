// A build prints its secrets in every encoding and in pieces; then everything that the service stores is searched.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { cidermill } from '../harness/cli.js';
import { commandLines } from '../harness/processes.js';

const SECRETS = {
  PLAIN_TOKEN: 'tok-tok-tok-4f9a81c7',
  ODD_TOKEN: `a'b"c\\d$e <f>&g 100% ü`,
  PEM_KEY: '-----BEGIN KEY-----\nMIIEowIBAAKCAQEA7bq1\nzq8fKd02mQ9vXx==\n-----END KEY-----\n',
};

/** Returns every form of a value that must not be found. */
function forms(value: string): Map<string, Buffer> {
  const bytes = Buffer.from(value);
  const inBase64 = (shift: number) => {
    // The part that is the same at any position in a longer text: without the characters at the edges.
    const whole = Buffer.concat([Buffer.alloc(shift), bytes, Buffer.alloc(2)]).toString('base64');
    return whole.slice(
      Math.ceil((shift * 8) / 6) + (shift ? 1 : 0),
      Math.floor(((shift + bytes.length) * 8) / 6) - 1,
    );
  };
  const texts: [string, string][] = [
    ['raw', value],
    ['JSON', JSON.stringify(value).slice(1, -1)],
    ['URL', encodeURIComponent(value)],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
    ...[0, 1, 2].map((shift): [string, string] => [`base64 at ${shift}`, inBase64(shift)]),
    ...[0, 1, 2].map((shift): [string, string] => [
      `base64url at ${shift}`,
      inBase64(shift).replaceAll('+', '-').replaceAll('/', '_'),
    ]),
    ...value
      .split('\n')
      .filter((line) => line.length >= 6)
      .map((line, i): [string, string] => [`line ${i}`, line]),
  ];
  return new Map(texts.map(([name, text]) => [name, Buffer.from(text)]));
}

/** Prints each secret raw, byte by byte, coloured, encoded, in a file name, as an error, and to an artifact. */
const program = `
import base64, json, os, sys, time, urllib.parse
out = sys.stdout.buffer
def say(b):
    out.write(b if isinstance(b, bytes) else b.encode()); out.write(b'\\n'); out.flush()
for name in ['PLAIN_TOKEN', 'ODD_TOKEN', 'PEM_KEY']:
    v = os.environ[name]; b = v.encode()
    say('value of %s: %s.' % (name, v))
    for byte in b:
        out.write(bytes([byte])); out.flush()
        time.sleep(0.002)
    say('')
    for cut in range(1, len(b)):
        out.write(b[:cut]); out.flush(); out.write(b[cut:]); out.write(b'|'); out.flush()
    say('')
    say('\\x1b[31m' + v[:4] + '\\x1b[0m\\x1b[1m' + v[4:])
    say(json.dumps({'k': v}, ensure_ascii=False)); say(urllib.parse.quote(v, safe="!'()*~")); say(urllib.parse.quote(v, safe=''))
    say(b.hex()); say(b.hex().upper())
    for shift in range(3):
        say(base64.b64encode(b'x' * shift + b + b'yy')); say(base64.urlsafe_b64encode(b'x' * shift + b + b'yy'))
    say(v + v); say('x' + v + 'y')
    for line in v.splitlines(): say('  ' + line)
art = os.environ['CIDERMILL_ARTIFACTS']
open(os.path.join(art, os.environ['PLAIN_TOKEN'] + '.txt'), 'w').write('harmless')
sys.stderr.write('fatal: cannot use ' + os.environ['PLAIN_TOKEN'] + '\\n')
sys.exit(3)
`;

t.test(
  'nothing that the service stores or sends contains a secret that a build printed',
  { timeout: 180_000 },
  async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'cidermill-leak-'));
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    writeFileSync(join(root, 'leak.py'), program);
    const service = await startService({ CIDERMILL_LOG_LEVEL: 'silent' });
    t.teardown(() => service.stop());
    const api = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(service.base_url + path, {
        method,
        headers: { authorization: `Bearer ${service.api_key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    for (const [name, value] of Object.entries(SECRETS)) {
      t.equal((await api('PUT', `/secrets/${name}`, { value })).status, 200);
    }

    const seen: string[] = [];
    let over = false;
    const watching = (async () => {
      while (!over) {
        seen.push(commandLines());
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const ran = await cidermill(service.env, root, 'build', '--json', '--script', 'python3 leak.py');
    over = true;
    await watching;
    t.equal(ran.code, 3, ran.stderr);
    t.ok(ran.stderr.split('***').length > 50, 'the log is there, with marks');
    const { id } = JSON.parse(ran.stdout);

    const places = new Map<string, Buffer>([
      ['process list', Buffer.from(seen.join('\n'))],
      ['CLI output', Buffer.from(ran.stdout + ran.stderr)],
    ]);
    for (const path of [
      `/builds/${id}`,
      `/builds/${id}/log`,
      '/builds',
      '/status',
      '/errors',
      '/secrets',
      `/builds/${id}/log?tail=100`,
    ]) {
      places.set(`GET ${path}`, Buffer.from((await api('GET', path)).text));
    }
    const files = await fetch(`${service.runner_url}/v1/files`, {
      headers: { authorization: `Bearer ${service.api_key}` },
    });
    places.set('GET /v1/files', Buffer.from(await files.text()));
    for (const entry of readdirSync(service.data, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile())
        places.set(path, Buffer.concat([Buffer.from(`${entry.name}\n`), readFileSync(path)]));
    }
    t.ok(places.size > 20, `${places.size} places were searched`);
    t.ok(
      [...places].some(([, bytes]) => bytes.includes('value of PLAIN_TOKEN')),
      'the search reaches the log',
    );

    const leaks: string[] = [];
    for (const [name, value] of Object.entries(SECRETS)) {
      for (const [form, needle] of forms(value)) {
        for (const [place, bytes] of places)
          if (bytes.includes(needle)) leaks.push(`${name} (${form}) in ${place}`);
      }
    }
    t.same(leaks, []);
  },
);
