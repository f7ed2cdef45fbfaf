// A daemon that is only a supervisor, in a separate process, so that tests can kill it at any moment.
// argv: data folder, site URL. Reads JSON lines {spec, secrets} from stdin, writes its events as JSON lines.
import { createInterface } from 'node:readline';
import { createBuildSupervisor } from '../../../host-agent/daemon/supervisor.js';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import { systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import type { BuildSecret, BuildSpec } from '../../../shared/protocol/index.js';

const [, , dataDir = '', siteUrl = ''] = process.argv;
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

const builds = createBuildSupervisor({
  dataDir,
  driver: createLocalDriver({ dataDir }),
  log: createLog('runner-daemon', 'error'),
  clock: systemClock,
  link: () => ({ siteUrl, credential: 'credential' }),
  events: {
    onFact: () => undefined,
    onOutput: (ref, bytes) => say({ type: 'output', ...ref, bytes }),
    onFinished: (ref) => say({ type: 'finished', ...ref }),
  },
});
await builds.adopt();
say({ type: 'ready' });
for await (const line of createInterface(process.stdin)) {
  const { spec, secrets } = JSON.parse(line) as { spec: BuildSpec; secrets: BuildSecret[] };
  await builds.start(spec, secrets);
  say({ type: 'started', build_id: spec.build_id });
}
