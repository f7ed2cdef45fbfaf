/** Returns a result, and how many turns the event loop made meanwhile. */
export async function turnsDuring<T>(work: Promise<T>): Promise<[result: T, turns: number]> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work;
  isOver = true;
  return [result, turns];
}
