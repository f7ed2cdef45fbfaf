#!/usr/bin/env node
import nodeModule from 'node:module';

// Node 22 and later keep compiled code between runs, which halves the start-up time.
const enableCompileCache: unknown = Reflect.get(nodeModule, 'enableCompileCache');
if (typeof enableCompileCache === 'function') enableCompileCache.call(nodeModule);

const { main } = await import('./cli/main.js');
process.exitCode = await main(process.argv.slice(2));
