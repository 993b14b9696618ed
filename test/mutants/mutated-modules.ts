/** A bug for one process: nothing on disk changes, the loaded module has it. */
import { type LoadFnOutput, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mutated, type Mutation } from './mutant.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Later imports of the file in this process have the bug. A module that it has loaded already
 * stays whole, so import the code under test afterwards. The import throws when the text is
 * not there exactly once.
 */
export function breakModule(mutation: Mutation): void {
  const broken = pathToFileURL(join(root, mutation.file)).href;
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      if (url !== broken) return loaded;
      return { ...loaded, source: mutated(textOf(loaded.source), mutation) };
    },
  });
}

function textOf(source: LoadFnOutput['source']): string {
  if (typeof source === 'string') return source;
  if (source === undefined) throw new Error('a module without source cannot be mutated');
  return new TextDecoder().decode(source);
}
