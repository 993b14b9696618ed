import { printable } from '#shared/domain/printable.ts';

/** Where a line of a stack ends and the next one begins. */
const nextFrame = /\n(?= {4}at )/;

/** A log record, as the JSON line of it, without what a terminal would obey. A stack keeps its lines. */
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
