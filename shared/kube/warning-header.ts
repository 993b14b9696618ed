/**
 * Texts of `Warning` headers (RFC 7234 section 5.5, code 299). The API server sends one header for
 * each, and a proxy may join them.
 */
export function warningTexts(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const joined = typeof header === 'string' ? header : header.join(', ');
  return [...joined.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/gs)].map(([, text = '']) =>
    text.replace(/\\(.)/gs, '$1'),
  );
}
