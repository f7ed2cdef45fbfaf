// The console in a real browser, against a real service in this process, with a signed-in person.
import type { Test } from 'tap';
import type { Role } from '../../../control-plane/platform/domain/role.js';
import type { Harness, HarnessOptions } from '../harness.js';
import { type OpenedPage, openPage, type PageOptions } from './browser.js';
import { startListening } from './listening.js';

export interface ConsoleOptions extends PageOptions {
  /** Default: owner. Null: nobody is signed in. */
  readonly role?: Role | null;
  readonly operator?: boolean;
  readonly harness?: HarnessOptions;
  /** Of the site URL. Default: 127.0.0.1. Browsers have passkeys for names only. */
  readonly host?: 'localhost';
}

export interface OpenedConsole extends OpenedPage {
  readonly h: Harness;
  /** Slug of the organization `h.org`. */
  readonly slug: string;
  /** The value of the person's Cookie header. */
  readonly cookie: string;
  /** Opens an address, e.g. `/builds` below the organization's, or one that begins with `//` as it is without one slash. */
  open(path: string): Promise<void>;
}

/**
 * Starts the service and opens a browser; no page is open yet.
 *
 * @example const c = await openConsole(t, { role: 'admin' }); await c.open('/builds');
 */
export async function openConsole(
  t: Test,
  { role = 'owner', operator = false, harness, host, ...look }: ConsoleOptions = {},
): Promise<OpenedConsole> {
  const h = await startListening(t, harness, host);
  const slug = await slugOf(h);
  const opened = await openPage(t, look);
  const cookie = role === null ? '' : await h.signIn(role, { email: 'ada@example.com', operator });
  if (cookie !== '') await giveCookie(opened, h.siteUrl, cookie);
  return {
    ...opened,
    h,
    slug,
    cookie,
    async open(path) {
      const address = path.startsWith('//') ? path.slice(1) : `/o/${slug}${path === '/' ? '' : path}`;
      await opened.page.goto(h.siteUrl + address);
      await settled(opened);
    },
  };
}

/** @param cookie value of a Cookie header with one cookie */
export async function giveCookie({ context }: OpenedPage, url: string, cookie: string): Promise<void> {
  const at = cookie.indexOf('=');
  await context.addCookies([{ name: cookie.slice(0, at), value: cookie.slice(at + 1), url }]);
}

/** Resolves when the page has its heading, and nothing is being loaded. */
export async function settled({ page }: Pick<OpenedPage, 'page'>): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('[data-loading]').first().waitFor({ state: 'detached' });
}

async function slugOf(h: Harness): Promise<string> {
  const row = await h.store.get<{ slug: string }>('SELECT slug FROM organizations WHERE id = :id', {
    id: h.org.id,
  });
  if (!row) throw new Error('the organization is gone');
  return row.slug;
}
