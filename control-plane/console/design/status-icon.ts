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
const icons = import.meta.glob<string>('./icons/icon*.{svg,png}', { eager: true, import: 'default', query: '?url' });

/** @param status null: no build is shown */
export function useStatusIcon(status: BuildStatus | null): void {
  useEffect(() => {
    const name = status === null ? 'icon' : `icon-${dots[status] ?? 'ended'}`;
    show(name);
    return () => show('icon');
  }, [status]);
}

function show(name: string): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')) {
    const address = icons[`./icons/${name}.${link.type === 'image/svg+xml' ? 'svg' : 'png'}`];
    if (address !== undefined && link.getAttribute('href') !== address) link.href = address;
  }
}
