/**
 * Texts of `Warning` headers (RFC 7234 section 5.5, code 299), as the API server sends them: one header
 * for each, which a proxy may have joined.
 */
export function warningTexts(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const joined = typeof header === 'string' ? header : header.join(', ');
  return [...joined.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/gs)].map(([, text = '']) =>
    text.replace(/\\(.)/gs, '$1'),
  );
}
