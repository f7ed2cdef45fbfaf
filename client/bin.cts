#!/usr/bin/env node
// The command. CommonJS, like the bundle that it starts: node has both running before its loader of ES modules is up.
const nodeModule: object = require('node:module');

// Node 22 and later keep the compiled code of what is loaded from here on.
const enableCompileCache: unknown = Reflect.get(nodeModule, 'enableCompileCache');
if (typeof enableCompileCache === 'function') enableCompileCache.call(nodeModule);

require('./cli/start.cjs');
