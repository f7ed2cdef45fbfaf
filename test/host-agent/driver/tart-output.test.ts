// What tart prints: lists of old and new versions, errors by their text.
import t from 'tap';
import { tartError } from '../../../host-agent/driver/tart/errors.js';
import { parseDiskBytes, parseImages, parseVms, pullProgress } from '../../../host-agent/driver/tart/output.js';
import { digestOf, refOfDigest } from '../../../host-agent/driver/vm/image-names.js';
import { toolEnvironment } from '../../../host-agent/driver/vm/tool-environment.js';

const digest = `sha256:${'0a'.repeat(32)}`;

t.test('lists of all versions of tart', async (t) => {
  const vm = (more: object) => JSON.stringify([{ Source: 'local', Name: 'a', ...more }]);
  const rows: [string, string, object][] = [
    [
      'new',
      vm({ Disk: 50, Size: 24, Accessed: '2026-11-20T10:00:00Z', Running: true, State: 'running' }),
      { state: 'running', diskBytes: 50e9, usedBytes: 24e9 },
    ],
    [
      'suspended counts as not running',
      vm({ Disk: 50, Size: 24, Running: false, State: 'suspended' }),
      { state: 'suspended' },
    ],
    ['before 2026', vm({ Disk: 50, SizeOnDisk: 24, Running: true }), { state: 'running', usedBytes: 24e9 }],
    ['without State', vm({ Disk: 50, Size: 1, Running: false }), { state: 'stopped' }],
    ['sizes as strings', vm({ Disk: '50', Size: '24.125', State: 'stopped' }), { usedBytes: 24.125e9 }],
    ['neither', vm({}), { state: 'unknown', diskBytes: null, usedBytes: null }],
    ['a state of the future', vm({ State: 'hibernated', Running: false }), { state: 'unknown' }],
    ['unknown fields', vm({ State: 'stopped', Color: ['blue'], Size: { a: 1 } }), { usedBytes: null }],
  ];
  for (const [name, json, expected] of rows) t.match(parseVms(json), [{ name: 'a', ...expected }], name);
  t.same(parseVms('[\n\n]'), []);
  t.same(parseVms(`[{"Source":"OCI","Name":"ghcr.io/a/b:1"}]`), [], 'images are no virtual machines');
  for (const broken of ['', '{}', '[{}]', 'NAME STATE', '[{"Name":7}]']) {
    t.throws(() => parseVms(broken), { code: 'incompatible' }, JSON.stringify(broken));
  }
  t.same(
    parseImages(
      JSON.stringify([
        { Source: 'OCI', Name: 'ghcr.io/a/b:26', Size: 60, Disk: 140 },
        { Source: 'OCI', Name: `ghcr.io/a/b@${digest}`, SizeOnDisk: 60 },
      ]),
    ),
    [
      { ref: 'ghcr.io/a/b:26', digest: null, bytes: 60e9, diskBytes: 140e9 },
      { ref: `ghcr.io/a/b@${digest}`, digest, bytes: 60e9, diskBytes: null },
    ],
  );
  t.equal(parseDiskBytes('{"OS":"darwin","Disk":50,"Size":"24.123"}'), 50e9);
  t.equal(parseDiskBytes('{"OS":"darwin"}'), null);
  t.throws(() => parseDiskBytes('no'), { code: 'incompatible' });
});

t.test('names, digests and progress', async (t) => {
  for (const [ref, expected] of [
    ['ghcr.io/a/b:26', `ghcr.io/a/b@${digest}`],
    ['localhost:5000/a/b', `localhost:5000/a/b@${digest}`],
    ['localhost:5000/a/b:26', `localhost:5000/a/b@${digest}`],
    [`ghcr.io/a/b@sha256:${'1'.repeat(64)}`, `ghcr.io/a/b@${digest}`],
  ] as const) {
    t.equal(refOfDigest(ref, digest), expected);
  }
  t.equal(digestOf(`ghcr.io/a/b@${digest}`), digest);
  for (const none of ['ghcr.io/a/b:26', 'ghcr.io/a/b@sha256:12', 'my-vm', '']) t.equal(digestOf(none), null);
  const read = pullProgress();
  const at = (percent: number, bytes: number | null, totalBytes: number | null) => ({
    percent,
    bytes,
    totalBytes,
  });
  for (const [line, expected] of [
    ['pulling ghcr.io/a/b:26...', null],
    ['pulling manifest...', null],
    ['57%', at(57, null, null)],
    ['pulling disk (25.1 GB compressed)...', at(0, 0, 25.1e9)],
    ['  0%', at(0, 0, 25.1e9)],
    ['57%', at(57, 14_307_000_000, 25.1e9)],
    ['900%', at(100, 25.1e9, 25.1e9)],
    ['Error pulling image: "The network connection was lost.", attempting to re-try...', null],
    ['pulling disk (25 GB compressed)...', at(0, 0, 25e9)],
    ['pulling NVRAM...', null],
    ['', null],
  ] as const) {
    t.same(read(line), expected, line);
  }
});

t.test('errors are recognized by their text, because exit codes are ambiguous', async (t) => {
  const failed = (stderr: string, code = 1, stdout = '') => tartError('run', { code, stdout, stderr });
  const rows: [string, number, string][] = [
    ['the specified VM "a" does not exist', 2, 'not_found'],
    ['Error: the specified VM "a" does not exist', 1, 'not_found'],
    ['VM "a" is not running', 2, 'not_running'],
    ['VM "a" is already running!', 2, 'already_running'],
    ['VM "a" is running', 1, 'already_running'],
    ['The number of VMs exceeds the system limit (other running VMs: x, y)', 1, 'limit_reached'],
    ['The number of VMs exceeds the system limit', 1, 'limit_reached'],
    ['no IP address found, is your VM running?', 1, 'no_address'],
    ['Failed to connect to the VM using its control socket: x, is the Tart Guest Agent running?', 1, 'unresponsive'],
    ['Error: SecKeyCreateRandomKey_ios failed: errSecInteractionNotAllowed', 1, 'keychain_locked'],
    [
      'Error Domain=VZErrorDomain Code=1 "Internal Virtualization error. The virtual machine failed to start."',
      1,
      'keychain_locked',
    ],
    ['Error: You can’t save the file “disk.img” because … No space left on device', 1, 'disk_full'],
    ['Error: You can’t save the file “disk.img” because the volume “Macintosh HD” is out of space.', 1, 'disk_full'],
    ['Error: UnexpectedHTTPStatusCode(when: "pulling manifest", code: 404, details: "")', 1, 'image_not_found'],
    ['Error: AuthFailed(why: "received unexpected HTTP status code 403", details: "")', 1, 'unauthorized'],
    ["Error: Unknown option '--no-audio'\nUsage: tart run …", 64, 'incompatible'],
    ["TART_HOME is invalid: /x does not exist, yet we can't create it: no", 1, 'failed'],
    ['', 1, 'failed'],
  ];
  for (const [text, code, expected] of rows) t.equal(failed(text, code).code, expected, text);
  t.equal(failed('', 1, 'suspend failed').message, 'tart run: suspend failed', 'some errors are on stdout');
  t.equal(
    failed('Failed to perform garbage collection: VM "b" is running\nVM "a" is not running', 2).code,
    'not_running',
    'a failed garbage collection does not decide',
  );
  t.ok(failed('x'.repeat(9999)).message.length < 400);
});

t.test('the tools get only the environment variables that they need', async (t) => {
  const env = toolEnvironment(
    {
      PATH: '/p',
      HOME: '/h',
      CIDERMILL_TOKEN: 'secret',
      SSH_AUTH_SOCK: '/s',
      TART_REGISTRY_USERNAME: 'u',
      CI: 'no',
    },
    { CI: '1' },
  );
  t.same(env, { PATH: '/p', HOME: '/h', TART_REGISTRY_USERNAME: 'u', CI: '1' });
});
