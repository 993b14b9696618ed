/** The only reads of flow-advance: as few as the decision needs (I10). */
import type { JobFlow } from '#shared/api/job-flow.ts';
import { frozenHash, stepHashes } from '#shared/api/frozen-spec.ts';
import { isControlledBy, objectName, type ObjectKey } from '#shared/domain/objects.ts';
import { jsonBytes } from '#shared/domain/stored-size.ts';
import { childrenNamed, listChildren, sortedByName } from '#shared/kube/children.ts';
import { nameRejection } from '#shared/kube/name-rejection.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { asJobFlow } from './observe/objects.ts';
import {
  missingNames,
  namesToLookAt,
  needsChildren,
  neededTemplates,
  readsTemplatesNow,
} from './observe/needs.ts';
import { pinsTemplates, replacedPins, withProvenPins } from './observe/pins.ts';
import { type PinSeal, sealOfProcess } from './observe/pin-seal.ts';
import { withPods } from './observe/pods.ts';
import { asObservedTemplate, copyBytes, measured } from './observe/template.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { FlowSnapshot, ObservedTemplate } from './snapshot.ts';
import { resources } from '#shared/domain/resources.ts';
import { needsHash } from '#shared/parents/acceptance.ts';
import { pendingRetry } from '#shared/parents/manual-retry.ts';

interface Observing {
  readonly seal?: PinSeal;
  /** Milliseconds since the epoch. Undefined: the time is unknown. */
  readonly nowMs?: number | undefined;
}

/** Undefined: the flow is gone, or a new one has its name. */
export async function observe(
  key: ObjectKey,
  reader: Reader,
  { seal = sealOfProcess, nowMs }: Observing = {},
): Promise<FlowSnapshot | undefined> {
  const object = await reader.get(resources.JobFlow, key);
  if (object?.metadata.uid !== key.uid) return undefined;
  const { flow, unproven } = withProvenPins(asJobFlow(object), seal);
  const children = await observeChildren(flow, reader);
  const asOf = unproven.length > 0 || readsTemplatesNow(flow) ? 'now' : undefined;
  const isSized = unproven.length > 0 || isMeasured(flow);
  const templates = await observeTemplates(flow, children.jobs, { reader, seal, asOf, isSized });
  const replaced = replacedPins(unproven, templates);
  return {
    flow,
    ...children,
    jobs: await withPods(flow, children.jobs, reader, nowMs),
    templates,
    ...(replaced.length === 0 ? {} : { replacedPins: replaced }),
    ...(needsHash(flow)
      ? { flowsHash: frozenHash(flow.spec), stepHashes: stepHashes(flow.spec) }
      : {}),
    ...(isSized ? sizesOf(flow) : {}),
    ...(await observeHeldNames(flow, reader)),
    rejections: [],
  };
}

type Children = Pick<FlowSnapshot, 'jobs' | 'confirmedMissing' | 'noticesRemovals'>;

async function observeChildren(flow: JobFlow, reader: Reader): Promise<Children> {
  const { metadata } = flow;
  const remembers = reader.onceThere?.(resources.Job, metadata.uid) !== undefined;
  if (!needsChildren(flow, remembers)) return { jobs: [], confirmedMissing: [] };
  const jobs = await listChildren(metadata, reader);
  const onceThere = reader.onceThere?.(resources.Job, metadata.uid);
  const doubtful = missingNames(flow, jobs, onceThere?.traces ?? []);
  const found = await childrenNamed(metadata, doubtful, reader);
  const foundNames = new Set(found.map(({ name }) => name));
  return {
    jobs: sortedByName([...jobs, ...found]),
    confirmedMissing: doubtful.filter((name) => !foundNames.has(name)),
    ...(onceThere?.isWhole === true ? { noticesRemovals: true } : {}),
  };
}

interface TemplateReads {
  readonly reader: Reader;
  readonly seal: PinSeal;
  /** `now`: read from the API server, not from a view. */
  readonly asOf: 'now' | undefined;
  readonly isSized: boolean;
}

async function observeTemplates(
  flow: JobFlow,
  jobs: readonly ObservedJob[],
  { reader, seal, asOf, isSized }: TemplateReads,
): Promise<FlowSnapshot['templates']> {
  const { namespace } = objectName(flow.metadata);
  const { uid } = flow.metadata;
  const find = async (name: string): Promise<readonly [string, ObservedTemplate | null]> => {
    const object = await reader.get(resources.JobTemplate, { namespace, name }, undefined, asOf);
    if (object === undefined) return [name, null];
    const read = asObservedTemplate(object);
    const template = pinsTemplates(flow) ? { ...read, seal: seal.of(uid, read) } : read;
    return [name, isSized ? measured(template) : template];
  };
  return Object.fromEntries(await Promise.all(neededTemplates(flow, jobs).map(find)));
}

/** Size matters only before the start, for a retry, and when an invalid pin is replaced. */
function isMeasured({ metadata, status }: JobFlow): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.startTime === undefined || pendingRetry(metadata, status) !== undefined;
}

function sizesOf({ spec, status }: JobFlow): Pick<FlowSnapshot, 'specBytes' | 'pinBytes'> {
  const pins = status?.pinnedTemplates ?? [];
  const pinBytes = Object.fromEntries(pins.map((pin) => [pin.name, copyBytes(pin)]));
  return { specBytes: jsonBytes(spec), ...(pins.length === 0 ? {} : { pinBytes }) };
}

/** A read costs the API server less than a create that it refuses, and uses no attempt. */
async function observeHeldNames(
  flow: JobFlow,
  reader: Reader,
): Promise<Pick<FlowSnapshot, 'heldNames'>> {
  const names = namesToLookAt(flow);
  const { uid } = flow.metadata;
  const { namespace } = objectName(flow.metadata);
  const holders = await Promise.all(
    names.map((name) => reader.get(resources.Job, { namespace, name })),
  );
  const heldNames = holders.flatMap((holder) =>
    holder?.metadata.deletionTimestamp === undefined || isControlledBy(holder.metadata, uid)
      ? []
      : [nameRejection(holder)],
  );
  return heldNames.length === 0 ? {} : { heldNames };
}
