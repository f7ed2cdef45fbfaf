// The rooms of the control plane: one folder a capability, the same layers in each. Which capability may know which
// is a table, and so is what each layer may import; the rooms are their product.
import { npm, type Room, shared } from './room.js';

interface Capability {
  readonly name: string;
  /** Capabilities whose `domain` and `app` it may import; all know the platform. */
  readonly knows: readonly string[];
  readonly reason: string;
}

const access = ['access'];
const hosts = [...access, 'packages', 'hosts'];
const macs = [...hosts, 'macs'];
const uploads = [...access, 'uploads'];
const builds = [...macs, 'uploads', 'builds'];
const renting = [...builds, 'renting'];
const payments = [...renting, 'payments'];

export const capabilities: readonly Capability[] = [
  { name: 'platform', knows: [], reason: 'knows no business, so that everything can stand on it' },
  { name: 'access', knows: [], reason: 'who asks is settled before anything else' },
  { name: 'packages', knows: [], reason: 'files for download are the same for everybody' },
  {
    name: 'hosts',
    knows: [...access, 'packages'],
    reason: 'a host is enrolled and connected whatever runs on it',
  },
  { name: 'macs', knows: hosts, reason: 'a Mac is a machine: it knows neither who pays nor what it builds' },
  { name: 'uploads', knows: access, reason: 'folders are kept for an account, whatever is built of them' },
  { name: 'builds', knows: [...macs, ...uploads], reason: 'builds run on Macs, of uploads' },
  { name: 'renting', knows: builds, reason: 'the end of a rental decides what becomes of its builds' },
  { name: 'payments', knows: renting, reason: 'money pays for orders' },
  { name: 'events', knows: payments, reason: 'tells of what happened; nothing waits for it' },
  {
    name: 'operators',
    knows: [...payments, 'events'],
    reason: 'tells operators what is wrong with hosts and capacity, by mail and the webhooks of events',
  },
  { name: 'start', knows: [...payments, 'events', 'operators'], reason: 'reads across all' },
];

const own = (name: string, layers: string) => `^control-plane/${name}/(${layers})/`;
const platform = (layers: string) => own('platform', layers);
const wake = '^control-plane/platform/wake\\.ts$';

function roomsOf({ name, knows, reason }: Capability): Room[] {
  const known = (layers: string) => (knows.length === 0 ? [] : [own(`(${knows.join('|')})`, layers)]);
  const row = (layer: string, may: readonly string[], why: string): Room => ({
    room: `${name}/${layer}`,
    path: own(name, layer),
    may: [shared, ...may],
    reason: `${why}; ${reason}`,
  });
  return [
    row(
      'domain',
      [platform('domain'), ...known('domain'), npm('zod'), npm('ipaddr.js')],
      'decisions are pure: no database, no network, no clock of their own',
    ),
    row(
      'store',
      [own(name, 'domain'), platform('domain|store'), ...known('domain'), npm('better-sqlite3')],
      'SQL hands out domain types, so that another database can stand behind it',
    ),
    row(
      'blobs|logs|formats',
      [
        ...[`^control-plane/(${name}|platform)/domain/(?!error-catalog\\.ts$)`, platform('blobs')],
        ...[...known('domain'), '^control-plane/uploads/formats/'],
      ],
      'bytes on disk know nothing of accounts, SQL, HTTP or the errors of the API',
    ),
    row(
      'outbound|providers|code-hosts',
      [
        ...[own(name, 'domain'), platform('domain|outbound'), ...known('domain')],
        ...['ipaddr.js', 'zod', 'nodemailer'].map(npm),
      ],
      "requests to other people's servers pass one guard",
    ),
    row(
      'app',
      [
        own(name, 'domain|store|blobs|logs|formats|outbound|providers|code-hosts'),
        ...[
          platform('domain|store|app|blobs|outbound'),
          wake,
          ...known('domain|app'),
          npm('@node-rs/argon2'),
        ],
      ],
      'use cases open transactions and know no HTTP',
    ),
    row(
      'workers',
      [
        own(name, 'domain|store|app|blobs|logs|outbound|code-hosts'),
        ...[platform('domain|store|app|blobs|outbound|workers'), wake, ...known('domain|app')],
      ],
      'what runs by itself uses the same use cases as what is asked for',
    ),
    row(
      'link',
      [
        own(name, 'domain|app'),
        ...[platform('domain|app|http'), wake, ...known('domain|app')],
        ...['ws', 'zod', 'fastify'].map(npm),
      ],
      'the link translates messages into use cases',
    ),
    row(
      'http|site',
      [
        own(name, 'domain|app|http'),
        // Which addresses the console has.
        ...(name === 'start' ? ['^control-plane/console/addresses\\.ts$'] : []),
        ...[platform('domain|app|http'), wake, ...known('domain|app')],
        `^control-plane/(${[...knows, 'platform'].join('|')})/http/[^/]+-view\\.ts$`,
        ...['fastify', 'fast-json-stringify', 'zod', 'pino', 'ipaddr.js'].map(npm),
      ],
      'HTTP translates; it neither decides nor queries',
    ),
  ];
}

export const capabilityRooms: readonly Room[] = [
  {
    room: 'wake',
    path: wake,
    may: [shared],
    reason: 'the bus carries no data, so it needs none',
  },
  ...capabilities.flatMap(roomsOf),
];
