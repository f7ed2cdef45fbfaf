// The guard before addresses that customers gave: addresses refused by their text, addresses refused after name resolution,
// and that the checked address is the one that is dialed. Name servers, receivers and TLS are real.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import fc from 'fast-check';
import type { Test } from 'tap';
import t from 'tap';
import { noAllowedReceivers, parseAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createOwnAddresses, isPublicAddress } from '../../control-plane/platform/outbound/public-address.js';
import { createPublicFetch, type PublicFetchOptions } from '../../control-plane/platform/outbound/public-fetch.js';
import { readPublicUrl } from '../../control-plane/platform/outbound/public-url.js';
import { createPublicResolver } from '../../control-plane/platform/outbound/resolve-host.js';
import { createStop } from '../../shared/stop.js';
import { certificate, key } from '../harness/certificate.js';
import { INTERIM, speaking } from '../harness/interim-answers.js';
import { listening } from '../harness/listening.js';
import { startNameServer } from './name-server.js';

/** Why an address is refused; null: it is not. */
const publicUrlProblem = (...of: Parameters<typeof readPublicUrl>): string | null => {
  const read = readPublicUrl(...of);
  return 'problem' in read ? read.problem.text : null;
};

const strict = { allowLoopback: false, allowed: noAllowedReceivers };
const testClock = { ...strict, allowLoopback: true };

function open(t: Test, options: Partial<PublicFetchOptions> = {}) {
  const made = createPublicFetch({
    rules: strict,
    resolve: () => Promise.reject(new Error('no name service')),
    timeoutMs: 5_000,
    bodyBytes: 16,
    ...options,
  });
  t.teardown(() => made.close());
  return made;
}

async function listen(t: Test, handle: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(t, createServer(handle))}`;
}

const SPECIAL_V4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '168.63.129.16',
  '169.254.0.0',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.0.255',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '192.175.48.1',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];
const PUBLIC_V4 = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '203.0.112.255',
  '223.255.255.255',
];
const SPECIAL_V6 = [
  '::',
  '::1',
  '::2',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::a9fe:a9fe',
  '100::1',
  '100:0:0:1::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:1::1',
  '2001:2::1',
  '2001:3::1',
  '2001:4:112::1',
  '2001:10::1',
  '2001:20::1',
  '2001:30::1',
  '2001:1ff:ffff::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '2620:4f:8000::1',
  '3fff::1',
  '3fff:fff::1',
  '4000::1',
  '5f00::1',
  '8000::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'feff::1',
  'ff02::1',
  'ff0e::1',
  '2606:4700::1111%eth0',
];
const PUBLIC_V6 = [
  '2001:200::1',
  '2001:4860:4860::8888',
  '2003::1',
  '2400::1',
  '2606:4700::1111',
  '2a00::1',
  '3ffe::1',
  '::ffff:8.8.8.8',
];

t.test('addresses: the boundaries of every special-purpose range', async (t) => {
  for (const address of [...SPECIAL_V4, ...SPECIAL_V6]) t.notOk(isPublicAddress(address), address);
  for (const address of [...PUBLIC_V4, ...PUBLIC_V6]) t.ok(isPublicAddress(address), address);
  for (const text of ['', 'x', 'example.com', '1.1.1', '1.1.1.1.1', '[::1]']) t.notOk(isPublicAddress(text));
});

t.test('IPv4-mapped addresses are checked as IPv4; other embedded IPv4 addresses are not public', async () => {
  fc.assert(
    fc.property(fc.ipV4(), (v4) => {
      const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
      const words = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const embedded = [`::${words}`, `::ffff:0:${words}`, `64:ff9b::${words}`, `2002:${words}::1`];
      return (
        isPublicAddress(`::ffff:${words}`) === isPublicAddress(v4) &&
        embedded.every((address) => !isPublicAddress(address))
      );
    }),
  );
});

const HOSTS = [
  // Numbers in other notations.
  '127.1',
  '127.0.1',
  '0',
  '0x0',
  '0.0.0.0',
  '0177.01',
  '0177.0.0.1',
  '017700000001',
  '0x7f.1',
  '0x7f000001',
  '0x7f.0x0.0x0.0x1',
  '0X7F000001',
  '2130706433',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '0251.254.169.254',
  '0xa9.0xfe.0xa9.0xfe',
  '3232235521',
  '167772161',
  '127.0.0.1.',
  '10.1',
  '192.168.257',
  // In other scripts: full width, enclosed, ideographic full stop; percent signs.
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127．0．0．1',
  '%31%32%37.0.0.1',
  '127%2E0%2E0%2E1',
  'ｌｏｃａｌｈｏｓｔ',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'loc%61lhost',
  'l\u00adocalhost',
  // Names of this machine and of networks without a public root.
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost..',
  'a.localhost',
  'a.b.LocalHost.',
  'ip6-localhost',
  'localhost.localdomain',
  'printer.local',
  'db.internal',
  'metadata.google.internal',
  'nas.lan',
  'x.home.arpa',
  'wiki.intranet',
  'router',
  'a..b',
  '-',
  'x_',
  `${'a'.repeat(64)}.example.com`,
  `${'a.'.repeat(130)}com`,
  ...SPECIAL_V4,
  ...SPECIAL_V6.map((address) => `[${address}]`),
  '[fe80::1%25en0]',
  '[::ffff:0x7f.1]',
  '[::1',
  '::1',
  '[]',
  '[127.0.0.1]',
];

const WHOLE = [
  'http://hooks.example.com/x',
  'ftp://hooks.example.com',
  'file:///etc/passwd',
  'gopher://a.com/',
  'not a url',
  '',
  'https://',
  'https:///x',
  '//hooks.example.com',
  'https:hooks',
  'javascript:alert(1)',
  'data:,x',
  'https://user@example.com/',
  'https://user:pass@example.com/',
  'https://:pass@example.com/',
  'https://A.com@127.0.0.1/',
  'https://127.0.0.1@a.com/',
  'https://google.com:80\\@127.0.0.1/',
  'https://127.88.23.245:22/#@google.com/',
  'https://127.88.23.245:22/?@google.com:80/',
  'https://x.com/\r\nHost: y',
  'https://x.com/a b',
  ' https://x.com/',
  'https://x.com/\t',
  'https://x.com\\y',
  'https://x.com:99999/',
  'https://x.com:port/',
  'https://xn--/',
  'https://xn--a.example/',
  `https://x.com/${'a'.repeat(2048)}`,
  'http://[::1]:6379/',
];

t.test('a receiver must be a public https URL, in any notation', async (t) => {
  for (const host of HOSTS) t.type(publicUrlProblem(`https://${host}/x`, strict), 'string', host);
  for (const url of WHOLE) t.type(publicUrlProblem(url, strict), 'string', JSON.stringify(url));
  for (const url of [
    'https://hooks.example.com/x?y=z',
    'https://HOOKS.example.com.:8443/x#y',
    'https://bücher.example/x',
    'https://93.184.216.34/x',
    'https://[2606:4700::1111]:8443/x',
  ]) {
    t.equal(publicUrlProblem(url, strict), null, url);
  }
});

t.test('only port 443 and higher ports without another known service are allowed', async (t) => {
  const at = (port: number) => `https://hooks.example.com:${port}/x`;
  const others = [
    0, 1, 22, 25, 53, 80, 110, 143, 389, 445, 465, 587, 636, 853, 993, 995, 1023, 1433, 2049, 3306, 3389, 5060, 5432,
    5900, 6000, 6379, 6667, 9042, 10_080, 11_211, 27_017,
  ];
  for (const port of others) t.match(publicUrlProblem(at(port), strict), /port 443/, String(port));
  for (const port of [443, 1024, 3000, 4443, 8080, 8443, 9443, 10_443, 65_535]) {
    t.equal(publicUrlProblem(at(port), strict), null, String(port));
  }
  const named = { ...strict, allowed: parseAllowedReceivers(['10.0.0.0/8']) };
  t.equal(publicUrlProblem('https://10.1.2.3:8443/', named), null);
  t.type(publicUrlProblem('https://10.1.2.3:6379/', named), 'string', 'also of a receiver that the operator named');
  t.equal(publicUrlProblem('http://127.0.0.1:81/', testClock), null, 'a test listens where it can');
});

t.test('public addresses of this machine are refused', async (t) => {
  const own = '93.184.216.34';
  const resolve = async () => [own, '93.184.216.35'];
  const isOwnAddress = (address: string) => address === own;
  const { problem, post } = open(t, { resolve, isOwnAddress });
  for (const url of ['https://self.example.com/', `https://${own}/`]) {
    t.match(await problem(url), { code: 'address_not_public' }, url);
    t.match(await post({ url, headers: {}, body: '' }), { kind: 'forbidden' }, url);
  }
  t.equal(await problem('https://93.184.216.35/'), null);
  const rules = { ...strict, allowed: parseAllowedReceivers([own]) };
  t.equal(await open(t, { rules, isOwnAddress }).problem(`https://${own}/`), null, 'unless the operator says so');

  let asked = 0;
  let now = 0;
  let address = '2001:db8:0::1';
  const isOwn = createOwnAddresses(
    () => {
      asked++;
      const details = {
        netmask: '',
        family: 'IPv6',
        mac: '',
        internal: false,
        cidr: null,
        scopeid: 0,
      } as const;
      return { eth0: [{ ...details, address }], gone: undefined };
    },
    { monotonic: () => now },
  );
  t.same([isOwn('2001:db8::1'), isOwn('2001:DB8:0:0::1'), isOwn('::ffff:1.2.3.4')], [true, true, false]);
  address = '::ffff:1.2.3.4';
  now = 999;
  t.equal(isOwn('1.2.3.4'), false);
  t.equal(asked, 1, 'the system is not asked for every delivery');
  now = 1000;
  t.equal(isOwn('1.2.3.4'), true, 'an address that came is known a second later');
});

t.test('the test clock also allows loopback addresses, with http and https, and nothing else', async (t) => {
  const own = ['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST.', '[::1]', '[::ffff:127.0.0.1]', '2130706433'];
  for (const host of own) {
    t.equal(publicUrlProblem(`http://${host}:8080/hook`, testClock), null, host);
    t.equal(publicUrlProblem(`https://${host}:8443/hook`, testClock), null, host);
    t.type(publicUrlProblem(`ftp://${host}/`, testClock), 'string');
    t.type(publicUrlProblem(`http://u@${host}/`, testClock), 'string');
  }
  const isOwn = (host: string) => publicUrlProblem(`http://${host}/x`, testClock) === null;
  for (const host of HOSTS.filter((host) => !isOwn(host))) {
    t.type(publicUrlProblem(`https://${host}/x`, testClock), 'string', host);
  }
  for (const url of ['http://10.0.0.1/', 'http://example.com/', 'http://a.localhost/', 'http://0.0.0.0/']) {
    t.type(publicUrlProblem(url, testClock), 'string', url);
  }
});

t.test('only private receivers that the operator allows are called', async (t) => {
  const allowed = parseAllowedReceivers(['Hooks.Corp', '10.20.0.0/16', 'fd12::/16', '192.168.7.7', 'intra']);
  const rules = { allowLoopback: false, allowed };
  for (const host of ['hooks.corp', 'HOOKS.corp.', '10.20.3.4', '[fd12::1]', '192.168.7.7', 'intra']) {
    t.equal(publicUrlProblem(`https://${host}/`, rules), null, host);
    t.type(publicUrlProblem(`http://${host}/`, rules), 'string', `${host}: https all the same`);
  }
  for (const host of ['corp', '10.21.0.1', '192.168.7.8', 'localhost', '127.0.0.1', '[fd13::1]']) {
    t.type(publicUrlProblem(`https://${host}/`, rules), 'string', host);
  }
  for (const entry of ['', 'a b', '10.0.0.0/33', 'https://x.com', '*.corp', '1.2.3', '-a', 'a..b']) {
    t.throws(() => parseAllowedReceivers([entry]), /is not a host name/, entry);
  }
  const dns = await startNameServer(t, {
    'A a.corp.example': [['10.20.0.1']],
    'A b.corp.example': [['10.9.0.1']],
  });
  const { problem } = open(t, {
    rules,
    resolve: createPublicResolver({ timeoutMs: 2_000, servers: [dns.address] }),
  });
  t.equal(await problem('https://a.corp.example/'), null, 'a name that leads into the range');
  t.match(await problem('https://b.corp.example/'), { code: 'address_not_public' });
});

t.test('every resolved address of a host name is checked', async (t) => {
  const mixed = ['93.184.216.34', '10.0.0.1'];
  const dns = await startNameServer(t, {
    'A good.example.com': [['93.184.216.34', '93.184.216.35']],
    'AAAA good.example.com': [['2606:4700::1111']],
    'A only4.example.com': [['93.184.216.34']],
    'AAAA only6.example.com': [['2606:4700::1111']],
    'A private.example.com': [['192.168.1.1']],
    'A mixed.example.com': [mixed],
    'A mixed6.example.com': [['93.184.216.34']],
    'AAAA mixed6.example.com': [['fd00:ec2::254']],
    'A mapped.example.com': [['93.184.216.34']],
    'AAAA mapped.example.com': [['::ffff:a9fe:a9fe']],
    'AAAA nat64.example.com': [['64:ff9b::a9fe:a9fe']],
    'A metadata.example.com': [['169.254.169.254']],
    'A azure.example.com': [['168.63.129.16']],
    'A loop.example.com': [['127.0.0.1']],
    'A alias.example.com': [['inside.example.net', '10.0.0.7']],
    'A 127.0.0.1.nip.io': [['127.0.0.1']],
    'A localtest.me': [['127.0.0.1']],
    'AAAA localtest.me': [['::1']],
    'A ip6-localhost.example.com': [['93.184.216.34']],
    'AAAA ip6-localhost.example.com': [['::1']],
    'A empty.example.com': [[]],
    'A silent.example.com': [null],
    'AAAA silent.example.com': [null],
  });
  const resolve = createPublicResolver({ timeoutMs: 400, servers: [dns.address] });
  for (const rules of [strict, testClock]) {
    const { problem } = open(t, { resolve, rules });
    for (const name of ['good', 'only4', 'only6']) t.equal(await problem(`https://${name}.example.com/`), null, name);
    for (const name of ['127.0.0.1.nip.io', 'localtest.me']) {
      t.match(await problem(`https://${name}/`), { code: 'address_not_public' }, name);
    }
    for (const name of [
      'private',
      'mixed',
      'mixed6',
      'mapped',
      'nat64',
      'metadata',
      'azure',
      'loop',
      'alias',
      'ip6-localhost',
    ]) {
      t.match(await problem(`https://${name}.example.com/`), { code: 'address_not_public' }, name);
    }
    for (const name of ['empty', 'missing']) {
      t.match(await problem(`https://${name}.example.com/`), { code: 'name_not_resolved' }, name);
    }
  }
  t.match(await open(t, { resolve }).problem('https://silent.example.com/'), { code: 'name_not_resolved' });
});

t.test('DNS rebinding is refused: each attempt resolves and checks the host name again', async (t) => {
  let requests = 0;
  const port = Number(
    new URL(
      await listen(t, (_, reply) => {
        requests++;
        reply.end();
      }),
    ).port,
  );
  const there = ['93.184.216.34'];
  const dns = await startNameServer(t, {
    'A rebind.example.com': [there, ['127.0.0.1']],
    'A rr.1u.ms': [there, ['169.254.169.254'], there],
  });
  const { problem, post } = open(t, {
    resolve: createPublicResolver({ timeoutMs: 2_000, servers: [dns.address] }),
    rules: testClock,
  });
  const url = `https://rebind.example.com:${port}/`;
  t.equal(await problem(url), null, 'public at registration');
  t.match(await post({ url, headers: {}, body: '' }), { kind: 'forbidden', error: { text: /private/ } });
  t.equal(dns.asked.get('A rebind.example.com'), 2);
  const turns = ['https://rr.1u.ms/', 'https://rr.1u.ms/', 'https://rr.1u.ms/'];
  const answers: (string | null | undefined)[] = [];
  for (const turn of turns) answers.push((await problem(turn))?.code);
  t.match(answers, [undefined, 'address_not_public', undefined], 'whatever the answer before was');
  t.equal(requests, 0);
});

t.test(
  'connections go to the checked address; the name is used for Host and SNI only, and not resolved again',
  async (t) => {
    const seen: { host: string | undefined; sni: unknown; body: string }[] = [];
    const server = createTlsServer({ key, cert: certificate }, async (request, reply) => {
      const sni = 'servername' in request.socket ? request.socket.servername : null;
      seen.push({ host: request.headers.host, sni, body: await textOf(request) });
      reply.writeHead(201, { 'x-a': ['1', '2'] }).end('x'.repeat(100));
    });
    const port = await listening(t, server);
    const dns = await startNameServer(t, {
      'A receiver.test': [['127.0.0.1'], ['127.0.0.1'], ['10.0.0.1']],
      'A other.test': [['127.0.0.1']],
    });
    const { post } = open(t, {
      ca: certificate,
      rules: { ...strict, allowed: parseAllowedReceivers(['127.0.0.1']) },
      resolve: createPublicResolver({ timeoutMs: 2_000, servers: [dns.address] }),
    });
    const url = `https://receiver.test:${port}/hook?a=b`;
    const answer = await post({ url, headers: { 'x-b': 'c' }, body: 'Größe' });
    t.match(answer, { kind: 'answered', status: 201, headers: { 'x-a': '1, 2' } });
    t.equal(answer.kind === 'answered' && answer.body.toString(), 'x'.repeat(16), 'the first bytes of the answer');
    t.match(await post({ url, headers: {}, body: '' }), { status: 201 }, 'over the connection that is there');
    t.equal(dns.asked.get('A receiver.test'), 2, 'the name service is asked for each attempt');
    t.match(await post({ url, headers: {}, body: '' }), { kind: 'forbidden' }, 'although a connection is open');
    t.same(seen.slice(0, 1), [{ host: `receiver.test:${port}`, sni: 'receiver.test', body: 'Größe' }]);
    t.equal(seen.length, 2);
    t.match(
      await post({ url: `https://other.test:${port}/`, headers: {}, body: '' }),
      { kind: 'unreachable', error: { text: /ERR_TLS_CERT_ALTNAME_INVALID/ } },
      'its certificate is for another name',
    );
  },
);

t.test('redirects are returned as responses, and not followed', async (t) => {
  let requests = 0;
  const target = await listen(t, (_, reply) => {
    requests++;
    reply.end();
  });
  for (const status of [300, 301, 302, 303, 305, 307, 308]) {
    const url = await listen(t, (_, reply) => reply.writeHead(status, { location: target }).end());
    const answer = await open(t, { rules: testClock }).post({ url, headers: {}, body: 'x' });
    t.match(answer, { kind: 'answered', status });
  }
  t.equal(requests, 0);
});

t.test('misbehaving receivers cost limited time and bytes', async (t) => {
  const rules = testClock;
  const post = async (url: string, options: Partial<PublicFetchOptions> = {}) => {
    const made = open(t, { rules, timeoutMs: 300, ...options });
    return made.post({ url, headers: {}, body: '{}' });
  };
  const tcp = async (talk: (socket: Socket) => void) =>
    `http://127.0.0.1:${await listening(t, createTcpServer(talk))}/`;
  t.match(await post(await listen(t, () => undefined)), {
    kind: 'unreachable',
    error: { text: /within 0.3 seconds/ },
  });
  t.match(await post(await tcp((socket) => void socket.write('HTTP/1.1 200'))), { kind: 'unreachable' });
  t.match(await post(await tcp((socket) => void socket.end('nonsense\r\n\r\n'))), { kind: 'unreachable' });
  t.match(await post(await tcp((socket) => socket.destroy())), { kind: 'unreachable' });
  t.match(await post('http://127.0.0.1:1/', { timeoutMs: 60_000 }), {
    kind: 'unreachable',
    error: { text: /ECONNREFUSED/ },
  });
  const endless = await listen(t, (_, reply) => {
    reply.writeHead(200);
    const more = () =>
      void (reply.destroyed || reply.write('x'.repeat(1024)) ? setImmediate(more) : reply.once('drain', more));
    more();
  });
  const cut = await post(endless, { timeoutMs: 60_000 });
  t.equal(cut.kind === 'answered' && cut.body.length, 16, 'an endless body is cut');
  const dripping = await listen(t, (_, reply) => void reply.writeHead(204 - 4).write('x'));
  t.match(await post(dripping, { timeoutMs: 2_000 }), { kind: 'answered', status: 200 }, 'the status is the answer');
  const headers = await listen(t, (_, reply) => reply.writeHead(200, { 'x-long': 'y'.repeat(40_000) }).end());
  t.match(await post(headers, { timeoutMs: 60_000 }), { kind: 'unreachable', error: { text: /HEADER_OVERFLOW/ } });

  const stop = createStop();
  const send = (url: string) => open(t, { rules }).post({ url, headers: {}, body: '', stop });
  const held = await listen(t, () => stop.stop());
  t.match(await send(held), { kind: 'unreachable', error: { text: 'stopped' } });
  t.match(await send(held), { kind: 'unreachable', error: { text: 'stopped' } }, 'before it began');
});

t.test('interim answers come before the answer and are not taken for it', async (t) => {
  const { post } = open(t, { rules: testClock });
  const send = (url: string) => post({ url, headers: {}, body: '{}' });
  const end = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  for (const interim of [...Object.values(INTERIM), Object.values(INTERIM).join(''), INTERIM[100].repeat(60)]) {
    const { url, sockets } = await speaking(t, (socket) => void socket.write(interim + end));
    for (let i = 0; i < 2; i++) {
      const answer = await send(url);
      t.match(answer, { kind: 'answered', status: 200 }, JSON.stringify(interim.slice(0, 40)));
      t.equal(answer.kind === 'answered' && answer.body.toString(), 'ok');
    }
    t.equal(sockets.length, 1, 'the connection serves the next request');
  }
  const apart = await speaking(t, (socket) => {
    socket.write(INTERIM[100], () => setImmediate(() => socket.write(INTERIM[103], () => socket.write(end))));
  });
  t.match(await send(apart.url), { kind: 'answered', status: 200 });
  const switched = await speaking(t, (socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
  });
  t.match(await send(switched.url), { kind: 'unreachable' }, 'nobody asked for another protocol');
});

t.test('interim answers prolong nothing', async (t) => {
  const { post } = open(t, { rules: testClock, timeoutMs: 300 });
  const send = (url: string) => post({ url, headers: {}, body: '{}' });
  const silent = await speaking(t, (socket) => void socket.write(INTERIM[100]));
  t.match(await send(silent.url), { kind: 'unreachable', error: { text: /within 0.3 seconds/ } });
  const flood = await speaking(t, (socket) => {
    const more = () => void (socket.destroyed || socket.write(INTERIM[103].repeat(10), () => setImmediate(more)));
    more();
  });
  t.match(await send(flood.url), { kind: 'unreachable', error: { text: /too many interim answers/ } });
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
