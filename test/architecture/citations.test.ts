import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citationsOf, rulesPage, uncited, unresolved, type Sources } from './citations.ts';

const root = join(import.meta.dirname, '../..');
const pagePath = 'docs/rules.md';
/** The page itself, and this file, whose examples are no citations. */
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

  it('cites nothing that the page of rules, the file itself or a file named with it does not define', () => {
    expect(unresolved(sources, page)).toEqual([]);
  });

  it('has no law, rule, invariant or scenario on the page that nobody cites', () => {
    expect(uncited(sources, page)).toEqual([]);
  });

  it('is searched as a whole, and the page is read as a whole', () => {
    const citations = [...sources].flatMap(([file, text]) => citationsOf(file, text));
    expect(citations.length).toBeGreaterThan(500);
    const kinds = new Map<string, number>();
    for (const entry of page.entries) {
      const kind = entry.replace(/ ?\d+$/, '');
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect(Object.fromEntries(kinds)).toEqual({
      ...{ law: 5, rule: 26, I: 14, PR: 2, scenario: 70 },
      ...{ U: 13, C: 2, E: 4 },
    });
    expect([...page.families.keys()].sort()).toEqual([
      'AW',
      'DJ',
      'LE',
      'NP',
      'Q',
      'QU',
      'RP',
      'WD',
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
      '| Q1 to Q2 | [queue/queue.ts](../../queue/queue.ts) | the queue |',
    ].join('\n'),
  );
  const queue = [
    '/**',
    ' * What a queue promises.',
    ' *',
    ' * Q1 First.',
    ' * Q2 Second.',
    ' */\n',
  ];
  const plan = '/**\n * A plan.\n *\n * P1 First.\n * P2 Second.\n */\n';

  function faults(texts: Readonly<Record<string, string>>): readonly string[] {
    return unresolved(
      new Map(Object.entries({ 'queue/queue.ts': queue.join('\n'), ...texts })),
      page,
    );
  }

  it.each([
    ['of a law', '// By law 1.'],
    ['of several rules', '// (rules 2 and 3, scenario 7)'],
    ['of an invariant', "it('does it once (I1)', () => {});"],
    ['of a code that is cited everywhere', '/** Never lost (Q2). */'],
    ['of a code of its own head comment', `${plan}// Twice is once (P2).`],
    ['of a code with the name of the file', '// P1 of plan.ts says so.'],
    [
      'over the end of a line',
      '/**\n * What follows is said by P1 and\n * P2 of shared/plan.ts.\n */',
    ],
  ])('%s resolves', (_, text) => {
    expect(faults({ 'a.ts': text, 'shared/plan.ts': plan })).toEqual([]);
  });

  it.each([
    ['of a rule that is not there', '\n// See rule 9.', 'a.ts:2: "rule 9" is defined nowhere'],
    ['in a list', '// (rules 2, 3 and 5)', 'a.ts:1: "rule 5" is defined nowhere'],
    ['in a span', '// rules 2 to 4', 'a.ts:1: "rule 4" is defined nowhere'],
    ['of a code of another file', '// Twice is once (P2).', 'a.ts:1: "P2" is defined nowhere'],
    ['of a code beyond the last', '// Q3', 'a.ts:1: "Q3" is defined nowhere'],
    ['of a code that the named file lacks', '// P3 of plan.ts', 'a.ts:1: "P3" is defined nowhere'],
    ['of a file that is not there', '// P1 of plans.ts', 'a.ts:1: "P1" is defined nowhere'],
    ['in a message', "blame('I4: too late');", 'a.ts:1: "I4" is defined nowhere'],
    [
      'of a document that is not here',
      '/** As decided (facts C7). */',
      'a.ts:1: "facts C7" is not in this repository',
    ],
  ])('%s does not', (_, text, fault) => {
    expect(faults({ 'a.ts': text, 'shared/plan.ts': plan })).toContain(fault);
  });

  it('in a test resolves in the file beside it', () => {
    const test = "it('runs in order (P1)', () => {});";
    const texts = { 'b/plan.ts': plan, 'b/plan.test.ts': test, 'b/plan-edges.test.ts': test };
    expect(faults(texts)).toEqual([]);
    expect(faults({ ...texts, 'b/other.test.ts': test })).toEqual([
      'b/other.test.ts:1: "P1" is defined nowhere',
    ]);
  });

  it('is none where letters and digits mean something else', () => {
    const text = "'Euro%20%E2%82%AC', '2001:DB8::1', 'T00:00', 'V8', 'RE2', 'SHA256', `x-A1`";
    expect(citationsOf('a.ts', text)).toEqual([]);
  });
});

describe('an entry of the page', () => {
  it('is told when nobody cites it', () => {
    const page = rulesPage('- **Law 1: one.**\n- **Rule 2: two.**\n| I1 | an invariant |\n');
    const sources = new Map([['a.ts', '// By law 1.']]);
    expect(uncited(sources, page)).toEqual(['rule 2', 'I1']);
  });
});
