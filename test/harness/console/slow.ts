// A slow browser and a slow network, set with `TEST_BROWSER_SLOW`: they show what a page or a test relies on without waiting
// for it.
import type { BrowserContext, Page, Route } from 'playwright-core';
import type { Test } from 'tap';

/** How many times slower the browser computes; 1: not slowed, nor is the network. */
const rate = Number(process.env.TEST_BROWSER_SLOW ?? 1);

export const isSlow = rate !== 1;

const SHORTEST_MS = 20;
const LONGEST_MS = 320;

export async function slowDown(t: Test, context: BrowserContext, page: Page): Promise<void> {
  if (!isSlow) return;
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  await context.route(/\/(?:api|assets)\//, delay);
  // A page that is closed takes no answer.
  t.teardown(() => context.unrouteAll({ behavior: 'ignoreErrors' }));
}

/** Delays a request, or its answer, which then is from before what happens in the meantime. */
async function delay(route: Route): Promise<void> {
  if (route.request().resourceType() !== 'fetch' || Math.random() < 0.5) {
    await pause();
    return route.continue();
  }
  const response = await route.fetch();
  await pause();
  await route.fulfill({ response });
}

const pause = () =>
  new Promise((resolve) => {
    setTimeout(resolve, SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
  });
