import { resolve } from 'node:path';
import { z } from 'zod';
import { saveArtifacts } from '../../cli/save-artifacts.js';
import type { WorkspaceFile } from '../../types.js';
import { buildId } from '../inputs.js';
import { type ToolCall, tool } from '../tool.js';
import { cleanLine } from '../untrusted.js';

const MOST_LISTED = 200;
const LONGEST_PATH = 4096;

const fileShape = z.looseObject({ file_id: z.string(), path: z.string(), bytes: z.number() });

export const artifactTools = [
  tool({
    name: 'artifacts',
    title: 'Files that a build left',
    description: `Files that the build put into $CIDERMILL_ARTIFACTS, with their sizes; the first ${MOST_LISTED}. Their names come from the build.`,
    input: { build_id: buildId },
    output: { artifacts: z.array(fileShape), count: z.number(), truncated: z.boolean() },
    effect: 'reads',
    openWorld: true,
    async run({ build_id }, call) {
      const all = await list(call, build_id);
      const artifacts = all.slice(0, MOST_LISTED).map(view);
      return { data: { artifacts, count: all.length, truncated: artifacts.length < all.length } };
    },
  }),
  tool({
    name: 'save_artifacts',
    title: "Save a build's files",
    description:
      'Downloads the files of a build into a folder of this machine. Files of the same names there are replaced; names that could lead out of the folder are refused.',
    input: {
      build_id: buildId,
      folder: z.string().min(1).describe('made if need be'),
      paths: z.array(z.string()).max(MOST_LISTED).optional().describe('only these; all by default'),
    },
    output: {
      saved: z.array(z.looseObject({ path: z.string(), saved_to: z.string() })),
      refused: z.array(z.looseObject({ path: z.string(), reason: z.string() })),
    },
    effect: 'destroys',
    repeatable: true,
    openWorld: true,
    async run({ build_id, folder, paths }, call) {
      const all = await list(call, build_id);
      const wanted = paths ? all.filter((file) => paths.includes(pathOf(file))) : all;
      const refused = (paths ?? [])
        .filter((path) => !all.some((file) => pathOf(file) === path))
        .map((path) => ({ path, reason: 'the build has no such artifact' }));
      const files = await saveArtifacts(
        call.client,
        build_id,
        wanted,
        resolve(folder),
        (file, reason) => refused.push({ path: cleanLine(pathOf(file)), reason }),
        call.signal,
      );
      const saved = files.flatMap((file) =>
        file.saved_to === null
          ? []
          : [
              {
                path: cleanLine(pathOf(file)),
                saved_to: cleanLine(file.saved_to, LONGEST_PATH),
                bytes: file.bytes,
              },
            ],
      );
      return { data: { saved, refused } };
    },
  }),
];

async function list({ client, signal }: ToolCall, id: string): Promise<WorkspaceFile[]> {
  const files: WorkspaceFile[] = [];
  for await (const file of client.files.artifactsOf(id, { signal })) files.push(file);
  return files;
}

const pathOf = (file: WorkspaceFile) => file.path ?? file.name;
const view = (file: WorkspaceFile) => ({
  file_id: file.id,
  path: cleanLine(pathOf(file)),
  bytes: file.bytes,
});
