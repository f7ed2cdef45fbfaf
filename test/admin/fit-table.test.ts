import t from 'tap';
import { type Column, fitTable } from '../../control-plane/admin/fit-table.js';

type Row = readonly string[];
const columns: Column<Row>[] = [
  { title: 'NAME', importance: 1, atMost: 8, cell: ([name = '']) => name },
  { title: 'WHY', importance: 2, atMost: 6, grows: true, cell: ([, why = '']) => why },
  { title: 'ID', importance: 3, cell: ([, , id = '']) => id },
];
const rows: Row[] = [
  ['a', 'because of the fan', 'id_123456'],
  ['rack-1-left', '', 'id_7'],
];

t.test('without a width every column is whole', (t) => {
  t.equal(
    fitTable(columns, rows, null),
    [
      'NAME         WHY                 ID',
      'a            because of the fan  id_123456',
      'rack-1-left                      id_7',
    ].join('\n'),
  );
  t.equal(fitTable(columns, [], null), 'NAME  WHY  ID');
  t.end();
});

t.test('cells are cut, then the least important columns are left out, and the room that is left is used', (t) => {
  t.equal(fitTable(columns, rows, 27), 'NAME      WHY     ID\na         becau…  id_123456\nrack-1-…          id_7');
  t.equal(fitTable(columns, rows, 30).split('\n')[1], 'a         because …  id_123456');
  t.equal(fitTable(columns, rows, 26), 'NAME      WHY\na         because of the …\nrack-1-…');
  for (let width = 16; width < 60; width++) {
    const widest = Math.max(
      ...fitTable(columns, rows, width)
        .split('\n')
        .map((line) => line.length),
    );
    t.ok(widest <= width, `${widest} of ${width}`);
  }
  t.end();
});

t.test('names of every script are aligned, and nothing controls the terminal', (t) => {
  const hostile: Row[] = [
    ['맥미니', 'x', '1'],
    ['e\u0301', 'x', '2'],
    ['\x1b[2J\x1b]0;t\x07evil\u202e\nx', 'x', '3'],
  ];
  t.equal(fitTable(columns, hostile, null), 'NAME    WHY  ID\n맥미니  x    1\ne\u0301       x    2\nevil x  x    3');
  t.end();
});
