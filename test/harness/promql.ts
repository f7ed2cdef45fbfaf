// Reads what a PromQL expression asks for: its selectors, and the labels that it names elsewhere. No complete parser:
// `promtool` checks the grammar. It throws on what it does not know, instead of passing it.

export interface Matcher {
  readonly label: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

export interface Asked {
  readonly selectors: readonly Selector[];
  /** In `by (…)`, `on (…)` and the like. */
  readonly labels: readonly string[];
}

const TOKEN =
  /\s+|#[^\n]*|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<range>\[[0-9smhdwy:]+\])|(?<number>\d[\d.]*(?:e[+-]?\d+)?)|(?<name>[A-Za-z_:][\w:]*)|(?<op>=~|!~|==|!=|<=|>=|[-+*/%^<>=(){},])/gy;
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset']);
const FUNCTIONS = new Set([
  'sum',
  'count',
  'min',
  'max',
  'avg',
  'topk',
  'rate',
  'increase',
  'time',
  'abs',
  'vector',
  'histogram_quantile',
  'absent',
  'changes',
  'max_over_time',
]);

interface Token {
  readonly kind: 'string' | 'range' | 'number' | 'name' | 'op';
  readonly text: string;
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    at = match.index + match[0].length;
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    if (kind !== undefined) found.push({ kind: kind as Token['kind'], text: match[0] });
  }
  if (at !== text.length) throw new Error(`cannot read PromQL at: ${text.slice(at)}`);
  return found;
}

/** @example askedBy('sum by (tier) (slots{state="free"})') // selectors: slots{state="free"}; labels: tier */
export function askedBy(expression: string): Asked {
  const all = tokens(expression);
  const selectors: Selector[] = [];
  const labels: string[] = [];
  let at = 0;
  const is = (text: string) => all[at]?.text === text;
  const take = (kind: Token['kind'], text?: string): string => {
    const token = all[at++];
    if (token?.kind !== kind || (text !== undefined && token.text !== text))
      throw new Error(`${expression}: expected ${text ?? kind}, found ${token?.text ?? 'the end'}`);
    return token.text;
  };
  const labelList = () => {
    take('op', '(');
    while (!is(')')) {
      labels.push(take('name'));
      if (!is(')')) take('op', ',');
    }
    take('op', ')');
  };
  const matchers = (): Matcher[] => {
    const found: Matcher[] = [];
    if (!is('{')) return found;
    take('op', '{');
    while (!is('}')) {
      const label = take('name');
      const op = take('op');
      if (op !== '=' && op !== '!=' && op !== '=~' && op !== '!~') throw new Error(`${expression}: ${op}`);
      found.push({ label, op, value: take('string').slice(1, -1) });
      if (!is('}')) take('op', ',');
    }
    take('op', '}');
    return found;
  };
  while (at < all.length) {
    const token = all[at++];
    if (token?.kind !== 'name' || WORDS.has(token.text)) continue;
    if (GROUPING.has(token.text)) {
      labelList();
      continue;
    }
    const isCalled = is('(') || GROUPING.has(all[at]?.text ?? '');
    if (isCalled !== FUNCTIONS.has(token.text)) throw new Error(`unknown function, or not called: ${token.text}`);
    if (!isCalled) selectors.push({ metric: token.text, matchers: matchers() });
  }
  return { selectors, labels };
}

export function accepts({ op, value }: Matcher, found: string): boolean {
  if (op === '=') return found === value;
  if (op === '!=') return found !== value;
  const matched = new RegExp(`^(?:${value})$`).test(found);
  return op === '=~' ? matched : !matched;
}
