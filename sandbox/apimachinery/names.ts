/** The syntax of names, label keys and values, with the texts of apimachinery's validation. */

const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const serviceLabel = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedPart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualifiedPart})?`;
const configKey = '[-._a-zA-Z0-9]+';

const is = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const patterns = {
  subdomain: is(subdomain),
  label: is(label),
  serviceLabel: is(serviceLabel),
  qualifiedPart: is(qualifiedPart),
  labelValue: is(labelValue),
  configKey: is(configKey),
};

const regex = (text: string, pattern: string, ...examples: readonly string[]): string => {
  const list = examples.map((example) => `'${example}'`).join(',  or ');
  return `${text} (e.g. ${list}, regex used for validation is '${pattern}')`;
};

const subdomainText = regex(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  'example.com',
);
const labelText = regex(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  'my-name',
  '123-abc',
);
const serviceLabelText = regex(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  serviceLabel,
  'my-name',
  'abc-123',
);
const qualifiedText = regex(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedPart,
  'MyName',
  'my.name',
  '123-abc',
);
const labelValueText = regex(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValue,
  'MyValue',
  'my_value',
  '12345',
);
const configKeyText = regex(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKey,
  'key.name',
  'KEY_NAME',
  'key-name',
);

/** What is wrong with a name, as the API server says it; undefined when it is right. */
export type NameRule = (name: string) => string | undefined;

const tooLong = (limit: number): string => `must be no more than ${limit} bytes`;
/** Of names of the DNS. */
const tooManyCharacters = (limit: number): string => `must be no more than ${limit} characters`;

export const subdomainFault: NameRule = (name) => {
  if (name.length > 253) return tooManyCharacters(253);
  return patterns.subdomain.test(name) ? undefined : subdomainText;
};

export const labelFault: NameRule = (name) => {
  if (name.length > 63) return tooManyCharacters(63);
  if (patterns.label.test(name)) return undefined;
  return patterns.subdomain.test(name) ? 'must not contain dots' : labelText;
};

/** Names of Services until 1.34. */
export const serviceLabelFault: NameRule = (name) => {
  if (name.length > 63) return tooManyCharacters(63);
  return patterns.serviceLabel.test(name) ? undefined : serviceLabelText;
};

/** Any name that can stand in a path (apimachinery path.ValidatePathSegmentName), as RBAC allows. */
export const pathSegmentFault: NameRule = (name) => {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const found = ['/', '%'].find((character) => name.includes(character));
  return found === undefined ? undefined : `may not contain '${found}'`;
};

export const labelKeyFault: NameRule = (key) => {
  const parts = key.split('/');
  if (parts.length > 2) return tooManyPartsText;
  const name = parts.at(-1) ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') return 'prefix part must be non-empty';
    const found = subdomainFault(prefix);
    if (found !== undefined) return `prefix part ${found}`;
  }
  if (name === '') return 'name part must be non-empty';
  if (name.length > 63) return `name part ${tooLong(63)}`;
  return patterns.qualifiedPart.test(name) ? undefined : `name part ${qualifiedText}`;
};

const tooManyPartsText = `a valid label key ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;

export const labelValueFault: NameRule = (value) => {
  if (value.length > 63) return tooLong(63);
  return patterns.labelValue.test(value) ? undefined : labelValueText;
};

export const configKeyFault: NameRule = (key) => {
  if (key.length > 253) return tooLong(253);
  if (!patterns.configKey.test(key)) return configKeyText;
  if (key === '.') return "must not be '.'";
  if (key === '..') return "must not be '..'";
  return key.startsWith('..') ? "must not start with '..'" : undefined;
};
