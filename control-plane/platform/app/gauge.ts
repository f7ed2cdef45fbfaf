/** One metric, evaluated on each request for the metrics. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  /** Default: gauge. A counter only increases during the life of the process. */
  readonly type?: 'counter';
  /** Returns values by label set, e.g. `status="queued"`; '' for no labels. */
  read(): Promise<Readonly<Record<string, number>>> | Readonly<Record<string, number>>;
}
