// Workspaces of an organization: created, renamed and removed by owners, admins and operators.

import { countOf } from '../../../shared/count.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { inSavepoint } from '../../platform/store/savepoint.js';
import { ConstraintError, type Queries, type Transaction } from '../../platform/store/sql.js';
import { countDevelopers, deleteMembersOfWorkspace } from '../store/members.js';
import {
  countUsableKeys,
  deleteWorkspace,
  findWorkspace,
  insertWorkspace,
  listWorkspaces,
  markRemoved,
  renameWorkspace,
  type Workspace,
} from '../store/workspaces.js';

export type { Workspace };

export interface WorkspacesDeps extends Pick<Core, 'store' | 'clock'> {
  readonly limits: Pick<Limits, 'workspaces' | 'name_chars'>;
  /** Number of builds of the workspace that wait or run. */
  unfinishedBuilds(q: Queries, workspace: Workspace): Promise<number>;
}

export interface OwnWorkspace {
  readonly accountId: number;
  readonly workspaceId: string;
}

/** Callbacks such as `created` run in the transaction of the change. */
export type Workspaces = ReturnType<typeof createWorkspaces>;

export function createWorkspaces(deps: WorkspacesDeps) {
  const { store, clock, limits } = deps;

  const nameOf = (text: string): string => {
    const name = text.trim().normalize('NFC');
    if (folded(name) === '') throw invalidName(fieldProblem('required'));
    if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) throw invalidName(fieldProblem('control_characters'));
    if (name.length > limits.name_chars) throw invalidName(fieldProblem('too_long', { most: limits.name_chars }));
    return name;
  };

  return {
    /** Oldest first. */
    list: (accountId: number): Promise<Workspace[]> => listWorkspaces(store, accountId),

    /** The same, with the number of developers who see each and of its active keys. */
    async listWithUse(accountId: number): Promise<(Workspace & { developers: number; keys: number })[]> {
      const [present, developers, keys] = await Promise.all([
        listWorkspaces(store, accountId),
        countDevelopers(store, accountId),
        countUsableKeys(store, accountId, clock.now()),
      ]);
      return present.map((one) => ({
        ...one,
        developers: developers.get(one.workspaceId) ?? 0,
        keys: keys.get(one.workspaceId) ?? 0,
      }));
    },

    /** Returns a workspace by its id. Throws not_found if it does not exist or has been removed. */
    async find(workspaceId: string): Promise<Workspace> {
      const found = await findWorkspace(store, workspaceId);
      if (!found || found.removedAt !== null) {
        throw new ApiError('not_found', { message: `There is no workspace ${workspaceId}.` });
      }
      return found;
    },

    /** Throws invalid_request if the name is invalid or taken, and workspaces_limit. */
    create: (accountId: number, text: string, created?: InTransaction<Workspace>): Promise<Workspace> =>
      store.transaction(async (tx) => {
        const present = await listWorkspaces(tx, accountId);
        const name = freeName(nameOf(text), present);
        if (present.length >= limits.workspaces) {
          throw new ApiError('workspaces_limit', { detail: { limit: limits.workspaces } });
        }
        const made = { workspaceId: newId('ws'), accountId, name, createdAt: clock.now() };
        const workspace = await insertWorkspace(tx, made);
        await created?.(tx, workspace);
        return workspace;
      }),

    /** Throws not_found for another account's workspace, and invalid_request. */
    rename: ({ accountId, workspaceId }: OwnWorkspace, text: string, renamed?: InTransaction<Workspace>) =>
      store.transaction(async (tx) => {
        const { workspace, others } = await pick(tx, accountId, workspaceId);
        const name = freeName(nameOf(text), others);
        await renameWorkspace(tx, workspaceId, name);
        const now = { ...workspace, name };
        await renamed?.(tx, now);
        return now;
      }),

    /**
     * Removes a workspace. Owners and admins can still read its builds, artifacts and uploads until retention deletes
     * them.
     *
     * @throws ApiError not_found; last_workspace; workspace_in_use while it has active keys or unfinished builds
     */
    remove: ({ accountId, workspaceId }: OwnWorkspace, removed?: InTransaction): Promise<Workspace> =>
      store.transaction(async (tx) => {
        const { workspace, others } = await pick(tx, accountId, workspaceId);
        if (others.length === 0) throw new ApiError('last_workspace');
        const keys = (await countUsableKeys(tx, accountId, clock.now())).get(workspaceId) ?? 0;
        const builds = await deps.unfinishedBuilds(tx, workspace);
        if (keys > 0 || builds > 0) {
          throw new ApiError('workspace_in_use', {
            message: `The workspace has ${countOf(keys, 'active key')} and ${countOf(builds, 'unfinished build')}.`,
            detail: { keys, unfinished_builds: builds },
          });
        }
        await deleteMembersOfWorkspace(tx, workspaceId);
        try {
          await inSavepoint(tx, () => deleteWorkspace(tx, workspaceId));
        } catch (error) {
          // Existing rows refer to it.
          if (!(error instanceof ConstraintError)) throw error;
          await markRemoved(tx, workspace, clock.now());
        }
        await removed?.(tx);
        return workspace;
      }),
  };
}

/** Returns the workspace and the other workspaces of its account. Throws not_found. */
async function pick(tx: Transaction, accountId: number, workspaceId: string) {
  const present = await listWorkspaces(tx, accountId);
  const workspace = present.find((one) => one.workspaceId === workspaceId);
  if (!workspace) throw new ApiError('not_found');
  return { workspace, others: present.filter((one) => one !== workspace) };
}

/**
 * For use in the transaction that adds something to the caller's workspace, which may have been removed while the request
 * arrived.
 *
 * @throws ApiError not_found; invalid_api_key for a key, which was revoked before
 */
export async function requireLiveWorkspace(tx: Transaction, { key, workspaceId }: Caller): Promise<void> {
  const workspace = await findWorkspace(tx, workspaceId);
  if (workspace?.removedAt === null) return;
  if (key) throw new ApiError('invalid_api_key');
  throw new ApiError('not_found', { message: `The workspace ${workspaceId} has been removed.` });
}

/** Names that differ only by case, by the form of their characters or by invisible ones are the same. */
const folded = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .trim();

function freeName(name: string, present: readonly Workspace[]): string {
  if (present.every((one) => folded(one.name) !== folded(name))) return name;
  throw invalidName(fieldProblem('taken', { value: name }));
}

const invalidName = (problem: Message) => fieldError('invalid_request', 'name', problem);
