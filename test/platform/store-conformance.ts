// What every adapter of the store port must do.
import type { Test } from 'tap';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { inSavepoint } from '../../control-plane/platform/store/savepoint.js';
import { ConstraintError, type Store } from '../../control-plane/platform/store/sql.js';

export async function storeConformance(t: Test, open: () => Promise<Store>): Promise<void> {
  const fresh = async () => {
    const store = await open();
    const statements = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, body BLOB)'];
    await migrate(store, [{ id: 1, name: 'notes', statements }], 0);
    return store;
  };

  await t.test('values come back as they went', async (t) => {
    const store = await fresh();
    const body = Buffer.from([0, 1, 255]);
    await store.run('INSERT INTO notes (id, text, body) VALUES (:id, :text, :body)', {
      id: 7,
      text: 'ä€',
      body,
    });
    const row = await store.get<{ id: number; text: string; body: Buffer }>('SELECT * FROM notes WHERE id = :id', {
      id: 7,
    });
    t.equal(row?.text, 'ä€');
    t.ok(row?.body.equals(body));
    t.equal(await store.get('SELECT * FROM notes WHERE id = 8'), undefined);
    t.same(await store.run('UPDATE notes SET text = :text WHERE id = 8', { text: 'x' }), { changes: 0 });
    await store.close();
  });

  await t.test('text with NUL, and with noncharacters, comes back and is found', async (t) => {
    const store = await fresh();
    const texts = [
      '\0',
      'a\0b',
      'a\u{10fffe}0b',
      '\u{10fffe}',
      '\u{10fffe}1\0',
      '\u{10ffff}',
      '\u{10ffff}\u{10fffe}\0',
      '\u{10fffd}',
      '\uffff',
      '',
    ];
    for (const text of texts) await store.run('INSERT INTO notes (text) VALUES (:text)', { text });
    const read = await store.all<{ text: string }>('SELECT text FROM notes ORDER BY id');
    t.same(
      read.map(({ text }) => text),
      texts,
    );
    for (const text of texts) {
      t.same(await store.all('SELECT text FROM notes WHERE text = :text', { text }), [{ text }], JSON.stringify(text));
    }
    t.equal(await store.get('SELECT 1 FROM notes WHERE text = :text', { text: 'a\0' }), undefined);
    await store.close();
  });

  await t.test('part of a transaction may fail alone', async (t) => {
    const store = await fresh();
    await store.transaction(async (tx) => {
      await tx.run("INSERT INTO notes (text) VALUES ('kept')");
      const add = (text: string) => tx.run('INSERT INTO notes (text) VALUES (:text)', { text });
      const failing = inSavepoint(tx, async () => {
        await add('gone');
        await add('kept');
      });
      await t.rejects(failing, ConstraintError);
      t.equal(await inSavepoint(tx, async () => (await add('part')).changes), 1);
      await add('after');
    });
    const read = await store.all<{ text: string }>('SELECT text FROM notes ORDER BY text');
    t.same(
      read.map(({ text }) => text),
      ['after', 'kept', 'part'],
    );
    await store.close();
  });

  await t.test('a transaction that throws leaves nothing, and runs no commit hook', async (t) => {
    const store = await fresh();
    let hooks = 0;
    const failing = store.transaction(async (tx) => {
      await tx.run("INSERT INTO notes (text) VALUES ('gone')");
      tx.onCommit(() => hooks++);
      throw new Error('on purpose');
    });
    const neighbor = store.transaction(async (tx) => {
      await tx.run("INSERT INTO notes (text) VALUES ('kept')");
      tx.onCommit(() => hooks++);
    });
    await t.rejects(failing, /on purpose/);
    await neighbor;
    t.same(await store.all('SELECT text FROM notes'), [{ text: 'kept' }]);
    t.equal(hooks, 1);
    await store.close();
  });

  await t.test('rollback callbacks run before the next transaction begins', async (t) => {
    const store = await fresh();
    const told: string[] = [];
    const work = (name: string, fails: boolean) =>
      store.transaction(async (tx) => {
        told.push(`${name} begins`);
        tx.onRollback(() => told.push(`${name} is taken back`));
        if (fails) throw new Error(name);
      });
    await Promise.allSettled([work('first', true), work('second', false), work('third', true)]);
    t.same(told, ['first begins', 'first is taken back', 'second begins', 'third begins', 'third is taken back']);
    await store.close();
  });

  await t.test('a violated constraint is named, and the neighbors of the group are kept', async (t) => {
    const store = await fresh();
    const results = await Promise.allSettled(
      ['a', 'b', 'a', 'c'].map((text) => store.run('INSERT INTO notes (text) VALUES (:text)', { text })),
    );
    t.same(
      results.map((r) => r.status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    const refused = results[2];
    t.ok(refused?.status === 'rejected' && refused.reason instanceof ConstraintError);
    t.ok(refused?.status === 'rejected' && refused.reason.constraint.includes('notes.text'));
    t.equal((await store.all('SELECT 1 FROM notes')).length, 3);
    await store.close();
  });

  await t.test('transactions run one after the other, and see what earlier ones wrote', async (t) => {
    const store = await fresh();
    await store.run("INSERT INTO notes (id, text) VALUES (1, '0')");
    await Promise.all(
      Array.from({ length: 500 }, () =>
        store.transaction(async (tx) => {
          const row = await tx.get<{ text: string }>('SELECT text FROM notes WHERE id = 1');
          await tx.run('UPDATE notes SET text = :text WHERE id = 1', { text: String(Number(row?.text) + 1) });
        }),
      ),
    );
    t.same(await store.get('SELECT text FROM notes WHERE id = 1'), { text: '500' });
    await store.close();
  });

  await t.test('a read outside sees nothing of a transaction before its commit', async (t) => {
    const store = await fresh();
    let seenInside: unknown;
    await store.transaction(async (tx) => {
      await tx.run("INSERT INTO notes (text) VALUES ('early')");
      seenInside = await tx.get('SELECT text FROM notes');
    });
    t.same(seenInside, { text: 'early' });
    t.same(await store.get('SELECT text FROM notes'), { text: 'early' });
    await store.close();
    await t.rejects(
      store.transaction(async () => undefined),
      /closed/,
    );
  });

  await t.test('a commit hook may start the next transaction', async (t) => {
    const store = await fresh();
    const second = await new Promise<void>((resolve, reject) => {
      store
        .transaction(async (tx) => {
          tx.onCommit(() => {
            store.run("INSERT INTO notes (text) VALUES ('from the hook')").then(() => resolve(), reject);
          });
        })
        .catch(reject);
    });
    t.equal(second, undefined);
    t.equal((await store.all('SELECT 1 FROM notes')).length, 1);
    await store.close();
  });

  await t.test('a revision names a committed state: equal as long as nothing is written', async (t) => {
    const store = await fresh();
    const first = await store.revision();
    await store.all('SELECT * FROM notes');
    t.equal(await store.revision(), first, 'reading changes nothing');
    const inside = store.transaction(async (tx) => {
      await tx.run("INSERT INTO notes (text) VALUES ('a')");
    });
    await inside;
    const second = await store.revision();
    t.not(second, first);
    t.equal(await store.revision(), second);
    await store.run("UPDATE notes SET text = 'b'");
    t.notOk([first, second].includes(await store.revision()));
    await store.close();
  });
}
