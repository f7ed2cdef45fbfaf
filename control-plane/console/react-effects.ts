// Preact runs effects after the next frame, so for some milliseconds after a click the focus would still be in the old field,
// and what is typed would go there. React runs the effects of a click at once; so do these. Imported before anything is rendered.
import { options } from 'preact';

options.requestAnimationFrame = (flush: () => void) => queueMicrotask(flush);
