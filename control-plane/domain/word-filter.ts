// Finds which of a fixed set of words stand in a stream of bytes, in one pass: a table that says for every state and
// byte what the next state is (Aho and Corasick's automaton). Letters of ASCII are taken as lower case.

export interface WordFilter {
  /** `next[(state << 8) | byte]` */
  readonly next: Uint16Array;
  /** A state from here on has come to the end of a word, and only such a one has. */
  readonly firstHit: number;
  /** Words (their places in the list) that end in a state. */
  readonly ends: readonly (readonly number[])[];
}

interface Node {
  readonly children: Map<number, Node>;
  ends: readonly number[];
  /** The longest other beginning of a word that its own ends with; null at the root. */
  fallback: Node | null;
  state: number;
}

/**
 * @throws RangeError when the words have more than 65,535 beginnings
 * @example
 * const { next, firstHit } = compileWords(['error', '\n']);
 * for (const byte of bytes) if ((state = next[(state << 8) | byte]) >= firstHit) …
 */
export function compileWords(words: readonly string[]): WordFilter {
  const root = trieOf(words.map((word) => Buffer.from(word).map(lowerCase)));
  const nodes = linked(root);
  const states = [
    ...nodes.filter((node) => node.ends.length === 0),
    ...nodes.filter((n) => n.ends.length > 0),
  ];
  if (states.length > 0xffff) throw new RangeError('too many words');
  states.forEach((node, state) => {
    node.state = state;
  });
  const next = new Uint16Array(states.length << 8);
  // In the order of `nodes` a fallback's row is filled before its node's.
  for (const { state, fallback, children } of nodes) {
    const row = state << 8;
    if (fallback) next.copyWithin(row, fallback.state << 8, (fallback.state + 1) << 8);
    for (let byte = 0; byte < 256; byte++) {
      const child = children.get(lowerCase(byte));
      if (child) next[row | byte] = child.state;
    }
  }
  const firstHit = states.findIndex((node) => node.ends.length > 0);
  return { next, firstHit: firstHit < 0 ? states.length : firstHit, ends: states.map((node) => node.ends) };
}

function trieOf(spelled: readonly Uint8Array[]): Node {
  const root = newNode();
  spelled.forEach((bytes, word) => {
    let node = root;
    for (const byte of bytes) {
      const child = node.children.get(byte) ?? newNode();
      node.children.set(byte, child);
      node = child;
    }
    node.ends = [...node.ends, word];
  });
  return root;
}

/** All nodes, the shallow ones first, each with its fallback and with the words that end there too. */
function linked(root: Node): Node[] {
  const nodes = [root];
  for (const node of nodes) {
    for (const [byte, child] of node.children) {
      let from = node.fallback;
      while (from !== null && !from.children.has(byte)) from = from.fallback;
      child.fallback = from?.children.get(byte) ?? root;
      child.ends = [...child.ends, ...child.fallback.ends];
      nodes.push(child);
    }
  }
  return nodes;
}

const newNode = (): Node => ({ children: new Map(), ends: [], fallback: null, state: 0 });

const lowerCase = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte);
