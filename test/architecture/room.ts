export interface Room {
  readonly room: string;
  /** Regular expression over the path from the project's root. */
  readonly path: string;
  /** Paths and packages it may import, besides its own room and node's modules. */
  readonly may: readonly string[];
  readonly reason: string;
}

export const npm = (name: string) => `(^|/)node_modules/(@types/)?${name}/`;
export const shared = '^shared/';
