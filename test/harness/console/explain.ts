// When a test with a page fails, the report says what the page showed.
import type { Page, Request } from 'playwright-core';
import type { Test } from 'tap';

const REQUESTS = 5;
const LINES = 60;

/**
 * Adds comments to the report of a test that fails: the page's address and heading, its last requests with their status,
 * what the browser complained of, and the accessibility tree. They are as they were when tap reported the first failure:
 * for an error, when the test ended, else at the next assertion.
 *
 * @returns adds them; for the end of the test, while the page is open
 */
export function explainFailure(t: Test, page: Page, complaints: readonly string[]): () => Promise<void> {
  const requests: Request[] = [];
  page.on('request', (request) => {
    if (!['fetch', 'document'].includes(request.resourceType())) return;
    requests.push(request);
    if (requests.length > REQUESTS) requests.shift();
  });
  const refused: string[] = [];
  page.on('response', (response) => {
    const request = response.request();
    if (response.status() < 400 || request.resourceType() === 'fetch') return;
    refused.push(`${response.status()} ${new URL(request.url()).pathname}`);
  });
  let seen: Promise<string[]> | undefined;
  const look = () => {
    seen ??= describe(page, requests, [...refused, ...complaints]).catch((error: unknown) => [String(error)]);
    return seen;
  };
  t.on('assert', ({ ok, skip, todo }: { ok: boolean; skip?: unknown; todo?: unknown }) => {
    if (!ok && !skip && !todo) void look();
  });
  return async () => {
    if (t.passing()) return;
    for (const line of await look()) t.comment(line);
  };
}

async function describe(page: Page, requests: readonly Request[], complaints: readonly string[]): Promise<string[]> {
  const url = page.url();
  const asked = requests.map(lineOf);
  const [tree, headings] = await Promise.all([
    page.locator('body').ariaSnapshot({ timeout: 5_000 }),
    page.locator('h1').allInnerTexts(),
  ]);
  const lines = contentOf(tree);
  return [
    `page: ${url}`,
    `heading: ${headings.join(' | ') || 'none'}`,
    ...asked.map((line) => `request: ${line}`),
    ...complaints.map((line) => `browser: ${line.split('\n')[0]}`),
    ...lines.slice(0, LINES),
    ...(lines.length > LINES ? [`and ${lines.length - LINES} more lines`] : []),
  ].map((line) => line.slice(0, 200));
}

function lineOf(request: Request): string {
  const { pathname, search } = new URL(request.url());
  const outcome = request.failure()?.errorText ?? request.existingResponse()?.status() ?? 'no answer yet';
  return `${request.method()} ${pathname}${search}: ${outcome}`;
}

/** The lines of the accessibility tree without the navigation and the targets of links. */
function contentOf(tree: string): string[] {
  let inNavigation = false;
  return tree.split('\n').filter((line) => {
    if (!line.startsWith(' ')) inNavigation = line.startsWith('- complementary');
    return !inNavigation && !/^ *- \/url:/.test(line);
  });
}
