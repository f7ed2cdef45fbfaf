// {site_url}/docs/errors/{code}: where error.docs leads, one plain page a code.
import { errorCatalog, type Fault } from '../../domain/error-catalog.js';

const whatToDo: Readonly<Record<Fault, string>> = {
  client: 'Change the request; the same one will fail again.',
  platform: 'The fault is on our side and has been reported.',
  payment: 'A person has to pay or consent.',
  capacity: 'There is no room now; try again later.',
};

/** HTML, or null when there is no such code. */
export function errorPage(code: string): string | null {
  const entry = Object.entries(errorCatalog).find(([name]) => name === code)?.[1];
  if (!entry) return null;
  const advice = entry.retryable
    ? 'Wait as long as retry_after_s says, then send the same request again.'
    : whatToDo[entry.fault];
  return page(
    code,
    `<h1><code>${code}</code></h1>
<p>${escapeHtml(entry.meaning)}</p>
<dl>
<dt>HTTP status</dt><dd>${entry.status}</dd>
<dt>Fault</dt><dd>${entry.fault}</dd>
<dt>May be repeated</dt><dd>${entry.retryable ? 'yes' : 'no'}</dd>
<dt>What to do</dt><dd>${advice}</dd>
</dl>
<p><a href="/docs/errors">All codes</a></p>`,
  );
}

/** HTML: every code with its meaning. */
export function errorIndexPage(): string {
  const rows = Object.entries(errorCatalog).map(
    ([code, { status, meaning }]) =>
      `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(meaning)}</td></tr>`,
  );
  return page(
    'Error codes',
    `<h1>Error codes</h1>\n<table>\n<tr><th>Code</th><th>HTTP</th><th>Meaning</th></tr>\n${rows.join('\n')}\n</table>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Cidermill</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}dt{font-weight:600}dd{margin:0 0 .5rem}td,th{text-align:left;padding:.2rem .8rem .2rem 0;vertical-align:top}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}a{color:#8cf}}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
