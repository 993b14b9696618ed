/** The syntax of names, label keys and values, with the texts of apimachinery's validation. */

const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const serviceLabel = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedPart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualifiedPart})?`;
const configKey = '[-._a-zA-Z0-9]+';

/** A pattern, how long a text may be, and the words for one that does not match. */
export interface Syntax {
  readonly pattern: RegExp;
  readonly limit: number;
  readonly words: string;
}

function syntax(
  pattern: string,
  limit: number,
  words: string,
  ...examples: readonly string[]
): Syntax {
  const list = examples.map((example) => `'${example}'`).join(',  or ');
  return {
    pattern: new RegExp(`^${pattern}$`),
    limit,
    words: `${words} (e.g. ${list}, regex used for validation is '${pattern}')`,
  };
}

export const subdomainSyntax = syntax(
  subdomain,
  253,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  'example.com',
);
export const labelSyntax = syntax(
  label,
  63,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  'my-name',
  '123-abc',
);
export const serviceLabelSyntax = syntax(
  serviceLabel,
  63,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  'my-name',
  'abc-123',
);
export const qualifiedPartSyntax = syntax(
  qualifiedPart,
  63,
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  'MyName',
  'my.name',
  '123-abc',
);
export const labelValueSyntax = syntax(
  labelValue,
  63,
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  'MyValue',
  'my_value',
  '12345',
);
const configKeySyntax = syntax(
  configKey,
  253,
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  'key.name',
  'KEY_NAME',
  'key-name',
);
export const tooManyPartsWords = `a valid label key ${qualifiedPartSyntax.words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;

/** The fault of a name in the API server's words. Undefined when it is valid. */
export type NameRule = (name: string) => string | undefined;

export const tooLong = (limit: number): string => `must be no more than ${limit} bytes`;
/** For DNS names. */
const tooManyCharacters = (limit: number): string => `must be no more than ${limit} characters`;

function faultOf(
  { pattern, limit, words }: Syntax,
  text: string,
  tooLongWords: (limit: number) => string,
): string | undefined {
  if (text.length > limit) return tooLongWords(limit);
  return pattern.test(text) ? undefined : words;
}

export const subdomainFault: NameRule = (name) => faultOf(subdomainSyntax, name, tooManyCharacters);

export const labelFault: NameRule = (name) => {
  const fault = faultOf(labelSyntax, name, tooManyCharacters);
  return fault === labelSyntax.words && isDotted(name) ? dotted : fault;
};

export const dotted = 'must not contain dots';

/** Whether dots alone keep a text from being a label. */
export function isDotted(text: string): boolean {
  return subdomainSyntax.pattern.test(text) && !labelSyntax.pattern.test(text);
}

/** For names of Services until 1.34. */
export const serviceLabelFault: NameRule = (name) =>
  faultOf(serviceLabelSyntax, name, tooManyCharacters);

/**
 * For any name that can stand in a path (apimachinery path.ValidatePathSegmentName), as RBAC
 * allows.
 */
export const pathSegmentFault: NameRule = (name) => {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const found = ['/', '%'].find((character) => name.includes(character));
  return found === undefined ? undefined : `may not contain '${found}'`;
};

export const labelKeyFault: NameRule = (key) => {
  const parts = key.split('/');
  if (parts.length > 2) return tooManyPartsWords;
  const name = parts.at(-1) ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') return 'prefix part must be non-empty';
    const found = subdomainFault(prefix);
    if (found !== undefined) return `prefix part ${found}`;
  }
  if (name === '') return 'name part must be non-empty';
  const fault = faultOf(qualifiedPartSyntax, name, tooLong);
  return fault === undefined ? undefined : `name part ${fault}`;
};

export const labelValueFault: NameRule = (value) => faultOf(labelValueSyntax, value, tooLong);

export const configKeyFault: NameRule = (key) => {
  const fault = faultOf(configKeySyntax, key, tooLong);
  if (fault !== undefined) return fault;
  if (key === '.') return "must not be '.'";
  if (key === '..') return "must not be '..'";
  return key.startsWith('..') ? "must not start with '..'" : undefined;
};
