import { cruise, type IForbiddenRuleType, type IReporterOutput, type IViolation } from 'dependency-cruiser';
import t from 'tap';
import { rooms } from './matrix.js';

const root = new URL('../../../', import.meta.url).pathname;

const matrix: IForbiddenRuleType[] = rooms.map((row, i) => ({
  name: row.room,
  comment: row.reason,
  severity: 'error',
  from: { path: row.path, pathNot: rooms.slice(0, i).map((earlier) => earlier.path) },
  to: { pathNot: [row.path, ...row.may], dependencyTypesNot: ['core'] },
}));
const graph: IForbiddenRuleType[] = [
  { name: 'cycle', severity: 'error', from: {}, to: { circular: true } },
  { name: 'unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
];

/** Results of all rules: the sources are read once. */
async function allViolations(): Promise<IViolation[]> {
  const { output }: IReporterOutput = await cruise(
    ['shared', 'control-plane', 'host-agent', 'client'],
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: [...matrix, ...graph] },
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      // As node resolves: by a package's exports, not by its folders.
      enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default'] },
      exclude: { path: '^dist/' },
    },
    { extensions: ['.ts', '.tsx', '.js', '.json'] },
  );
  if (typeof output === 'string') throw new Error('the cruiser answered with text');
  t.ok(output.modules.length > 20, 'the sources were read');
  return output.summary.violations;
}

const found = allViolations();
const violations = async (rules: readonly IForbiddenRuleType[]) =>
  (await found).filter((violation) => rules.some(({ name }) => name === violation.rule.name));
const say = (v: IViolation) => `${v.from} -> ${v.to}`;

t.test('every import stays within its room or goes where the matrix allows', async (t) => {
  t.same(
    (await violations(matrix)).map(
      (v) => `${v.rule.name}: ${say(v)} (${rooms.find((r) => r.room === v.rule.name)?.reason})`,
    ),
    [],
  );
});

t.test('no import cycles, no imports that lead nowhere', async (t) => {
  t.same([...new Set((await violations(graph)).map(say))], []);
});
