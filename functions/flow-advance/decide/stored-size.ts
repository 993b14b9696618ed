/**
 * Will the flow still fit where the API server stores it when everything is on record that may have
 * to be? Asked before anything starts or is retried: a status that cannot be written is a record that is lost,
 * and Jobs would run that nobody follows. What runs costs nothing here.
 */
import { bytesPerStepHash } from '#shared/api/frozen-spec.ts';
import type { FlowStep } from '#shared/api/job-flow.ts';
import { isLong, wholeListSteps } from '#shared/api/step-records.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { maxStoredBytes } from '#shared/domain/stored-size.ts';
import { listed } from './record.ts';
import { type ManualRetry, refusedRetry } from './retry.ts';
import { hasStarted, type Situation } from './situation.ts';
import { resolveTemplates, type Templates } from './templates.ts';

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

/** Undefined: it fits, it has started, or it was not measured. */
export function sizeFault(situation: Situation, templates: Templates): SizeFault | undefined {
  return hasStarted(situation) ? undefined : excess(situation, templates, beforeTheStart);
}

/** Of one that runs: a pin without a valid seal gives way to the template of now, which may be larger. */
export function replacedPinFault(
  situation: Situation,
  templates: Templates,
): SizeFault | undefined {
  const isReplaced = situation.snapshot.replacedPins !== undefined;
  return isReplaced ? excess(situation, templates, afterReplacement) : undefined;
}

/**
 * A retry by hand pins templates anew and goes on from corrected steps: nothing is retried where the flow would
 * not fit any more.
 */
export function fittingRetry(situation: Situation, retry: ManualRetry): ManualRetry {
  if (!hasStarted(situation) || retry.resetSteps.length === 0) return retry;
  const fault = excess(situation, resolveTemplates(situation, retry), afterTheStart);
  if (fault === undefined) return retry;
  const { reason, message } = fault;
  return refusedRetry(retry, situation.recorded, {
    reason,
    message: `nothing is retried: ${message}`,
  });
}

function excess(
  situation: Situation,
  templates: Templates,
  adviceOn: (situation: Situation, templates: Templates) => string,
): SizeFault | undefined {
  const { specBytes } = situation.snapshot;
  if (specBytes === undefined) return undefined;
  const parts = partsOf(situation, templates, specBytes);
  const total = parts.spec + parts.appliedCopy + parts.templates + parts.records + bytesBeside;
  if (total <= maxStoredBytes) return undefined;
  const message = `${messageOf(total, parts, templates)}; ${adviceOn(situation, templates)}`;
  return { reason: 'FlowTooLarge', message };
}

function beforeTheStart(_: Situation, { pinned }: Templates): string {
  const keepsNone =
    pinned.length === 0 ? '' : ', or set templatePolicy: ResolveAtStep, which keeps no copies';
  return `use fewer or smaller steps and templates${keepsNone}`;
}

function afterTheStart(): string {
  return 'use smaller templates in the failed and skipped steps, then retry with another value';
}

function afterReplacement({ snapshot }: Situation): string {
  const names = (snapshot.replacedPins ?? []).map(({ name }) => name);
  return `nothing new starts until the JobTemplate that replaces an invalid copy is smaller: ${listed(names)}`;
}

function partsOf({ snapshot }: Situation, { pinned }: Templates, spec: number): Parts {
  const copied = spec * copiedShare;
  const { templates, pinBytes = {} } = snapshot;
  const sizes = pinned.map(
    ({ name }) => ownMember(templates, name)?.bytes ?? ownMember(pinBytes, name) ?? 0,
  );
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
  return (
    `the flow may grow to ${kib(total)}, and the API server stores at most ${kib(maxStoredBytes)} of one object: ` +
    `spec ${kib(parts.spec + parts.appliedCopy)}${copies}, records ${kib(parts.records)}`
  );
}

function kib(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
