// Images of tiers on hosts: what hosts have, and fetching them before a Mac needs them.
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { getImage, listImages } from '../../../client/operations/operator.js';
import type { ImageOnHost, TierImage } from '../../../client/types.js';
import { pullImage } from '../../macs/http/operator-image-changes.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type Cli, type Run, table } from '../command.js';
import type { OperatorClient } from '../operator-client.js';

const TURN_MS = 500;

export function addImageCommands(program: Command, cli: Cli): void {
  const image = program.command('image').description('images from which Macs are created');
  cli.command(image, 'list', 'images of all tiers', async ({ client, show }) => {
    const { images } = await client.read(listImages);
    const rows = images.map(({ tier, image, image_digest, hosts }) => [
      tier,
      image ?? '',
      image_digest ?? 'not resolved yet',
      `${hosts.filter(({ holds }) => holds).length} of ${hosts.length} hosts`,
    ]);
    show({ json: { images }, text: table(rows) });
    return undefined;
  });
  const about = 'what the image of a tier offers, and which hosts have it';
  cli.command(image, 'show <tier>', about, async ({ client, show }, _options, tier = '') => {
    const found = await imageOf(client, tier);
    show({ json: found, text: details(found) });
    return undefined;
  });
  cli.operation(image, 'pull', pullImage, {
    options: [new Option('--wait', 'show progress until all hosts are done; fail if one fails')],
    result: async (_run, answer, { wait }) => (wait ? null : { json: answer, text: answer.hosts.join('\n') }),
    after: async (run, answer, { wait }) => (wait ? followPull(run, answer) : undefined),
  });
}

const imageOf = (client: OperatorClient, tier: string) => client.read(getImage, tier);

async function followPull({ client, show, pause }: Run, answer: z.output<typeof pullImage.output>): Promise<undefined> {
  const { tier } = answer;
  for (let before = ''; ; await pause(TURN_MS)) {
    const found = await imageOf(client, tier);
    const hosts = found.hosts.filter((one) => one.pull !== null && answer.hosts.includes(one.host_id));
    const isOpen = hosts.some(({ pull }) => pull?.status === 'queued' || pull?.status === 'running');
    const failed = hosts.filter(({ pull }) => pull?.status === 'failed');
    if (!isOpen && failed.length > 0) {
      const reasons = failed.map(({ name, host_id, pull }) => `${name} (${host_id}): ${pull?.error}`);
      throw new ApiError('host_state', {
        message: `The image was not fetched everywhere. ${reasons.join(' ')}`,
      });
    }
    const state = stateOf(hosts);
    if (state !== before || !isOpen) show({ json: { tier, hosts }, text: table(hosts.map(rowOf)) });
    if (!isOpen) return undefined;
    before = state;
  }
}

const stateOf = (hosts: readonly ImageOnHost[]) =>
  hosts.map(({ host_id, percent, pull }) => `${host_id}.${pull?.status}.${percent ?? ''}`).join(',');

const rowOf = (one: ImageOnHost): string[] => [one.host_id, one.name, stateText(one), pullText(one)];

/** @example 'pulling 40 %, 10.0 of 25.1 GB', 'has another digest' */
function stateText({ state, holds, error, percent, fetched_bytes, fetch_bytes }: ImageOnHost): string {
  if (state === null) return 'nothing known';
  if (state === 'ready') return holds ? 'ready' : 'has another digest';
  if (state === 'failed') return `failed: ${error ?? 'no reason given'}`;
  if (percent === null) return state;
  const gb = (bytes: number) => (bytes / 1e9).toFixed(1);
  const size = fetched_bytes === null || fetch_bytes === null ? '' : `, ${gb(fetched_bytes)} of ${gb(fetch_bytes)} GB`;
  return `${state} ${percent} %${size}`;
}

/** @example 'pull waits for the host' */
function pullText({ connected, pull }: ImageOnHost): string {
  if (pull?.status === 'queued') return connected ? 'pull waits for its turn' : 'pull waits for the host';
  if (pull?.status === 'failed') return `pull failed: ${pull.error}`;
  return pull ? `pull ${pull.status}` : '';
}

function details({ image, image_digest, offers, hosts }: TierImage): string {
  const offered = offers
    ? [
        ['macOS', offers.macos],
        ['Xcode', offers.xcodes.map(({ version, build }) => (build ? `${version} (${build})` : version)).join(', ')],
        ['runtimes', offers.runtimes.join(', ')],
        ['tools', offers.tools.join(', ')],
      ]
    : [['offers', 'not inspected yet']];
  const rows = [['image', image ?? 'none'], ['digest', image_digest ?? 'not resolved yet'], ...offered];
  return [table(rows), table(hosts.map(rowOf))].join('\n');
}
