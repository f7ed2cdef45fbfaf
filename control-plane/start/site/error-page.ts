// {site_url}/docs/errors/{code}, the target of error.docs: one page per code, generated from the catalog, as HTML for
// people and as Markdown for programs.
import {
  ApiError,
  type ErrorCode,
  errorCatalog,
  isErrorCode,
  isRetryable,
} from '../../platform/domain/error-catalog.js';
import type { FailedRequest, Fault } from '../../platform/domain/errors/row.js';
import type { apiErrorBody } from '../../platform/http/api-envelope.js';
import { consoleErrorBody } from '../../platform/http/console-envelope.js';
import type { ErrorContext } from '../../platform/http/error-context.js';
import { escapeHtml, htmlPage, inlineCode } from './html-page.js';

export type ErrorPages = ReturnType<typeof createErrorPages>;

export interface Document {
  readonly html: string;
  readonly markdown: string;
}

/** Who has to act before the request can succeed. */
const whoActs: Readonly<Record<Fault, string>> = {
  client: 'The sender: the request, or what it names, has to change.',
  platform: 'The operator of the service. The error has been reported.',
  payment: 'A person of the account has to pay, consent or settle a dispute.',
  capacity: 'The sender, by waiting or by choosing something else: there is no capacity at the moment.',
};

/** For codes that any request can get. */
const anyRequest: FailedRequest = { method: 'GET', url: '/api/v1/status', body: null, params: {} };

/** @param envelope builds the error body of the API in its second format */
export function createErrorPages(
  siteUrl: string,
  envelope: (error: ApiError, context: ErrorContext) => ReturnType<typeof apiErrorBody>,
) {
  const pages = new Map<string, Document>();
  const page = (code: ErrorCode): Document => {
    const example = exampleOf(code, siteUrl, envelope);
    return { html: codeHtml(code, example), markdown: codeMarkdown(code, example, siteUrl) };
  };
  return {
    /** Returns null for an unknown code. */
    page(code: string): Document | null {
      if (!isErrorCode(code)) return null;
      const known = pages.get(code) ?? page(code);
      pages.set(code, known);
      return known;
    },
    /** Returns the page for unknown codes. */
    missing: (): Document => ({ html: missingHtml(), markdown: missingMarkdown(siteUrl) }),
    index: (): Document => ({ html: indexHtml(), markdown: indexMarkdown(siteUrl) }),
  };
}

function exampleOf(
  code: ErrorCode,
  siteUrl: string,
  envelope: (error: ApiError, context: ErrorContext) => unknown,
): string {
  const { request = anyRequest, form, ...options } = errorCatalog[code].example;
  const error = new ApiError(code, options);
  const context: ErrorContext = {
    ...request,
    requestId: 'req_01example',
    siteUrl,
    levels: ['read', 'build', 'manage'],
  };
  const body = form === 'console' ? consoleErrorBody(error, context) : envelope(error, context);
  return JSON.stringify(body, null, 2);
}

const formatNote = (code: ErrorCode): string =>
  errorCatalog[code].example.form === 'console'
    ? 'As the endpoints of the console and of operators return it.'
    : 'With the header `Service-Error-Format: 2`; without it `error` is the code, and the same content is in `error_detail`.';

const facts = (code: ErrorCode): readonly (readonly [string, string])[] => {
  const { status, fault, advice } = errorCatalog[code];
  const repeat = isRetryable(code)
    ? 'yes: the same request can succeed later; `retry_after_s` says when'
    : 'no: the same request would fail again';
  return [
    ['HTTP status', String(status)],
    ['Fault', `${fault}`],
    ['Who acts', whoActs[fault]],
    ['May be repeated', repeat],
    ['What to do', advice],
  ];
};

function codeHtml(code: ErrorCode, example: string): string {
  const rows = facts(code).map(([term, text]) => `<dt>${term}</dt><dd>${inlineCode(text)}</dd>`);
  const { status, fault, message } = errorCatalog[code];
  return htmlPage(
    code,
    `<p class="crumbs"><a href="/docs/errors">Error codes</a></p>
<h1><code>${code}</code></h1>
<p class="lead">${inlineCode(message)}</p>
<p class="tags"><span>${status}</span> <span class="${fault}">${fault}</span></p>
<dl>
${rows.join('\n')}
</dl>
<h2>Example</h2>
<p>${inlineCode(formatNote(code))}</p>
<pre><code>${escapeHtml(example)}</code></pre>
<p>For programs: <a href="/docs/errors/${code}.md">this page as Markdown</a>, <a href="/api/v1/openapi.json">the reference</a>.</p>`,
  );
}

function codeMarkdown(code: ErrorCode, example: string, siteUrl: string): string {
  const lines = facts(code).map(([term, text]) => `- ${term}: ${text}`);
  return `# ${code}

${errorCatalog[code].message}

${lines.join('\n')}

## Example

${formatNote(code)}

\`\`\`json
${example}
\`\`\`

All codes: ${siteUrl}/docs/errors.md
`;
}

const MISSING = 'This service has no error of that code. It may come from a newer or older one.';

function missingHtml(): string {
  return htmlPage(
    'No such code',
    `<h1>No such code</h1>
<p class="lead">${MISSING}</p>
<p><a href="/docs/errors">All error codes</a></p>`,
  );
}

function missingMarkdown(siteUrl: string): string {
  return `# No such code

${MISSING}

All codes: ${siteUrl}/docs/errors.md
`;
}

function indexHtml(): string {
  const rows = Object.entries(errorCatalog).map(
    ([code, { status, fault, retryAfterS, message }]) =>
      `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a><br>${inlineCode(message)}</td><td>${status}</td><td class="tags"><span class="${fault}">${fault}</span></td><td data-what="repeat:">${retryAfterS === null ? 'no' : 'yes'}</td></tr>`,
  );
  const faults = Object.entries(whoActs).map(
    ([fault, text]) => `<dt class="tags"><span class="${fault}">${fault}</span></dt><dd>${text}</dd>`,
  );
  return htmlPage(
    'Error codes',
    `<h1>Error codes</h1>
<p class="lead">Every error says who has to act, whether the same request may be repeated, and what to send next.</p>
<dl>
${faults.join('\n')}
</dl>
<table>
<thead><tr><th>Code</th><th>HTTP</th><th>Fault</th><th>Repeat</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`,
  );
}

function indexMarkdown(siteUrl: string): string {
  const faults = Object.entries(whoActs).map(([fault, text]) => `- ${fault}: ${text}`);
  const rows = Object.entries(errorCatalog).map(
    ([code, { status, fault, retryAfterS, message }]) =>
      `| [${code}](${siteUrl}/docs/errors/${code}.md) | ${status} | ${fault} | ${retryAfterS === null ? 'no' : 'yes'} | ${message} |`,
  );
  return `# Error codes

Who acts, by \`fault\`:

${faults.join('\n')}

| code | HTTP | fault | repeat | meaning |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
