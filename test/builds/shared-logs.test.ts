// Logs that several processes share do what logs in files do.
import t from 'tap';
import { describing, ending, growing } from './log-conformance.js';
import { sharedForm } from './log-forms.js';

growing(t, sharedForm);
ending(t, sharedForm);
describing(t, sharedForm);
