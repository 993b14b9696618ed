/** Field errors in the API server's words (apimachinery, field.Error). */

export type FieldError = string;

export function invalid(path: string, value: string | number | boolean, why: string): FieldError {
  return `${path}: Invalid value: ${JSON.stringify(shown(value))}: ${why}`;
}

/** For a value that is too large to show. */
export function malformed(path: string, why: string): FieldError {
  return `${path}: Invalid value: ${why}`;
}

export function forbidden(path: string, why: string): FieldError {
  return `${path}: Forbidden: ${why}`;
}

export function immutable(path: string, before: string, after: string): readonly FieldError[] {
  return before === after ? [] : [invalid(path, after, 'field is immutable')];
}

/** Any user may send an object with a thousand faults; a longer list helps no one. */
const mostListed = 10;
const mostShown = 300;

/** The beginning of a long value. */
export function shown(value: string | number | boolean): string | number | boolean {
  if (typeof value !== 'string' || value.length <= mostShown) return value;
  return `${value.slice(0, mostShown)}...`;
}

/** One error as it is, several in brackets (utilerrors.Aggregate). */
export function together(errors: readonly FieldError[]): string {
  const listed = [...new Set(errors)].slice(0, mostListed);
  return listed.length === 1 ? (listed[0] ?? '') : `[${listed.join(', ')}]`;
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainFormat = `${label}(\\.${label})*`;
const subdomain = new RegExp(`^${subdomainFormat}$`);
const longestSubdomain = 253;

/** Faults of an object's name (validation.IsDNS1123Subdomain). */
export function subdomainFaults(name: string): readonly string[] {
  return [
    ...(name.length > longestSubdomain ? ['must be no more than 253 characters'] : []),
    ...(subdomain.test(name)
      ? []
      : [
          'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
            "'-' or '.', and must start and end with an alphanumeric character " +
            `(e.g. 'example.com', regex used for validation is '${subdomainFormat}')`,
        ]),
  ];
}
