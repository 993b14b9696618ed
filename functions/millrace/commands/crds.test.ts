import { expect, test } from 'vitest';
import { kinds } from '#functions/list.ts';
import { manifestStream } from '#shared/api/manifest-stream.ts';
import { servedDefinitions } from '#shared/api/served-definitions.ts';
import { readCrds } from './crds.ts';

test('what `crds` prints is what the kinds of the sources are served by, definitions first', async () => {
  const printed = (await readCrds()).split('---\n');
  const rendered = servedDefinitions(kinds).map((each) => manifestStream([each]));
  expect(printed.toSorted()).toEqual(rendered.toSorted());
  const isDefinition = printed.map((text) => text.includes('\nkind: CustomResourceDefinition\n'));
  expect(isDefinition).toEqual(isDefinition.toSorted().toReversed());
});
