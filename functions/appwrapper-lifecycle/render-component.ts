/** Renders a wrapped resource for its create, with the wrapper's labels and owner and with Kueue's placement. */
import type {
  AppWrapper,
  Component,
  ComponentPodSetInfo,
  ComponentStatus,
} from '#shared/api/app-wrapper.ts';
import { stableJson } from '#shared/domain/hash.ts';
import { fieldsOf, isList, listOf, membersOf } from '#shared/domain/json-value.ts';
import { labels } from '#shared/domain/labels.ts';
import { type Json, type JsonObject, type NewObject, objectName } from '#shared/domain/objects.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';
import { wrapperLabels } from '#shared/domain/wrapper-keys.ts';
import { awayFromBrokenNodes } from './node-affinity.ts';
import { defaultRules, type WrapperRules } from './rules.ts';
import { isOursToRun } from './subscription/ends.ts';
import { changedAt } from './template-path.ts';

export type Rendered =
  | { readonly kind: 'object'; readonly object: NewObject }
  /** It can never be created. The message uses the user's words. */
  | { readonly kind: 'fault'; readonly message: string };

/** `recorded` has the name, and the podSets as they were first found. */
export function renderComponent(
  wrapper: AppWrapper,
  { template, podSetInfos = [] }: Component,
  { name, podSets }: ComponentStatus,
  index: number,
  rules: Pick<WrapperRules, 'nodeHealth' | 'schedulerName'> = defaultRules,
): Rendered {
  if (name === '') return fault('its template has neither metadata.name nor metadata.generateName');
  const own = ourLabels(wrapper, index);
  const ofPods = isOursToRun(template) ? {} : own;
  const faults: string[] = [];
  let rendered: JsonObject = template;
  for (const [at, { path }] of podSets.entries()) {
    const place = { path, at, faults, rules };
    const changed = changedAt(rendered, path, (podTemplate) =>
      injected(podTemplate, podSetInfos[at] ?? {}, ofPods, place),
    );
    if (changed === undefined) return fault(`there is no Pod template at ${path}`);
    rendered = changed;
  }
  const metadata = metadataOf(wrapper, fieldsOf(rendered['metadata']), name, own);
  if (typeof metadata === 'string') return fault(metadata);
  const [first] = faults;
  if (first !== undefined) return fault(first);
  return { kind: 'object', object: { ...rendered, metadata } as unknown as NewObject };
}

/** Each of these labels says whose it is: children are followed and counted by them. */
function ourLabels({ metadata }: AppWrapper, index: number): JsonObject {
  return {
    [wrapperLabels.wrapper]: metadata.name,
    [labels.ownerUid]: metadata.uid,
    [labels.component]: String(index),
  };
}

/** The name is recorded before the create. The API server takes no new object with a resourceVersion. */
const notForCreation: ReadonlySet<string> = new Set(['generateName', 'resourceVersion']);

/** A string says what is wrong with the namespace. */
function metadataOf(
  { apiVersion, kind, metadata: { uid, ...own } }: AppWrapper,
  given: JsonObject,
  name: string,
  ours: JsonObject,
): JsonObject | string {
  const { namespace } = objectName(own);
  const { namespace: asked = '', labels: known, ownerReferences } = given;
  if (asked !== '' && asked !== namespace) {
    return `its metadata.namespace is ${JSON.stringify(asked)}, and the AppWrapper is in ${namespace}`;
  }
  const owner = {
    apiVersion,
    kind,
    name: own.name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    ...membersOf(given, (field) => !notForCreation.has(field)),
    name,
    namespace,
    labels: { ...ours, ...fieldsOf(known), ...reserved(ours) },
    ownerReferences: [...otherOwners(ownerReferences), owner],
  };
}

/** An object has one controller. A copied template may still name that of its original. */
function otherOwners(given: Json | undefined): readonly Json[] {
  return listOf(given).filter((each) => fieldsOf(each)['controller'] !== true);
}

/** A template may set the wrapper's name label itself. The other labels are reserved. */
function reserved(ours: JsonObject): JsonObject {
  return membersOf(ours, (key) => key !== wrapperLabels.wrapper);
}

interface Place {
  readonly path: string;
  /** Index of the podSet. */
  readonly at: number;
  readonly faults: string[];
  readonly rules: Pick<WrapperRules, 'nodeHealth' | 'schedulerName'>;
}

function injected(
  podTemplate: JsonObject,
  info: ComponentPodSetInfo,
  ours: JsonObject,
  place: Place,
): JsonObject {
  const metadata = fieldsOf(podTemplate['metadata']);
  const spec = fieldsOf(podTemplate['spec']);
  const { nodeHealth, schedulerName } = place.rules;
  const own = membersOf(fieldsOf(metadata['labels']), (key) => !Object.hasOwn(reserved(ours), key));
  const wanted = { ...info.labels, ...ours };
  return {
    ...podTemplate,
    metadata: {
      ...metadata,
      ...united('labels', own, wanted, place),
      ...united('annotations', metadata['annotations'], info.annotations, place),
    },
    spec: {
      ...awayFromBrokenNodes(spec, nodeHealth),
      ...(schedulerName !== '' && spec['schedulerName'] === undefined ? { schedulerName } : {}),
      ...united('nodeSelector', spec['nodeSelector'], info.nodeSelector, place),
      ...appended('tolerations', spec['tolerations'], info.tolerations),
      ...appended('schedulingGates', spec['schedulingGates'], info.schedulingGates),
    },
  };
}

/** Two different values for one key are a fault. */
function united(
  field: string,
  own: Json | undefined,
  assigned: JsonObject | undefined,
  { path, at, faults }: Place,
): JsonObject {
  if (assigned === undefined || Object.keys(assigned).length === 0) return {};
  const all: Record<string, Json | undefined> = { ...fieldsOf(own) };
  for (const [key, value] of Object.entries(assigned)) {
    const known = ownMember(all, key);
    if (known !== undefined && known !== value) {
      faults.push(
        `${field} of the Pod template at ${path} has ${key}=${JSON.stringify(known)}, and podSetInfos[${at}] assigns ${JSON.stringify(value)}`,
      );
    }
    setOwnMember(all, key, known ?? value);
  }
  return { [field]: all };
}

function appended(
  field: string,
  own: Json | undefined,
  assigned: readonly object[] | undefined,
): JsonObject {
  if (assigned === undefined || assigned.length === 0) return {};
  const known: readonly Json[] = isList(own) ? own : [];
  const texts = new Set(known.map((each) => stableJson(each)));
  const news = assigned.map((each) => each as Json).filter((each) => !texts.has(stableJson(each)));
  return { [field]: [...known, ...news] };
}

function fault(message: string): Rendered {
  return { kind: 'fault', message };
}
