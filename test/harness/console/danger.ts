import type { Locator, Page } from 'playwright-core';
import type { Test } from 'tap';

/**
 * Returns the button that ends or deletes something. It is in the card of such actions, which is the last one of the page,
 * and nowhere else.
 */
export async function dangerButton(t: Test, page: Page, name: string): Promise<Locator> {
  const main = page.getByRole('main');
  const card = main.getByRole('region', { name: 'Danger zone' });
  const button = card.getByRole('button', { name, exact: true });
  await button.waitFor();
  t.equal(await main.getByRole('button', { name, exact: true }).count(), 1, `${name} is in one place`);
  t.match(await main.locator('section').last().innerText(), /^Danger zone/, 'the last card');
  return button;
}
