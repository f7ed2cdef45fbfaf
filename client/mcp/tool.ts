// What a tool is: its description, its schemas, and a function from arguments to an answer or an error.
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';
import type { Client } from '../create-client.js';
import type { LogLines } from './log-lines.js';
import { describeError, errorShape } from './tool-error.js';

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
  /** Null unless the caller asked to be told. `done` only grows; `total` if it is known. */
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
  /** What it does, when to use it, and what to do next. */
  readonly description: string;
  readonly input: I;
  /** Fields of a successful answer; a failed one has `error` alone. */
  readonly output: z.ZodRawShape;
  readonly effect: Effect;
  /** Repeating it with the same arguments changes nothing further. */
  readonly repeatable?: boolean;
  /** Carries text that came from outside the service, such as a build's log. */
  readonly openWorld?: boolean;
  run(args: z.infer<z.ZodObject<I>>, call: ToolCall): Promise<ToolAnswer>;
}

export interface Tool {
  readonly name: string;
  readonly reads: boolean;
  register(server: McpServer, deps: ToolDeps): void;
}

/** @example tool({ name: 'catalog', effect: 'reads', input: {}, output: { tiers: … }, run: async (_, { client }) => … }) */
export function tool<I extends z.ZodRawShape>(spec: ToolSpec<I>): Tool {
  const reads = spec.effect === 'reads';
  return {
    name: spec.name,
    reads,
    register(server, deps) {
      server.registerTool(
        spec.name,
        {
          title: spec.title,
          description: spec.description,
          inputSchema: z.object(spec.input),
          // Nothing is required: clients hold failed answers against this schema as well.
          outputSchema: z.looseObject({ ...z.object(spec.output).partial().shape, error: errorShape }),
          annotations: {
            title: spec.title,
            readOnlyHint: reads,
            destructiveHint: spec.effect === 'destroys',
            idempotentHint: reads || spec.repeatable === true,
            openWorldHint: spec.openWorld === true,
          },
        },
        async (args, context) => {
          try {
            const call = { ...deps, signal: context.mcpReq.signal, progress: progressOf(context) };
            return success(await spec.run(z.object(spec.input).parse(args), call));
          } catch (error) {
            // Nobody waits for the answer, and no defect is to be reported.
            if (context.mcpReq.signal.aborted) throw error;
            return failure(error);
          }
        },
      );
    },
  };
}

function success({ data, text }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: text ?? JSON.stringify(data, null, 1) }],
    structuredContent: data,
  };
}

function failure(error: unknown): CallToolResult {
  const content = { error: describeError(error) };
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(content, null, 1) }],
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
    // The protocol wants each to be more than the one before, even where only the words are new.
    last = { done: done > last.done ? done : last.done + LEAST_PROGRESS, message };
    const params = { progressToken, progress: last.done, message, ...(total === undefined ? {} : { total }) };
    // Whoever has gone away needs no news; the call itself meets the closed connection.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
