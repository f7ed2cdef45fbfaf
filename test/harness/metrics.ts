// A parser of the text format of Prometheus; throws on what the format does not allow.
export interface MetricFamily {
  readonly type: string;
  readonly samples: { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const plain = (text: string) => text.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));

/** Returns the samples by metric name; those of a histogram by the names of its parts. */
export function parseMetrics(text: string): Map<string, MetricFamily> {
  const found = new Map<string, MetricFamily>();
  const types = new Map<string, string>();
  for (const line of text.trimEnd().split('\n')) {
    const [, declared, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (declared !== undefined && type !== undefined) {
      if (types.has(declared)) throw new Error(`${declared} is declared twice`);
      types.set(declared, type);
      if (type !== 'histogram') found.set(declared, { type, samples: [] });
    }
    if (line.startsWith('#')) continue;
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    if (name === '' || Number.isNaN(Number(value))) throw new Error(`not a sample: ${line}`);
    const family = found.get(name) ?? { type: types.get(name) ?? 'histogram', samples: [] };
    found.set(name, family);
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, plain(text)] as const);
    family.samples.push({ labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return found;
}
