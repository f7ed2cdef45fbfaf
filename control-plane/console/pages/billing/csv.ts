// A ledger as CSV, for spreadsheets.
import type { CreditEntry } from '../../../../client/types.js';

const columns = ['at', 'kind', 'credit_usd', 'balance_usd', 'krw', 'order_id', 'order_no', 'reason', 'id'] as const;

/** A byte order mark, without which Excel does not read UTF-8. */
const MARK = '\ufeff';

export function ledgerCsv(entries: readonly CreditEntry[]): string {
  const rows = entries.map((entry) => columns.map((name) => cell(entry[name])).join(','));
  return `${MARK}${[columns.join(','), ...rows].join('\r\n')}\r\n`;
}

/** Text that a spreadsheet would take for a formula gets an apostrophe; numbers stay numbers. */
function cell(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
