import { printable } from '#shared/domain/printable.ts';

/** The end of a stack line before the next one. */
const nextFrame = /\n(?= {4}at )/;

/** A log record as its JSON line, without terminal control characters. A stack keeps its lines. */
export function printableRecord(line: string): string {
  const record: unknown = JSON.parse(line, (key, value: unknown) => {
    if (typeof value === 'string') {
      const lines = key === 'stack' ? value.split(nextFrame) : [value];
      return lines.map(printable).join('\n');
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [printable(name), each]));
  });
  return `${JSON.stringify(record)}\n`;
}
