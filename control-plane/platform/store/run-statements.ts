// Statements that belong together in one text.
import type { Transaction } from './sql.js';

/** Separates statements; within one, no line ends like this. */
const BETWEEN = /;\n\s*(?=CREATE TRIGGER\b)/;

/** Runs a text of a migration: one statement, or a function and its trigger. */
export async function runStatements(tx: Transaction, text: string): Promise<void> {
  for (const statement of text.split(BETWEEN)) await tx.run(statement);
}
