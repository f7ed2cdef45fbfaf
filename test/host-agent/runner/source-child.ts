// A process that checks out sources and may be killed: `node source-child.js <input as JSON>`.
import { type MaterializeInput, materialize } from '../../../host-agent/runner/source/materialize.js';

const input: MaterializeInput = JSON.parse(process.argv[2] ?? '');
await materialize({ ...input, say: () => {}, warn: () => {}, signal: new AbortController().signal });
