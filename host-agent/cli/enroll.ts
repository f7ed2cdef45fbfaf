// `cidermill host-agent enroll`: makes this machine a host.
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { checkFolderOwner } from '../../shared/private-folder.js';
import { type AgentConfig, type AgentConfigInput, agentConfig } from '../daemon/agent-config.js';
import { configPath, isolationRefusal, readConfig } from '../daemon/config.js';
import { readCredential } from '../daemon/credential.js';
import { enrolByApproval, enrolHost, refuseEnrolled } from '../daemon/enrolment.js';
import { type CommonFlags, configOf, dataOption } from './options.js';
import { readToken } from './token.js';

/** What a new host is, and how its service is reached. */
export interface HostFlags {
  name?: string;
  driver?: AgentConfig['driver'];
  tokenFile?: string;
  approve?: true;
  caFile?: string;
  httpsProxy?: string;
  bypassProxy?: string;
  json?: true;
}

type EnrolFlags = CommonFlags & HostFlags & { url: string; replace?: true };

export function enrollCommand(): Command {
  return new Command('enroll')
    .exitOverride()
    .description('make this machine a host, with a token from `cidermill admin host enroll` or by an approval')
    .addOption(dataOption())
    .requiredOption('--url <url>', 'root address of the service')
    .option('--name <name>', 'name of this host, if the token has none')
    .option('--token-file <file>', 'file with the token; default: CIDERMILL_ENROLMENT_TOKEN, then standard input')
    .addOption(
      new Option(
        '--approve',
        'show a code and wait until an operator has approved it with `cidermill admin host approve`',
      ).conflicts('tokenFile'),
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
    .option(
      '--replace',
      'enroll even if this machine is a host already: it becomes another host; the service keeps the first one until an operator removes it',
    )
    .option('--json', 'print the result as JSON')
    .action(async (flags: EnrolFlags) => enroll(flags));
}

const networkFlags = (flags: EnrolFlags): Partial<AgentConfigInput> => ({
  ...(flags.caFile === undefined ? {} : { ca_file: resolve(flags.caFile) }),
  ...(flags.httpsProxy === undefined ? {} : { https_proxy: flags.httpsProxy }),
  ...(flags.bypassProxy === undefined ? {} : { no_proxy: flags.bypassProxy }),
});

async function enroll(flags: EnrolFlags): Promise<void> {
  checkFolderOwner(flags.data);
  const before = readCredential(flags.data);
  // Before a token is asked for.
  if (!flags.replace) refuseEnrolled(flags.data);
  const options = {
    dataDir: flags.data,
    config: {
      ...configOf(flags),
      ...networkFlags(flags),
      ...(flags.driver === undefined ? {} : { driver: flags.driver }),
      control_plane: flags.url,
    },
    ...(flags.name === undefined ? {} : { hostname: flags.name }),
    ...(flags.replace ? { replace: true } : {}),
  };
  const host = flags.approve
    ? await enrolByApproval({ ...options, onCode: showCode })
    : await enrolHost({ ...options, token: await readToken(flags.tokenFile) });
  const { host_id, name } = host;
  const plain = `enrolled as ${name} (${host_id}); start it with: cidermill host-agent run --data ${flags.data}`;
  process.stdout.write(`${flags.json ? JSON.stringify({ host_id, name }) : plain}\n`);
  if (before !== null && before.host_id !== host_id) {
    process.stderr.write(
      `note: this machine was the host ${before.name} (${before.host_id}) before. Its service keeps that host, without an agent; builds and ` +
        `Macs there are lost. Remove it: cidermill admin host remove ${before.host_id}\n`,
    );
  }
  const refusal = isolationRefusal(readConfig(configPath(flags.data)));
  if (refusal !== null) process.stderr.write(`note: ${refusal}; until then the agent does not start\n`);
}

/** On standard error, because standard output is the result. Also used by `install --approve`. */
export function showCode(code: string, validMs: number): void {
  const minutes = Math.max(1, Math.round(validMs / 60_000));
  process.stderr.write(
    `Approve this machine within ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}:\n\n` +
      `  cidermill admin host approve ${code} --tier TIER\n\nWaiting…\n`,
  );
}
