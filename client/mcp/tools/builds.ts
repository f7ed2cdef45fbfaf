import { z } from 'zod';
import { sourceFolder } from '../../cli/source-folder.js';
import type { BuildRequest, CreatedBuild } from '../../types.js';
import { submitFolder } from '../../upload/submit-folder.js';
import { buildId, given, idempotencyKey } from '../inputs.js';
import { type ToolCall, tool } from '../tool.js';
import { buildShape, buildView } from '../views.js';

const common = {
  script: z
    .string()
    .min(1)
    .describe(
      "what to run, under bash -eo pipefail in the project's folder, e.g. `xcodebuild test -scheme App`",
    ),
  xcode: z.string().optional().describe('Xcode version; see catalog or mac'),
  rental_id: z.string().optional().describe('only on this Mac (rt_…)'),
  timeout_min: z.int().min(1).max(360).optional().describe('default 60'),
  priority: z.literal([0, 1]).optional().describe('1 goes before 0'),
  clean_tree: z
    .boolean()
    .optional()
    .describe('start from an empty folder instead of what the last build left'),
  queue_until_rental: z.boolean().optional().describe('wait for a Mac to be rented if there is none'),
  idempotency_key: idempotencyKey,
};
const repository = {
  repo: z.string().optional().describe('owner/name on the code host'),
  repo_url: z.string().optional().describe('or an https address of a repository'),
  ref: z.string().optional().describe('branch or tag'),
  commit: z.string().optional().describe('7 to 40 hexadecimal digits'),
  pr: z.int().min(1).optional().describe('pull request'),
};
const output = { build: buildShape };
const NEXT = 'It waits its turn in the queue: call wait with its id until it has ended.';

export const buildTools = [
  tool({
    name: 'build_folder',
    title: 'Build a local folder',
    description: `Sends a folder of this machine to a Mac and runs a script there. Only files that changed are sent; what git ignores, and .cidermillignore names, is left out. Answers as soon as the build is submitted; then call wait.`,
    input: {
      folder: z
        .string()
        .describe("path of the project's folder on this machine; absolute, or below this server's folder"),
      ...common,
    },
    output: { ...output, files: z.number(), files_sent: z.number(), warnings: z.array(z.string()) },
    effect: 'adds',
    openWorld: true,
    async run({ folder, idempotency_key, ...request }, call) {
      const { client, env, clock, signal, progress } = call;
      const warnings: string[] = [];
      const { build, pushed } = await submitFolder(client, given(request), {
        dir: sourceFolder(folder),
        env,
        clock,
        signal,
        onWarning: (warning) => warnings.push(warning),
        onProgress: (sent, total) => progress?.(sent, total, `uploading: ${sent} of ${total} bytes`),
        create: (complete) => create(call, complete, idempotency_key),
      });
      pushed.saveIndex();
      const { files } = pushed.upload;
      return submitted(build, { files, files_sent: pushed.sent, warnings });
    },
  }),
  tool({
    name: 'build_repository',
    title: 'Build a repository',
    description: `Runs a script on a Mac in a checkout of a repository. Give repo or repo_url. Private ones need the secret GIT_TOKEN. Answers as soon as the build is submitted; then call wait.`,
    input: { ...repository, ...common },
    output,
    effect: 'adds',
    openWorld: true,
    async run({ idempotency_key, ...request }, call) {
      return submitted(await create(call, given(request), idempotency_key));
    },
  }),
  tool({
    name: 'cancel_build',
    title: 'Cancel a build',
    description:
      'Cancels a queued or running build, its processes included. A build that has ended stays as it is.',
    input: { build_id: buildId },
    output,
    effect: 'destroys',
    repeatable: true,
    run: async ({ build_id }, { client, signal }) => ({
      data: { build: buildView(await client.builds.cancel(build_id, { signal })) },
    }),
  }),
];

/** Not cut off in the middle: a build that nobody knows of would run. One that is no longer wanted is cancelled. */
async function create(
  { client, signal }: ToolCall,
  request: Partial<BuildRequest>,
  idempotencyKey: string | undefined,
): Promise<CreatedBuild> {
  signal.throwIfAborted();
  const { script = '', ...rest } = request;
  const build = await client.builds.create({ script, ...rest }, given({ idempotencyKey }));
  if (signal.aborted) await client.builds.cancel(build.id);
  return build;
}

const submitted = (build: CreatedBuild, more: Record<string, unknown> = {}) => ({
  data: { build: buildView(build), ...more, next: NEXT },
});
