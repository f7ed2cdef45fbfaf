import { z } from 'zod';
import { rentalIdOf } from '../../find-macs.js';
import type { BuildRequest, CreatedBuild } from '../../types.js';
import { PROJECT_NAME } from '../../upload/project-name.js';
import { submitFolder } from '../../upload/submit-folder.js';
import { projectFolder } from '../folders.js';
import { buildId, given, idempotencyKey, rentalId } from '../inputs.js';
import { type ToolCall, tool } from '../tool.js';
import { buildView } from '../views.js';

const common = {
  script: z.string().min(1).describe('runs under bash -eo pipefail; nothing can be typed'),
  xcode: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  rental_id: rentalId.optional().describe('only on this Mac'),
  timeout_min: z.int().min(1).optional().describe('time limit of the build'),
  priority: z.literal([0, 1]).optional().describe('1 starts before 0'),
  clean_tree: z.boolean().optional().describe('empty its folder on the Mac first'),
  queue_until_rental: z.boolean().optional().describe('wait if no Mac is rented'),
  idempotency_key: idempotencyKey,
};
const repository = {
  repo: z.string().optional().describe('owner/name on the code host'),
  repo_url: z.string().optional().describe('or its https address'),
  ref: z.string().optional().describe('branch or tag'),
  commit: z.string().optional(),
  pr: z.int().min(1).optional(),
};
const NEXT = 'Call wait with its build_id until it has ended.';

export const buildTools = [
  tool({
    name: 'build_folder',
    title: 'Build a local folder',
    description:
      'Uploads a local folder and runs a script in it on a Mac. Sends changed files, none that git or .cidermillignore ignores. Then call wait.',
    input: {
      folder: z.string().describe("absolute, or below this server's folder"),
      // Not declared as a pattern, because every agent would have to read it.
      project: z
        .string()
        .refine((name) => PROJECT_NAME.test(name), "must be 1 to 64 letters, digits, '_', '.' or '-'")
        .optional()
        .describe('of its work folder'),
      ...common,
    },
    answer: { build: 'object', files: 'number', files_sent: 'number', warnings: 'array', next: 'string' },
    effect: 'adds',
    openWorld: true,
    async run({ folder, project, idempotency_key, ...request }, call) {
      const { client, env, clock, signal, progress } = call;
      const warnings: string[] = [];
      const { build, pushed } = await submitFolder(client, given(await pinned(request, call)), {
        dir: projectFolder(folder, env),
        project,
        env,
        clock,
        signal,
        onWarning: (warning) => warnings.push(warning),
        onProgress: (sent, total) => progress?.(sent, total, `uploading: ${sent} of ${total} bytes`),
        create: (complete) => create(call, complete, idempotency_key),
        // A repetition must be the same request.
        inOneRequest: idempotency_key === undefined,
      });
      pushed.saveIndex();
      const { files } = pushed.upload;
      return submitted(build, { files, files_sent: pushed.sent, warnings });
    },
  }),
  tool({
    name: 'build_repository',
    title: 'Build a repository',
    description:
      'Runs a script on a Mac in a checkout of repo or repo_url. Private ones need the secret GIT_TOKEN. Then call wait.',
    input: { ...repository, ...common },
    answer: { build: 'object', next: 'string' },
    effect: 'adds',
    openWorld: true,
    async run({ idempotency_key, ...request }, call) {
      return submitted(await create(call, given(await pinned(request, call)), idempotency_key));
    },
  }),
  tool({
    name: 'rerun_build',
    title: 'Run a build again',
    description: 'Runs a build again, of the same commit or upload.',
    input: { build_id: buildId },
    answer: { build: 'object', next: 'string' },
    effect: 'adds',
    does: ['rerunBuild'],
    openWorld: true,
    run: async ({ build_id }, call) => submitted(await submit(call, () => call.client.builds.rerun(build_id))),
  }),
  tool({
    name: 'cancel_build',
    title: 'Cancel a build',
    description: 'Cancels a queued or running build. An ended one stays as it is.',
    input: { build_id: buildId },
    answer: { build: 'object' },
    effect: 'destroys',
    does: ['cancelBuild'],
    repeatable: true,
    run: async ({ build_id }, { client, signal }) => ({
      data: { build: buildView(await client.builds.cancel(build_id, { signal })) },
    }),
  }),
];

/** The request with the id of the Mac that it is pinned to, which may be given by name. */
async function pinned<R extends { rental_id?: string | undefined }>(
  request: R,
  { client, signal }: ToolCall,
): Promise<R> {
  if (request.rental_id === undefined) return request;
  return { ...request, rental_id: await rentalIdOf(client.rentals, request.rental_id, { signal }) };
}

function create(
  call: ToolCall,
  request: Partial<BuildRequest>,
  idempotencyKey: string | undefined,
): Promise<CreatedBuild> {
  const { script = '', ...rest } = request;
  return submit(call, () => call.client.builds.create({ script, ...rest }, given({ idempotencyKey })));
}

/** Not aborted half-way, because an unknown build would keep running. An unwanted build is canceled. */
async function submit({ client, signal }: ToolCall, send: () => Promise<CreatedBuild>): Promise<CreatedBuild> {
  signal.throwIfAborted();
  const build = await send();
  if (signal.aborted) await client.builds.cancel(build.id);
  return build;
}

const submitted = (build: CreatedBuild, more: Record<string, unknown> = {}) => ({
  data: { build: buildView(build), ...more, next: NEXT },
});
