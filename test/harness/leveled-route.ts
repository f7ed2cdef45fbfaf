import type { Level } from '../../control-plane/platform/domain/caller.js';
import { type LeveledRoute, type Route, route } from '../../control-plane/platform/http/route.js';

/** Returns a route for a test, which is in no table of levels. */
export const leveledRoute = <P = unknown, Q = unknown, B = unknown>({
  level,
  ...definition
}: Route<P, Q, B> & { level: Level | null }): LeveledRoute => ({ ...route<P, Q, B>(definition), level });
