// Random rows in every table of a SQLite database.
import Database from 'better-sqlite3';

const ROWS = 4;
const TRIES = 400;
const TEXTS = [
  '',
  'NULL',
  '{}',
  '\\',
  '\\x00',
  '"',
  "'",
  'a,b',
  '{"a":[1]}',
  'line\nline\r\ttab',
  '한국어',
  '🍎\u{10ffff}',
  ' ',
  'é',
];
const NUMBERS = [0n, 1n, -1n, 2n ** 53n + 1n, -(2n ** 62n), 2n ** 62n, 2n ** 63n - 1n];

/** The same numbers for the same seed. */
export function createRandom(seed: number) {
  let state = seed;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const of = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return { below, of };
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/** Returns how many rows each table has. */
export function putRandomRows(file: string, seed: number): Map<string, number> {
  const db = new Database(file);
  db.pragma('foreign_keys = ON');
  const random = createRandom(seed);
  const names = db
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations'`)
    .pluck()
    .all() as string[];
  const count = (name: string) => db.prepare(`SELECT COUNT(*) FROM "${name}"`).pluck().get() as number;
  // Tables that refer to others get theirs in a later round.
  for (let round = 0; round < 6; round++) {
    for (const name of names) if (count(name) < ROWS) fill(db, name, random);
  }
  const counts = new Map(names.map((name) => [name, count(name)]));
  db.close();
  return counts;
}

function fill(db: Database.Database, name: string, { below, of }: ReturnType<typeof createRandom>): void {
  const columns = db.prepare(`SELECT name, type, "notnull", pk FROM pragma_table_info(?)`).all(name) as Column[];
  const keys = db.prepare('SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id').all(name) as {
    id: number;
    table: string;
    from: string;
    to: string;
  }[];
  const value = ({ name, type, notnull, pk }: Column, unique: number) => {
    if (notnull === 0 && pk === 0 && below(3) === 0) return null;
    if (type === 'TEXT' && notnull === 0 && pk === 0 && !/_(?:id|no)$/.test(name) && below(4) === 0)
      return `a\0b\u{10fffe}0 ${unique}`;
    if (type === 'TEXT') return `${of(TEXTS)}${pk > 0 || below(3) === 0 ? ` ${unique} ${of(TEXTS)}` : ''}`;
    if (type === 'BLOB') return Buffer.from(Array.from({ length: below(40) }, () => below(256)));
    return pk > 0 ? BigInt(unique + 1) * of([1n, 2n ** 24n]) : below(2) === 0 ? of(NUMBERS) : BigInt(below(1_000_000));
  };
  const insert = db.prepare(
    `INSERT OR IGNORE INTO "${name}" (${columns.map((column) => `"${column.name}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let made = 0;
  for (let tries = 0; tries < TRIES && made < ROWS; tries++) {
    const row = new Map<string, unknown>(columns.map((column) => [column.name, value(column, below(1e9))]));
    for (const id of new Set(keys.map((key) => key.id))) {
      const parts = keys.filter((key) => key.id === id);
      const list = parts.map(({ to }) => `"${to}"`).join(', ');
      const parents = db
        .prepare(`SELECT ${list} FROM "${parts[0]?.table}"`)
        .raw(true)
        .safeIntegers(true)
        .all() as unknown[][];
      if (parents.length === 0) continue;
      const parent = of(parents);
      const optional = columns.find(
        ({ name, notnull, pk }) => notnull + pk === 0 && parts.some(({ from }) => from === name),
      );
      for (const [at, { from }] of parts.entries()) {
        if (row.has(from)) row.set(from, parent[at]);
        // The build of an event is generated.
        else row.set('subject_kind', 'build').set('subject_id', parent[at]);
      }
      if (optional && below(2) === 0) row.set(optional.name, null);
    }
    try {
      made += insert.run([...row.values()]).changes;
    } catch (error) {
      // A random row that refers to no other.
      if (!(error instanceof Database.SqliteError && /^SQLITE_CONSTRAINT/.test(error.code))) throw error;
    }
  }
}
