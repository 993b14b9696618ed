import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ambiguous,
  citationsOf,
  definitions,
  differingRows,
  rulesPage,
  uncited,
  unresolved,
  wordsOf,
  type Sources,
} from './citations.ts';

const root = join(import.meta.dirname, '../..');
const pagePath = 'docs/rules.md';
/** The page itself, and this file, whose examples are not citations. */
const notSearched = new Set([pagePath, 'test/architecture/citations.test.ts']);

function searchedSources(): Sources {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  const paths = globSync('**/*.{ts,js,mjs,md}', { cwd: root, exclude }).sort();
  return new Map(
    paths
      .filter((path) => !notSearched.has(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
}

describe('the repository', () => {
  const sources = searchedSources();
  const page = rulesPage(readFileSync(join(root, pagePath), 'utf8'));

  it('cites only what the page of rules or the head comment of a file defines', () => {
    expect(unresolved(sources, page)).toEqual([]);
  });

  it('defines each code once, and uses each word in one file', () => {
    expect(ambiguous(sources, page)).toEqual([]);
  });

  it('repeats on the page of rules exactly the codes that the named files define', () => {
    expect(differingRows(sources, page)).toEqual([]);
  });

  it('has no uncited law, rule, invariant or scenario on the page', () => {
    expect(uncited(sources, page)).toEqual([]);
  });

  it('is searched as a whole, and the page is read as a whole', () => {
    const codes = definitions(sources).flatMap((each) => each.codes);
    expect(wordsOf(codes).size).toBeGreaterThan(60);
    const citations = [...sources].flatMap(([file, text]) =>
      citationsOf(file, text, wordsOf(codes)),
    );
    expect(citations.length).toBeGreaterThan(500);
    const kinds = new Map<string, number>();
    for (const entry of page.entries) {
      const kind = entry.replace(/[ -]?\d+$/, '');
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect(Object.fromEntries(kinds)).toEqual({
      ...{ law: 5, rule: 26, I: 14, promptness: 2, scenario: 70 },
      ...{ U: 13, C: 2, E: 4 },
    });
    const words = page.rows.flatMap((row) => [...wordsOf(row.codes)]);
    expect(words.toSorted()).toEqual([
      'candidacy',
      'daemonjob',
      'policy',
      'queue',
      'queued',
      'republication',
      'watchdog',
      'wrapper',
    ]);
  });
});

describe('a citation', () => {
  const page = rulesPage(
    [
      '- **Law 1: one.**',
      '- **Rule 2: two.**',
      '- **Rule 3: three.**',
      '| I1   | an invariant |',
      '| Scenario 7  | done | comes |',
      '| queue-1 to queue-2 | [queue/queue.ts](../../queue/queue.ts) | the queue |',
    ].join('\n'),
  );
  const queue = [
    '/**',
    ' * What a queue promises.',
    ' *',
    ' * queue-1 First.',
    ' * queue-2 Second.',
    ' */\n',
  ];
  const plan = '/**\n * A plan.\n *\n * plan-1 First.\n * plan-2 `Second`.\n */\n';
  const withQueue = (texts: Readonly<Record<string, string>>): Sources =>
    new Map(Object.entries({ 'queue/queue.ts': queue.join('\n'), ...texts }));

  it.each([
    ['of a law', '// By law 1.'],
    ['of several rules', '// (rules 2 and 3, scenario 7)'],
    ['of an invariant', "it('does it once (I1)', () => {});"],
    ['of a code in a test name', "it('is never lost (queue-2)', () => {});"],
    ['of a code in a comment', '// Twice is once (plan-2).'],
    ['over the end of a line', '/**\n * This follows from plan-1 and\n * plan-2.\n */'],
  ])('%s resolves', (_, text) => {
    const sources = withQueue({ 'a.ts': text, 'shared/plan.ts': plan });
    expect(unresolved(sources, page)).toEqual([]);
  });

  it.each([
    ['of a rule that is not there', '\n// See rule 9.', 'a.ts:2: "rule 9" is defined nowhere'],
    ['in a list', '// (rules 2, 3 and 5)', 'a.ts:1: "rule 5" is defined nowhere'],
    ['in a span', '// rules 2 to 4', 'a.ts:1: "rule 4" is defined nowhere'],
    ['of a code beyond the last', '// queue-3', 'a.ts:1: "queue-3" is defined nowhere'],
    ['of a code after others', '// (plan-1, plan-3)', 'a.ts:1: "plan-3" is defined nowhere'],
    ['of a word of no file', '// Kept (plam-1).', 'a.ts:1: "plam-1" is defined nowhere'],
    ['of a code without a word', '// Twice is once (P2).', 'a.ts:1: "P2" is defined nowhere'],
    ['in a message', "blame('I4: too late');", 'a.ts:1: "I4" is defined nowhere'],
    ['of a code in a message', "blame('plan-4: too late');", 'a.ts:1: "plan-4" is defined nowhere'],
    [
      'of a document that is not here',
      '/** As decided (facts C7). */',
      'a.ts:1: "facts C7" is not in this repository',
    ],
  ])('%s does not', (_, text, fault) => {
    const sources = withQueue({ 'a.ts': text, 'shared/plan.ts': plan });
    expect(unresolved(sources, page)).toContain(fault);
  });

  it('is none where letters and digits mean something else', () => {
    const text =
      "'Euro%20%E2%82%AC', '2001:DB8::1', 'T00:00', 'V8', 'RE2', 'SHA256', `x-A1`, 'job-1', 'my-queue-1', 'queue-1-x'";
    expect(citationsOf('a.ts', text, new Set(['queue']))).toEqual([]);
  });
});

describe('a code', () => {
  const page = rulesPage(
    '| I1 | one |\n| due-1 | two |\n| plan-1 | [plan.ts](../plan.ts) | a plan |\n',
  );
  const head = (...lines: readonly string[]) =>
    `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;

  it.each([
    ['defined once in each file', head('plan-1 One.'), head('queue-1 One.'), []],
    [
      'defined twice in one file',
      head('plan-1 One.', 'plan-1 Two.'),
      '',
      ['"plan-1" is defined in a/plan.ts and a/plan.ts'],
    ],
    [
      'whose word another file uses',
      head('plan-1 One.'),
      head('plan-2 Two.'),
      ['"plan-*" is defined in a/plan.ts and b/other.ts'],
    ],
    [
      'of the page that a file defines too',
      head('due-1 One.'),
      '',
      ['"due-1" is defined in the page of rules and a/plan.ts'],
    ],
  ])('%s is found', (_, plan, other, faults) => {
    const sources = new Map([
      ['a/plan.ts', plan],
      ['b/other.ts', other],
    ]);
    expect(ambiguous(sources, page)).toEqual(faults);
  });

  it('of a file that the page lists is on the page', () => {
    const sources = new Map([['plan.ts', head('plan-1 One.', 'plan-2 Two.')]]);
    expect(differingRows(sources, page)).toEqual(['plan.ts does not define plan-1']);
    expect(differingRows(new Map([['plan.ts', head('plan-1 One.')]]), page)).toEqual([]);
  });
});

describe('an entry of the page', () => {
  it('is reported when it is not cited', () => {
    const page = rulesPage('- **Law 1: one.**\n- **Rule 2: two.**\n| I1 | an invariant |\n');
    const sources = new Map([['a.ts', '// By law 1.']]);
    expect(uncited(sources, page)).toEqual(['rule 2', 'I1']);
  });
});
