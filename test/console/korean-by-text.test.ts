// Korean that goes by the English text of a sentence: the sentence must exist, or a rewording would end the translation
// in silence. Each piece of a pattern between its groups is looked for in the sources that write the sentences.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|pl)$/.test(file))
    .map((file) => `${folder}/${file}`);

const byText = sourcesIn('control-plane/console').filter((file) =>
  /import .*TextRow.* from '.*by-text\.js'/.test(readFileSync(file, 'utf8')),
);

/** Stands for what a template inserts. */
const HOLE = '\0';

/** A line with the templates in it, and with holes for what they insert, from the innermost outwards. */
function stagesOf(line: string): string[] {
  const holed = line.replace(/\$\{[^{}]*\}/g, HOLE);
  return holed === line ? [line] : [line, ...stagesOf(holed)];
}

/** The lines in which the service and the hosts say something; a literal of several lines is one. */
const said = ['control-plane', 'host-agent', 'shared']
  .flatMap(sourcesIn)
  .filter((file) => !file.startsWith('control-plane/console/'))
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .replace(/['`"] \+\s+['`"]/g, '')
      .replaceAll('\\`', '`')
      .split('\n'),
  )
  .filter((line) => /['"`]/.test(line) && !/^\s*(?:\/\/|\*|import |export .* from )/.test(line))
  .flatMap(stagesOf)
  .join('\n');

/** A piece stands in a literal, or templates put it together from up to three. */
const isSaid = (piece: string, joints = 2): boolean =>
  said.includes(piece) ||
  (joints > 0 &&
    [...piece.matchAll(/(?<=[^\0])\b(?=.)/g)].some(({ index }) => {
      const [start, end] = [piece.slice(0, index), piece.slice(index)];
      return (
        (said.includes(start + HOLE) && isSaid(end, joints - 1)) ||
        (said.includes(start.trimEnd()) && isSaid(HOLE + end, joints - 1))
      );
    }));

/** Rows of a table: patterns at the beginning of an array. */
const patternsOf = (source: string): string[] =>
  [...source.matchAll(/\[\s*\/\^((?:\\.|\[[^\]\n]*\]|[^/\\\n])+)\/u?,/g)].map(([, pattern = '']) => pattern);

/** The literal pieces of a pattern, in order. */
function piecesOf(pattern: string): string[] {
  const pieces = [''];
  const add = (text: string) => {
    pieces[pieces.length - 1] += text;
  };
  let depth = 0;
  for (const [token] of pattern.matchAll(/\\.|\[[^\]]*\]|[?*+]\??|[\s\S]/g)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (depth > 0) continue;
    else if (/^[?*]/.test(token)) pieces[pieces.length - 1] = (pieces.at(-1) ?? '').slice(0, -1);
    else if (/^\\[^a-zA-Z]$/.test(token)) {
      add(token.slice(1));
      continue;
    } else if (!/^(?:\\.|\[.*|[.+$^|].*)$/.test(token)) {
      add(token);
      continue;
    }
    pieces.push('');
  }
  return pieces.map((piece) => piece.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')).filter((piece) => piece !== '');
}

t.test('the pieces of a pattern', async (t) => {
  t.same(piecesOf(String.raw`(\d+) processe?s? of \(.+\), \/etc\/x(?: and (\d+) more)?\.$`), [
    'process',
    'of',
    'etc/x',
  ]);
});

t.test('every sentence that has a Korean text is said somewhere', async (t) => {
  t.ok(byText.length > 0, String(byText));
  for (const file of byText) {
    const patterns = patternsOf(readFileSync(file, 'utf8'));
    t.ok(patterns.length > 0, file);
    for (const pattern of patterns) {
      const missing = piecesOf(pattern).filter((piece) => !isSaid(piece));
      t.same(missing, [], `${file}: ${pattern}`);
    }
  }
});
