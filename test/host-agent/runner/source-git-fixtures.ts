// A code host: real repositories behind git's own smart HTTP program, with or without a password.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import type { MaterializeInput } from '../../../host-agent/runner/source/materialize.js';
import { listening } from '../../harness/listening.js';
import { createMac, look, type Mac, upload } from './source-fixtures.js';

export type GitSource = Extract<MaterializeInput['source'], { kind: 'git' }>;

/** Runs git in a repository or work folder; returns its output. */
export function run(folder: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
    env: ownersEnv({}),
  }).trim();
}

/** The same asynchronously, because `run` would block the code host. */
export async function runBeside(folder: string, env: Record<string, string>, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd: folder, env: ownersEnv(env) });
  return stdout.trim();
}

function ownersEnv(more: Record<string, string>): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: '/var/empty',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
    GIT_ALLOW_PROTOCOL: 'file:http',
    ...more,
  };
}

export interface Upstream {
  /** A bare repository. */
  path: string;
  /**
   * Commits these files (null: removed) and submodules on top of a branch, which begins at the last commit if need be; returns the
   * commit.
   */
  commit(branch: string, files: Record<string, string | null>, submodules?: Record<string, string | null>): string;
  /** Points a ref at a commit, also backwards. */
  point(ref: string, commit: string): void;
  drop(ref: string): void;
}

export interface CodeHost {
  /** http://127.0.0.1:port */
  origin: string;
  root: string;
  /** Authorization headers, in the order of the requests. */
  authorizations: (string | undefined)[];
  requests: string[];
  upstream(name: string): Upstream;
  source(name: string, target?: Partial<Omit<GitSource, 'kind' | 'url'>>): GitSource;
  /** Answers instead of git when it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** `user:password` required for every request; null: public. */
  password: string | null;
  /** Old servers support only version 0 of git's protocol, in which a commit cannot be requested by its id. */
  oldProtocol: boolean;
}

export async function createCodeHost(t: Test, root: string): Promise<CodeHost> {
  mkdirSync(root, { recursive: true });
  const server = createServer((request, response) => {
    host.requests.push(`${request.method} ${request.url}`);
    host.authorizations.push(request.headers.authorization);
    if (host.intercept(request, response)) return;
    const wanted = host.password === null ? null : `Basic ${Buffer.from(host.password).toString('base64')}`;
    if (wanted !== null && request.headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="code"' }).end('who are you?\n');
      return;
    }
    serveGit(host, request, response);
  });
  const port = await listening(t, server);
  const host: CodeHost = {
    origin: `http://127.0.0.1:${port}`,
    root,
    authorizations: [],
    requests: [],
    intercept: () => false,
    password: null,
    oldProtocol: false,
    upstream: (name) => createUpstream(join(root, name)),
    source: (name, target) => ({
      kind: 'git',
      url: `${host.origin}/${name}`,
      ref: null,
      commit: null,
      pr: null,
      ...target,
    }),
  };
  return host;
}

function serveGit(host: CodeHost, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', host.origin);
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: host.root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
      ...(host.oldProtocol ? {} : { GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') }),
    },
  });
  request.pipe(child.stdin).on('error', () => child.kill());
  response.on('close', () => child.kill());
  let head = Buffer.alloc(0);
  const onHead = (data: Buffer) => {
    head = Buffer.concat([head, data]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    child.stdout.off('data', onHead);
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: */, 2);
      if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on('data', onHead);
}

function createUpstream(path: string): Upstream {
  mkdirSync(dirname(path), { recursive: true });
  run(dirname(path), 'init', '--quiet', '--bare', '--initial-branch=main', path);
  let last = '';
  return {
    path,
    commit(branch, files, submodules = {}) {
      const ref = `refs/heads/${branch}`;
      const changes = [
        ...Object.entries(files).map(([name, content]) => changeOf(name, content)),
        ...Object.entries(submodules).map(([name, commit]) =>
          commit === null ? `D ${quoted(name)}\n` : `M 160000 ${commit} ${quoted(name)}\n`,
        ),
      ];
      const input = [
        `commit ${ref}\nmark :1\ncommitter A <a@example.com> ${Math.floor(Date.now() / 1000)} +0000\n`,
        data(`change of ${branch}\n`),
        existsSync(join(path, ref)) ? `from ${ref}^0\n` : last && `from ${last}\n`,
        ...changes,
        '\nget-mark :1\n',
      ];
      last = execFileSync('git', ['fast-import', '--quiet', '--date-format=raw'], {
        cwd: path,
        encoding: 'utf8',
        input: input.join(''),
        env: ownersEnv({}),
      }).trim();
      return last;
    },
    point: (ref, commit) => run(path, 'update-ref', ref, commit),
    drop: (ref) => run(path, 'update-ref', '-d', ref),
  };
}

// What `git fast-import` reads.
const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
const quoted = (name: string) => JSON.stringify(name);

function changeOf(name: string, content: string | null): string {
  if (content === null) return `D ${quoted(name)}\n`;
  return `M ${content.startsWith('#!') ? 100755 : 100644} inline ${quoted(name)}\n${data(content)}`;
}

/** Checks out a repository as the runner would, over http on this machine. */
export function checkOutGit(mac: Mac, source: GitSource, over?: Partial<MaterializeInput>) {
  return mac.checkOut(upload({}), { source, gitProtocols: ['http', 'file'], ...over });
}

/** Returns the paths below a folder that contain the text, plain or in base64. */
export function filesWith(folder: string, text: string): string[] {
  const forms = [text, Buffer.from(text).toString('base64').replace(/=+$/, ''), Buffer.from(text).toString('hex')];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => forms.some((form) => readFileSync(path).includes(form)));
}

/** A Mac and a code host. */
export async function start(t: Test): Promise<{ mac: Mac; host: CodeHost }> {
  const mac = createMac(t);
  return { mac, host: await createCodeHost(t, join(mac.root, 'code-host')) };
}

/** Returns what `look` returns, without the .git folders. */
export function files(folder: string): Record<string, string> {
  return Object.fromEntries(Object.entries(look(folder)).filter(([path]) => !/(^|\/)\.git\//.test(path)));
}
