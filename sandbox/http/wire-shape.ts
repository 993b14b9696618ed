/** Answers in the requested shape: unchanged, as a Table, or with their metadata only. */
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ApiAnswer, ObjectList, WatchLine } from '../api/api-answer.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { partialObject, type Shaping } from './shaping.ts';
import { tableOf } from './table.ts';

export function shaped(body: ApiAnswer['body'], shaping: Shaping): object {
  if (isStatus(body)) return body;
  const { as } = shaping.accepted;
  const isList = isObjectList(body);
  if (as === 'Table') {
    const objects = isList ? body.items : [body];
    const { resourceVersion } = body.metadata;
    return tableOf(objects, isList ? body.metadata : { resourceVersion }, shaping, true);
  }
  if (as !== undefined) {
    checkSameShape(as, isList, shaping);
    return isList ? metadataList(body, shaping) : partialObject(body, shaping.accepted);
  }
  if (!isList) return body;
  return shaping.type.isBuiltIn ? withBareItems(body) : withContinue(body);
}

/** Throws StatusError 406 if the metadata of a list is requested for an object, or the reverse. */
function checkSameShape(as: string, isList: boolean, { type }: Shaping): void {
  if (isList === (as === 'PartialObjectMetadataList')) return;
  const name = type.isBuiltIn ? `${goPackage(type)}.${type.kind}` : 'unstructured.Unstructured';
  const found = isList ? `a list (*${name}List)` : `not a list (*${name})`;
  const message = `you requested ${as}, but the requested object is ${found}`;
  throw new StatusError(406, 'NotAcceptable', message);
}

function goPackage({ group }: Shaping['type']): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group);
}

/** The shape of a line at the moment of sending. */
export type LineShaping = () => Shaping;

/** The end of a watch that cannot continue. */
export interface ErrorLine {
  readonly type: 'ERROR';
  /** metav1.Status */
  readonly object: object;
}

/** A line of a watch. `isFirst`: the first line of a stream, in which a Table has its columns. */
export function shapedLine(
  line: WatchLine | ErrorLine,
  shaping: Shaping,
  isFirst: boolean,
): object {
  const { as } = shaping.accepted;
  if (as === undefined || line.type === 'ERROR') return line;
  const object = line.object as KubeObject;
  if (as !== 'Table') return { type: line.type, object: partialObject(object, shaping.accepted) };
  const { resourceVersion } = object.metadata;
  if (line.type === 'BOOKMARK') {
    const rows = [{ cells: [], object: partialObject(object, shaping.accepted) }];
    const table = tableOf([], { resourceVersion }, shaping, isFirst);
    return { type: line.type, object: { ...table, rows } };
  }
  return { type: line.type, object: tableOf([object], { resourceVersion }, shaping, isFirst) };
}

/** In lists, custom resources have their apiVersion and kind, and built-in kinds do not. */
function withBareItems(list: ObjectList): object {
  const items = list.items.map(({ apiVersion: _version, kind: _kind, ...rest }) => rest);
  return { ...list, items };
}

/** Lists of custom resources have the continue token even when it is empty. */
function withContinue(list: ObjectList): object {
  return { ...list, metadata: { continue: '', ...list.metadata } };
}

function metadataList(list: ObjectList, { accepted }: Shaping): object {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${accepted.version ?? 'v1'}`,
    metadata: list.metadata,
    items: list.items.map((item) => partialObject(item, accepted)),
  };
}

function isObjectList(body: KubeObject | ObjectList): body is ObjectList {
  return Array.isArray((body as Partial<ObjectList>).items);
}

function isStatus(body: ApiAnswer['body']): body is Extract<ApiAnswer['body'], { kind: 'Status' }> {
  return body.kind === 'Status' && body.apiVersion === 'v1';
}
