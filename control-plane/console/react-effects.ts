// Preact runs effects after the next frame, React those of a click or key before anything else can happen. Until then the
// focus is not where the page has just moved it, and a dialog does not yet hide what is behind it: whoever types on would
// type into the wrong field. Imported before anything is rendered.
import { options } from 'preact';

options.requestAnimationFrame = (flush: () => void) => queueMicrotask(flush);
