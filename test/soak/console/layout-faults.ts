// What a person who looks at a page would call broken, found in the page itself.

/**
 * An expression for the browser: waits until the page is drawn at its present width, and resolves with a line for each fault.
 * What is meant to scroll (logs, code, time axes) and text that ends in an ellipsis are none.
 */
export const FAULTS = `(async () => {
  const frame = () => new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, 50);
  });
  const root = document.documentElement;
  const faultsNow = () => {
  const faults = [];
  const styles = new Map();
  if (root.scrollWidth > root.clientWidth) faults.push((root.scrollWidth - root.clientWidth) + ' px to scroll to the side for');
  const acts = 'a, button, input, select, textarea, summary, [role=tab], [role=checkbox], [role=radio], [role=combobox]';
  const say = (element) => {
    const text = element.getAttribute('aria-label') ?? element.textContent ?? '';
    return element.localName + ' ' + JSON.stringify(text.trim().slice(0, 60));
  };
  /** Text of its own, or something to act with. */
  const matters = (element) =>
    element.matches(acts) || [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('svg, .unseen, [aria-hidden=true]') || !matters(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    let scrolls = false;
    for (let around = element; around && around !== document.body; around = around.parentElement) {
      const style = styleOf(around);
      if (style.clipPath !== 'none' || style.position === 'fixed') { scrolls = true; break; }
      if (style.textOverflow === 'ellipsis' && !element.matches('button, input, select')) { scrolls = true; break; }
      if (style.overflowX === 'visible' || around === element) continue;
      const outer = around.getBoundingClientRect();
      const out = Math.max(box.right - outer.right, outer.left - box.left);
      if (/auto|scroll/.test(style.overflowX)) {
        if (around.scrollWidth > around.clientWidth + 1 && !around.matches('[tabindex="0"]')) {
          faults.push(around.className + ' scrolls to the side by ' + (around.scrollWidth - around.clientWidth) + ' px, with ' + say(element));
        }
        scrolls = true;
        break;
      }
      if (out > 1) faults.push(say(element) + ' is cut by ' + Math.round(out) + ' px');
      const below = Math.max(box.bottom - outer.bottom, outer.top - box.top);
      if (styleOf(around).overflowY !== 'visible' && below > 1) faults.push(say(element) + ' is cut by ' + Math.round(below) + ' px of its height');
    }
    if (!scrolls && (box.right > root.clientWidth + 1 || box.left < -1)) faults.push(say(element) + ' stands outside');
  }
  return faults.slice(0, 12);
  };
  // A page that was resized may take some frames to change its form, and a busy browser draws few.
  let faults = ['not measured'];
  for (let tries = 0; tries < 20 && faults.length > 0; tries += 1) {
    await frame();
    faults = faultsNow();
  }
  return faults;
})()`;
