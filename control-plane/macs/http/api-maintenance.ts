// Resets, Xcode changes and setups: POST /rentals/reset, /rentals/xcode, /rentals/batch, the same of one Mac, and
// PATCH /rentals/:rental_id.
import { z } from 'zod';
import { ApiError, type ErrorCode } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, type RouteInput, type RouteReply, route } from '../../platform/http/route.js';
import type { MacResult, Maintenance } from '../app/maintenance.js';
import type { When } from '../domain/job.js';
import type { Change } from '../domain/maintenance.js';
import { whenShape } from './jobs-view.js';
import { macNameShape } from './mac-name-view.js';
import { changeShape, changeView, macResultsShape, macResultsView } from './maintenance-view.js';

export interface MaintenanceRoutesDeps {
  readonly maintenance: Maintenance;
  readonly limits: Pick<Limits, 'macs_per_request'>;
}

const when = whenShape.optional();
const keep_cache = z.boolean().optional().meta({
  description: 'Keep machine and caches; default: a new one',
});
const names = z.array(z.string().max(200)).max(100);
const version = z.string().max(100);
const one = { params: z.object({ rental_id: z.string() }), invalidParams: 'rental_not_found' } as const;

const codeOfField = {
  when: 'invalid_when',
  all: 'invalid_target',
  ids: 'invalid_target',
  rental_ids: 'invalid_target',
} as const satisfies Record<string, ErrorCode>;
const common = {
  invalidBody: 'invalid_setup',
  invalidBodyField: codeOfField,
  idempotent: true,
} as const;
const concerns = ['macs', 'mac', 'jobs', 'queue', 'status'] as const;
const errorsOfOne = [
  'rental_not_found',
  'rental_not_active',
  'job_in_progress',
  'rental_busy',
  'invalid_when',
] as const;
const errorsOfSeveral = ['invalid_target', 'invalid_when', 'rental_not_found'] as const;

type RenamedOrChanged = Parameters<typeof changeView>[0];
type Input = Pick<RouteInput<unknown, unknown, unknown>, 'caller' | 'recordReply'>;

export function createMaintenanceRoutes({ maintenance, limits }: MaintenanceRoutesDeps): AnyRoute[] {
  const changes = { ...changesOf(maintenance), ...targetShapes(limits) };
  return [...resetRoutes(changes), ...xcodeRoutes(changes), ...setupRoutes(changes)];
}

type Changes = ReturnType<typeof changesOf> & ReturnType<typeof targetShapes>;

function targetShapes(limits: Pick<Limits, 'macs_per_request'>) {
  const rentalIds = z.array(z.string().max(100)).min(1).max(limits.macs_per_request);
  const target = {
    all: z.boolean().optional().meta({ title: 'True: every Mac of the account' }),
    ids: rentalIds.optional(),
  };
  return { rentalIds, target };
}

/** Applies changes and records their replies under the Idempotency-Key. */
function changesOf(maintenance: Maintenance) {
  const changeOne = async (
    { caller, recordReply }: Input,
    rentalId: string,
    change: Change,
    accepted: 200 | 202,
  ): Promise<RouteReply> => {
    const reply = (result: Exclude<MacResult, { result: 'rejected' }>) => ({
      status: result.result === 'unchanged' ? 200 : accepted,
      body: changeView(result),
    });
    return reply(await maintenance.changeOne(caller, rentalId, change, recordReply(reply)));
  };
  const changeSeveral = async (
    { caller, recordReply }: Input,
    ids: readonly string[] | null,
    change: Change,
  ): Promise<RouteReply> => {
    const reply = (results: readonly MacResult[]) => ({ status: 200, body: macResultsView(results) });
    return reply(await maintenance.changeSeveral(caller, ids, change, recordReply(reply)));
  };
  const changeSetup = async (
    { caller, recordReply }: Input,
    rentalId: string,
    body: SetupBody,
  ): Promise<RouteReply> => {
    const change = setupOf(body);
    const reply = (result: RenamedOrChanged) => ({ status: 200, body: changeView(result) });
    if (body.name === undefined)
      return reply(await maintenance.changeOne(caller, rentalId, change, recordReply(reply)));
    const { keepCache: _, ...setup } = change.target;
    const rest = Object.keys(setup).length === 0 ? null : change;
    return reply(await maintenance.rename(caller, rentalId, body.name, rest, recordReply(reply)));
  };
  return { changeOne, changeSetup, changeSeveral };
}

function resetRoutes({ changeOne, changeSeveral, target }: Changes): AnyRoute[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/rentals/reset',
      operationId: 'resetRentals',
      level: 'manage',
      action: { name: 'rental.reset', made: 'results', concerns },
      summary: 'Reset several Macs. They are recreated, or only their work folders are emptied.',
      body: z
        .object({ ...target, keep_cache, when })
        .meta({ id: 'ResetSeveralRequest', description: 'Exactly one of all and ids' }),
      responses: { 200: macResultsShape },
      errors: errorsOfSeveral,
      handle: (input) => changeSeveral(input, targetOf(input.body), resetOf(input.body)),
    }),
    route({
      ...common,
      ...one,
      method: 'POST',
      path: '/rentals/:rental_id/reset',
      operationId: 'resetRental',
      level: 'manage',
      action: { name: 'rental.reset', concerns },
      summary: 'Reset a Mac. It is recreated, or only its work folder is emptied.',
      body: z.object({ keep_cache, when }).meta({ id: 'ResetRequest', title: 'How a Mac is to be reset' }),
      responses: { 202: changeShape },
      errors: [...errorsOfOne, 'reset_limit'],
      handle: (input) => changeOne(input, input.params.rental_id, resetOf(input.body), 202),
    }),
  ];
}

function xcodeRoutes({ changeOne, changeSeveral, target }: Changes): AnyRoute[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/rentals/xcode',
      operationId: 'selectXcodeOfRentals',
      level: 'manage',
      action: { name: 'rental.select_xcode', made: 'results', concerns },
      summary: 'Select another Xcode on several Macs',
      body: z
        .object({ version, ...target, when })
        .meta({ id: 'XcodeOfSeveralRequest', description: 'Exactly one of all and ids' }),
      responses: { 200: macResultsShape },
      errors: errorsOfSeveral,
      handle: (input) => changeSeveral(input, targetOf(input.body), xcodeOf(input.body.version, input.body.when)),
    }),
    route({
      ...common,
      ...one,
      method: 'POST',
      path: '/rentals/:rental_id/xcode',
      operationId: 'selectXcode',
      level: 'manage',
      action: { name: 'rental.select_xcode', concerns },
      summary: 'Select another Xcode on a Mac',
      body: z.object({ version, when }).meta({ id: 'XcodeRequest' }),
      responses: { 200: changeShape, 202: changeShape },
      errors: [...errorsOfOne, 'xcode_not_available'],
      handle: (input) => changeOne(input, input.params.rental_id, xcodeOf(input.body.version, input.body.when), 202),
    }),
  ];
}

function setupRoutes({ changeSetup, changeSeveral, rentalIds }: Changes): AnyRoute[] {
  return [
    route({
      ...common,
      ...one,
      method: 'PATCH',
      path: '/rentals/:rental_id',
      invalidBodyField: { ...codeOfField, name: 'invalid_name' },
      operationId: 'changeSetup',
      level: 'manage',
      action: { name: 'rental.change', concerns: [...concerns, 'builds', 'build', 'orders', 'order'] },
      summary: 'Rename a Mac, or change what is installed on it. Xcode, simulator runtimes, tools.',
      body: z
        .object({
          name: macNameShape.optional(),
          xcode: version.optional(),
          runtimes: names.optional(),
          tools: names.optional(),
          keep_cache,
          when,
        })
        .meta({
          id: 'SetupChange',
          description: 'Absent fields stay unchanged. A name alone is changed at once, in any state of the Mac.',
        }),
      responses: { 200: changeShape },
      errors: [...errorsOfOne, 'invalid_setup', 'reset_limit', 'invalid_name', 'name_taken'],
      handle: (input) => changeSetup(input, input.params.rental_id, input.body),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/rentals/batch',
      operationId: 'changeRentals',
      level: 'manage',
      action: { name: 'rental.change', made: 'results', concerns },
      summary: 'Reset several Macs or select their Xcode',
      body: z
        .object({
          action: z.enum(['xcode', 'reset']),
          rental_ids: rentalIds,
          xcode: version.optional(),
          keep_cache,
          when,
        })
        .meta({ id: 'BatchRequest' }),
      responses: { 200: macResultsShape },
      errors: [...errorsOfSeveral, 'invalid_setup'],
      handle: (input) => changeSeveral(input, input.body.rental_ids, batchOf(input.body)),
    }),
  ];
}

/** Returns the requested ids; null for all of the account's Macs. */
function targetOf({ all, ids }: { all?: boolean | undefined; ids?: string[] | undefined }): string[] | null {
  if ((all === true) === (ids !== undefined)) throw new ApiError('invalid_target');
  return ids ?? null;
}

function resetOf(body: { keep_cache?: boolean | undefined; when?: When | undefined }): Change {
  return { kind: 'reset', target: { keepCache: body.keep_cache ?? false }, when: body.when ?? null };
}

function xcodeOf(xcode: string, when: When | undefined): Change {
  return { kind: 'xcode', target: { keepCache: true, xcode }, when: when ?? null };
}

function batchOf(body: {
  action: 'xcode' | 'reset';
  xcode?: string | undefined;
  keep_cache?: boolean | undefined;
  when?: When | undefined;
}): Change {
  if (body.action === 'reset') return resetOf(body);
  if (body.xcode !== undefined) return xcodeOf(body.xcode, body.when);
  throw new ApiError('invalid_setup', { message: 'xcode: missing', detail: { field: 'xcode' } });
}

interface SetupBody {
  name?: string | undefined;
  xcode?: string | undefined;
  runtimes?: string[] | undefined;
  tools?: string[] | undefined;
  keep_cache?: boolean | undefined;
  when?: When | undefined;
}

function setupOf(body: SetupBody): Change {
  const { xcode, runtimes, tools } = body;
  return {
    kind: 'setup',
    target: {
      keepCache: body.keep_cache ?? false,
      ...(xcode === undefined ? {} : { xcode }),
      ...(runtimes === undefined ? {} : { runtimes: [...new Set(runtimes)] }),
      ...(tools === undefined ? {} : { tools: [...new Set(tools)] }),
    },
    when: body.when ?? null,
  };
}
