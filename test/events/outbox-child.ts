// An outbox in a process of its own, which a test kills.
import { openOutbox } from './outbox.js';

const [, , folder = ''] = process.argv;
await openOutbox(folder, { webhook_claim_ms: 500, webhooks: 100 });
process.send?.('running');
