// The rooms of the control plane: one folder a capability, the same layers in each. Which capability may know which
// is a table, and so is what each layer may import; the rooms are their product.
import { npm, type Room, shared } from './room.js';

export interface Capability {
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

/** A layer: the folders of a capability in which it is, and what they may import besides `shared/` and each other. */
interface Layer {
  readonly folders: readonly string[];
  /** Layers of the same capability. */
  readonly own: readonly string[];
  readonly platform: readonly string[];
  /** Layers of the capabilities that it may know. */
  readonly known: readonly string[];
  readonly packages: readonly string[];
  /** Other paths, and how the table in ARCHITECTURE.md calls them. */
  readonly more?: { readonly called: string; paths(capability: Capability): readonly string[] };
  readonly reason: string;
}

const wake = '^control-plane/platform/wake\\.ts$';
const theBus = { called: 'the wake bus', paths: () => [wake] };

export const layers: readonly Layer[] = [
  {
    folders: ['domain'],
    own: [],
    platform: ['domain'],
    known: ['domain'],
    packages: ['zod', 'ipaddr.js'],
    reason: 'decisions are pure: no database, no network, no clock of their own',
  },
  {
    folders: ['store'],
    own: ['domain'],
    platform: ['domain', 'store'],
    known: ['domain'],
    packages: ['better-sqlite3', 'pg'],
    reason: 'SQL hands out domain types, so that another database can stand behind it',
  },
  {
    folders: ['blobs', 'logs', 'formats'],
    own: [],
    platform: ['blobs'],
    known: ['domain'],
    packages: [],
    more: {
      called: '`domain` without the error catalog, `uploads/formats`',
      paths: ({ name }) => [
        `^control-plane/(${name}|platform)/domain/(?!error-catalog\\.ts$|errors/)`,
        '^control-plane/uploads/formats/',
      ],
    },
    reason: 'bytes on disk know nothing of accounts, SQL, HTTP or the errors of the API',
  },
  {
    folders: ['outbound', 'providers', 'code-hosts'],
    own: ['domain'],
    platform: ['domain', 'outbound'],
    known: ['domain'],
    packages: ['ipaddr.js', 'zod', 'nodemailer', 'openid-client'],
    reason: "requests to other people's servers pass one guard",
  },
  {
    folders: ['app'],
    own: ['domain', 'store', 'blobs', 'logs', 'formats', 'outbound', 'providers', 'code-hosts'],
    platform: ['domain', 'store', 'app', 'blobs', 'outbound'],
    known: ['domain', 'app'],
    packages: ['@node-rs/argon2', '@simplewebauthn/server'],
    more: theBus,
    reason: 'use cases open transactions and know no HTTP',
  },
  {
    folders: ['workers'],
    own: ['domain', 'store', 'app', 'blobs', 'logs', 'outbound', 'code-hosts'],
    platform: ['domain', 'store', 'app', 'blobs', 'outbound', 'workers'],
    known: ['domain', 'app'],
    packages: [],
    more: theBus,
    reason: 'what runs by itself uses the same use cases as what is asked for',
  },
  {
    folders: ['link'],
    own: ['domain', 'app'],
    platform: ['domain', 'app', 'http'],
    known: ['domain', 'app'],
    packages: ['ws', 'zod', 'fastify'],
    more: theBus,
    reason: 'the link translates messages into use cases',
  },
  {
    folders: ['http', 'site'],
    own: ['domain', 'app', 'http'],
    platform: ['domain', 'app', 'http'],
    known: ['domain', 'app'],
    packages: ['fastify', 'fast-json-stringify', 'zod', 'pino', 'ipaddr.js'],
    more: {
      called: 'views of capabilities it may know, the wake bus',
      paths: ({ name, knows }) => [
        wake,
        `^control-plane/(${[...knows, 'platform'].join('|')})/http/[^/]+-view\\.ts$`,
        // Which addresses the console has, and what its frame shows before a script runs.
        ...(name === 'start' ? ['^control-plane/console/(addresses|navigation|shell/words)\\.ts$'] : []),
      ],
    },
    reason: 'HTTP translates; it neither decides nor queries',
  },
];

const pathOf = (capability: string, folders: readonly string[]) =>
  `^control-plane/${capability}/(${folders.join('|')})/`;

const roomsOf = (capability: Capability): Room[] =>
  layers.map(({ folders, own, platform, known, packages, more, reason }) => {
    const { name, knows } = capability;
    return {
      room: `${name}/${folders.join('|')}`,
      path: pathOf(name, folders),
      may: [
        shared,
        pathOf('platform', platform),
        ...(own.length === 0 ? [] : [pathOf(name, own)]),
        ...(knows.length === 0 ? [] : [pathOf(`(${knows.join('|')})`, known)]),
        ...(more?.paths(capability) ?? []),
        ...packages.map(npm),
      ],
      reason: `${reason}; ${capability.reason}`,
    };
  });

export const capabilityRooms: readonly Room[] = [
  {
    room: 'wake',
    path: wake,
    may: [shared],
    reason: 'what the bus says is a hint, so it needs to know nothing',
  },
  ...capabilities.flatMap(roomsOf),
];
