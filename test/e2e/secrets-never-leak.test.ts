// A build prints its secrets in every encoding and in pieces; then everything that the service stores is searched.
// Runs in: soak
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Service, startService } from '../../bench/service.js';
import { cidermill } from '../harness/cli.js';
import { commandLines } from '../harness/processes.js';
import { casesOf } from '../harness/soak.js';
import { tartDataFolder } from '../harness/vm/tart-data.js';
import { openTartHost } from '../harness/vm/tart-host.js';

const IMAGE = 'ghcr.io/acme/macos:26';

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
    return whole.slice(Math.ceil((shift * 8) / 6) + (shift ? 1 : 0), Math.floor(((shift + bytes.length) * 8) / 6) - 1);
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

/**
 * Prints each secret raw, byte by byte, colored, encoded, in a file name, as an error, and to an artifact. In Perl, which
 * guests have too.
 */
const program = `
use strict; use MIME::Base64; use Time::HiRes qw(sleep);
$| = 1; binmode STDOUT;
sub say_it { print $_[0], "\\n" }
sub uri { my ($b, $safe) = @_; $b =~ s/([^A-Za-z0-9_.~$safe-])/sprintf '%%%02X', ord $1/ge; return $b }
sub url64 { my $t = encode_base64($_[0], ''); $t =~ tr{+/}{-_}; return $t }
sub json { my $t = $_[0]; $t =~ s/(["\\\\])/\\\\$1/g; $t =~ s/\\n/\\\\n/g; return qq({"k": "$t"}) }
for my $name (qw(PLAIN_TOKEN ODD_TOKEN PEM_KEY)) {
  my $v = $ENV{$name};
  say_it("value of $name: $v.");
  for my $byte (split //, $v) { print $byte; sleep 0.002 }
  say_it('');
  for my $cut (1 .. length($v) - 1) { print substr($v, 0, $cut); print substr($v, $cut); print '|' }
  say_it('');
  say_it("\\x1b[31m" . substr($v, 0, 4) . "\\x1b[0m\\x1b[1m" . substr($v, 4));
  say_it(json($v)); say_it(uri($v, "!'()*")); say_it(uri($v, ''));
  say_it(unpack 'H*', $v); say_it(uc unpack 'H*', $v);
  for my $shift (0 .. 2) { say_it(encode_base64('x' x $shift . $v . 'yy', '')); say_it(url64('x' x $shift . $v . 'yy')) }
  say_it($v . $v); say_it("x$v" . 'y');
  say_it("  $_") for split /\\n/, $v;
}
open my $file, '>', "$ENV{CIDERMILL_ARTIFACTS}/$ENV{PLAIN_TOKEN}.txt" or die; print {$file} 'harmless'; close $file;
print STDERR "fatal: cannot use $ENV{PLAIN_TOKEN}\\n";
exit 3;
`;

/** Returns the files with their names and contents, as far as they are small: disks and images are sparse files. */
function filesBelow(folder: string): [path: string, bytes: Buffer][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || statSync(path).size > 64 * 2 ** 20) return [];
    return [[path, Buffer.concat([Buffer.from(`${entry.name}\n`), readFileSync(path)])]];
  });
}

/**
 * Runs the build, and searches everything that is stored or sent for its secrets.
 *
 * @param folders searched besides the data of the service
 * @param guest returns what is in the guest, once the build has ended
 */
async function searchForSecrets(
  t: Test,
  service: Service,
  folders: readonly string[] = [],
  guest: () => Promise<Buffer> = async () => Buffer.alloc(0),
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-leak-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'leak.pl'), program);
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
  const ran = await cidermill(service.env, root, 'build', '--json', '--script', 'perl leak.pl');
  over = true;
  await watching;
  t.equal(ran.code, 3, ran.stderr);
  t.ok(ran.stderr.split('***').length > 50, 'the log is there, with marks');
  const { id } = JSON.parse(ran.stdout);

  const places = new Map<string, Buffer>([
    ['process list', Buffer.from(seen.join('\n'))],
    ['CLI output', Buffer.from(ran.stdout + ran.stderr)],
    ['guest', await guest()],
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
  for (const [path, bytes] of [service.data, ...folders].flatMap(filesBelow)) places.set(path, bytes);
  t.ok(places.size > 20, `${places.size} places were searched`);
  t.ok(
    [...places].some(([, bytes]) => bytes.includes('value of PLAIN_TOKEN')),
    'the search reaches the log',
  );

  const leaks: string[] = [];
  for (const [name, value] of Object.entries(SECRETS)) {
    for (const [form, needle] of forms(value)) {
      for (const [place, bytes] of places) if (bytes.includes(needle)) leaks.push(`${name} (${form}) in ${place}`);
    }
  }
  t.same(leaks, []);
}

/** Tests by where the build runs. Only a virtual machine by default: what the service stores is the same. */
const places = casesOf<(t: Test) => Promise<void>>({ 'a virtual machine': inMachine, 'this machine': here }, [
  'a virtual machine',
]);
for (const [place, search] of places)
  t.test(`nothing stored or sent has a secret that a build on ${place} printed`, search);

async function here(t: Test): Promise<void> {
  const service = await startService({ CIDERMILL_LOG_LEVEL: 'silent' });
  t.teardown(() => service.stop());
  await searchForSecrets(t, service);
}

/** Also searches the guest, and what is around it on its host. */
async function inMachine(t: Test): Promise<void> {
  const mac = await openTartHost(t, { images: { [IMAGE]: {} } });
  const service = await startService(
    { CIDERMILL_LOG_LEVEL: 'silent', PATH: mac.env.PATH, TART_HOME: mac.home },
    ['--driver', 'tart', '--image', IMAGE, '--macs', '1'],
    tartDataFolder(),
  );
  t.teardown(() => service.stop());
  await searchForSecrets(t, service, [mac.home], async () => {
    const [vm = ''] = await mac.running();
    const search =
      'find /private /Users /Library /etc -type f -size -8192 -print -exec cat {} + 2>/dev/null; ps -axEww';
    const { stdout } = await mac.tart('exec', vm, 'sudo', '/bin/sh', '-c', search);
    t.match(stdout, /\/usr\/bin\/perl/, 'the search reaches the log of the guest agent');
    return Buffer.from(stdout);
  });
}
