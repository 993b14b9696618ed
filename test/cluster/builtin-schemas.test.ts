import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { builtinSchemaFile, builtinSchemas } from '#test/support/generate-builtin-schemas.ts';
import { describeWithCluster } from '#test/support/require.ts';

describeWithCluster('the schemas of the built-in kinds', (cluster) => {
  it('are those that the API server publishes', async () => {
    const generated = await builtinSchemas(cluster.kubectl);
    expect(generated === (await readFile(builtinSchemaFile, 'utf8'))).toBe(true);
  });
});
