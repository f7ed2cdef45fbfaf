// A change that operators make, described once. Its route and reference, its command (`admin/command.ts`), the
// console's types and its audit entry are made of this description.
import type { z } from 'zod';
import type { InTransaction } from '../app/in-transaction.js';
import type { AuditSubject, RouteAction } from '../domain/audit-entry.js';
import { ApiError, type ErrorCode } from '../domain/error-catalog.js';
import { operatorName } from '../domain/operator.js';
import { type AnyRoute, type RouteInput, route } from './route.js';

/**
 * Who may call an operation:
 *
 * - `console`: any operator
 * - `token`: not from a session of the console, because it gives out keys or passwords, or sends hosts to another service
 * - `machine`: only `cidermill admin` on the machine of the service, because it reads or writes a file there
 */
export type OperationAccess = 'console' | 'token' | 'machine';

export interface OperationContext {
  /** The name of the operator. */
  readonly by: string;
  /**
   * Returns the function that the use case calls in the transaction of its change: it writes the audit entry, or one for each
   * subject.
   */
  record<T = void>(about?: (result: T) => AuditSubject | readonly AuditSubject[]): InTransaction<T>;
  /** Sets the subject of the audit entry, also of a failure that follows. */
  concerns(subject: AuditSubject): void;
}

export interface Operation<Deps, Shape extends z.ZodObject = z.ZodObject, Answer extends z.ZodType = z.ZodType> {
  /** `noun.verb`: the command `cidermill admin noun verb` and `POST /v1/noun/verb` of the operator API. */
  readonly name: string;
  readonly summary: string;
  readonly input: Shape;
  readonly output: Answer;
  /** Null: it changes nothing. */
  readonly audit: RouteAction | null;
  /** As `confirm` of a route: it destroys something, admits a machine or a person, or is about money. */
  readonly confirm: boolean;
  readonly access: OperationAccess;
  readonly errors?: readonly ErrorCode[];
  /** The input contains a secret, so errors must not quote it. */
  readonly confidential?: boolean;
  run(deps: Deps, input: z.output<Shape>, context: OperationContext): Promise<z.input<Answer>>;
}

/** An operation of any input, on what it needs. */
// biome-ignore lint/suspicious/noExplicitAny: `run` is checked where the operation is described; a list of them has no common input
export type AnyOperation<Deps> = Operation<Deps, any, any>;

/**
 * Infers the types of `run` from the shapes.
 *
 * @example
 * export const cancelOrder = operation<{ orderRefunds: OrderRefunds }>()({ name: 'order.cancel', …, run: ({ orderRefunds }, { order_no }) => … });
 */
export const operation =
  <Deps>() =>
  <Shape extends z.ZodObject, Answer extends z.ZodType>(
    definition: Operation<Deps, Shape, Answer>,
  ): Operation<Deps, Shape, Answer> =>
    definition;

/** @example wordsOf('host.set-tier') // ['host', 'set-tier'] */
export const wordsOf = (name: string): string[] => name.split('.');

/** @example operationPath('host.set-tier') // '/v1/host/set-tier' */
export const operationPath = (name: string): string => `/v1/${wordsOf(name).join('/')}`;

/** @example operationIdOf('host.set-tier') // 'hostSetTier' */
export const operationIdOf = (name: string): string =>
  name.replaceAll(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase());

export function operationRoute<Deps>(definition: AnyOperation<Deps>, deps: Deps): AnyRoute {
  const { name, input, output, confirm, access, run } = definition;
  return route({
    method: 'POST',
    path: operationPath(name),
    operationId: operationIdOf(name),
    level: definition.audit === null ? 'read' : 'manage',
    action: definition.audit,
    forOperators: true,
    summary: definition.summary,
    body: input,
    ...(definition.confidential ? { confidential: true } : {}),
    // A session is refused the others anyway.
    ...(confirm && access === 'console' ? { confirm } : {}),
    responses: { 200: output },
    errors: [...(access === 'console' ? [] : (['forbidden'] as const)), ...(definition.errors ?? [])],
    async handle(request: RouteInput<unknown, unknown, unknown>) {
      const { operator, body } = request;
      const { person } = operator;
      if (person && access !== 'console') {
        const command = `cidermill admin ${wordsOf(name).join(' ')}`;
        throw new ApiError('forbidden', { message: `This cannot be done from the console; run ${command}.` });
      }
      const context = {
        by: operatorName(operator),
        record: request.recordAction,
        concerns: request.concerns,
      };
      return { status: 200, body: await run(deps, body, context) };
    },
  });
}
