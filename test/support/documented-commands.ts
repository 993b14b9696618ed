/** The commands on the documentation pages. Tests type them unchanged. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * Lines of `sh` blocks, and what follows `$ ` in `console` blocks, without comments. A block with indented
 * lines is one script, with its first line as key.
 */
export function commandsIn(text: string): ReadonlyMap<string, string> {
  const blocks = text.matchAll(/^```(sh|console)\n([^]*?)^```$/gm);
  return new Map(
    [...blocks].flatMap(([, language, body = '']): (readonly [string, string])[] => {
      const lines = body.split('\n');
      const [first = ''] = lines;
      if (language === 'sh' && /^[ \t]+\S/m.test(body)) return [[first, body]];
      const commands = language === 'sh' ? lines : lines.flatMap(afterPrompt);
      return commands.map(withoutComment).flatMap((command) => {
        return command === '' ? [] : [[command, command]];
      });
    }),
  );
}

function afterPrompt(line: string): readonly string[] {
  return line.startsWith('$ ') ? [line.slice(2)] : [];
}

function withoutComment(line: string): string {
  return line.replace(/\s+#\s.*$/, '');
}

let known: ReadonlyMap<string, string> | undefined;

/** The commands of all pages of the repository. */
export function documentedCommands(): ReadonlyMap<string, string> {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  known ??= new Map(
    globSync('**/*.md', { cwd: root, exclude }).flatMap((page) => [
      ...commandsIn(readFileSync(join(root, page), 'utf8')),
    ]),
  );
  return known;
}

/**
 * The command itself, or the script that begins with it. Throws if no page has it. A literal argument counts
 * as tried (test/architecture/documented-commands.test.ts).
 */
export function documented(command: string): string {
  const text = documentedCommands().get(command);
  if (text !== undefined) return text;
  throw new Error(`no page has the command: ${command}`);
}
