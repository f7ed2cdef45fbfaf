// The frame that the document shows until the application has painted its own (start/site/first-paint.ts).
import { useLayoutEffect } from 'react';

/** Called by each frame: removes what the document showed in its place. */
export const useFirstPaint = (): void => useLayoutEffect(() => document.getElementById('first-paint')?.remove(), []);
