/**
 * Checks whether the flow still fits into one object of the API server once everything is recorded.
 * The check comes before a start or a retry: if the status could not be written, Jobs would run
 * unrecorded. A flow that merely runs is not checked.
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
/** A step without an entry: its position, as a range of its own. */
const bytesPerPosition = 6;
/** An entry without its name, reason and message, as for a step that waits for its next attempt. */
const bytesPerRetry = 128;
/** Overhead of a pinned copy beside its JobSpec, with its part of managedFields. */
const bytesPerCopy = 768;
/** Conditions and metadata, with their part of managedFields. */
const bytesBeside = 24_576;
/** Limit for all annotations of an object. kubectl keeps its copy of the applied object within it. */
const maxAnnotationBytes = 262_144;
/** kubectl's copy is JSON inside a JSON string, so each quotation mark takes two bytes. */
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

/** Undefined: the flow fits, has started, or was not measured. */
export function sizeFault(situation: Situation, templates: Templates): SizeFault | undefined {
  return hasStarted(situation) ? undefined : excess(situation, templates, beforeTheStart);
}

/** For a running flow: the template that replaces a pin without a valid seal may be larger. */
export function replacedPinFault(
  situation: Situation,
  templates: Templates,
): SizeFault | undefined {
  const isReplaced = situation.snapshot.replacedPins !== undefined;
  return isReplaced ? excess(situation, templates, afterReplacement) : undefined;
}

/** A retry by hand pins templates anew and uses corrected steps. It is refused if the flow would no longer fit. */
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

/** In a long flow only some steps have entries, but all steps with a retry policy may wait at once. */
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
