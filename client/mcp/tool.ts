// What a tool is: its description, its schemas, and a function from arguments to an answer or an error.
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';
import type { Client } from '../create-client.js';
import type { OperationId } from '../operations/find-operation.js';
import type { LogLines } from './log-lines.js';
import { type AnswerShape, announced, answerJson, inputJson } from './schema.js';
import { describeError, InvalidInput, type ToolFor } from './tool-error.js';

/** What the tools of one server share. */
export interface ToolDeps {
  readonly client: Client;
  readonly logs: LogLines;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
}

/** One call. */
export interface ToolCall extends ToolDeps {
  /** Aborted when the caller no longer wants the answer. */
  readonly signal: AbortSignal;
  /** See {@link ToolHost}. */
  readonly toolFor: ToolFor;
  /** Null unless the caller asked for progress. `done` only grows; `total` if it is known. */
  readonly progress: ((done: number, total: number | undefined, message: string) => void) | null;
}

export interface ToolAnswer {
  /** The structured answer. */
  readonly data: Record<string, unknown>;
  /** What to read; the data as JSON by default. */
  readonly text?: string;
}

/** `reads`: changes nothing, here or there. `adds` can be undone; `destroys` loses something. */
type Effect = 'reads' | 'adds' | 'destroys';

export interface ToolSpec<I extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  /** What it does, when to use it, and what to do next. Names tools that write only if it writes itself. */
  readonly description: string;
  readonly input: I;
  /** Fields of a successful answer; a failed one has `error` alone. */
  readonly answer: AnswerShape;
  readonly effect: Effect;
  /** Operations in whose place it is named when an answer suggests one. */
  readonly does?: readonly OperationId[];
  /** Repeating it with the same arguments changes nothing further. */
  readonly repeatable?: boolean;
  /** Carries text that came from outside the service, such as a build's log. */
  readonly openWorld?: boolean;
  run(args: z.infer<z.ZodObject<I>>, call: ToolCall): Promise<ToolAnswer>;
}

/** What a tool needs of its server. */
export interface ToolHost {
  /** @throws UsageError while no service is configured */
  open(): ToolDeps;
  readonly toolFor: ToolFor;
}

export interface Tool {
  readonly name: string;
  readonly reads: boolean;
  readonly does: readonly OperationId[];
  register(server: McpServer, host: ToolHost): void;
}

/** @example tool({ name: 'catalog', effect: 'reads', input: {}, answer: { tiers: 'array' }, run: async (_, { client }) => … }) */
export function tool<I extends z.ZodRawShape>(spec: ToolSpec<I>): Tool {
  const reads = spec.effect === 'reads';
  const input = z.strictObject(spec.input);
  return {
    name: spec.name,
    reads,
    does: spec.does ?? [],
    register(server, host) {
      server.registerTool(
        spec.name,
        {
          title: spec.title,
          description: spec.description,
          inputSchema: announced(inputJson(input)),
          outputSchema: announced(answerJson(spec.answer)),
          // A hint that is false when it is absent is left out if it is false: the list is read by models.
          annotations: {
            ...(reads
              ? { readOnlyHint: true }
              : {
                  destructiveHint: spec.effect === 'destroys',
                  ...(spec.repeatable === true ? { idempotentHint: true } : {}),
                }),
            openWorldHint: spec.openWorld === true,
          },
        },
        async (args, context) => {
          try {
            const checked = checkArguments(input, args ?? {});
            const call = {
              ...host.open(),
              toolFor: host.toolFor,
              signal: context.mcpReq.signal,
              progress: progressOf(context),
            };
            return success(await spec.run(checked, call));
          } catch (error) {
            // The call was canceled: nobody waits for the answer, and this is no bug.
            if (context.mcpReq.signal.aborted) throw error;
            return failure(error, host);
          }
        },
      );
    },
  };
}

/** @throws InvalidInput that names every argument that is wrong */
function checkArguments<I extends z.ZodObject>(input: I, args: unknown): z.infer<I> {
  const parsed = input.safeParse(args, {
    error: ({ code, input: given }) => (code === 'invalid_type' && given === undefined ? 'is missing' : undefined),
  });
  const unfit = parsed.success ? unfitText(args, '') : null;
  if (unfit !== null) throw new InvalidInput(unfit);
  if (parsed.success) return parsed.data;
  const known = Object.keys(input.shape).join(', ') || 'none';
  const problems = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown argument ${issue.keys.join(', ')} (known: ${known})`
      : `${issue.path.join('.') || 'arguments'}: ${issue.message}`,
  );
  throw new InvalidInput(problems.join('; '));
}

/** Where a text has a null byte or half a character, which neither paths nor the service take; null if nowhere. */
function unfitText(value: unknown, path: string): string | null {
  if (typeof value === 'string') {
    const unfit = value.includes('\0') ? 'a null byte' : UNPAIRED.test(value) ? 'an unpaired surrogate' : null;
    return unfit === null ? null : `${path}: must not contain ${unfit}`;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const unfit = unfitText(name, path) ?? unfitText(inner, at);
    if (unfit !== null) return unfit;
  }
  return null;
}

const UNPAIRED = /\p{Cs}/u;

function success({ data, text }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: text ?? JSON.stringify(data) }],
    structuredContent: data,
  };
}

function failure(error: unknown, { toolFor }: ToolHost): CallToolResult {
  const content = { error: describeError(error, toolFor) };
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(content) }],
    structuredContent: content,
  };
}

const LEAST_PROGRESS = 0.001;

function progressOf({ mcpReq }: ServerContext): ToolCall['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return null;
  let last = { done: -1, message: '' };
  return (done, total, message) => {
    if (message === last.message && done <= last.done) return;
    // The protocol requires progress to increase, even if only the text changes.
    last = { done: done > last.done ? done : last.done + LEAST_PROGRESS, message };
    const params = { progressToken, progress: last.done, message, ...(total === undefined ? {} : { total }) };
    // A closed connection needs no progress; the call itself reports it.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
