/** An explanation as text: one line per cause, with its own causes below. */
import { parseTime } from '#shared/domain/time.ts';
import { partWord } from '../require-part.ts';
import type { Cause, Explanation, Named } from './explanation.ts';

export function explanationText(explanation: Explanation, timeZone?: string): readonly string[] {
  const { object, waits, causes, next } = explanation;
  return [
    `${nameOf(object)}: ${verdictOf(explanation)}`,
    ...causes.flatMap((cause) => causeLines(cause, object, 1, timeZone)),
    ...(causes.length === 0 && !waits ? [`  ${untroubled(explanation)}`] : []),
    `next: ${next}`,
  ];
}

function verdictOf({ object, state, waits, causes }: Explanation): string {
  const known = state === '' && object.part === undefined ? 'no status' : state;
  const words = [known, waits ? 'does not continue' : ''].filter((text) => text !== '');
  if (words.length > 0) return words.join(', ');
  return causes.length > 0 ? 'has ended' : 'continues, or has succeeded';
}

function untroubled({ state }: Explanation): string {
  return state.startsWith('Succe') ? 'it has succeeded' : 'nothing is known that it waits for';
}

function causeLines(
  { object, reason, message, source, until, because }: Cause,
  above: Named,
  level: number,
  timeZone: string | undefined,
): readonly string[] {
  const indent = '  '.repeat(level);
  const about = isSame(object, above) ? '' : `${nameOf(object, above)}: `;
  const when = until === undefined ? '' : `, until ${timesOf(until, timeZone)}`;
  return [
    `${indent}${about}${reason}${message === '' ? '' : `: ${message}`}${when} (${source})`,
    ...because.flatMap((cause) => causeLines(cause, object, level + 1, timeZone)),
  ];
}

function isSame(left: Named, right: Named): boolean {
  return nameOf(left) === nameOf(right);
}

/** Leaves out what equals the object above. */
function nameOf({ kind, namespace, name, part }: Named, above?: Named): string {
  const isPart = above?.kind === kind && above.namespace === namespace && above.name === name;
  if (isPart && part !== undefined) return `${partWord(kind)} ${part}`;
  const where = namespace === '' || above?.namespace === namespace ? '' : `${namespace}/`;
  return `${kind} ${where}${name}${part === undefined ? '' : `, ${partWord(kind)} ${part}`}`;
}

/** In the reader's time zone, and in UTC. */
function timesOf(utc: string, timeZone: string | undefined): string {
  const ms = parseTime(utc);
  if (ms === undefined) return utc;
  const local = new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit' },
    ...{ minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(ms);
  return `${local} = ${utc}`;
}
