/**
 * Will the flow still fit where the API server stores it when everything is on record that may have
 * to be? Asked before anything starts: a status that cannot be written is a record that is lost, and
 * Jobs would run that nobody follows. What has started costs nothing here.
 */
import { bytesPerStepHash } from '#shared/api/frozen-spec.ts';
import type { FlowStep } from '#shared/api/job-flow.ts';
import { isLong, wholeListSteps } from '#shared/api/step-records.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { maxStoredBytes } from '#shared/domain/stored-size.ts';
import { hasStarted, type Situation } from './situation.ts';
import type { Templates } from './templates.ts';

/** An entry of a step with its longest name and message. */
const bytesPerStep = 1_024;
/** What a step costs that has no entry: its position, in ranges that have no neighbours. */
const bytesPerPosition = 6;
/** An entry without words, beside its name: that of a step that waits for its next attempt. */
const bytesPerRetry = 128;
/** What stands beside a JobSpec in its copy, and what managedFields says of it. */
const bytesPerCopy = 768;
/** Conditions, metadata, and what managedFields says of them. */
const bytesBeside = 24_576;
/** All annotations of an object; kubectl keeps its copy of what it applied within them. */
const maxAnnotationBytes = 262_144;
/** That copy is JSON in a JSON string: each quotation mark takes two bytes. */
const copiedShare = 1.25;

interface Parts {
  readonly spec: number;
  readonly appliedCopy: number;
  readonly templates: number;
  readonly records: number;
}

export interface SizeFault {
  readonly reason: 'FlowTooLarge';
  readonly message: string;
}

/** Undefined: it fits, it has started, or nobody measured it. */
export function sizeFault(situation: Situation, templates: Templates): SizeFault | undefined {
  const { specBytes } = situation.snapshot;
  if (specBytes === undefined || hasStarted(situation)) return undefined;
  const parts = partsOf(situation, templates, specBytes);
  const total = parts.spec + parts.appliedCopy + parts.templates + parts.records + bytesBeside;
  return total <= maxStoredBytes
    ? undefined
    : { reason: 'FlowTooLarge', message: messageOf(total, parts, templates) };
}

function partsOf({ snapshot }: Situation, { pinned }: Templates, spec: number): Parts {
  const copied = spec * copiedShare;
  const sizes = pinned.map(({ name }) => ownMember(snapshot.templates, name)?.bytes ?? 0);
  return {
    spec,
    appliedCopy: copied <= maxAnnotationBytes ? copied : 0,
    templates: sizes.reduce((sum, bytes) => sum + bytes + bytesPerCopy, 0),
    records: recordBytes(snapshot.flow.spec.flows),
  };
}

/** Where only some steps have an entry of their own, all that may be retried may wait for it at once. */
function recordBytes(flows: readonly FlowStep[]): number {
  if (!isLong(flows)) return flows.length * (bytesPerStep + bytesPerStepHash);
  const retried = flows.filter(({ retryPolicy }) => (retryPolicy?.limit ?? 0) > 0);
  const names = retried.reduce((sum, { name }) => sum + name.length + bytesPerRetry, 0);
  const bytesOfEach = bytesPerPosition + bytesPerStepHash;
  return wholeListSteps * bytesPerStep + flows.length * bytesOfEach + names;
}

function messageOf(total: number, parts: Parts, { pinned }: Templates): string {
  const copies =
    pinned.length === 0 ? '' : `, copies of ${pinned.length} JobTemplates ${kib(parts.templates)}`;
  const advice =
    pinned.length === 0 ? '' : ', or set templatePolicy: ResolveAtStep, which keeps no copies';
  return (
    `the flow may grow to ${kib(total)}, and the API server stores at most ${kib(maxStoredBytes)} of one object: ` +
    `spec ${kib(parts.spec + parts.appliedCopy)}${copies}, records ${kib(parts.records)}; ` +
    `use fewer or smaller steps and templates${advice}`
  );
}

function kib(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
