// Which file of the bundle a module of the console goes into: few files, so that a page needs few requests, but none of
// which most pages use only a small part.

interface ModuleInfo {
  readonly code: string | null;
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
}

interface Graph {
  getModuleInfo(id: string): ModuleInfo | null;
}

/** What every page needs. */
const FIRST = 'index';

/** A module that at least this many pages use becomes part of the first load; a small one, if two use it. */
const SHARED_BY = 4;
const SMALL = 6_000;
/** The pages and the log. Their modules are not shared for being small, because there are many small ones. */
const OF_PAGES = /\/console\/(pages|log)\//;
const OF_BUILDS = /\/(console\/(pages\/build|log|builds)|shared\/messages)\//;
const OF_OPERATORS = /\/console\/pages\/operator\//;

/** The frame around pages, with the page on which people arrive, and the page for those who are not signed in. */
const SHELL = /\/(shell\/(organization|operator|person)-layout|pages\/overview\/page)\.tsx$/;
const SIGN_IN = /\/pages\/sign-in\/page\.tsx$/;
/** The page on which operators arrive. */
const FLEET = /\/pages\/operator\/fleet\/page\.tsx$/;
/** The page that leads to the page of a top-up. */
const BILLING = /\/pages\/billing\/page\.tsx$/;
/** The words of all errors; a large part that few look at. */
const ERRORS = /\/(words\/errors\.ts|platform\/domain\/errors\/)/;
/** The large parts of Base UI, for what floats above a page. The others are small. */
const FLOATING = /\/@base-ui\/react\/(?:esm\/)?(dialog|menu|select|number-field)\//;

/**
 * Returns a function that names the file of a module; null: the file of the only page that uses it, or a small one that a
 * few pages share.
 *
 * @param here gives the console's folder, as it is in the ids of modules
 */
export function chunkOf(here: () => string): (id: string, graph: Graph) => string | null {
  let names: ReadonlyMap<string, string> | null = null;
  return (id, graph) => {
    names ??= namesOf(here(), graph);
    return names.get(id) ?? null;
  };
}

function namesOf(here: string, graph: Graph): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const entry = `${here}/index.html`;
  const parts = dynamicRoots(graph, entry);
  const give = (name: string, ids: Iterable<string>) => {
    for (const id of ids) if (id !== entry && !names.has(id)) names.set(id, name);
  };
  const named = (pattern: RegExp) => parts.filter((id) => pattern.test(id));
  give(FIRST, closureOf(graph, [entry, ...named(SIGN_IN)]));
  give('shared', closureOf(graph, named(SHELL)));
  const uses = new Map<string, number>();
  for (const part of parts) for (const id of closureOf(graph, [part])) uses.set(id, (uses.get(id) ?? 0) + 1);
  const isSmall = (id: string) => !OF_PAGES.test(id) && (graph.getModuleInfo(id)?.code?.length ?? 0) < SMALL;
  const least = (id: string) => (isSmall(id) ? 2 : SHARED_BY);
  const shared = [...uses].filter(([id, count]) => count >= least(id)).map(([id]) => id);
  const light = closureOf(graph, parts, (id) => FLOATING.test(id));
  /** What brings a large part with it is loaded with that part. */
  const partOf = (id: string) => {
    const brings = [...closureOf(graph, [id])];
    if (brings.some((each) => FLOATING.test(each))) return 'floating';
    return brings.some((each) => ERRORS.test(each)) ? 'errors' : 'shared';
  };
  for (const id of shared) give(isBase(id) && !light.has(id) ? 'floating' : partOf(id), [id]);
  give('floating', [...uses.keys()].filter(isBase));
  give(
    'errors',
    [...uses.keys()].filter((id) => ERRORS.test(id)),
  );
  // The log with what surrounds it, and what pages of operators share.
  const others = [...uses].filter(([, count]) => count >= 2).map(([id]) => id);
  give(
    'build-view',
    others.filter((id) => OF_BUILDS.test(id)),
  );
  give(
    'operators',
    others.filter((id) => OF_OPERATORS.test(id)),
  );
  give('operators', closureOf(graph, named(FLEET)));
  give('billing', closureOf(graph, named(BILLING)));
  return names;
}

const isBase = (id: string): boolean => /\/node_modules\/(@base-ui|@floating-ui|tabbable|reselect)\//.test(id);

/** The modules that are loaded together with some, without what comes only through those that `leaves` names. */
function closureOf(graph: Graph, ids: readonly string[], leaves?: (id: string) => boolean): Set<string> {
  const found = new Set<string>();
  const visit = (id: string): void => {
    if (found.has(id) || leaves?.(id)) return;
    found.add(id);
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) visit(next);
  };
  ids.forEach(visit);
  return found;
}

/** The modules that are loaded when they are needed. */
function dynamicRoots(graph: Graph, entry: string): string[] {
  const seen = new Set<string>();
  const parts = new Set<string>();
  const visit = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    const info = graph.getModuleInfo(id);
    for (const next of info?.importedIds ?? []) visit(next);
    for (const next of info?.dynamicallyImportedIds ?? []) {
      parts.add(next);
      visit(next);
    }
  };
  visit(entry);
  return [...parts];
}

/**
 * Returns files that import each other, in the order of their imports; null: there are none. One of them would run before what
 * it needs is there.
 *
 * @param imports what each file imports, by names
 */
export function circleOf(imports: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(file)) return path.slice(path.indexOf(file));
    if (done.has(file)) return null;
    for (const next of imports.get(file) ?? []) {
      const found = visit(next, [...path, file]);
      if (found) return found;
    }
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const found = visit(file, []);
    if (found) return found;
  }
  return null;
}
