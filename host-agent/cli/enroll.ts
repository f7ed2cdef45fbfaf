// `cidermill host-agent enroll`: makes this machine a host.
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import {
  type AgentConfig,
  type AgentConfigInput,
  agentConfig,
  configPath,
  isolationRefusal,
  readConfig,
} from '../daemon/config.js';
import { enrolHost } from '../daemon/enrolment.js';
import { type CommonFlags, configOf, dataOption } from './options.js';
import { readToken } from './token.js';

type EnrolFlags = CommonFlags & {
  url: string;
  name?: string;
  driver?: AgentConfig['driver'];
  tokenFile?: string;
  caFile?: string;
  httpsProxy?: string;
  bypassProxy?: string;
  json?: true;
};

export function enrollCommand(): Command {
  return new Command('enroll')
    .exitOverride()
    .description('make this machine a host, with a one-time token from `cidermill admin host enroll`')
    .addOption(dataOption())
    .requiredOption('--url <url>', 'root address of the service')
    .option('--name <name>', 'name of this host, if the token has none')
    .option(
      '--token-file <file>',
      'file with the token; default: CIDERMILL_ENROLMENT_TOKEN, then standard input',
    )
    .addOption(
      new Option('--driver <name>', 'what a Mac is: folders of this machine, or virtual machines').choices(
        agentConfig.shape.driver.def.innerType.options,
      ),
    )
    .option('--allow-unisolated', 'allow builds without isolation between tenants (local driver)')
    .option('--ca-file <file>', 'PEM file of additional certificate authorities to trust')
    .option('--https-proxy <url>', 'proxy for https URLs; default: HTTPS_PROXY')
    .option('--bypass-proxy <hosts>', 'hosts to reach without the proxy; default: NO_PROXY')
    .option('--json', 'print the result as JSON')
    .action(async (flags: EnrolFlags) => enroll(flags));
}

const networkFlags = (flags: EnrolFlags): Partial<AgentConfigInput> => ({
  ...(flags.caFile === undefined ? {} : { ca_file: resolve(flags.caFile) }),
  ...(flags.httpsProxy === undefined ? {} : { https_proxy: flags.httpsProxy }),
  ...(flags.bypassProxy === undefined ? {} : { no_proxy: flags.bypassProxy }),
});

async function enroll(flags: EnrolFlags): Promise<void> {
  const host = await enrolHost({
    dataDir: flags.data,
    config: {
      ...configOf(flags),
      ...networkFlags(flags),
      ...(flags.driver === undefined ? {} : { driver: flags.driver }),
      control_plane: flags.url,
    },
    token: await readToken(flags.tokenFile),
    ...(flags.name === undefined ? {} : { hostname: flags.name }),
  });
  const { host_id, name } = host;
  const plain = `enrolled as ${name} (${host_id}); start it with: cidermill host-agent run --data ${flags.data}`;
  process.stdout.write(`${flags.json ? JSON.stringify({ host_id, name }) : plain}\n`);
  const refusal = isolationRefusal(readConfig(configPath(flags.data)));
  if (refusal !== null) process.stderr.write(`note: ${refusal}; until then the agent does not start\n`);
}
