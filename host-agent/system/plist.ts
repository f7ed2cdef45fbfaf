/**
 * Returns the top-level strings of a property list in XML; empty for any other text.
 *
 * @example parsePlist('<plist><dict><key>A</key><string>1 &amp; 2</string></dict></plist>') // { A: '1 & 2' }
 */
export function parsePlist(xml: string): Record<string, string> {
  const values: Record<string, string> = {};
  let depth = 0;
  let key: string | null = null;
  const token = /<(dict|array)(\/?)>|<\/(?:dict|array)>|<(key|string)>([^<]*)<\/(?:key|string)>/g;
  for (const [text, container, selfClosing, leaf, content = ''] of withoutComments(xml).matchAll(token)) {
    if (text.startsWith('</')) depth--;
    else if (container !== undefined) {
      if (!selfClosing) depth++;
      if (depth > 1) key = null;
    } else if (leaf === 'key' && depth === 1) key = unescapeXml(content);
    else if (leaf === 'string' && depth === 1 && key !== null) {
      values[key] = unescapeXml(content);
      key = null;
    }
  }
  return values;
}

// No regular expression: with many unclosed comments it would search for the end of each.
function withoutComments(xml: string): string {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const start = xml.indexOf('<!--', at);
    parts.push(xml.slice(at, start < 0 ? undefined : start));
    const end = start < 0 ? -1 : xml.indexOf('-->', start + 4);
    if (end < 0) return parts.join('');
    at = end + 3;
  }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name: string) => (Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : whole));
}
