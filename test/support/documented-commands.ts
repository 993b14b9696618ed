/** The commands that the pages tell people to type. Tests type them as they stand there. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Lines of blocks in `sh`, and what follows `$ ` in blocks in `console`, without their comments. */
export function commandsIn(text: string): readonly string[] {
  const blocks = text.matchAll(/^```(sh|console)\n([^]*?)^```$/gm);
  return [...blocks].flatMap(([, language, body = '']) =>
    body.split('\n').flatMap((line) => {
      const prompt = /^\$ /.exec(line)?.[0];
      if (language === 'console' && prompt === undefined) return [];
      const command = line.slice(prompt?.length ?? 0).replace(/\s+#\s.*$/, '');
      return command === '' ? [] : [command];
    }),
  );
}

let known: ReadonlySet<string> | undefined;

/** Of every page of the repository. */
export function documentedCommands(): ReadonlySet<string> {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  known ??= new Set(
    globSync('**/*.md', { cwd: root, exclude }).flatMap((page) =>
      commandsIn(readFileSync(join(root, page), 'utf8')),
    ),
  );
  return known;
}

/**
 * The command itself; throws where no page says so. Given as a literal, it counts as tried
 * (test/architecture/documented-commands.test.ts).
 */
export function documented(command: string): string {
  if (documentedCommands().has(command)) return command;
  throw new Error(`no page tells anybody to type: ${command}`);
}
