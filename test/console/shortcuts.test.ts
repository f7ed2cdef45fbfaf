// The table of keyboard shortcuts: what a key does, and what the list says of it.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { rowsOf } from '../../control-plane/console/keys/rows.js';
import {
  type KeyOptions,
  type KeyStroke,
  keyOf,
  logShortcuts,
  pageShortcuts,
  type Shortcut,
  shortcutOf,
} from '../../control-plane/console/keys/shortcuts.js';
import { words } from '../../control-plane/console/keys/words.js';

const none = { code: '', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false };
const press = (key: string, more: Partial<KeyStroke> = {}): KeyStroke => ({ ...none, key, ...more });
const on: KeyOptions = { singleKeys: true, mod: 'ctrlKey' };
const off: KeyOptions = { ...on, singleKeys: false };
const tables = { pageShortcuts, logShortcuts };

t.test('every key of a table does what the table says, and no other does', async (t) => {
  for (const [of, table] of Object.entries<Readonly<Record<string, Shortcut>>>(tables)) {
    const keys = Object.values(table).flatMap((each) => each.keys);
    t.equal(new Set(keys).size, keys.length, `${of}: a key does one thing`);
    for (const [name, { keys: own, mod = false }] of Object.entries(table)) {
      for (const key of own) {
        t.equal(shortcutOf(table, press(key, { ctrlKey: mod }), on), name, `${of}: ${key}`);
        t.equal(shortcutOf(table, press(key, { ctrlKey: !mod }), on), null, `${of}: ${key}, the other way`);
        for (const held of ['altKey', 'metaKey', 'isComposing'] as const) {
          t.equal(shortcutOf(table, press(key, { ctrlKey: mod, [held]: true }), on), null, `${of}: ${key}, ${held}`);
        }
        const works = mod || key.length > 1;
        t.equal(
          shortcutOf(table, press(key, { ctrlKey: mod }), off),
          works ? name : null,
          `${of}: ${key}, switched off`,
        );
      }
    }
    t.equal(shortcutOf(table, press('x'), on), null);
  }
});

t.test('the palette opens with Command on Apple’s systems, where Control K deletes text', async (t) => {
  const apple: KeyOptions = { ...on, mod: 'metaKey' };
  t.equal(shortcutOf(pageShortcuts, press('k', { metaKey: true }), apple), 'palette');
  t.equal(shortcutOf(pageShortcuts, press('k', { ctrlKey: true }), apple), null);
  t.equal(shortcutOf(pageShortcuts, press('K', { ctrlKey: true, shiftKey: true }), on), null, 'a browser has it');
});

t.test('shortcuts work while Korean is typed', async (t) => {
  for (const [key, code, shiftKey, expected] of [
    ['ㅎ', 'KeyG', false, 'g'],
    ['ㅎ', 'KeyG', true, 'G'],
    ['ㅏ', 'KeyK', false, 'k'],
    ['/', 'Slash', false, '/'],
    ['k', 'KeyT', false, 'k'],
    ['Process', 'KeyG', false, 'Process'],
    ['é', 'Digit2', false, 'é'],
  ] as const) {
    t.equal(keyOf({ key, code, shiftKey }), expected, `${key} on ${code}`);
  }
  t.equal(shortcutOf(pageShortcuts, press('ㅏ', { code: 'KeyK', ctrlKey: true }), on), 'palette');
});

t.test('the list has every shortcut that works, in both languages', async (t) => {
  for (const table of Object.values<Readonly<Record<string, Shortcut>>>(tables)) {
    const rows = rowsOf(table, { singleKeys: true, modText: 'Ctrl' });
    t.equal(rows.flatMap(({ keys }) => keys).length, Object.keys(table).length);
    for (const { label } of rows) for (const { does } of [words.en, words.ko]) t.ok(does[label], label);
  }
  t.same(rowsOf(pageShortcuts, { singleKeys: false, modText: '⌘' }), [{ label: 'palette', keys: ['⌘ K'] }]);
  const log = rowsOf(logShortcuts, { singleKeys: false, modText: '⌘' });
  t.same(
    log.map(({ label }) => label),
    ['lines', 'escape'],
    'arrows and Escape are no characters',
  );
  t.same(log[0]?.keys, ['↓', '↑']);
});

t.test('no text of the list is left over', async (t) => {
  const used = new Set(Object.values(tables).flatMap((table) => Object.values(table).map(({ label }) => label)));
  t.same(Object.keys(words.en.does).sort(), [...used].sort());
});

t.test('no page has the same second key as another', async (t) => {
  const navigation = readFileSync(new URL('../../../control-plane/console/navigation.ts', import.meta.url), 'utf8');
  for (const table of navigation.split('export const ').slice(1)) {
    const keys = [...table.matchAll(/key: '(.)'/g)].map(([, key]) => key);
    t.same(keys, [...new Set(keys)]);
    t.notOk(keys.includes(pageShortcuts.goTo.keys[0]), 'g twice is no page');
  }
});
