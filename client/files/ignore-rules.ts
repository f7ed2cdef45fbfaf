// The rules of one ignore file, with the meaning that git gives them (gitignore(5)).
import { byteString, globToRegExp } from './glob.js';

/** The verdict of a rule about a path. */
export type Verdict = 'ignored' | 'included';

export interface IgnoreRules {
  /** The verdict of the last matching rule, or null; parent folders are not considered. */
  judge(path: string, isDirectory: boolean): Verdict | null;
  /** True when there is no rule at all. */
  readonly empty: boolean;
  /** True when some rule begins with `!`. */
  readonly includes: boolean;
}

interface Rule {
  verdict: Verdict;
  onlyDirectories: boolean;
  /** Compared with the last name only, otherwise with the whole path. */
  byName: boolean;
  pattern: RegExp;
}

/**
 * Reads an ignore file.
 *
 * @param text the file's content
 * @param options.ignoreCase as git does on file systems that do not tell cases apart
 * @example
 * const rules = parseIgnoreRules('*.o\n!keep.o\nbuild/\n');
 * rules.judge('src/main.o', false); // 'ignored'
 * rules.judge('src/keep.o', false); // 'included'
 * rules.judge('build', false); // null: the rule is for folders
 */
export function parseIgnoreRules(text: string, options: { ignoreCase?: boolean } = {}): IgnoreRules {
  const rules: Rule[] = [];
  for (const line of byteString(text.replace(/^\ufeff/, '')).split('\n')) {
    const rule = parseLine(line.replace(/\r$/, ''), options.ignoreCase ?? false);
    if (rule) rules.push(rule);
  }
  rules.reverse();
  return {
    empty: rules.length === 0,
    includes: rules.some((rule) => rule.verdict === 'included'),
    judge(path, isDirectory) {
      const whole = byteString(path);
      const name = whole.slice(whole.lastIndexOf('/') + 1);
      for (const rule of rules) {
        if (rule.onlyDirectories && !isDirectory) continue;
        if (rule.pattern.test(rule.byName ? name : whole)) return rule.verdict;
      }
      return null;
    },
  };
}

function parseLine(line: string, ignoreCase: boolean): Rule | null {
  if (line.startsWith('#')) return null;
  let glob = withoutTrailingSpaces(line);
  const verdict = glob.startsWith('!') ? 'included' : 'ignored';
  if (verdict === 'included') glob = glob.slice(1);
  const onlyDirectories = glob.endsWith('/');
  if (onlyDirectories) glob = glob.slice(0, -1);
  const byName = !glob.includes('/');
  if (glob.startsWith('/')) glob = glob.slice(1);
  if (glob === '') return null;
  const pattern = globToRegExp(glob, { pathname: !byName, ignoreCase });
  return pattern && { verdict, onlyDirectories, byName, pattern };
}

/** Spaces at the end do not count unless the first of them is escaped. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end--;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  return line.slice(0, backslashes % 2 === 1 && end < line.length ? end + 1 : end);
}

/** Whether rules that also apply to everything below a folder include or exclude a path. */
export function judgeWithParents(rules: IgnoreRules, path: string): Verdict | null {
  let verdict: Verdict | null = null;
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    verdict = rules.judge(path.slice(0, slash), true) ?? verdict;
  }
  return rules.judge(path, false) ?? verdict;
}
