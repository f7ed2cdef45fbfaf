/** One figure of the metrics, read when they are asked for. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  /** A counter only grows while the process lives; a gauge by default. */
  readonly type?: 'counter';
  /** Counts by label set, e.g. `status="queued"`; '' for none. */
  read(): Promise<Readonly<Record<string, number>>> | Readonly<Record<string, number>>;
}
