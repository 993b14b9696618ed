/** `status.conditions` of a parent; `kubectl wait` and `kubectl describe` read them. */
import { annotationsFinding } from '#shared/api/annotation-faults.ts';
import type { Condition } from '#shared/domain/conditions.ts';
import { type Finding, observedGeneration, withFindings } from '#shared/domain/findings.ts';
import { listed } from '#shared/domain/wording.ts';
import type { Parent, ParentStatus, Part, Summary, Words } from './parent.ts';

export function nextConditions(
  { metadata, status }: Pick<Parent, 'metadata' | 'status'>,
  nowMs: number,
  findings: readonly Finding[],
): readonly Condition[] {
  const { generation } = metadata;
  const all = [...findings, annotationsFinding(metadata)];
  return withFindings(status?.conditions ?? [], all, { nowMs, generation });
}

/** The findings about a running parent. */
export interface Standing {
  readonly summary: Summary;
  /** The first part whose child the API server refused. */
  readonly refused: Part | undefined;
  /** Names of parts that failed. */
  readonly failed: readonly string[];
  /** For a suspended parent: why, and whether everything has stopped that should stop. */
  readonly suspension: () => Readonly<Record<'reason' | 'message', string>> & {
    readonly isSettled: boolean;
  };
  /** For a successful parent, instead of the usual message. */
  readonly success?: string;
}

export function courseFindings(
  words: Words,
  { summary, refused, failed, suspension, success }: Standing,
): readonly Finding[] {
  const isSuspended = summary.state === 'Suspended';
  return [
    progressing(words, summary),
    blocked(words, refused),
    partFailed(words, failed),
    isSuspended ? suspended(words, suspension()) : notSuspended(words),
    ...endFindings(words, summary, success),
  ];
}

/** For a parent that ends without starting anything. */
export function unstartedFindings(words: Words, summary: Summary): readonly Finding[] {
  const course = [progressing(words, summary), blocked(words, undefined), notSuspended(words)];
  return [...course, ...endFindings(words, summary)];
}

/** For a running parent, with what it waits for besides its turn, if anything. */
function progressing({ states }: Words, { state, reason, message }: Summary): Finding {
  const waits = state === 'Running' || state === 'Pending';
  const isExplained = state === 'Running' || state === 'Suspended';
  return {
    type: 'Progressing',
    isTrue: state === 'Running',
    reason: waits ? (reason ?? state) : state,
    message: (isExplained ? message : undefined) ?? states[state],
  };
}

function blocked({ part }: Words, refused: Part | undefined): Finding {
  return {
    type: 'Blocked',
    onlyWhenKnown: true,
    isTrue: refused !== undefined,
    reason: refused?.reason ?? 'NotBlocked',
    message:
      refused === undefined
        ? 'every requested Job was created'
        : [`${part} ${refused.name}`, refused.message].join(': '),
  };
}

function partFailed(
  { part, partFailed: type, noneFailed }: Words,
  names: readonly string[],
): Finding {
  const isTrue = names.length > 0;
  return {
    type,
    onlyWhenKnown: true,
    isTrue,
    reason: isTrue ? type : noneFailed,
    message: isTrue ? `failed: ${listed(names, 40)}` : `failed ${part}s were started again`,
  };
}

function suspended(
  { stopping }: Words,
  { reason, message, isSettled }: ReturnType<Standing['suspension']>,
): Finding {
  const type = 'Suspended';
  return isSettled
    ? { type, isTrue: true, reason, message }
    : { type, isTrue: false, reason: 'Suspending', message: `${stopping} are being stopped` };
}

function notSuspended({ whole }: Words): Finding {
  const message = `${whole} is not suspended`;
  return { type: 'Suspended', onlyWhenKnown: true, isTrue: false, reason: 'Resumed', message };
}

function endFindings(
  { whole, states, complete, restarted }: Words,
  { state, reason = '', message = '' }: Summary,
  success = states.Succeed,
): readonly Finding[] {
  const isComplete = state === 'Succeed';
  const hasFailed = state === 'Failed';
  return [
    {
      type: 'Complete',
      onlyWhenKnown: true,
      isTrue: isComplete,
      reason: isComplete ? complete : 'NotComplete',
      message: isComplete ? success : `${whole} is not complete`,
    },
    {
      type: 'Failed',
      onlyWhenKnown: true,
      isTrue: hasFailed,
      reason: hasFailed ? reason : 'Restarted',
      message: hasFailed ? message : restarted,
    },
  ];
}

/** The observed generation, and the retry that was handled last. */
export function lookedAt(
  { metadata }: Pick<Parent, 'metadata'>,
  { nonce }: { readonly nonce: string | undefined },
): Pick<ParentStatus, 'observedGeneration' | 'retryNonce'> {
  return {
    ...observedGeneration(metadata.generation),
    ...(nonce === undefined ? {} : { retryNonce: nonce }),
  };
}
