// Who may import whom. One row a room, with the reason; the first row whose path fits a file is its room.

export interface Room {
  readonly room: string;
  /** Regular expression over the path from the project's root. */
  readonly path: string;
  /** Paths and packages it may import, besides its own room and node's modules. */
  readonly may: readonly string[];
  readonly reason: string;
}

const npm = (name: string) => `(^|/)node_modules/(@types/)?${name}/`;
const shared = '^shared/';
const domain = '^control-plane/domain/';
const hostSystem = '^host-agent/system/';
const hostContract = '^host-agent/contract/';
const hostLimits = '^host-agent/limits\\.ts$';

export const rooms: readonly Room[] = [
  {
    room: 'shared',
    path: '^shared/',
    may: [npm('zod'), npm('pino')],
    reason: 'both halves stand on it, so it stands on nothing of theirs',
  },
  {
    room: 'domain',
    path: domain,
    may: [shared, npm('zod'), npm('ipaddr.js')],
    reason: 'decisions are pure: no database, no network, no clock of their own',
  },
  {
    room: 'store',
    path: '^control-plane/store/',
    may: [domain, shared, npm('better-sqlite3')],
    reason: 'SQL lives here alone and hands out domain types, so another database can stand behind it',
  },
  {
    room: 'blobs',
    path: '^control-plane/blobs/',
    may: [domain, shared],
    reason: 'bytes on disk know nothing of accounts, SQL or HTTP',
  },
  {
    room: 'outbound',
    path: '^control-plane/outbound/',
    may: [domain, shared, npm('undici'), npm('ipaddr.js'), npm('zod'), npm('nodemailer')],
    reason: "requests to other people's servers pass one guard",
  },
  {
    room: 'wake',
    path: '^control-plane/wake\\.ts$',
    may: [shared],
    reason: 'the bus carries no data, so it needs none',
  },
  {
    room: 'app',
    path: '^control-plane/app/',
    may: [
      domain,
      '^control-plane/(store|blobs|outbound)/',
      '^control-plane/wake\\.ts$',
      shared,
      npm('@node-rs/argon2'),
    ],
    reason: 'use cases open transactions and know no HTTP',
  },
  {
    room: 'http',
    path: '^control-plane/http/',
    may: [
      domain,
      '^control-plane/app/',
      '^control-plane/wake\\.ts$',
      '^control-plane/store/sql\\.ts$',
      shared,
      npm('fastify'),
      npm('zod'),
      npm('pino'),
      npm('ipaddr.js'),
    ],
    reason: 'HTTP translates; it neither decides nor queries (sql.ts only for the type of a transaction)',
  },
  {
    room: 'workers',
    path: '^control-plane/workers/',
    may: [domain, '^control-plane/(app|store|outbound|blobs)/', '^control-plane/wake\\.ts$', shared],
    reason: 'what runs by itself uses the same use cases as what is asked for',
  },
  {
    room: 'control-plane link',
    path: '^control-plane/link/',
    may: [
      domain,
      '^control-plane/app/',
      '^control-plane/wake\\.ts$',
      shared,
      npm('ws'),
      npm('zod'),
      npm('fastify'),
    ],
    reason: 'the link translates messages into use cases',
  },
  {
    room: 'console',
    path: '^control-plane/console/',
    may: [],
    reason: 'pages run in a browser and know the HTTP API only',
  },
  {
    room: 'admin',
    path: '^control-plane/admin/',
    may: ['^control-plane/', shared, npm('commander'), npm('zod')],
    reason: 'a composition root of its own: the commands beside a running service',
  },
  {
    room: 'control-plane composition',
    path: '^control-plane/(dev/)?[^/]+\\.ts$',
    may: ['^control-plane/', shared, npm('fastify'), npm('zod'), npm('pino'), npm('commander'), npm('execa')],
    reason: 'composition roots may see all of their side, and only here',
  },
  {
    room: 'mask',
    path: '^host-agent/runner/mask/',
    may: [],
    reason: 'a byte replacer is tested whole, so it depends on nothing',
  },
  {
    room: 'host system calls',
    path: '^host-agent/system/',
    may: [shared, npm('zod'), npm('undici')],
    reason: 'files, locks and processes of the machine, without a word about builds',
  },
  {
    room: 'contract of daemon and runner',
    path: '^host-agent/contract/',
    may: [shared, hostSystem, '^host-agent/driver/driver\\.ts$', npm('zod')],
    reason: 'what the two processes say to each other is all that they share',
  },
  {
    room: 'driver',
    path: '^host-agent/driver/',
    may: [shared, hostSystem, hostLimits, npm('execa'), npm('zod')],
    reason: 'a driver knows its machines, not builds or the link',
  },
  {
    room: 'host caches',
    path: '^host-agent/caches/',
    may: [shared, hostSystem, hostLimits, hostContract, npm('execa'), npm('zod')],
    reason: 'contents and git mirrors outlive builds: a build fills them, the daemon makes room',
  },
  {
    room: 'runner',
    path: '^host-agent/runner/',
    may: [
      shared,
      ...[hostSystem, hostLimits, hostContract, '^host-agent/(driver|caches)/'],
      ...[npm('node-pty'), npm('execa'), npm('zod')],
    ],
    reason: 'the process of one build; it outlives the daemon, so it knows nothing of it',
  },
  {
    room: 'Macs of a host',
    path: '^host-agent/daemon/macs/',
    may: [
      ...[
        shared,
        hostSystem,
        hostLimits,
        '^host-agent/driver/',
        '^host-agent/daemon/reconcile\\.ts$',
        npm('zod'),
      ],
    ],
    reason: 'Macs are made and changed through the driver, whatever the link and builds do',
  },
  {
    room: 'host link',
    path: '^host-agent/daemon/link/',
    may: [
      ...[shared, hostSystem, hostLimits, hostContract, '^host-agent/daemon/supervisor\\.ts$'],
      ...[npm('ws'), npm('undici'), npm('zod')],
    ],
    reason: 'the link carries what builds leave in their folders (the supervisor only for its type)',
  },
  {
    room: 'daemon',
    path: '^host-agent/daemon/',
    may: [
      shared,
      ...[hostSystem, hostLimits, hostContract, '^host-agent/(driver|caches)/'],
      ...[npm('zod'), npm('chokidar'), npm('pino'), npm('execa')],
    ],
    reason: 'supervises builds from outside: what a build does is in another process',
  },
  {
    room: 'host composition',
    path: '^host-agent/[^/]+\\.ts$',
    may: [
      ...['^host-agent/(daemon|driver|system|contract)/', shared],
      ...[npm('zod'), npm('pino'), npm('commander'), npm('chokidar')],
    ],
    reason: 'commands and the public library put the daemon together; the runner is a program of its own',
  },
  {
    room: 'client commands into the service',
    path: '^client/cli/commands/(dev|admin|host-agent)\\.ts$',
    may: [
      '^client/',
      '^control-plane/(dev|admin/cli)\\.ts$',
      '^host-agent/cli\\.ts$',
      shared,
      npm('commander'),
    ],
    reason: 'one binary: these three commands hand over to the service, and only they',
  },
  {
    room: 'client MCP server',
    path: '^client/mcp/',
    may: [
      '^client/',
      '^shared/clock\\.ts$',
      '^shared/paths/',
      npm('zod'),
      npm('@modelcontextprotocol/server'),
    ],
    reason: 'one command serves agents, on the same client; its protocol and schemas are loaded by it alone',
  },
  {
    room: 'client command line',
    path: '^client/(cli|files|upload)/',
    may: [
      '^client/',
      '^shared/(clock|backoff|escape-stripper|nearest-name|variables)\\.ts$',
      '^shared/(paths|archive)/',
      npm('commander'),
      npm('uqr'),
    ],
    reason:
      'the command line stands on the public client, like any other program; what it writes to disk is held to the rules of the service',
  },
  {
    room: 'client library',
    path: '^client/',
    may: ['^client/', '^shared/(clock|backoff|utf8)\\.ts$'],
    reason:
      'the library runs in bundlers: it imports nothing but itself, and three files without dependencies',
  },
];
