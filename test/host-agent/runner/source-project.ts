// The project that the tests of uploaded sources check out.
import { type Tree, upload } from './source-fixtures.js';

export const big = Buffer.alloc(3_000_000, 'a large content, of the kind that is streamed. ');
export const project: Tree = {
  'Package.swift': 'let package = Package()\n',
  'Sources/App/main.swift': 'print("hello")\n',
  'Sources/App/Größe – 日本語 🍎.swift': 'let size = 1\n',
  'Sources/Core/core.swift': 'func core() {}\n',
  'Sources/Core/copy.swift': 'func core() {}\n',
  'Sources/Core/empty.swift': '',
  'Resources/model.bin': big,
  'bin/build.sh': { content: '#!/bin/sh\nmake\n', mode: 0o755 },
  'name with\nline feed': 'odd\n',
};

export const withTree = (change: (tree: Tree) => unknown) => {
  const tree = { ...project };
  change(tree);
  return upload(tree);
};
