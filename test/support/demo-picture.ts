/** The picture of the README: the last frame of `millrace demo` as an SVG. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyDemo } from '#functions/millrace/demo/apply-demo.ts';
import { findDemo, readDemos } from '#functions/millrace/demo/catalogue.ts';
import { drawTree } from '#functions/millrace/picture/draw-tree.ts';
import type { FlowPicture } from '#functions/millrace/picture/flow-picture.ts';
import { openOwnSandbox } from '#functions/millrace/demo/own-sandbox.ts';
import { play } from '#functions/millrace/demo/play.ts';
import { rehearse } from '#functions/millrace/demo/rehearse.ts';

export const pictureFile = join(import.meta.dirname, '../../docs/demo.svg');

const columns = 96;
/** Size in pixels of the picture's monospaced font. */
const cell = { width: 8.4, height: 20 };
const margin = 16;

const colours: Readonly<Record<string, string>> = {
  1: 'font-weight="bold"',
  2: 'fill-opacity="0.6"',
  31: 'fill="#ff7b72"',
  32: 'fill="#7ee787"',
  33: 'fill="#e3b341"',
  36: 'fill="#79c0ff"',
};

/** The demo's final tree, in terminal colours. */
export async function finalFrame(): Promise<readonly string[]> {
  const target = await openOwnSandbox();
  try {
    const chosen = rehearse(findDemo(await readDemos()), { timesFaster: 40 });
    const { flow } = await applyDemo(target.client, target.namespace, chosen);
    const silent = { show: () => undefined, remark: () => undefined, end: () => undefined };
    const played = await play({
      ...{ target, flow, presenter: silent, timeoutMs: 60_000 },
      onDelivered: () => undefined,
      signal: new AbortController().signal,
    });
    return frameOf(played.flow);
  } finally {
    await target.close();
  }
}

function frameOf(flow: FlowPicture): readonly string[] {
  const appearance = { live: true, colour: true, utf8: true };
  return drawTree(flow, flow.endedMs ?? 0, appearance, { columns, rows: 40 });
}

/** Turns terminal lines into the picture. Pure. */
export function svgOf(command: string, lines: readonly string[]): string {
  const all = [`\u001B[2m$\u001B[22m ${command}`, ...lines];
  const width = Math.ceil(columns * cell.width) + 2 * margin;
  const height = all.length * cell.height + 2 * margin;
  const texts = all.map((line, index) => {
    const y = margin + (index + 0.75) * cell.height;
    return `  <text x="${margin}" y="${y}" xml:space="preserve">${spansOf(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  <title>What ${command} draws: a tree of five steps, each with its state, duration and cause</title>`,
    `  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    `  <g fill="#e6edf3" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...texts,
    '  </g>',
    '</svg>',
    '',
  ].join('\n');
}

function spansOf(line: string): string {
  const parts = line.split(/\u001B\[(\d+)m/);
  let style = '';
  return parts
    .map((part, index) => {
      if (index % 2 === 1) {
        style = colours[part] ?? '';
        return '';
      }
      const text = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return style === '' || text === '' ? text : `<tspan ${style}>${text}</tspan>`;
    })
    .join('');
}

/** The picture without durations, events and the order of completions, which differ between runs. */
export function comparable(svg: string): string {
  return svg
    .replaceAll(/ *\d+\.\ds/g, ' Ns')
    .replaceAll(/<tspan fill-opacity="0.6"> {2}(?:seen with )?event [\w-]+@\d+<\/tspan>/g, '')
    .replaceAll(/← ([\w, -]+) completed/g, (_, names: string) => {
      return `← ${names.split(', ').toSorted().join(', ')} completed`;
    });
}

if (import.meta.main) await writeFile(pictureFile, svgOf('npm run demo', await finalFrame()));
