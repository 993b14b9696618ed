import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { comparable, finalFrame, pictureFile, svgOf } from './demo-picture.ts';

it('the picture of the README is what the demo draws', { timeout: 60_000 }, async () => {
  const kept = await readFile(pictureFile, 'utf8');
  // If it differs, run: npx node test/support/demo-picture.ts
  expect(comparable(svgOf('npm run demo', await finalFrame()))).toBe(comparable(kept));
});

it('a picture escapes what XML takes for markup', () => {
  expect(svgOf('a <b> & c', [])).toContain('a &lt;b> &amp; c');
});
