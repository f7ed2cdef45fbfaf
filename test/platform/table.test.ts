import t from 'tap';
import { bool, bytes, int, json, strings, text } from '../../control-plane/platform/domain/fields.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { table } from '../../control-plane/platform/store/table.js';

const notes = table(
  'notes',
  {
    noteId: int().assigned,
    text: text(),
    // A word of SQL.
    when: int().orNull,
    isDone: bool().initially(false),
    isSeen: bool().orNull.initially(null),
    tags: strings().initially([]),
    place: json<{ x: number }>().orNull.initially(null),
    count: int().initially(0),
  },
  { sealed: bytes().orNull },
);

async function openNotes() {
  const store = openSqlite(':memory:', { oneTurn: true });
  await store.run(`CREATE TABLE notes (note_id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, "when" INTEGER,
    is_done INTEGER NOT NULL, is_seen INTEGER, tags TEXT NOT NULL, place TEXT, count INTEGER NOT NULL, sealed BLOB)`);
  return store;
}

t.test('a record comes back as it was inserted, with initial values and what the database assigned', async (t) => {
  const store = await openNotes();
  const plain = await notes.insert(store, { text: 'a', when: null, sealed: null });
  t.same(plain, {
    noteId: 1,
    text: 'a',
    when: null,
    isDone: false,
    isSeen: null,
    tags: [],
    place: null,
    count: 0,
  });
  const full = await notes.insert(store, {
    text: 'b',
    when: 7,
    isDone: true,
    isSeen: false,
    tags: ['x', 'y'],
    place: { x: 1 },
    count: 2,
    sealed: Buffer.from('s'),
  });
  t.same(await notes.all(store, 'ORDER BY note_id'), [plain, full]);
  t.same(await notes.get(store, 'WHERE text = :text', { text: 'b' }), full);
  t.equal(await notes.get(store, 'WHERE text = :text', { text: 'c' }), null);
  t.same(await notes.pick('text', 'sealed').all(store, 'ORDER BY text'), [
    { text: 'a', sealed: null },
    { text: 'b', sealed: Buffer.from('s') },
  ]);
  t.same(Object.keys((await notes.get(store, 'WHERE note_id = 1')) ?? {}), Object.keys(plain), 'one shape');
  await store.close();
});

t.test('a column that holds something else than it should is refused when it is read', async (t) => {
  const store = await openNotes();
  await notes.insert(store, { text: 'a', when: null, sealed: null });
  await store.run(`UPDATE notes SET tags = '[1]'`);
  await t.rejects(notes.all(store, ''), /list of strings/);
  await store.close();
});

t.test('an update changes the rows that are as they were seen, and no others', async (t) => {
  const store = await openNotes();
  await notes.insert(store, { text: 'a', when: null, sealed: null });
  await notes.insert(store, { text: 'b', when: 5, sealed: null });
  t.equal(await notes.update(store, { text: 'a', when: 5 }, { isDone: true }), 0);
  t.equal(await notes.update(store, { text: 'a', when: null }, { isDone: true, tags: ['t'] }), 1, 'null is a value');
  t.match(await notes.change(store, { text: 'a', isDone: true }, { when: 9, place: { x: 2 } }, { count: 3 }), {
    text: 'a',
    when: 9,
    place: { x: 2 },
    count: 3,
    tags: ['t'],
    isDone: true,
  });
  t.equal(await notes.change(store, { text: 'a', isDone: false }, { when: 1 }), null);
  t.match(await notes.get(store, `WHERE text = 'b'`), { when: 5, isDone: false, count: 0 });
  t.equal(await notes.update(store, { isDone: true }, { isDone: false }), 1);
  await t.rejects(notes.update(store, {}, { isDone: true }), /without a condition/);
  await store.close();
});

t.test('an insert can have computed values, a condition, and something to do on a conflict', async (t) => {
  const store = await openNotes();
  const next = notes.inserter({
    computed: { count: '(SELECT COUNT(*) FROM notes)' },
    where: `:text <> 'refused'`,
    onConflict: `ON CONFLICT (text) DO UPDATE SET ${notes.excluded('when', 'isDone')}`,
  });
  t.equal(await next(store, { text: 'a', when: null, sealed: null }), true);
  t.equal(await next(store, { text: 'b', when: null, sealed: null }), true);
  t.equal(await next(store, { text: 'refused', when: null, sealed: null }), false);
  t.equal(await next(store, { text: 'a', when: 4, isDone: true, sealed: null }), true);
  t.match(await notes.all(store, 'ORDER BY text'), [
    { text: 'a', when: 4, isDone: true, count: 0 },
    { text: 'b', when: null, isDone: false, count: 1 },
  ]);
  await store.close();
});

t.test('a selection can have columns of joined tables', async (t) => {
  const store = await openNotes();
  await notes.insert(store, { text: 'a', when: null, tags: ['one'], sealed: null });
  const pairs = notes.pick('text').and({
    other: ['o.text', text()],
    otherTags: ['o.tags', strings()],
    hasPlace: ['CASE WHEN o.place IS NULL THEN 0 ELSE 1 END', bool()],
  });
  t.same(await pairs.all(store, 'JOIN notes o ON o.note_id = notes.note_id'), [
    { text: 'a', other: 'a', otherTags: ['one'], hasPlace: false },
  ]);
  await store.close();
});
