// `cidermill admin` against a service of a test, whose routes it calls without a socket, as a holder of the operator token.
import { createProgram, type Output, runAdmin } from '../../control-plane/admin/cli.js';
import { type Execute, NotConfirmed, type Result } from '../../control-plane/admin/command.js';
import { connectTo, createOperatorClient } from '../../control-plane/admin/operator-client.js';
import { buildLocalApi } from '../../control-plane/compose/http/local-api.js';
import { createOperatorRoutes } from '../../control-plane/compose/operator-api.js';
import { tokenOperator } from '../../control-plane/platform/domain/operator.js';
import type { Harness } from './harness.js';

export interface AdminRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What `--json` printed: one value a line; the last of them. Undefined without it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it
  readonly json: any;
  /** Code of the error with which the service refused it; null: it did not. */
  readonly refused: string | null;
}

export interface AdminOptions {
  readonly stdin?: string;
  /** The operator's IP address. */
  readonly ip?: string;
  /** Whether a person is at a terminal, who answers with `stdin`. */
  readonly interactive?: boolean;
  readonly screen?: { readonly columns: number; readonly rows: number };
}

/** Runs a command; returns its exit code and what it prints. Its standard input is empty, unless `more` says otherwise. */
export async function printedBy(
  argv: readonly string[],
  more: Partial<Output> = {},
  open?: Parameters<typeof runAdmin>[2],
): Promise<Pick<AdminRun, 'code' | 'out' | 'err'>> {
  let [out, err] = ['', ''];
  const output = {
    write(text: string) {
      out += text;
    },
    complain(text: string) {
      err += text;
    },
    readLine: async () => '',
    ...more,
  };
  const code = await runAdmin(argv, output, open);
  return { code, out, err };
}

/** The last line of what a command printed; throws an error with the message of one that failed. */
function jsonOf({ code, out, err }: Pick<AdminRun, 'code' | 'out' | 'err'>) {
  if (code !== 0) throw new Error(err);
  return JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
}

/** The routes of the service, for a holder of the operator token at this IP address. */
const apiOf = ({ parts, auditLog }: Harness, ip: string) =>
  buildLocalApi(parts.platform, createOperatorRoutes(parts.operatorService, false), tokenOperator(ip), auditLog);

/**
 * Returns a function that runs a command with these arguments.
 *
 * @example const { code, json } = await adminOf(h)(['org', 'list', '--json']);
 */
export const adminOf =
  (h: Harness) =>
  async (argv: readonly string[], options: AdminOptions = {}): Promise<AdminRun> => {
    const { stdin = '', ip = '192.0.2.1', interactive = false, screen = null } = options;
    let refused: string | null = null;
    const from = { interactive, readLine: async () => stdin, screen: () => screen };
    const { code, out, err } = await printedBy(argv, from, async () => {
      const api = apiOf(h, ip);
      const send: typeof api.send = async (...request) => {
        const answer = await api.send(...request);
        if (answer.status >= 400) refused = JSON.parse(answer.text).error.code;
        return answer;
      };
      return createOperatorClient(send, 'the test', api.close);
    });
    const last = argv.includes('--json') ? out.trimEnd().split('\n').at(-1) : undefined;
    return { code, out, err, refused, json: last ? JSON.parse(last) : undefined };
  };

/**
 * Returns a function that runs a command and returns what it shows, in both forms: of a command that waits, all pages.
 * Throws what the command throws. A wait ends at once, and the service's time goes on meanwhile.
 *
 * @param events.shown runs after each page, before the command goes on
 */
export const commandsOf =
  (h: Harness, { shown }: { shown?(page: Result): Promise<void> } = {}) =>
  async (
    ...argv: readonly string[]
  ): Promise<Result & { readonly pages: readonly Result[]; readonly exit: number }> => {
    const pages: Result[] = [];
    let [exit, told] = [0, 0];
    const alone = () => Promise.reject(new Error('it has no service of its own'));
    const execute: Execute = async ({ json = false }, work) => {
      const api = apiOf(h, '192.0.2.1');
      try {
        const code = await work({
          client: createOperatorClient(api.send, 'the test', api.close),
          isRemote: true,
          asJson: json,
          screen: null,
          show: (result) => pages.push(result),
          write: () => {},
          confirm: async (question) => {
            throw new NotConfirmed(question);
          },
          readLine: async () => '',
          clock: h.clock,
          async pause(ms) {
            for (; told < pages.length; told++) await shown?.(pages[told] as Result);
            await h.clock.advance(ms);
            await h.workers.idle();
          },
        });
        exit = code ?? 0;
      } finally {
        await api.close();
      }
    };
    const program = createProgram({ write: () => {}, complain: () => {} }, execute, alone);
    await program.parseAsync([...argv], { from: 'user' });
    const last = pages.at(-1) ?? { json: undefined, text: '' };
    return { ...last, pages, exit };
  };

/**
 * Returns a function that runs a command against a service that listens, and returns what it prints with `--json`: of
 * several lines the last one. Throws an error with the message of a command that fails.
 *
 * @example const { token } = await adminAt(service.siteUrl, TOKEN)('host', 'enroll', '--tier', 'm4');
 */
export const adminAt =
  (siteUrl: string, operatorToken: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it
  async (...argv: readonly string[]): Promise<any> => {
    return jsonOf(await printedBy([...argv, '--json'], {}, async () => connectTo(siteUrl, operatorToken, {})));
  };

/** The same on a data folder. */
export const adminIn =
  (data: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it
  async (...argv: readonly string[]): Promise<any> =>
    jsonOf(await printedBy([...argv, '--data', data, '--json']));
