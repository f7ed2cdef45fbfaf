// What a command works with: the client, the streams, the output format.

import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Command } from 'commander';
import { printedJson } from '../../shared/clean-text.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import { type BuildClient, buildClient } from '../build-client.js';
import type { Wire } from '../http/exchange.js';
import type { OnWait } from '../http/retry.js';
import { openWire } from '../open-wire.js';
import type { CliContext, Output } from './context.js';
import { EXIT_OK } from './exit-codes.js';
import { createNodeFetch, type NodeFetch } from './node-fetch.js';
import type { GlobalOptions } from './options.js';
import { contextOf } from './program.js';
import { findService, misspelledVariables, type Service } from './settings.js';
import { printable, type Style, styleFor } from './terminal.js';
import { createTerminalFilter } from './terminal-filter.js';
import { UsageError } from './usage-error.js';

export interface Session {
  client: BuildClient;
  /** What the client sends over, for commands that need more than it offers. */
  wire: Wire;
  clock: Clock;
  context: CliContext;
  /** `--json`: standard output carries one JSON document. */
  json: boolean;
  /** Styles for standard output and standard error. */
  style: { out: Style; err: Style };
  /** Writes to standard output, no faster than it is read. */
  print(text: string | Uint8Array): Promise<void>;
  /**
   * Writes a build's log: to standard output, or with `--json` to standard error. On a terminal without what would control
   * it, otherwise byte for byte.
   */
  printLog(output: string | Uint8Array): Promise<void>;
  /** Ends colors and links that the log left open on a terminal. */
  endLog(): void;
  /** Writes a line to standard error. */
  note(text: string): void;
  /** Reports a longer delay before a retry on standard error. */
  noteWait: OnWait;
  /** Prints the result: as JSON, or rendered for people. */
  answer<T>(value: T, render: (value: T) => string): void;
  /** Opens a connection before there is something to send. */
  connectAhead(): void;
  close(): void;
}

/** Retries of short requests; a followed log is retried for longer. */
const RETRY = { attempts: 4, baseMs: 250, maxMs: 4_000, maxRetryAfterMs: 20_000 };

/** Shorter delays are not reported, ms. */
const NOTED_WAIT_MS = 2_000;

export interface SessionOptions {
  /** When standard output is closed: exit at once (the default), or finish the command. */
  whenUnread?: 'end' | 'finish';
}

/** @throws UsageError when no service is configured, or its address is none */
export function openSession(
  context: CliContext,
  options: GlobalOptions,
  { whenUnread = 'end' }: SessionOptions = {},
): Session {
  const { stdout, stderr, env, clock = systemClock } = context;
  for (const warning of misspelledVariables(env)) stderr.write(`cidermill: ${warning}\n`);
  const service = findService({ flags: options, env, cwd: context.cwd() });
  const network = createNodeFetch(env);
  const noteWait: OnWait = ({ message, code, retryAfterS }, waitMs) => {
    if (retryAfterS === null || waitMs < NOTED_WAIT_MS) return;
    const seconds = Math.round(waitMs / 1000);
    stderr.write(`waiting ${seconds} s before trying again: ${printable(message)} (${code})\n`);
  };
  const wire = wireFor(service, network, { clock, onWait: noteWait });
  const client = buildClient(wire, promisify(gzip));
  const log = logPrinter(options.json ? stderr : stdout);
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (whenUnread === 'end') context.exit(EXIT_OK);
  });
  return {
    client,
    wire,
    clock,
    context,
    json: options.json === true,
    style: { out: styleFor(stdout, env), err: styleFor(stderr, env) },
    print: (text) => writeAll(stdout, text),
    printLog: log.print,
    endLog: log.end,
    noteWait,
    note(text) {
      log.end();
      stderr.write(`${text}\n`);
    },
    answer(value, render) {
      stdout.write(options.json ? `${printedJson(value, 2)}\n` : render(value));
    },
    connectAhead() {
      // Only an optimization: if it fails, the first request reports it.
      network.connectAhead(client.baseUrl).catch(() => undefined);
    },
    close() {
      log.end();
      network.close();
    },
  };
}

/** A wire whose network starts fast; see {@link createNodeFetch}. */
export function wireFor(
  service: Service,
  network: NodeFetch,
  { clock, onWait }: { clock?: Clock; onWait?: OnWait } = {},
): Wire {
  try {
    return openWire({
      ...service,
      fetch: network.fetch,
      randomId: randomUUID,
      ...(clock ? { clock } : {}),
      retry: { ...RETRY, ...(onWait ? { onWait } : {}) },
      userAgent: 'cli',
    });
  } catch (error) {
    throw new UsageError(
      `${service.url} is not a service's address: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Runs the work of a command in a session that is closed whatever happens. */
export async function withSession(
  command: Command,
  work: (session: Session) => Promise<void>,
  sessionOptions?: SessionOptions,
): Promise<void> {
  const session = openSession(contextOf(command), command.optsWithGlobals(), sessionOptions);
  try {
    await work(session);
  } finally {
    session.close();
  }
}

function logPrinter(stream: Output) {
  const filter = stream.isTTY ? createTerminalFilter() : null;
  return {
    print(output: string | Uint8Array): Promise<void> {
      const bytes = typeof output === 'string' ? Buffer.from(output) : output;
      return writeAll(stream, filter ? filter.write(bytes) : bytes);
    },
    end(): void {
      const rest = filter?.end() ?? '';
      if (rest !== '') stream.write(rest);
    },
  };
}

function writeAll(stream: Output, text: string | Uint8Array): Promise<void> {
  if (!stream.writable || stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}
