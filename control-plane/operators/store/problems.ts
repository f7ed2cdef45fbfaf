import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type Problem, type ProblemKind, problemFields } from '../domain/problem.js';

export const problems = table('operator_problems', problemFields);

/** Few: one for each thing that is wrong, or was within a day. */
export function listProblems(q: Queries): Promise<Problem[]> {
  return problems.all(q, 'ORDER BY kind, subject');
}

const { kind: _kind, subject: _subject, ...changeable } = problemFields;
export const putProblem = problems.inserter({
  onConflict: `ON CONFLICT (kind, subject) DO UPDATE
    SET ${problems.excluded(...(Object.keys(changeable) as (keyof typeof changeable)[]))}`,
});

export async function removeProblem(
  tx: Transaction,
  problem: { readonly kind: ProblemKind; readonly subject: string },
): Promise<void> {
  await tx.run('DELETE FROM operator_problems WHERE kind = :kind AND subject = :subject', {
    kind: problem.kind,
    subject: problem.subject,
  });
}
