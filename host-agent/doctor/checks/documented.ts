// The table of checks in docs/doctor.md.
import type { Check } from '../check.js';

const WHERE: Readonly<Record<Check['drivers'], string>> = {
  all: '',
  vm: 'virtual machines',
  local: 'driver local',
};

/** Returns the table in Markdown; a test compares it with the page. */
export function tableOfChecks(checks: readonly Check[]): string {
  const rows = checks.map(({ check, needs, drivers, why, help }) => {
    const where = [needs === 'macos' ? 'macOS' : '', WHERE[drivers]].filter((part) => part !== '').join(', ');
    return `| \`${check}\` | ${where || 'everywhere'} | ${why} | ${help} |`;
  });
  return ['| check | where | why | what helps |', '|---|---|---|---|', ...rows].join('\n');
}
