/** Values by label set: the text between the braces, made by {@link labels}; '' for no labels. */
export type Values = Readonly<Record<string, number>>;

interface Described {
  readonly name: string;
  readonly help: string;
  /** Default: gauge. A counter only increases, apart from restarts. */
  readonly type?: 'counter' | 'gauge';
}

/** One metric, evaluated on each request for the metrics. */
export interface Gauge extends Described {
  read(): Promise<Values> | Values;
}

/** A metric with the values of one moment. */
export interface Measured extends Described {
  readonly values: Values;
}

/** Several metrics from the same reading of the database, so that a scrape reads it once. */
export interface GaugeGroup {
  readAll(): Promise<readonly Measured[]>;
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/**
 * Returns a label set in the text format of Prometheus. Values may be any text: names of hosts come from hosts.
 *
 * @example labels({ host: 'host_1', name: 'mac "1"' }) // 'host="host_1",name="mac \\"1\\""'
 */
export function labels(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPED[character] ?? '')}"`,
  );
  return pairs.join(',');
}
