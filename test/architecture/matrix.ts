// Who may import whom. One row a room, with the reason; the first row whose path fits a file is its room.
import { capabilityRooms } from './capabilities.js';
import { npm, type Room, shared } from './room.js';

const hostSystem = '^host-agent/system/';
const hostContract = '^host-agent/contract/';
const hostLimits = '^host-agent/limits\\.ts$';
const hostGuest = '^host-agent/guest/';
const hostInstallation = '^host-agent/installation/';

export const rooms: readonly Room[] = [
  {
    room: 'shared',
    path: '^shared/',
    may: [npm('zod'), npm('pino')],
    reason: 'both halves stand on it, so it stands on nothing of theirs',
  },
  ...capabilityRooms,
  {
    room: 'console build',
    path: '^control-plane/console/vite\\.config\\.ts$',
    may: ['^control-plane/console/chunks\\.ts$', npm('vite'), npm('@vitejs/plugin-react')],
    reason: 'runs when the console is built, not in a browser',
  },
  {
    room: 'console',
    path: '^control-plane/console/',
    may: [
      '^client/(types|operations/(api|console|operator|operation))\\.ts$',
      '^shared/(clean-text|count|is-object|language|mac-name|paths/fold-path)\\.ts$',
      '^shared/messages/',
      '^control-plane/platform/domain/(error-catalog\\.ts$|errors/)',
      ...['react', 'react-dom', 'preact', '@tanstack/react-router', '@tanstack/react-query'].map(npm),
      ...['@base-ui/react', 'lucide-react', '@simplewebauthn/browser', 'uqr'].map(npm),
    ],
    reason:
      'pages run in a browser and know the HTTP API only: its types, the words of its codes and the rule of names, no schemas',
  },
  {
    room: 'admin',
    path: '^control-plane/admin/',
    may: [
      '^control-plane/',
      '^client/(types|operations/(operator|operation))\\.ts$',
      shared,
      npm('commander'),
      npm('zod'),
    ],
    reason: 'a composition root of its own: the commands beside a running service, and a client of its operator API',
  },
  {
    room: 'control-plane composition',
    path: '^control-plane/((compose|dev)/.*|[^/]+)\\.ts$',
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
    may: [shared, npm('zod')],
    reason: 'files, locks and processes of the machine, without a word about builds',
  },
  {
    room: 'host limits',
    path: hostLimits,
    may: [],
    reason: 'numbers that every other part may read, so they depend on nothing',
  },
  {
    room: 'contract of daemon and runner',
    path: '^host-agent/contract/',
    may: [shared, hostSystem, '^host-agent/driver/driver\\.ts$', npm('zod')],
    reason: 'what the two processes say to each other is all that they share',
  },
  {
    room: 'guest',
    path: '^host-agent/guest/',
    may: [shared, hostSystem, hostLimits, npm('zod')],
    reason: 'how to work inside a virtual machine, whatever made it and whatever is built there',
  },
  {
    room: 'driver',
    path: '^host-agent/driver/',
    may: [shared, hostSystem, hostLimits, hostGuest, npm('execa'), npm('zod')],
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
      hostSystem,
      hostLimits,
      hostContract,
      hostGuest,
      '^host-agent/(driver|caches)/',
      npm('node-pty'),
      npm('execa'),
      npm('zod'),
    ],
    reason: 'the process of one build; it outlives the daemon, so it knows nothing of it',
  },
  {
    room: 'Macs of a host',
    path: '^host-agent/daemon/macs/',
    may: [
      shared,
      hostSystem,
      hostLimits,
      '^host-agent/driver/',
      '^host-agent/daemon/reconcile-actions\\.ts$',
      npm('zod'),
    ],
    reason: 'Macs are made and changed through the driver, whatever the link and builds do',
  },
  {
    room: 'host link',
    path: '^host-agent/daemon/link/',
    may: [shared, hostSystem, hostLimits, hostContract, '^host-agent/daemon/supervisor\\.ts$', npm('ws'), npm('zod')],
    reason: 'the link carries what builds leave in their folders (the supervisor only for its type)',
  },
  {
    room: 'daemon',
    path: '^host-agent/daemon/',
    may: [
      shared,
      hostSystem,
      hostLimits,
      hostContract,
      hostInstallation,
      '^host-agent/(driver|caches)/',
      npm('zod'),
      npm('chokidar'),
      npm('pino'),
      npm('execa'),
    ],
    reason: 'supervises builds from outside: what a build does is in another process',
  },
  {
    room: 'host doctor',
    path: '^host-agent/doctor/',
    may: [
      shared,
      hostSystem,
      hostLimits,
      hostInstallation,
      '^host-agent/(daemon|driver|guest)/',
      npm('zod'),
      npm('commander'),
    ],
    reason: 'tries drivers and builds as the daemon uses them, on a machine that need not be enrolled',
  },
  {
    room: 'host installation',
    path: hostInstallation,
    may: [shared, hostSystem, hostLimits, npm('zod')],
    reason: 'what is installed where on a machine, and its launchd job; commands need it before there is a daemon',
  },
  {
    room: 'host commands',
    path: '^host-agent/cli/',
    may: [
      '^host-agent/(daemon|doctor|driver)/',
      '^host-agent/compose\\.ts$',
      shared,
      hostSystem,
      hostLimits,
      hostInstallation,
      npm('zod'),
      npm('commander'),
    ],
    reason: 'one file per command: what a person does to this machine, with the daemon or without it',
  },
  {
    room: 'host composition',
    path: '^host-agent/[^/]+\\.ts$',
    may: [
      '^host-agent/(daemon|doctor|driver|system|contract|installation)/',
      '^host-agent/cli/program\\.ts$',
      shared,
      npm('zod'),
      npm('pino'),
      npm('chokidar'),
    ],
    reason: 'puts the daemon together for the commands and the public library; the runner is a program of its own',
  },
  {
    room: 'client commands into the service',
    path: '^client/cli/commands/(dev|admin|host-agent)\\.ts$',
    may: [
      '^client/',
      '^control-plane/(dev|admin/cli)\\.ts$',
      '^host-agent/cli/program\\.ts$',
      shared,
      npm('commander'),
    ],
    reason: 'one binary: these three commands hand over to the service, and only they',
  },
  {
    room: 'client MCP server',
    path: '^client/mcp/',
    may: [
      '^client/(?!cli/)',
      '^shared/(clean-text|clock|count|pause|system-problem)\\.ts$',
      '^shared/paths/',
      npm('zod'),
      npm('@modelcontextprotocol/server'),
    ],
    reason: 'one command serves agents, on the same client; its protocol and schemas are loaded by it alone',
  },
  {
    room: 'client folders and artifacts',
    path: '^client/(files|upload|artifacts)/',
    may: [
      '^client/(?!cli/|mcp/)',
      '^shared/(clock|backoff|errno|escape-stripper|manifest-base|pause|system-problem)\\.ts$',
      '^shared/(paths|archive)/',
    ],
    reason: 'files of this machine, for the command line and the MCP server; held to the rules of the service',
  },
  {
    room: 'client command line',
    path: '^client/cli/',
    may: [
      '^client/',
      '^shared/(clean-text|clock|backoff|debug-signal|errno|escape-stripper|is-object|mac-name|nearest-name|pause|system-problem|utf8|variables)\\.ts$',
      '^shared/(paths|archive|network|messages)/',
      npm('commander'),
      npm('uqr'),
    ],
    reason: 'the command line stands on the public client, like any other program',
  },
  {
    room: 'client library',
    path: '^client/',
    may: [
      '^client/(?!cli/|mcp/|files/|artifacts/)',
      '^shared/(clock|backoff|is-object|pause|utf8|mac-name|paths/fold-path)\\.ts$',
    ],
    reason: 'the library runs in bundlers: it imports nothing but itself, and seven files without dependencies',
  },
];
