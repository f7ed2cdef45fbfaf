// The table in docs/failures.md. Run as a program it writes it: node dist/test/builds/failure-page.js

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suggestionOf } from '../../control-plane/builds/domain/failure-finding.js';
import { failureReasons } from '../../control-plane/builds/domain/failure-reasons.js';
import { rank } from '../../control-plane/builds/domain/failure-row.js';
import { failureTable } from '../../control-plane/builds/domain/failure-table.js';
import { adviceOf } from '../../shared/messages/failure-advice.js';

const path = fileURLToPath(new URL('../../../docs/failures.md', import.meta.url));
const TABLE = /(?<=<!-- table -->\n).*(?=<!-- \/table -->)/s;

const code = (text: string): string => {
  const fence = text.includes('`') ? '``' : '`';
  const space = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${space}${text.replaceAll('|', '\\|')}${space}${fence}`;
};

const ranks = Object.entries(rank);

export const page = (): string => readFileSync(path, 'utf8');

/** The page as it should be: with a line for each row, in the table's order. */
export function writtenPage(): string {
  const lines = failureTable.map((row) => {
    const name = ranks.find(([, value]) => value === row.rank)?.[0];
    const { fault } = failureReasons[row.reason];
    const hasLocation = [row.pattern, row.more?.pattern].some((pattern) => pattern?.source.includes('(?<file>'));
    const example = code(row.example.split('\n')[0] ?? '');
    return `| ${example} | ${row.reason} | ${fault} | ${name} | ${adviceOf(suggestionOf(row, hasLocation)).text} |`;
  });
  const head = ['| a line of the log | reason_code | fault | rank | suggestion |', '|---|---|---|---|---|'];
  return page().replace(TABLE, () => `${[...head, ...lines].join('\n')}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(path, writtenPage());
