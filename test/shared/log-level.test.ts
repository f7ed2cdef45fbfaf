// A wrong CIDERMILL_LOG_LEVEL stops every program that writes a log, with a message. Real processes.
// Runs in: soak
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { runs } from '../harness/soak.js';

const compiled = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

t.test('a wrong CIDERMILL_LOG_LEVEL is a message and exit 78', async (t) => {
  const folder = t.testdir({ host: {} });
  const config = { control_plane: 'http://127.0.0.1:1', allow_unisolated: true };
  writeFileSync(join(folder, 'host/agent.json'), JSON.stringify(config));
  const programs: [string, ...string[]][] = [
    ['control-plane/main.js'],
    ['client/bin.cjs', 'dev', '--data', join(folder, 'dev'), '--port', '0'],
    ['host-agent/main.js', 'run', '--data', join(folder, 'host')],
  ];
  for (const [n, [module, ...args]] of programs.entries()) {
    // The default run starts each program once, with another level.
    for (const level of ['loud', '', 'INFO'].filter((_, at) => at === n || runs(0, 1) === 1)) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [compiled(module), ...args], {
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          CIDERMILL_LOG_LEVEL: level,
          CIDERMILL_PORT: '0',
          CIDERMILL_DATA: join(folder, 'service'),
        },
        encoding: 'utf8',
      });
      t.equal(status, 78, `${module} ${level}: ${stderr}`);
      t.equal(stdout, '');
      const message = /^cidermill[a-z -]*: CIDERMILL_LOG_LEVEL: expected one of trace, .*, got "(.*)"\n$/;
      t.equal(message.exec(stderr)?.[1], level, stderr);
    }
  }
});

t.test('the level of agent.json wins over that of the environment', async (t) => {
  const folder = t.testdir({});
  const run = (config: object, level: string) => {
    const file = { control_plane: 'http://127.0.0.1:1', allow_unisolated: true, ...config };
    writeFileSync(join(folder, 'agent.json'), JSON.stringify(file));
    const child = `
      import { readConfig } from ${JSON.stringify(compiled('host-agent/daemon/config.js'))};
      console.log(readConfig(${JSON.stringify(join(folder, 'agent.json'))}).log_level);`;
    const args = ['--input-type=module', '--eval', child];
    const env = { ...process.env, NODE_OPTIONS: '', CIDERMILL_LOG_LEVEL: level };
    return spawnSync(process.execPath, args, { env, encoding: 'utf8' }).stdout.trim();
  };
  t.equal(run({}, 'warn'), 'warn');
  t.equal(run({ log_level: 'debug' }, 'warn'), 'debug');
});
