/** Something that does not work as it should, while the service as a whole does. */
export interface Degradation {
  /** A word for programs, e.g. `calendar`. */
  readonly name: string;
  /** One line for the operator: what is wrong and what to do. */
  readonly message: string;
}

/** Returns what is degraded now; an empty list when everything works. */
export type DegradationSource = () => readonly Degradation[] | Promise<readonly Degradation[]>;

/** Asks several sources; one that throws is itself reported as degraded. */
export function allDegradations(sources: readonly DegradationSource[]): DegradationSource {
  return async () => {
    const read = async (source: DegradationSource): Promise<readonly Degradation[]> => {
      try {
        return await source();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return [{ name: 'health_check', message: `A health check failed: ${message}` }];
      }
    };
    return (await Promise.all(sources.map(read))).flat();
  };
}
