/** Syntax of label and annotation keys and of label values (apimachinery, content validation). */

const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** `name` or `example.com/name`. */
export function isQualifiedName(key: string): boolean {
  const parts = key.split('/');
  const [last, prefix] = parts.reverse();
  if (parts.length > 2 || last === undefined) return false;
  if (prefix !== undefined && (prefix.length > 253 || !subdomain.test(prefix))) return false;
  return last.length <= 63 && name.test(last);
}

export function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && name.test(value));
}
