/** The page of all waits, made from the list in this folder. */
import { waits } from './waits.ts';

export const waitsPagePath = 'docs/waits.md';

export function waitsPage(): string {
  const kinds = [...new Set(waits.map((wait) => wait.of))];
  return [
    '# Why does it wait?',
    '',
    'Generated from `deploy/waits/waits.ts`; do not edit. `kubectl get mjf,mdj -o wide` shows REASON and MESSAGE,',
    '`kubectl describe` shows conditions and Events, and `millrace why NAME` what is behind them. A test makes each wait',
    'happen and compares it with this page. (entry): the reason is in the entry of the step in the status; REASON shows',
    'another one. A wait that usually ends by itself has no Event.',
    ...kinds.flatMap((kind) => [
      '',
      `## ${kind}`,
      '',
      '| when | REASON | MESSAGE has | condition | Event | what ends it |',
      '| --- | --- | --- | --- | --- | --- |',
      ...waits
        .filter((wait) => wait.of === kind)
        .map(
          ({ name, reason, message, condition = '', event = '', isOfEntry, ends }) =>
            `| ${name} | ${code(reason)}${isOfEntry === true ? ' (entry)' : ''} | ${message.trim()} | ${code(condition)} | ${code(event)} | ${ends} |`,
        ),
    ]),
    '',
  ].join('\n');
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
