// The icon in the tab of the browser: the mark of the service, with a dot for the status of the build that is shown.
// The files are made by `npm run icons` (tools/icons/).
import { useEffect } from 'react';
import type { BuildStatus } from '../../../client/types.js';

const dots = {
  queued: 'waiting',
  running: 'running',
  succeeded: 'good',
  failed: 'bad',
  expired: 'bad',
  cancelled: 'ended',
} as const satisfies Readonly<Record<BuildStatus, string>>;

/** The addresses that the browser loads, by file. */
const icons = import.meta.glob<string>('./icons/icon-*.{svg,png}', { eager: true, import: 'default', query: '?url' });

/** @param status null: no build is shown */
export function useStatusIcon(status: BuildStatus | null): void {
  useEffect(() => {
    if (status === null) return;
    show(dots[status] ?? 'ended');
    return () => show(null);
  }, [status]);
}

/** What the document has. */
const own = new WeakMap<HTMLLinkElement, string>();

/** @param dot null: the mark alone */
function show(dot: string | null): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')) {
    const present = link.getAttribute('href') ?? '';
    const mark = own.get(link) ?? present;
    own.set(link, mark);
    const ending = link.type === 'image/svg+xml' ? 'svg' : 'png';
    const address = dot === null ? mark : icons[`./icons/icon-${dot}.${ending}`];
    if (address !== undefined && present !== address) link.href = address;
  }
}
