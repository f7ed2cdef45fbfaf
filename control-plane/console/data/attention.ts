// Whether somebody is at the page. What an open page reads by itself must not keep the session of a person who has left.

/** Without a key, a pointer or scrolling for this long, nobody is there. */
const LEFT_MS = 5 * 60_000;
const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove'];

/** @param now any clock, ms */
export function createAttention(page: Pick<EventTarget, 'addEventListener'>, now: () => number) {
  let last = now();
  const seen = () => {
    last = now();
  };
  for (const sign of signs) page.addEventListener(sign, seen, { capture: true, passive: true });
  return { isUnattended: (): boolean => now() - last >= LEFT_MS };
}
