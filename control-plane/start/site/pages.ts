// The console: a single-page application, built by Vite. Every address of the console answers with the same document,
// which loads all data of a person or an organization through the API.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isErrno } from '../../../shared/errno.js';
import { type Address, addresses } from '../../console/addresses.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { contentCoding } from '../../platform/http/content-coding.js';
import { cookieChoice, personLanguage } from '../../platform/http/person-language.js';
import { firstPaint } from './first-paint.js';
import { filesOfPage, openAddress, type PageFiles, parsePageFiles } from './page-files.js';

export interface PagesOptions {
  /** Without a trailing slash. */
  readonly siteUrl: string;
  readonly cookie: { read(header: string | undefined): string | null };
  /** The pay page opens PortOne's window, and may load what that window needs. */
  readonly paymentWindow: boolean;
}

// The compiled file is two folders below the compiled control plane.
const app = new URL('../../console/app/', import.meta.url);

const ASSET = /^[\w.-]+\.(?:css|js|svg|png|woff2)$/;
const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

/** Endings of the files that the build has compressed. */
const ENDS = { br: 'br', gzip: 'gz' } as const;

type ReadFile = ReturnType<typeof createFileReader>;

export function createPages(options: PagesOptions) {
  const read = createFileReader();
  const { shell, payShell } = createShells(options, read);
  return {
    mount(server: FastifyInstance): void {
      // A page of its own in earlier versions; the overview has it now.
      server.get('/usage', (_request, reply) => reply.redirect('/', 308));
      for (const address of addresses) {
        server.get(address.replaceAll('$', ':'), address.startsWith('/pay/') ? payShell : shell);
      }
      mountAssets(server, read);
    },
    /** Answers a browser that asks for a page that does not exist; returns null for any other request. */
    unknown: (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | null =>
      wantsPage(request) ? shell(request, reply.code(404)) : null,
  };
}

const wantsPage = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  !/^\/(?:api|console|docs|packages)\//.test(url) &&
  /\btext\/html\b/.test(headers.accept ?? '');

function createShells({ siteUrl, paymentWindow, cookie }: PagesOptions, read: ReadFile) {
  const headers = {
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(self)',
    'x-content-type-options': 'nosniff',
    ...(siteUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  const shellWith =
    (policyOf: (nonce: string) => string, more: Readonly<Record<string, string>> = {}) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const nonce = randomBytes(18).toString('base64');
      const [html, files] = await Promise.all(
        ['index.html', 'pages.json'].map(async (name) => (await read(new URL(name, app))).toString('utf8')),
      );
      const document = withPage(html ?? '', {
        files: parsePageFiles(files ?? ''),
        address: addressOf(request),
        request,
        hasSession: cookie.read(request.headers.cookie) !== null,
      });
      return reply
        .headers({ ...headers, ...more, 'content-security-policy': policyOf(nonce) })
        .type('text/html; charset=utf-8')
        .send(document.replaceAll('__nonce__', nonce));
    };
  const shell = shellWith(consolePolicy);
  const payShell = paymentWindow
    ? shellWith(payPolicy, { 'referrer-policy': 'strict-origin-when-cross-origin' })
    : shell;
  return { shell, payShell };
}

function mountAssets(server: FastifyInstance, read: ReadFile): void {
  server.get<{ Params: { file: string } }>('/console/assets/:file', async (request, reply) => {
    const { file } = request.params;
    if (!ASSET.test(file)) throw new ApiError('not_found');
    const url = new URL(`assets/${file}`, app);
    const coding = contentCoding(request.headers['accept-encoding']);
    const packed = coding && (await read(new URL(`${url.href}.${ENDS[coding]}`)).catch(missing));
    const contents = packed ?? (await read(url));
    // The name contains a checksum of the contents.
    reply.header('cache-control', 'public, max-age=31536000, immutable').header('vary', 'accept-encoding');
    reply.header('x-content-type-options', 'nosniff');
    reply.type(types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream');
    if (packed && coding) reply.header('content-encoding', coding);
    return reply.send(contents);
  });
}

function missing(error: unknown): null {
  if (error instanceof ApiError && isErrno(error.cause, 'ENOENT')) return null;
  throw error;
}

const themes = ['system', 'light', 'dark'] as const;

/** The address of the console that the request asks for; undefined: none. */
const addressOf = ({ routeOptions: { url } }: FastifyRequest) =>
  addresses.find((address) => address.replaceAll('$', ':') === url);

interface PageOf {
  readonly files: PageFiles;
  readonly address: Address | undefined;
  readonly request: FastifyRequest;
  readonly hasSession: boolean;
}

/** Returns the document with the person's language and theme, the frame of its page, and the files that it needs. */
function withPage(html: string, { files, address, request: { headers, url }, hasSession }: PageOf): string {
  const theme = cookieChoice(headers.cookie, 'cidermill_theme', themes) ?? 'system';
  const language = personLanguage(headers) ?? 'en';
  const path = url.split('?', 1)[0] ?? '';
  return html
    .replace('<html lang="en" data-theme="system">', `<html lang="${language}" data-theme="${theme}">`)
    .replace('</head>', () => `${preloads(files, address, hasSession)}</head>`)
    .replace('<div id="root"></div>', (root) => `${root}\n    ${firstPaint({ language, path, hasSession })}`);
}

/** Without a session the page is the one to sign in. */
function preloads(files: PageFiles, address: Address | undefined, hasSession: boolean): string {
  const { scripts, styles } = filesOfPage(files, hasSession ? address : address && openAddress(address));
  const linkOf = (file: string, attributes: string) =>
    `<link ${attributes} crossorigin href="/console/${file}" nonce="__nonce__">\n  `;
  return [
    ...scripts.map((file) => linkOf(file, 'rel="modulepreload"')),
    ...styles.map((file) => linkOf(file, 'rel="preload" as="style"')),
  ].join('');
}

/**
 * Returns a function that reads files, each once: they do not change while the service runs.
 *
 * @throws ApiError not_found for a file that does not exist
 */
function createFileReader(): (url: URL) => Promise<Buffer> {
  const kept = new Map<string, Promise<Buffer>>();
  return (url) => {
    const known = kept.get(url.href);
    if (known) return known;
    const reading = readFile(url).catch((error: unknown) => {
      kept.delete(url.href);
      throw isErrno(error, 'ENOENT') ? new ApiError('not_found', { cause: error }) : error;
    });
    kept.set(url.href, reading);
    return reading;
  };
}

// The content security policies of the console's pages.

const policyOf = (directives: Readonly<Record<string, string>>) =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');

const strict = (nonce: string) => ({
  'default-src': "'none'",
  'script-src': `'self' 'nonce-${nonce}'`,
  'style-src': `'self' 'nonce-${nonce}'`,
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
});

/** Nothing from another address, no inline script or style without the nonce of this response. */
const consolePolicy = (nonce: string): string => policyOf(strict(nonce));

/**
 * For the pay page when PortOne is configured: its script adds inline styles for its frame, and opens the site of the
 * provider that the payer selects.
 */
const payPolicy = (nonce: string): string =>
  policyOf({
    ...strict(nonce),
    'script-src': `'self' 'nonce-${nonce}' https://cdn.portone.io`,
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data: https:",
    'connect-src': "'self' https://*.portone.io",
    'frame-src': 'https:',
    'form-action': "'self' https:",
  });
