/** Says in words what a function did with an event. Pure. */
import {
  type HttpAnswer,
  verdictOfAnswer,
  verdictOfFailure,
} from '#functions/dispatcher/verdicts.ts';
import type { Delivery } from '#functions/dispatcher/deliver.ts';
import { errorTable } from '#shared/domain/errors.ts';
import { faultText } from '#shared/kube/broken-connection.ts';
import { AnswerTimeout } from '#shared/kube/whole-answer.ts';
import { exitCodes } from '../command-failure.ts';

export type OutcomeWord =
  'done' | 'requeued' | 'busy' | 'failed' | 'parked' | 'refused' | 'unreachable' | 'unanswered';

export interface Outcome {
  readonly verdict: OutcomeWord;
  /** For `requeued`: when the function runs again. */
  readonly afterMs?: number;
  /** The reason, after the status code of the answer. */
  readonly detail?: string;
  /** One command to run, or one thing to do next. */
  readonly next?: string;
}

export const exitCodeOf: Readonly<Record<OutcomeWord, number>> = {
  done: 0,
  requeued: 0,
  busy: exitCodes.general,
  failed: exitCodes.general,
  refused: exitCodes.invalidInput,
  unanswered: exitCodes.timeout,
  unreachable: exitCodes.unreachable,
  parked: exitCodes.findings,
};

const words: Readonly<Record<Delivery['kind'], OutcomeWord>> = {
  done: 'done',
  requeue: 'requeued',
  later: 'busy',
  retry: 'failed',
  parked: 'parked',
  unreachable: 'unreachable',
  refused: 'refused',
};

const nextSteps: Readonly<Partial<Record<OutcomeWord, string>>> = {
  busy: 'the same command again in a moment',
  failed: 'the same command again, and the log of the function',
  parked: 'mend the object; its next change has the function look again',
  refused: 'check --url and the event',
  unreachable: 'check --url, and that the function runs',
};

export function outcomeOfAnswer(answer: HttpAnswer, nowMs: number): Outcome {
  const delivery = verdictOfAnswer(answer, nowMs);
  return outcomeOf(isRefusal(answer) ? 'refused' : words[delivery.kind], delivery, answer.title);
}

/** For an exchange that threw an error. */
export function outcomeOfFailure(error: unknown, seconds: number): Outcome {
  if (error instanceof AnswerTimeout) {
    const detail = `there was no answer within ${seconds} s`;
    return { verdict: 'unanswered', detail, next: `--timeout ${2 * seconds}` };
  }
  const { kind } = verdictOfFailure(error);
  const word = words[kind];
  const next = nextSteps[word];
  return { verdict: word, detail: faultText(error), ...(next === undefined ? {} : { next }) };
}

export function outcomeText({ verdict, afterMs, detail }: Outcome): string {
  const after = afterMs === undefined ? '' : ` in ${Math.ceil(afterMs / 100) / 10} s`;
  return `${verdict}${after}${detail === undefined ? '' : `: ${detail}`}`;
}

/** A function parks with 422. Another one of these status codes means that the request was not for a function. */
function isRefusal({ status, title = '' }: HttpAnswer): boolean {
  const isSenders = status >= 300 && status < 500;
  const mayPass = [408, 409, 422, 429].includes(status);
  return (isSenders && !mayPass) || (status === 422 && title.startsWith('MR_EVENT_'));
}

function outcomeOf(verdict: OutcomeWord, delivery: Delivery, title = ''): Outcome {
  const known = Object.entries(errorTable).find(([code]) => code === title)?.[1];
  const next = known?.next ?? nextSteps[verdict];
  return {
    verdict,
    ...(delivery.kind === 'requeue' ? { afterMs: delivery.afterMs } : {}),
    ...('detail' in delivery ? { detail: delivery.detail } : {}),
    ...(next === undefined ? {} : { next }),
  };
}
