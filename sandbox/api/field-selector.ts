/** Field selectors: `metadata.name`, `metadata.namespace` and the fields that a type declares. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { badRequest } from '../apimachinery/status-error.ts';

export type ObjectPredicate = (object: KubeObject) => boolean;

interface Term {
  readonly path: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/** Undefined for an empty selector. Throws StatusError 400 for a field that is not indexed. */
export function fieldSelector(
  text: string | undefined,
  type: ResourceType,
): ObjectPredicate | undefined {
  if (text === undefined || text === '') return undefined;
  const terms = splitTerms(text).map((term) => parseTerm(term, text));
  for (const { path } of terms) checkPath(path, type);
  const readers = terms.map(({ path, isEqual, value }) => {
    const read = readerOf(path, type);
    return (object: KubeObject): boolean => (read(object) === value) === isEqual;
  });
  return (object) => readers.every((matches) => matches(object));
}

/** The name that a selector requires, so that a list need not look at other objects. */
export function selectedName(text: string | undefined): string | undefined {
  return /^metadata\.name==?([^,\\]+)$/.exec(text ?? '')?.[1];
}

/** Commas and backslashes within a value are escaped by a backslash. */
function splitTerms(text: string): readonly string[] {
  return (text.match(/(?:\\.|[^,\\])+/g) ?? []).filter((term) => term !== '');
}

function parseTerm(term: string, all: string): Term {
  const found = /!=|==?/.exec(term);
  if (found === null) {
    throw badRequest(`invalid selector: '${all}'; can't understand '${term}'`);
  }
  const [operator] = found;
  const path = term.slice(0, found.index);
  const raw = term.slice(found.index + operator.length);
  return { path, isEqual: operator !== '!=', value: raw.replaceAll(/\\(.)/g, '$1') };
}

function checkPath(path: string, type: ResourceType): void {
  if (path === 'metadata.name' || path === 'metadata.namespace') return;
  if (type.selectableFields.includes(path)) return;
  if (type.selectableFields.length > 0 || !type.isBuiltIn) {
    throw badRequest(`field label not supported: ${path}`);
  }
  const known = '"metadata.name", "metadata.namespace"';
  throw badRequest(`${JSON.stringify(path)} is not a known field selector: only ${known}`);
}

function readerOf(path: string, type: ResourceType): (object: KubeObject) => string {
  // An Event names its reporter in two places (pkg/apis/core/v1 event conversion).
  if (path === 'source' && type.kind === 'Event') return eventSource;
  if (path === 'reportingComponent' && type.kind === 'Event') return eventReporter;
  if (path === 'reportingController' && type.kind === 'Event') return eventReporter;
  if (path === 'status.successful' && type.kind === 'Job') {
    return (object) => textAt(object, ['status', 'succeeded']) || '0';
  }
  // Events are stored as core Events, which call the object `involvedObject`.
  const steps = (
    type.kind === 'Event' ? path.replace(/^regarding\./, 'involvedObject.') : path
  ).split('.');
  const absent = zeroValues[`${type.kind} ${path}`] ?? '';
  return (object) => textAt(object, steps) || absent;
}

/** Texts for Go's zero value where it is not the empty text. */
const zeroValues: Readonly<Record<string, string>> = {
  'Pod spec.hostNetwork': 'false',
  'Node spec.unschedulable': 'false',
};

function textAt(object: unknown, steps: readonly string[]): string {
  let value = object;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return '';
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  const isScalar = ['string', 'number', 'boolean'].includes(typeof value);
  return isScalar ? String(value) : '';
}

function eventSource(event: KubeObject): string {
  return textAt(event, ['source', 'component']) || textAt(event, ['reportingComponent']);
}

function eventReporter(event: KubeObject): string {
  return textAt(event, ['reportingComponent']) || textAt(event, ['reportingController']);
}
