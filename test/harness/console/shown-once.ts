// Reads a value that the console shows only once, such as a new key.
import type { Locator, Page } from 'playwright-core';
import type { Test } from 'tap';

/** Checks that neither Escape nor a click outside closes the dialog that is open, and that it has no other way out. */
export async function staysOpen(t: Test, page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  const secret = await dialog.locator('[data-secret]').innerText();
  await page.keyboard.press('Escape');
  await page.mouse.click(4, 400);
  t.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0);
  t.equal(await dialog.locator('[data-secret]').innerText(), secret, 'Escape and a click outside leave it open');
}

/** Copies the value, and confirms that it is stored. @param place the dialog, or a page without other values to copy */
export async function storeSecret(place: Page | Locator): Promise<void> {
  await place.getByRole('button', { name: 'Copy', exact: true }).first().click();
  await place.getByRole('button', { name: 'I have stored it' }).click();
}
