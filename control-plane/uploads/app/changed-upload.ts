// An upload whose changed files come with the request of a build, contents included: no other request is needed.
import { hash } from 'node:crypto';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Step } from '../../platform/app/turns.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { invalidField } from '../../platform/domain/invalid-field.js';
import { FormatError } from '../formats/format-error.js';
import { type BlobIntakeDeps, beginIntake } from './blob-intake.js';
import { type BaseDeps, type ChangedUpload, changeBase, completeBase } from './upload-base.js';

/** A file of the base with another content. */
export interface FileChange {
  readonly path: string;
  readonly content: Buffer;
  /** Undefined: as in the base. */
  readonly mode?: 0o644 | 0o755 | undefined;
}

/**
 * Stores the contents and returns the upload to accept. Until then they are kept like those of an unused upload.
 *
 * @throws ApiError `upload_not_found`, `invalid_build` for a path that is not in the base, `upload_too_large`,
 *   `storage_quota_exceeded`; BlobError `no_space`, `failed`
 */
export async function changedUpload(
  deps: BaseDeps & BlobIntakeDeps & { readonly maxFileBytes: number },
  caller: Caller,
  baseId: string,
  files: readonly FileChange[],
  step: Step,
): Promise<ChangedUpload> {
  const base = await completeBase(deps, caller, baseId);
  const named = files.map(({ path, content, mode }, at) => {
    if (content.length > deps.maxFileBytes) {
      throw new ApiError('upload_too_large', { message: `changes.${at} has more than ${deps.maxFileBytes} bytes.` });
    }
    return { path, sha256: hash('sha256', content, 'hex'), size: content.length, mode };
  });
  const changed = await changeBase(deps, caller, base, named, step).catch(refuseChanges);
  const intake = beginIntake(deps, { accountId: base.accountId, workspaceId: base.workspaceId }, false);
  try {
    for (const [at, { sha256, size }] of named.entries()) {
      await intake.add(once(files[at]!.content), { sha256, size });
      await step();
    }
  } finally {
    await intake.finish();
  }
  return changed;
}

async function* once(content: Buffer): AsyncGenerator<Buffer, void, undefined> {
  if (content.length > 0) yield content;
}

/** A manifest's `files[3].path` is `changes.3.path` of the build. */
function refuseChanges(error: unknown): never {
  if (!(error instanceof FormatError)) throw error;
  if (error.kind !== 'manifest') throw new ApiError('upload_too_large', { message: error.message });
  const fields = (error.facts.fields ?? []).map(({ path, message: reason }) =>
    invalidField(path.replace(/^files\[(\d+)\]/, 'changes.$1'), fieldProblem('refused', { reason })),
  );
  throw new ApiError('invalid_build', {
    message: fields.map(({ path, message }) => `${path}: ${message}`).join('; '),
    detail: { field: 'changes', fields },
  });
}
