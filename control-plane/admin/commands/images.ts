// Images of tiers on hosts: what hosts have, and fetching them before a Mac needs them.
import { type Command, Option } from 'commander';
import type { ImageOfTier, ImageOnHost } from '../../macs/app/image-pulls.js';
import { imageHostView, tierImageView } from '../../macs/http/tier-view.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type Action, type Result, subcommand, table } from '../command.js';
import type { AdminService } from '../service.js';

interface PullOptions {
  tier: string;
  host?: string;
  wait?: boolean;
  page?: string;
}

export function addImageCommands(program: Command, action: Action): void {
  const image = program.command('image').description('images from which Macs are created');

  subcommand(image, 'list', 'images of all tiers').action(
    action(async ({ images }) => {
      const all = await images.list();
      return {
        json: { images: all.map(tierImageView) },
        text: table(
          all.map(({ tier, hosts }) => [
            tier.tier,
            tier.image ?? '',
            tier.imageDigest ?? 'not resolved yet',
            `${hosts.filter(({ holds }) => holds).length} of ${hosts.length} hosts`,
          ]),
        ),
      };
    }),
  );

  subcommand(image, 'show <tier>', 'what the image of a tier offers, and which hosts have it').action(
    action(async ({ images }, _options, tier = '') => {
      const found = await images.show(tier);
      return { json: tierImageView(found), text: details(found) };
    }),
  );

  subcommand(image, 'pull', 'fetch the image of a tier on its hosts, a few at a time')
    .requiredOption('--tier <id>', 'tier whose image is fetched')
    .option('--host <host>', 'only this host of the tier, by id or name (default: all)')
    .option('--wait', 'show progress until all hosts are done; fail if one fails')
    .addOption(new Option('--page <seen>').hideHelp())
    .action(action<PullOptions>(pull));
}

/** With `wait`, each page is the progress since the previous page; the command line requests the next one. */
async function pull(service: AdminService, { tier, host, wait = false, page }: PullOptions): Promise<Result> {
  const { images } = service;
  const hostId = host === undefined ? null : (await service.hosts.named(host)).hostId;
  if (page === undefined) {
    const hostIds = await images.request(tier, hostId);
    if (!wait) return { json: { tier, hosts: hostIds }, text: hostIds.join('\n') };
  }
  const concerned = async () => {
    const found = await images.show(tier);
    return found.hosts.filter((one) => one.pull !== null && (hostId === null || one.host.hostId === hostId));
  };
  let hosts = await concerned();
  for (let turn = 0; turn < TURNS && stateOf(hosts) === page; turn++) {
    await service.pause(TURN_MS);
    hosts = await concerned();
  }
  const state = stateOf(hosts);
  const isOpen = hosts.some(({ pull }) => pull?.status === 'queued' || pull?.status === 'running');
  const failed = hosts.filter(({ pull }) => pull?.status === 'failed');
  if (!isOpen && failed.length > 0) {
    const reasons = failed.map(({ host, pull }) => `${host.name} (${host.hostId}): ${pull?.error}`);
    throw new ApiError('host_state', {
      message: `The image was not fetched everywhere. ${reasons.join(' ')}`,
    });
  }
  return {
    json: { tier, hosts: hosts.map(imageHostView), ...(isOpen ? { next: state } : {}) },
    text: table(hosts.map(rowOf)),
  };
}

const TURN_MS = 200;
/** A command in a remote service must answer within a minute. */
const TURNS = 100;

const stateOf = (hosts: readonly ImageOnHost[]) =>
  hosts.map(({ host, image, pull }) => `${host.hostId}.${pull?.status}.${image?.percent ?? ''}`).join(',');

const rowOf = (one: ImageOnHost): string[] => [one.host.hostId, one.host.name, stateText(one), pullText(one)];

/** @example 'pulling 40 %, 10.0 of 25.1 GB', 'has another digest' */
function stateText({ image, holds }: ImageOnHost): string {
  if (image === null) return 'nothing known';
  if (image.state === 'ready') return holds ? 'ready' : 'has another digest';
  if (image.state === 'failed') return `failed: ${image.error ?? 'no reason given'}`;
  const { percent, fetchedBytes, fetchBytes } = image;
  if (percent === null) return image.state;
  const gb = (bytes: number) => (bytes / 1e9).toFixed(1);
  const size = fetchedBytes === null || fetchBytes === null ? '' : `, ${gb(fetchedBytes)} of ${gb(fetchBytes)} GB`;
  return `${image.state} ${percent} %${size}`;
}

/** @example 'pull waits for the host' */
function pullText({ host, pull }: ImageOnHost): string {
  if (pull?.status === 'queued') return host.connected ? 'pull waits for its turn' : 'pull waits for the host';
  if (pull?.status === 'failed') return `pull failed: ${pull.error}`;
  return pull ? `pull ${pull.status}` : '';
}

function details(found: ImageOfTier): string {
  const { tier, offers, hosts } = found;
  const offered = offers
    ? [
        ['macOS', offers.macos],
        ['Xcode', offers.xcodes.map(({ version, build }) => (build ? `${version} (${build})` : version)).join(', ')],
        ['runtimes', offers.runtimes.join(', ')],
        ['tools', offers.tools.join(', ')],
      ]
    : [['offers', 'not inspected yet']];
  const rows = [['image', tier.image ?? 'none'], ['digest', tier.imageDigest ?? 'not resolved yet'], ...offered];
  return [table(rows), table(hosts.map(rowOf))].join('\n');
}
