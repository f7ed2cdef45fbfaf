import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** On phones rows are cards even if their columns would fit. */
const PHONE = '(max-width: 720px)';

/**
 * Returns whether the element in a box is wider than the box, so that it has to be shown in a narrow form. What the wide form
 * needs is known from when it was last shown.
 */
export function useNarrow(box: RefObject<HTMLElement | null>): boolean {
  const needed = useRef(0);
  const [isNarrow, setNarrow] = useState(() => matchMedia(PHONE).matches);
  const measure = useCallback(() => {
    const element = box.current;
    const content = element?.firstElementChild;
    if (!element?.clientWidth || !(content instanceof HTMLElement)) return;
    setNarrow((before) => {
      if (matchMedia(PHONE).matches) return true;
      if (before) return element.clientWidth < needed.current;
      // A pixel may be missing from rounding.
      if (content.offsetWidth <= element.clientWidth + 1) return false;
      needed.current = content.offsetWidth;
      return true;
    });
  }, [box]);
  // Rows may have become longer; nothing is drawn in between.
  useLayoutEffect(measure);
  useEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box, measure]);
  return isNarrow;
}
